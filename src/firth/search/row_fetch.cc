// SPDX-License-Identifier: Apache-2.0
#include "firth/search/row_fetch.h"

#include <arrow/array/array_binary.h>
#include <arrow/array/array_primitive.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/compute/api_vector.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <arrow/util/byte_size.h>
#include <arrow/util/checked_cast.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <numeric>
#include <span>
#include <unordered_map>
#include <utility>

#include "firth/common/parallel.h"

namespace firth {
namespace {

using arrow::internal::checked_cast;

/// Which of the wanted rows lie in one slice: numbers in `rows`.
using Wanted = std::vector<size_t>;

Result<std::shared_ptr<arrow::Array>> IndexArray(const std::vector<int64_t>& values) {
  arrow::Int64Builder builder;
  ARROW_RETURN_NOT_OK(builder.AppendValues(values));
  return builder.Finish();
}

Status CheckKeys(const arrow::Array& keys, const std::vector<RowPosition>& rows,
                 std::span<const size_t> wanted) {
  const auto& texts = checked_cast<const arrow::StringArray&>(keys);
  for (int64_t i = 0; i < texts.length(); ++i) {
    const RowPosition& row = rows[wanted[static_cast<size_t>(i)]];
    if (texts.GetView(i) != row.key) {
      return InternalError("row {} of slice {} has key '{}' when read again, it had '{}'", row.row,
                           row.slice, texts.GetView(i), row.key);
    }
  }
  return Status::OK();
}

/// What the rows of all slices take together; shared by threads.
class RowBudget {
 public:
  explicit RowBudget(int64_t memory_budget)
      : limit_(std::max(memory_budget / 4, kMinBytes)), memory_budget_(memory_budget) {}

  Status Take(int64_t bytes) {
    const int64_t taken = taken_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    if (taken <= limit_) return Status::OK();
    return Error(ErrorCode::kResourceExhausted,
                 "the rows of the answer take {} bytes or more; {} fit into memory_budget, {} "
                 "bytes; ask for a smaller k or radius, for fewer columns or queries, or give a "
                 "larger memory_budget",
                 taken, limit_, memory_budget_);
  }

 private:
  static constexpr int64_t kMinBytes = int64_t{16} << 20;

  int64_t limit_, memory_budget_;
  std::atomic<int64_t> taken_ = 0;
};

/// The rows of one slice that are wanted, in the order in which the slice gives them.
class SliceFetch {
 public:
  SliceFetch(const std::vector<RowPosition>& rows, const Wanted& wanted) : rows_(rows) {
    for (const size_t w : wanted) waiting_[rows[w].row].push_back(w);
  }

  Status Run(arrow::RecordBatchReader* stream, const std::optional<RecordKeys>& keys,
             RowBudget* budget) {
    while (!waiting_.empty()) {
      ARROW_ASSIGN_OR_RAISE(const auto batch, stream->Next());
      if (batch == nullptr) {
        const RowPosition& row = rows_[waiting_.begin()->second.front()];
        return InternalError("slice {} has no row {} when read again, it had one with key '{}'",
                             row.slice, row.row, row.key);
      }
      const size_t first = order_.size();
      ARROW_ASSIGN_OR_RAISE(const auto indices, IndexArray(Find(*batch)));
      if (indices->length() == 0) continue;
      ARROW_ASSIGN_OR_RAISE(const arrow::Datum taken, arrow::compute::Take(batch, indices));
      ARROW_ASSIGN_OR_RAISE(const int64_t bytes,
                            arrow::util::ReferencedBufferSize(*taken.record_batch()));
      ARROW_RETURN_NOT_OK(budget->Take(bytes));
      if (keys) {
        ARROW_ASSIGN_OR_RAISE(const auto found_keys, keys->Of(*taken.record_batch()));
        ARROW_RETURN_NOT_OK(CheckKeys(*found_keys, rows_, std::span(order_).subspan(first)));
      }
      batches_.push_back(taken.record_batch());
    }
    return Status::OK();
  }

  /// Row i of all batches together is rows[order()[i]].
  const Wanted& order() const { return order_; }
  const std::vector<std::shared_ptr<arrow::RecordBatch>>& batches() const { return batches_; }

 private:
  /// Positions in the batch, one for each entry added to order_.
  std::vector<int64_t> Find(const arrow::RecordBatch& batch) {
    const auto& numbers = checked_cast<const arrow::Int64Array&>(*batch.columns().back());
    std::vector<int64_t> indices;
    for (int64_t i = 0; i < numbers.length(); ++i) {
      const auto found = waiting_.find(numbers.Value(i));
      if (found == waiting_.end()) continue;
      indices.insert(indices.end(), found->second.size(), i);
      order_.insert(order_.end(), found->second.begin(), found->second.end());
      waiting_.erase(found);
    }
    return indices;
  }

  const std::vector<RowPosition>& rows_;
  std::unordered_map<int64_t, Wanted> waiting_;  // by row number
  Wanted order_;
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches_;
};

}  // namespace

Result<std::optional<RecordKeys>> KeysOfRows(const TableConfig& config, const arrow::Schema& rows) {
  if (RecordKeys::Columns(config).empty()) return std::nullopt;
  ARROW_ASSIGN_OR_RAISE(RecordKeys keys, RecordKeys::Make(config, rows));
  return keys;
}

Result<std::shared_ptr<arrow::Table>> FetchRows(const PlannedScan& plan,
                                                const std::shared_ptr<arrow::Schema>& schema,
                                                const std::vector<RowPosition>& rows,
                                                const RowFetchOptions& options,
                                                const std::shared_ptr<SliceReadMetrics>& metrics) {
  std::map<int64_t, Wanted> by_slice;
  for (size_t i = 0; i < rows.size(); ++i) by_slice[rows[i].slice].push_back(i);
  std::vector<int64_t> slices;
  std::vector<SliceFetch> fetches;
  for (const auto& [slice, wanted] : by_slice) {
    slices.push_back(slice);
    fetches.emplace_back(rows, wanted);
  }
  const TableConfig& config = plan.context->config;
  SliceReadOptions read = plan.read;
  read.columns = schema->field_names();
  for (const std::string& name : RecordKeys::Columns(config)) {
    if (schema->GetFieldIndex(name) < 0) read.columns.push_back(name);
  }
  read.row_numbers = true;
  RowBudget budget(options.memory_budget);
  ARROW_RETURN_NOT_OK(RunParallel(fetches.size(), options.threads, [&](size_t i) -> Status {
    ARROW_ASSIGN_OR_RAISE(
        const auto stream,
        OpenSlice(plan.context, plan.slices[static_cast<size_t>(slices[i])], read, metrics));
    ARROW_ASSIGN_OR_RAISE(const auto keys, KeysOfRows(config, *stream->schema()));
    return fetches[i].Run(stream.get(), keys, &budget);
  }));

  // Key columns that are not wanted, and the row numbers, are the last ones.
  std::vector<int> wanted_columns(static_cast<size_t>(schema->num_fields()));
  std::iota(wanted_columns.begin(), wanted_columns.end(), 0);
  std::vector<int64_t> order(rows.size());  // where each wanted row was put
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
  int64_t at = 0;
  for (const SliceFetch& fetch : fetches) {
    for (const size_t w : fetch.order()) order[w] = at++;
    for (const auto& batch : fetch.batches()) {
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
