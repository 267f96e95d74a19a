// SPDX-License-Identifier: Apache-2.0
#include "firth/search/row_fetch.h"

#include <arrow/array/array_binary.h>
#include <arrow/array/array_primitive.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/compute/api_vector.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <arrow/util/checked_cast.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "firth/common/parallel.h"

namespace firth {
namespace {

constexpr char kRecordKey[] = "_hoodie_record_key";

/// Which of the wanted rows lie in one slice: numbers in `rows`, by position.
using Wanted = std::vector<size_t>;

Result<std::shared_ptr<arrow::Array>> IndexArray(const std::vector<int64_t>& values) {
  arrow::Int64Builder builder;
  ARROW_RETURN_NOT_OK(builder.AppendValues(values));
  return builder.Finish();
}

Status CheckKeys(const arrow::RecordBatch& found, const std::vector<RowPosition>& rows,
                 const Wanted& wanted, size_t first) {
  const auto column = found.GetColumnByName(kRecordKey);
  if (column == nullptr || column->type_id() != arrow::Type::STRING) return Status::OK();
  const auto& keys = arrow::internal::checked_cast<const arrow::StringArray&>(*column);
  for (int64_t i = 0; i < keys.length(); ++i) {
    const RowPosition& row = rows[wanted[first + static_cast<size_t>(i)]];
    if (!row.key.empty() && keys.GetView(i) != row.key) {
      return InternalError("row {} of slice {} has key '{}' when read again, it had '{}'", row.row,
                           row.slice, keys.GetView(i), row.key);
    }
  }
  return Status::OK();
}

/// The wanted rows of one slice, in the order of `wanted`.
Result<std::vector<std::shared_ptr<arrow::RecordBatch>>> FetchSlice(
    const PlannedScan& plan, int64_t slice, const std::vector<std::string>& columns,
    const std::vector<RowPosition>& rows, const Wanted& wanted) {
  SliceReadOptions read = plan.read;
  read.columns = columns;
  ARROW_ASSIGN_OR_RAISE(const auto stream,
                        OpenSlice(plan.context, plan.slices[static_cast<size_t>(slice)],
                                  std::move(read), std::make_shared<SliceReadMetrics>()));
  std::vector<std::shared_ptr<arrow::RecordBatch>> found;
  size_t next = 0;  // in wanted
  int64_t batch_begin = 0;
  while (next < wanted.size()) {
    ARROW_ASSIGN_OR_RAISE(const auto batch, stream->Next());
    if (batch == nullptr) {
      return InternalError("slice {} ends at row {} when read again, row {} was found in it", slice,
                           batch_begin, rows[wanted[next]].row);
    }
    const int64_t batch_end = batch_begin + batch->num_rows();
    const size_t first = next;
    std::vector<int64_t> indices;
    for (; next < wanted.size() && rows[wanted[next]].row < batch_end; ++next) {
      indices.push_back(rows[wanted[next]].row - batch_begin);
    }
    batch_begin = batch_end;
    if (indices.empty()) continue;
    ARROW_ASSIGN_OR_RAISE(const auto index_array, IndexArray(indices));
    ARROW_ASSIGN_OR_RAISE(const arrow::Datum taken, arrow::compute::Take(batch, index_array));
    ARROW_RETURN_NOT_OK(CheckKeys(*taken.record_batch(), rows, wanted, first));
    found.push_back(taken.record_batch());
  }
  return found;
}

}  // namespace

Result<std::shared_ptr<arrow::Table>> FetchRows(const PlannedScan& plan,
                                                const std::shared_ptr<arrow::Schema>& schema,
                                                const std::vector<RowPosition>& rows, int threads) {
  std::map<int64_t, Wanted> by_slice;
  for (size_t i = 0; i < rows.size(); ++i) by_slice[rows[i].slice].push_back(i);
  std::vector<std::pair<int64_t, Wanted>> jobs(by_slice.begin(), by_slice.end());
  std::vector<std::string> columns = schema->field_names();
  if (schema->GetFieldIndex(kRecordKey) < 0) columns.emplace_back(kRecordKey);

  std::vector<std::vector<std::shared_ptr<arrow::RecordBatch>>> found(jobs.size());
  ARROW_RETURN_NOT_OK(RunParallel(jobs.size(), threads, [&](size_t i) -> Status {
    auto& [slice, wanted] = jobs[i];
    std::ranges::sort(wanted, {}, [&](size_t w) { return rows[w].row; });
    ARROW_ASSIGN_OR_RAISE(found[i], FetchSlice(plan, slice, columns, rows, wanted));
    return Status::OK();
  }));

  // The key column, if it is not wanted, is the last one.
  std::vector<int> wanted_columns(static_cast<size_t>(schema->num_fields()));
  std::iota(wanted_columns.begin(), wanted_columns.end(), 0);
  std::vector<int64_t> order(rows.size());  // where each wanted row was put
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
  int64_t at = 0;
  for (size_t i = 0; i < jobs.size(); ++i) {
    for (const size_t w : jobs[i].second) order[w] = at++;
    for (const auto& batch : found[i]) {
      ARROW_ASSIGN_OR_RAISE(auto selected, batch->SelectColumns(wanted_columns));
      batches.push_back(std::move(selected));
    }
  }
  ARROW_ASSIGN_OR_RAISE(const auto table, arrow::Table::FromRecordBatches(schema, batches));
  ARROW_ASSIGN_OR_RAISE(const auto order_array, IndexArray(order));
  ARROW_ASSIGN_OR_RAISE(const arrow::Datum ordered, arrow::compute::Take(table, order_array));
  return ordered.table();
}

}  // namespace firth
