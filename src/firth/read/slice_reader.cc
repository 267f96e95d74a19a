// SPDX-License-Identifier: Apache-2.0
#include "firth/read/slice_reader.h"

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>
#include <utility>

#include "firth/common/arrow_init.h"
#include "firth/read/base_reader.h"
#include "firth/read/output_stage.h"
#include "firth/read/partition_values.h"

namespace firth {
namespace {

// The full schema's columns that a read must have at hand, in the full schema's order.
Result<std::shared_ptr<arrow::Schema>> NeededColumns(const ReadContext& context,
                                                     const SliceReadOptions& options) {
  const arrow::Schema& full = *context.schema.full;
  std::vector<bool> needed(full.num_fields());
  std::vector<std::string> names = options.columns;
  for (std::string& name : FilterColumns(options.filter)) names.push_back(std::move(name));
  if (options.instants) names.emplace_back("_hoodie_commit_time");
  for (const std::string& name : names) {
    const int index = full.GetFieldIndex(name);
    if (index < 0) return NotFoundError("the table has no column \"{}\"", name);
    needed[index] = true;
  }
  std::vector<std::shared_ptr<arrow::Field>> fields;
  for (int i = 0; i < full.num_fields(); ++i) {
    if (needed[i]) fields.push_back(full.field(i));
  }
  return arrow::schema(std::move(fields));
}

// A slice without logs: the base file's rows, filtered.
class BaseStream : public arrow::RecordBatchReader {
 public:
  BaseStream(std::shared_ptr<const ReadContext> context, std::unique_ptr<BaseReader> base,
             OutputStage output)
      : context_(std::move(context)), base_(std::move(base)), output_(std::move(output)) {}

  std::shared_ptr<arrow::Schema> schema() const override { return output_.schema(); }

  Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    *batch = nullptr;
    while (base_ != nullptr) {
      ARROW_ASSIGN_OR_RAISE(const BaseBatch next, base_->Next());
      if (next.rows == nullptr) {
        base_ = nullptr;
        break;
      }
      ARROW_ASSIGN_OR_RAISE(*batch, output_.Apply(next.rows));
      if ((*batch)->num_rows() > 0) return Status::OK();
    }
    *batch = nullptr;
    return Status::OK();
  }

 private:
  std::shared_ptr<const ReadContext> context_;
  std::unique_ptr<BaseReader> base_;
  OutputStage output_;
};

}  // namespace

Result<std::shared_ptr<arrow::RecordBatchReader>> OpenSlice(
    std::shared_ptr<const ReadContext> context, FileSlice slice, SliceReadOptions options,
    std::shared_ptr<SliceReadMetrics> metrics) {
  ARROW_RETURN_NOT_OK(InitializeArrow());
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Schema> needed,
                        NeededColumns(*context, options));
  ARROW_ASSIGN_OR_RAISE(OutputStage output, OutputStage::Make(needed, options));
  if (!slice.logs.empty()) return UnsupportedError("{}: log files", slice.logs[0].path);
  if (!slice.base) return std::make_shared<BaseStream>(context, nullptr, std::move(output));
  ColumnConstants constants;
  if (context->config.drops_partition_columns) {
    ARROW_ASSIGN_OR_RAISE(constants, PartitionConstants(context->config, *needed, slice.partition));
  }
  ARROW_ASSIGN_OR_RAISE(std::unique_ptr<BaseReader> base,
                        BaseReader::Open(*context, *slice.base, needed, constants, options,
                                         options.filter, std::move(metrics)));
  return std::make_shared<BaseStream>(std::move(context), std::move(base), std::move(output));
}

}  // namespace firth
