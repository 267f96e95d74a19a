// SPDX-License-Identifier: Apache-2.0
// Logs larger than the memory budget: keys are folded in partitions of their hashes, each small
// enough for memory. A fold only decides, as one bit per base row and log record, what stays; a
// last pass over base file and spilled logs emits that, so that base rows keep their order.
#include <arrow/array/array_binary.h>
#include <arrow/array/builder_binary.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/checked_cast.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "firth/common/checksum.h"
#include "firth/read/base_reader.h"
#include "firth/read/log_merger.h"
#include "firth/read/merge_source.h"
#include "firth/read/output_stage.h"

namespace firth {
namespace {

using arrow::internal::checked_cast;

// Partitions are planned for half of the budget: they are never quite equal, and batches of the
// base file need room as well.
constexpr int64_t kFoldShare = 2;

// Each partition reads the keys of the whole base file once more.
constexpr int64_t kMaxPartitions = 1'024;

class SpilledMerge : public MergeSource {
 public:
  SpilledMerge(std::shared_ptr<MergeJob> job, std::unique_ptr<LogStore> store)
      : job_(std::move(job)), store_(std::move(store)) {}

  Status Init() {
    // Deciding needs keys and ordering values only, unless columns are combined.
    if (job_->combining) {
      fold_plan_ = &job_->plan;
    } else {
      SliceReadOptions keys_only = job_->options;
      keys_only.columns.clear();
      keys_only.row_numbers = false;
      keys_only.filter = arrow::compute::literal(true);
      ARROW_ASSIGN_OR_RAISE(auto columns, NeededColumns(*job_->context, keys_only, true));
      if (job_->plan.rows->GetFieldIndex(std::string(kOperationField)) >= 0) {
        ARROW_ASSIGN_OR_RAISE(columns, WithOperationColumn(std::move(columns)));
      }
      ARROW_ASSIGN_OR_RAISE(key_plan_, MakeMergePlan(*job_->context, std::move(columns)));
      fold_plan_ = &key_plan_;
    }
    ARROW_ASSIGN_OR_RAISE(fold_reader_, store_->OpenReader(*fold_plan_));
    partitions_ = PartitionCount();
    log_emit_.resize(store_->num_batches());
    return Status::OK();
  }

  Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    while (true) {
      if (!ready_.empty()) {
        auto batch = std::move(ready_.back());
        ready_.pop_back();
        return batch;
      }
      if (partition_ == partitions_) break;
      ARROW_RETURN_NOT_OK(FoldPartition(partition_++));
      if (partition_ == partitions_) ARROW_RETURN_NOT_OK(StartEmitting());
    }
    if (base_) {
      ARROW_ASSIGN_OR_RAISE(const BaseBatch batch, base_->Next());
      if (batch.rows) {
        const auto first = base_keep_.begin() + batch.first_row;
        return KeepRows(batch.rows, std::vector<uint8_t>(first, first + batch.rows->num_rows()));
      }
      base_ = nullptr;
    }
    return NextLog();
  }

 private:
  size_t PartitionCount() const {
    const int64_t per_record =
        RecordMap::kBytesPerKey +
        (job_->combining ? job_->plan.rows->num_fields() * int64_t{8} : int64_t{64});
    const int64_t bytes =
        store_->num_records() * per_record + (job_->combining ? store_->spilled_bytes() : 0);
    const int64_t room = std::max<int64_t>(1, job_->options.memory_budget / kFoldShare);
    const int64_t wanted = (bytes + room - 1) / room;
    return static_cast<size_t>(std::clamp<int64_t>(wanted, 1, kMaxPartitions));
  }

  // The records of a batch whose keys fall into the partition.
  Result<LogBatch> Select(LogBatch batch, size_t partition) const {
    if (partitions_ == 1) return batch;
    const auto& keys = checked_cast<const arrow::StringArray&>(*batch.keys);
    std::vector<uint8_t> keep(keys.length());
    LogBatch part;
    for (int64_t i = 0; i < keys.length(); ++i) {
      keep[i] = (HashBytes(keys.GetView(i)) >> 40) % partitions_ == partition;
      if (keep[i] == 0) continue;
      part.origin.push_back(static_cast<uint32_t>(i));
      part.ordering.flags.push_back(batch.ordering.flags[i]);
    }
    // One batch of everything that is selected alike.
    arrow::FieldVector fields{arrow::field("", batch.keys->type())};
    arrow::ArrayVector columns{batch.keys};
    if (batch.ordering.values) {
      fields.push_back(arrow::field("", batch.ordering.values->type()));
      columns.push_back(batch.ordering.values);
    }
    ARROW_ASSIGN_OR_RAISE(const auto selected,
                          KeepRows(arrow::RecordBatch::Make(arrow::schema(std::move(fields)),
                                                            keys.length(), std::move(columns)),
                                   keep));
    part.keys = selected->column(0);
    if (batch.ordering.values) part.ordering.values = selected->column(1);
    if (batch.rows) {
      ARROW_ASSIGN_OR_RAISE(part.rows, KeepRows(batch.rows, keep));
    }
    part.present = std::move(batch.present);
    return part;
  }

