// SPDX-License-Identifier: Apache-2.0
#include "firth/read/slice_reader.h"

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>
#include <utility>

#include "firth/common/arrow_init.h"
#include "firth/read/base_reader.h"
#include "firth/read/merge_source.h"
#include "firth/read/output_stage.h"
#include "firth/read/partition_values.h"

namespace firth {
namespace {

// A slice without logs: the base file's rows.
class BaseSource : public MergeSource {
 public:
  explicit BaseSource(std::unique_ptr<BaseReader> base) : base_(std::move(base)) {}

  Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    ARROW_ASSIGN_OR_RAISE(BaseBatch batch, base_->Next());
    return std::move(batch.rows);
  }

 private:
  std::unique_ptr<BaseReader> base_;
};

// Files are opened by the first call of ReadNext.
class SliceStream : public arrow::RecordBatchReader {
 public:
  SliceStream(std::shared_ptr<MergeJob> job, OutputStage output)
      : job_(std::move(job)), output_(std::move(output)) {}

  std::shared_ptr<arrow::Schema> schema() const override { return output_.schema(); }

  Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    *batch = nullptr;
    if (done_) return Status::OK();
    if (source_ == nullptr) {
      ARROW_RETURN_NOT_OK(Open());
    }
    while (!done_) {
      ARROW_ASSIGN_OR_RAISE(const auto rows, source_->Next());
      if (rows == nullptr) {
        ARROW_RETURN_NOT_OK(Close());
        break;
      }
      if (rows->num_rows() == 0) continue;
      ARROW_ASSIGN_OR_RAISE(auto output, output_.Apply(rows));
      if (output->num_rows() == 0) continue;
      *batch = std::move(output);
      break;
    }
    return Status::OK();
  }

  Status Close() override {
    done_ = true;
    source_ = nullptr;
    return Status::OK();
  }

 private:
  Status Open() {
    if (!job_->slice.logs.empty()) {
      ARROW_ASSIGN_OR_RAISE(source_, MakeMergeSource(job_));
      return Status::OK();
    }
    if (!job_->slice.base) return Close();
    ARROW_ASSIGN_OR_RAISE(
        auto base,
        BaseReader::Open(*job_->context, *job_->slice.base, job_->plan.rows, job_->constants,
                         job_->options, job_->options.filter, job_->metrics));
    source_ = std::make_unique<BaseSource>(std::move(base));
    return Status::OK();
  }

  std::shared_ptr<MergeJob> job_;
  OutputStage output_;
  std::unique_ptr<MergeSource> source_;
  bool done_ = false;
};

Status CheckOptions(const SliceReadOptions& options) {
  constexpr int64_t kMaxBatchRows = int64_t{1} << 24;
  if (options.batch_rows < 1 || options.batch_rows > kMaxBatchRows) {
    return InvalidError("batch_rows is {}; must be 1 to {}", options.batch_rows, kMaxBatchRows);
  }
  if (options.memory_budget < 1) {
    return InvalidError("memory_budget is {}; must be positive", options.memory_budget);
  }
  return Status::OK();
}

}  // namespace

Result<std::shared_ptr<arrow::RecordBatchReader>> OpenSlice(
    std::shared_ptr<const ReadContext> context, FileSlice slice, SliceReadOptions options,
    std::shared_ptr<SliceReadMetrics> metrics) {
  ARROW_RETURN_NOT_OK(InitializeArrow());
  ARROW_RETURN_NOT_OK(CheckOptions(options));
  if (options.instants && !context->config.has_meta_fields) {
    return UnsupportedError("table {} has no meta columns: its rows do not tell their commit",
                            context->config.name);
  }
  const bool merging = !slice.logs.empty();
  auto job = std::make_shared<MergeJob>();
  ARROW_ASSIGN_OR_RAISE(auto needed, NeededColumns(*context, options, merging));
  ARROW_ASSIGN_OR_RAISE(OutputStage output, OutputStage::Make(*context, needed, options));
  if (context->config.drops_partition_columns) {
    ARROW_ASSIGN_OR_RAISE(job->constants,
                          PartitionConstants(context->config, *needed, slice.partition));
  }
  if (merging) {
    ARROW_ASSIGN_OR_RAISE(job->plan, MakeMergePlan(*context, std::move(needed)));
  } else {
    job->plan.rows = std::move(needed);
  }
  job->context = std::move(context);
  job->slice = std::move(slice);
  job->options = std::move(options);
  job->metrics = std::move(metrics);
  return std::make_shared<SliceStream>(std::move(job), std::move(output));
}

}  // namespace firth
