// SPDX-License-Identifier: Apache-2.0
#include "firth/read/merge_source.h"

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "firth/read/base_reader.h"
#include "firth/read/log_loader.h"
#include "firth/read/log_merger.h"
#include "firth/read/output_stage.h"

namespace firth {
namespace {

class MemoryMerge : public MergeSource {
 public:
  MemoryMerge(std::shared_ptr<MergeJob> job, std::vector<LogBatch> logs, int64_t records)
      : job_(std::move(job)), logs_(std::move(logs)), records_(records) {}

  Status Init() {
    const bool by_position = MatchesByPosition();
    merger_ = std::make_unique<LogMerger>(job_->plan, job_->combining,
                                          static_cast<size_t>(records_), by_position);
    for (LogBatch& batch : logs_) ARROW_RETURN_NOT_OK(merger_->Add(std::move(batch)));
    logs_.clear();
    if (!job_->slice.base) return Status::OK();
    ARROW_ASSIGN_OR_RAISE(
        base_, BaseReader::Open(*job_->context, *job_->slice.base, job_->plan.rows, job_->constants,
                                job_->options, arrow::compute::literal(true), job_->metrics));
    return Status::OK();
  }

  Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    if (pending_) return std::exchange(pending_, nullptr);
    if (base_) {
      ARROW_ASSIGN_OR_RAISE(const BaseBatch batch, base_->Next());
      if (batch.rows) return MergeBatch(batch.rows, batch.first_row);
      base_ = nullptr;
    }
    if (!leftovers_ready_) {
      leftovers_ready_ = true;
      leftovers_ = merger_->Leftovers();
      ARROW_ASSIGN_OR_RAISE(auto combined, merger_->CombinedLeftovers());
      if (combined) return combined;
    }
    while (next_leftover_ < leftovers_.size()) {
      const size_t i = next_leftover_++;
      if (merger_->batches()[i].rows) return KeepRows(merger_->batches()[i].rows, leftovers_[i]);
    }
    return nullptr;
  }

 private:
  // Whether all records have row numbers, and base rows come with theirs: an incremental read takes
  // rows out before it merges.
  bool MatchesByPosition() const {
    return job_->slice.base && !job_->options.instants &&
           std::ranges::all_of(logs_, [](const LogBatch& batch) {
             return static_cast<int64_t>(batch.positions.size()) == batch.num_records();
           });
  }

  Result<std::shared_ptr<arrow::RecordBatch>> MergeBatch(std::shared_ptr<arrow::RecordBatch> rows,
                                                         int64_t first_row) {
    if (job_->options.instants) {
      ARROW_ASSIGN_OR_RAISE(rows, KeepInstants(rows, *job_->options.instants));
    }
    ARROW_ASSIGN_OR_RAISE(const auto keys, job_->plan.keys.Of(*rows));
    ARROW_ASSIGN_OR_RAISE(const OrderingColumn ordering, job_->plan.ordering.FromRows(*rows));
    ARROW_ASSIGN_OR_RAISE(BaseMerge merge, merger_->MergeBase(rows, *keys, ordering, first_row));
    pending_ = std::move(merge.merged);
    return KeepRows(rows, merge.keep);
  }

  std::shared_ptr<MergeJob> job_;
  std::vector<LogBatch> logs_;
  int64_t records_;
  std::unique_ptr<LogMerger> merger_;
  std::unique_ptr<BaseReader> base_;
  std::shared_ptr<arrow::RecordBatch> pending_;
  bool leftovers_ready_ = false;
  std::vector<std::vector<uint8_t>> leftovers_;
  size_t next_leftover_ = 0;
};

// Whether blocks hold the operation column, which the table's schema does not name.
bool HasOperationColumn(const LogScan& scan) {
  const std::string quoted = fmt::format("\"{}\"", kOperationField);
  return std::ranges::any_of(scan.blocks, [&](const ScannedBlock& scanned) {
    return scanned.block.Get(LogHeaderKey::kSchema).find(quoted) != std::string_view::npos;
  });
}

}  // namespace

Result<std::unique_ptr<MergeSource>> MakeMergeSource(std::shared_ptr<MergeJob> job) {
  ARROW_ASSIGN_OR_RAISE(LogScan scan,
                        ScanLogs(*job->context, job->slice, job->options, job->metrics.get()));
  // Versions from before the range complete partial updates. Rows of other commits are still
  // dropped, by the output stage.
  if (scan.has_partial) job->options.instants.reset();
  if (HasOperationColumn(scan)) {
    ARROW_ASSIGN_OR_RAISE(auto columns, WithOperationColumn(job->plan.rows));
    ARROW_ASSIGN_OR_RAISE(job->plan, MakeMergePlan(*job->context, std::move(columns)));
  }
  job->combining = job->plan.combines() || scan.has_partial;
  // Then a base file's columns are in memory while the log records wait for it.
  if (job->slice.base && BaseReader::FetchesAhead(*job->context->storage)) {
    job->options.memory_budget = std::max<int64_t>(1, job->options.memory_budget / 2);
  }
  auto store =
      std::make_unique<LogStore>(job->plan, job->options.memory_budget, job->options.spill_dir);
  LogLoader loader(*job->context, job->plan, std::move(scan), job->constants, job->options,
                   job->slice.base ? job->slice.base->instant : "", job->metrics.get());
  while (true) {
    ARROW_ASSIGN_OR_RAISE(std::optional<LogBatch> batch, loader.Next());
    if (!batch) break;
    ARROW_RETURN_NOT_OK(store->Append(*std::move(batch)));
  }
  ARROW_RETURN_NOT_OK(store->Finish());
  if (store->spilled()) {
    job->metrics->spilled_bytes.fetch_add(store->spilled_bytes(), std::memory_order_relaxed);
    return MakeSpilledMerge(std::move(job), std::move(store));
  }
  const int64_t records = store->num_records();
  auto merge = std::make_unique<MemoryMerge>(std::move(job), store->TakeAll(), records);
  ARROW_RETURN_NOT_OK(merge->Init());
  return merge;
}

}  // namespace firth