  Status FoldPartition(size_t partition) {
    LogMerger merger(*fold_plan_, job_->combining,
                     static_cast<size_t>(store_->num_records()) / partitions_);
    for (size_t i = 0; i < store_->num_batches(); ++i) {
      ARROW_ASSIGN_OR_RAISE(LogBatch batch, fold_reader_.Read(i));
      if (partition == 0 && batch.rows) log_emit_[i].resize(batch.num_records());
      ARROW_ASSIGN_OR_RAISE(LogBatch part, Select(std::move(batch), partition));
      ARROW_RETURN_NOT_OK(merger.Add(std::move(part)));
    }
    if (job_->slice.base) ARROW_RETURN_NOT_OK(FoldBase(&merger));
    const std::vector<std::vector<uint8_t>> leftovers = merger.Leftovers();
    for (size_t i = 0; i < leftovers.size(); ++i) {
      const std::vector<uint32_t>& origin = merger.batches()[i].origin;
      for (size_t row = 0; row < leftovers[i].size(); ++row) {
        if (leftovers[i][row] != 0) log_emit_[i][origin.empty() ? row : origin[row]] = true;
      }
    }
    ARROW_ASSIGN_OR_RAISE(auto combined, merger.CombinedLeftovers());
    if (combined) ready_.push_back(std::move(combined));
    return Status::OK();
  }

  Status FoldBase(LogMerger* merger) {
    // Rows are counted by the emitting pass.
    const auto uncounted = std::make_shared<SliceReadMetrics>();
    ARROW_ASSIGN_OR_RAISE(const auto base, OpenBase(fold_plan_->rows, uncounted));
    while (true) {
      ARROW_ASSIGN_OR_RAISE(const BaseBatch batch, base->Next());
      if (batch.rows == nullptr) return Status::OK();
      const int64_t end = batch.first_row + batch.rows->num_rows();
      if (static_cast<int64_t>(base_keep_.size()) < end) base_keep_.resize(end, true);
      ARROW_RETURN_NOT_OK(FoldBaseBatch(merger, batch));
    }
  }

  Status FoldBaseBatch(LogMerger* merger, const BaseBatch& batch) {
    ARROW_ASSIGN_OR_RAISE(auto keys, fold_plan_->keys.Of(*batch.rows));
    if (job_->options.instants) {
      ARROW_ASSIGN_OR_RAISE(keys, HideKeys(*keys, *batch.rows));
    }
    ARROW_ASSIGN_OR_RAISE(const OrderingColumn ordering,
                          fold_plan_->ordering.FromRows(*batch.rows));
    ARROW_ASSIGN_OR_RAISE(BaseMerge merge, merger->MergeBase(batch.rows, *keys, ordering));
    for (size_t i = 0; i < merge.keep.size(); ++i) {
      if (merge.keep[i] == 0) base_keep_[batch.first_row + static_cast<int64_t>(i)] = false;
    }
    if (merge.merged) ready_.push_back(std::move(merge.merged));
    return Status::OK();
  }

  // Rows outside the instants take no part in merging; the output stage drops them.
  Result<std::shared_ptr<arrow::Array>> HideKeys(const arrow::Array& keys,
                                                 const arrow::RecordBatch& rows) const {
    const std::vector<uint8_t> visible = InInstants(rows, *job_->options.instants);
    const auto& texts = checked_cast<const arrow::StringArray&>(keys);
    arrow::StringBuilder builder;
    for (int64_t i = 0; i < texts.length(); ++i) {
      ARROW_RETURN_NOT_OK(visible[i] != 0 && texts.IsValid(i) ? builder.Append(texts.GetView(i))
                                                              : builder.AppendNull());
    }
    return builder.Finish();
  }

  Result<std::unique_ptr<BaseReader>> OpenBase(std::shared_ptr<arrow::Schema> columns,
                                               std::shared_ptr<SliceReadMetrics> metrics) const {
    return BaseReader::Open(*job_->context, *job_->slice.base, std::move(columns), job_->constants,
                            job_->options, arrow::compute::literal(true), std::move(metrics));
  }

  Status StartEmitting() {
    ARROW_ASSIGN_OR_RAISE(emit_reader_, store_->OpenReader(job_->plan));
    if (!job_->slice.base) return Status::OK();
    ARROW_ASSIGN_OR_RAISE(base_, OpenBase(job_->plan.rows, job_->metrics));
    return Status::OK();
  }

  Result<std::shared_ptr<arrow::RecordBatch>> NextLog() {
    while (next_log_ < log_emit_.size()) {
      const std::vector<bool> emit = std::move(log_emit_[next_log_++]);
      if (std::find(emit.begin(), emit.end(), true) == emit.end()) continue;
      ARROW_ASSIGN_OR_RAISE(const LogBatch batch, emit_reader_.Read(next_log_ - 1));
      return KeepRows(batch.rows, std::vector<uint8_t>(emit.begin(), emit.end()));
    }
    return nullptr;
  }

  std::shared_ptr<MergeJob> job_;
  std::unique_ptr<LogStore> store_;
  MergePlan key_plan_;
  const MergePlan* fold_plan_ = nullptr;
  LogStore::Reader fold_reader_, emit_reader_;
  size_t partitions_ = 1;
  size_t partition_ = 0;  // the next one
  std::vector<bool> base_keep_;
  std::vector<std::vector<bool>> log_emit_;                 // per batch; empty for delete blocks
  std::vector<std::shared_ptr<arrow::RecordBatch>> ready_;  // combined rows
  std::unique_ptr<BaseReader> base_;
  size_t next_log_ = 0;
};

}  // namespace

Result<std::unique_ptr<MergeSource>> MakeSpilledMerge(std::shared_ptr<MergeJob> job,
                                                      std::unique_ptr<LogStore> store) {
  auto merge = std::make_unique<SpilledMerge>(std::move(job), std::move(store));
  ARROW_RETURN_NOT_OK(merge->Init());
  return merge;
}

}  // namespace firth
