// SPDX-License-Identifier: Apache-2.0
#include "firth/read/base_reader.h"

#include <arrow/filesystem/filesystem.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/checked_cast.h>
#include <parquet/metadata.h>

#include <utility>

#include "firth/read/prune.h"
#include "firth/read/row_number.h"

namespace firth {

namespace {

// Bounds of a file's values hold for the table's where the conversion keeps the order.
Result<std::shared_ptr<arrow::Scalar>> ConvertBound(const std::shared_ptr<arrow::Scalar>& bound,
                                                    const std::shared_ptr<arrow::DataType>& to) {
  if (bound == nullptr || bound->type->Equals(*to)) return bound;
  if (bound->type->id() == arrow::Type::INT32 && to->id() == arrow::Type::INT64) {
    return arrow::MakeScalar(
        int64_t{arrow::internal::checked_cast<const arrow::Int32Scalar&>(*bound).value});
  }
  return nullptr;
}

// Statistics say what the file's type means, so a column of another type must not use them unless
// ConvertBound knows better.
std::optional<ColumnRange> RangeInRowGroup(const ParquetFile& file,
                                           const SchemaReconciler& reconciler, int row_group,
                                           const std::string& column) {
  const int wanted = reconciler.wanted()->GetFieldIndex(column);
  if (wanted < 0) return std::nullopt;
  ColumnRange range;
  range.rows = file.metadata().RowGroup(row_group)->num_rows();
  const int stored = reconciler.FileColumn(wanted);
  if (stored < 0) {
    if (reconciler.Constant(wanted) != nullptr) return std::nullopt;
    range.null_count = range.rows;
    return range;
  }
  const auto statistics = file.Statistics(row_group, stored);
  if (!statistics.ok()) return std::nullopt;
  range.null_count = statistics->null_count;
  const auto& file_type = file.schema()->field(stored)->type();
  const auto& type = reconciler.wanted()->field(wanted)->type();
  const bool typed = statistics->min != nullptr && statistics->min->type->Equals(*file_type) &&
                     (file_type->Equals(*type) || file_type->id() == arrow::Type::INT32);
  if (!typed) return range;
  const auto min = ConvertBound(statistics->min, type), max = ConvertBound(statistics->max, type);
  if (!min.ok() || !max.ok()) return range;
  range.min = *min;
  range.max = *max;
  return range;
}

bool HasInstantIn(const InstantFilter& filter, const std::optional<ColumnRange>& range) {
  if (!range || range->min == nullptr || range->max == nullptr) return true;
  const auto text = [](const arrow::Scalar& scalar) {
    return arrow::internal::checked_cast<const arrow::BaseBinaryScalar&>(scalar).view();
  };
  const auto first = filter.instants.lower_bound(text(*range->min));
  return first != filter.instants.end() && *first <= text(*range->max);
}

}  // namespace

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
  if (options.prune) ARROW_RETURN_NOT_OK(reader->Prune(filter, options.instants));
  return reader;
}

Status BaseReader::Prune(const arrow::compute::Expression& filter,
                         const std::optional<InstantFilter>& instants) {
  ARROW_ASSIGN_OR_RAISE(const auto bound, filter.Bind(*reconciler_.wanted()));
  for (size_t i = 0; i < pruned_.size(); ++i) {
    const RangeOf range_of = [&](const std::string& column) {
      return RangeInRowGroup(*file_, reconciler_, static_cast<int>(i), column);
    };
    pruned_[i] = !CanMatch(bound, range_of) ||
                 (instants && !HasInstantIn(*instants, range_of("_hoodie_commit_time")));
  }
  return Status::OK();
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
    ARROW_ASSIGN_OR_RAISE(auto rows, reconciler_.Apply(*batch));
    ARROW_ASSIGN_OR_RAISE(result.rows, NumberRows(std::move(rows), result.first_row));
    return result;
  }
}

}  // namespace firth
