// SPDX-License-Identifier: Apache-2.0
#include "firth/read/base_reader.h"

#include <arrow/filesystem/filesystem.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <parquet/metadata.h>

#include <algorithm>
#include <utility>

#include "firth/read/row_number.h"

namespace firth {

namespace {

int64_t CountRows(const std::vector<RowRange>& ranges) {
  int64_t rows = 0;
  for (const RowRange& range : ranges) rows += range.end - range.begin;
  return rows;
}

// Pages of a column that hold rows of `ranges`.
int64_t CountPages(const ParquetPages& pages, const std::vector<RowRange>& ranges) {
  int64_t count = 0;
  size_t range = 0;
  for (size_t i = 0; i < pages.size(); ++i) {
    while (range < ranges.size() && ranges[range].end <= pages.first_rows[i]) ++range;
    count += range < ranges.size() && ranges[range].begin < pages.first_rows[i + 1];
  }
  return count;
}

}  // namespace

BaseReader::BaseReader(std::shared_ptr<ParquetFile> file, SchemaReconciler reconciler,
                       std::shared_ptr<SliceReadMetrics> metrics)
    : file_(std::move(file)), reconciler_(std::move(reconciler)), metrics_(std::move(metrics)) {}

bool BaseReader::FetchesAhead(const Storage& storage) {
  return storage.file_system()->type_name() != "local";
}

Result<std::unique_ptr<BaseReader>> BaseReader::Open(
    const ReadContext& context, const BaseFile& file, std::shared_ptr<arrow::Schema> wanted,
    const ColumnConstants& constants, const SliceReadOptions& options,
    const arrow::compute::Expression& filter, std::shared_ptr<SliceReadMetrics> metrics) {
  ARROW_ASSIGN_OR_RAISE(auto input, context.storage->OpenFile(file.path, file.size));
  ParquetOptions parquet_options;
  parquet_options.batch_rows = options.batch_rows;
  parquet_options.pre_buffer = FetchesAhead(*context.storage);
  parquet_options.max_fetched_bytes = options.memory_budget;
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<ParquetFile> parquet,
                        ParquetFile::Open(std::move(input), file.path, parquet_options));
  const SchemaEvolution evolution(context.schema, file.instant, options.latest_instant);
  ARROW_ASSIGN_OR_RAISE(SchemaReconciler reconciler,
                        SchemaReconciler::Make(*parquet->schema(), std::move(wanted), evolution,
                                               constants, file.path));
  std::unique_ptr<BaseReader> reader(
      new BaseReader(std::move(parquet), std::move(reconciler), std::move(metrics)));
  if (options.prune) {
    ARROW_ASSIGN_OR_RAISE(
        reader->pruner_,
        BasePruner::Make(reader->file_.get(), &reader->reconciler_, filter, options.instants));
  }
  return reader;
}

Status BaseReader::OpenRowGroup() {
  const int row_group = row_group_++;
  const int64_t rows = file_->metadata().RowGroup(row_group)->num_rows();
  row_group_begin_ = next_row_group_begin_;
  next_row_group_begin_ += rows;
  metrics_->row_groups.fetch_add(1, std::memory_order_relaxed);
  ranges_ = {{0, rows}};
  range_ = 0;
  if (pruner_) {
    if (pruner_->Excludes(row_group)) {
      metrics_->row_groups_pruned.fetch_add(1, std::memory_order_relaxed);
      return Status::OK();
    }
    ranges_ = pruner_->Rows(row_group);
    CountPagesOf(row_group);
    if (ranges_.empty()) return Status::OK();
  }
  const std::vector<int>& columns = reconciler_.file_columns();
  if (CountRows(ranges_) == rows) return file_->ReadRowGroup(row_group, columns).Value(&current_);
  return file_->ReadRows(row_group, ranges_, columns).Value(&current_);
}

void BaseReader::CountPagesOf(int row_group) {
  for (const int column : reconciler_.file_columns()) {
    const ParquetPages* pages = file_->Pages(row_group, column);
    if (pages == nullptr) continue;
    const auto all = static_cast<int64_t>(pages->size());
    metrics_->pages.fetch_add(all, std::memory_order_relaxed);
    metrics_->pages_pruned.fetch_add(all - CountPages(*pages, ranges_), std::memory_order_relaxed);
  }
}

// The next part of `batch_` that has no gap in it.
BaseBatch BaseReader::TakeRows() {
  RowRange& range = ranges_[range_];
  const int64_t count = std::min(batch_->num_rows(), range.end - range.begin);
  BaseBatch result{batch_->Slice(0, count), row_group_begin_ + range.begin};
  range.begin += count;
  if (range.begin == range.end) ++range_;
  batch_ = count == batch_->num_rows() ? nullptr : batch_->Slice(count);
  return result;
}

Result<BaseBatch> BaseReader::Next() {
  while (batch_ == nullptr) {
    if (current_ == nullptr) {
      if (row_group_ == file_->metadata().num_row_groups()) return BaseBatch{};
      ARROW_RETURN_NOT_OK(OpenRowGroup());
      continue;
    }
    ARROW_RETURN_NOT_OK(current_->ReadNext(&batch_));
    if (batch_ == nullptr) {
      current_ = nullptr;
    } else if (batch_->num_rows() == 0) {
      batch_ = nullptr;
    }
  }
  BaseBatch result = TakeRows();
  metrics_->base_rows.fetch_add(result.rows->num_rows(), std::memory_order_relaxed);
  ARROW_ASSIGN_OR_RAISE(auto rows, reconciler_.Apply(*result.rows));
  ARROW_ASSIGN_OR_RAISE(result.rows, NumberRows(std::move(rows), result.first_row));
  return result;
}

}  // namespace firth
