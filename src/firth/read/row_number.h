// SPDX-License-Identifier: Apache-2.0
// Numbers by which rows of a slice are found again.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>

#include "firth/common/status.h"

namespace firth {

/// A column that no file has: with SliceReadOptions::row_numbers every source of rows carries it,
/// and a combined row keeps the number of its winning version. So the number of a result depends on
/// keys and ordering alone: not on the columns read, what was spilled, batches or threads.
inline constexpr char kRowNumberColumn[] = "#row";  // no Avro name, so no table has it

/// Rows of the base file have their position in the file, log records kFirstLogRow plus their
/// position among those of all logs, in processing order.
inline constexpr int64_t kFirstLogRow = int64_t{1} << 62;

std::shared_ptr<arrow::Field> RowNumberField();

/// `rows`, numbered from `first` on if they have the column.
Result<std::shared_ptr<arrow::RecordBatch>> NumberRows(std::shared_ptr<arrow::RecordBatch> rows,
                                                       int64_t first);

}  // namespace firth
