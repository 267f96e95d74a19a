// SPDX-License-Identifier: Apache-2.0
#include "firth/read/base_reader.h"

#include <arrow/filesystem/filesystem.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <parquet/metadata.h>

#include <utility>

namespace firth {

BaseReader::BaseReader(std::shared_ptr<ParquetFile> file, SchemaReconciler reconciler,
                       std::shared_ptr<SliceReadMetrics> metrics)
    : file_(std::move(file)), reconciler_(std::move(reconciler)), metrics_(std::move(metrics)) {}

Result<std::unique_ptr<BaseReader>> BaseReader::Open(
    const ReadContext& context, const BaseFile& file, std::shared_ptr<arrow::Schema> wanted,
    const ColumnConstants& constants, const SliceReadOptions& options,
    const arrow::compute::Expression& filter, std::shared_ptr<SliceReadMetrics> metrics) {
  ARROW_ASSIGN_OR_RAISE(auto input, context.storage->OpenFile(file.path, file.size));
  ParquetOptions parquet_options;
  parquet_options.batch_rows = options.batch_rows;
  parquet_options.pre_buffer = context.storage->file_system()->type_name() != "local";
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<ParquetFile> parquet,
                        ParquetFile::Open(std::move(input), file.path, parquet_options));
  const SchemaEvolution evolution(context.schema, file.instant, options.latest_instant);
  ARROW_ASSIGN_OR_RAISE(SchemaReconciler reconciler,
                        SchemaReconciler::Make(*parquet->schema(), std::move(wanted), evolution,
                                               constants, file.path));
  std::unique_ptr<BaseReader> reader(
      new BaseReader(std::move(parquet), std::move(reconciler), std::move(metrics)));
  reader->pruned_.resize(reader->file_->metadata().num_row_groups());
  return reader;
}

Result<BaseBatch> BaseReader::Next() {
  while (true) {
    if (current_ == nullptr) {
      if (row_group_ == file_->metadata().num_row_groups()) return BaseBatch{};
      position_ = next_position_;
      next_position_ += file_->metadata().RowGroup(row_group_)->num_rows();
      metrics_->row_groups.fetch_add(1, std::memory_order_relaxed);
      if (pruned_[row_group_++]) {
        metrics_->row_groups_pruned.fetch_add(1, std::memory_order_relaxed);
        continue;
      }
      ARROW_ASSIGN_OR_RAISE(current_,
                            file_->ReadRowGroup(row_group_ - 1, reconciler_.file_columns()));
    }
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(current_->ReadNext(&batch));
    if (batch == nullptr) {
      current_ = nullptr;
      continue;
    }
    if (batch->num_rows() == 0) continue;
    BaseBatch result;
    result.first_row = position_;
    position_ += batch->num_rows();
    metrics_->base_rows.fetch_add(batch->num_rows(), std::memory_order_relaxed);
    ARROW_ASSIGN_OR_RAISE(result.rows, reconciler_.Apply(*batch));
    return result;
  }
}

void BaseReader::Rewind() {
  current_ = nullptr;
  row_group_ = 0;
  next_position_ = 0;
}

}  // namespace firth
