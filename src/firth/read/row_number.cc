// SPDX-License-Identifier: Apache-2.0
#include "firth/read/row_number.h"

#include <arrow/array/array_primitive.h>
#include <arrow/buffer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <numeric>
#include <utility>
#include <vector>

namespace firth {

std::shared_ptr<arrow::Field> RowNumberField() {
  return arrow::field(kRowNumberColumn, arrow::int64());
}

Result<std::shared_ptr<arrow::RecordBatch>> NumberRows(std::shared_ptr<arrow::RecordBatch> rows,
                                                       int64_t first) {
  const int column = rows->schema()->GetFieldIndex(kRowNumberColumn);
  if (column < 0) return rows;
  std::vector<int64_t> numbers(static_cast<size_t>(rows->num_rows()));
  std::iota(numbers.begin(), numbers.end(), first);
  auto array = std::make_shared<arrow::Int64Array>(rows->num_rows(),
                                                   arrow::Buffer::FromVector(std::move(numbers)));
  return rows->SetColumn(column, rows->schema()->field(column), std::move(array));
}

}  // namespace firth
