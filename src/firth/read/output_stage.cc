// SPDX-License-Identifier: Apache-2.0
#include "firth/read/output_stage.h"

#include <arrow/array/array_binary.h>
#include <arrow/array/array_primitive.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/util.h>
#include <arrow/compute/api_vector.h>
#include <arrow/compute/exec.h>
#include <arrow/datum.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/checked_cast.h>

#include <algorithm>
#include <utility>

#include "firth/common/memory.h"
#include "firth/read/row_number.h"

namespace firth {
namespace {

namespace cp = arrow::compute;
using arrow::internal::checked_cast;

}  // namespace

// Commit times come in runs: one set lookup a run.
std::vector<uint8_t> InInstants(const arrow::RecordBatch& batch, const InstantFilter& filter) {
  const std::shared_ptr<arrow::Array> column = batch.GetColumnByName("_hoodie_commit_time");
  const auto& times = checked_cast<const arrow::StringArray&>(*column);
  std::vector<uint8_t> keep(times.length());
  std::string_view last;
  bool last_in = false;
  for (int64_t i = 0; i < times.length(); ++i) {
    if (times.IsNull(i)) continue;
    const std::string_view time = times.GetView(i);
    if (time != last) {
      last = time;
      last_in = filter.instants.contains(time);
    }
    keep[i] = last_in;
  }
  return keep;
}

std::vector<std::string> FilterColumns(const cp::Expression& filter) {
  std::vector<std::string> names;
  for (const arrow::FieldRef& ref : cp::FieldsInExpression(filter)) {
    const std::string* name = ref.name();
    if (name == nullptr && ref.nested_refs() != nullptr) name = ref.nested_refs()->front().name();
    if (name != nullptr) names.push_back(*name);
  }
  return names;
}

Result<std::shared_ptr<arrow::RecordBatch>> KeepRows(
    const std::shared_ptr<arrow::RecordBatch>& batch, const std::vector<uint8_t>& keep) {
  const int64_t kept = keep.size() - std::count(keep.begin(), keep.end(), uint8_t{0});
  if (kept == batch->num_rows()) return batch;
  if (kept == 0) return batch->Slice(0, 0);
  arrow::Int32Builder indices;
  ARROW_RETURN_NOT_OK(indices.Reserve(kept));
  for (size_t i = 0; i < keep.size(); ++i) {
    if (keep[i] != 0) indices.UnsafeAppend(static_cast<int32_t>(i));
  }
  ARROW_ASSIGN_OR_RAISE(const auto rows, indices.Finish());
  cp::ExecContext context(BatchPool());
  ARROW_ASSIGN_OR_RAISE(const arrow::Datum taken,
                        cp::Take(batch, rows, cp::TakeOptions::NoBoundsCheck(), &context));
  return taken.record_batch();
}

Result<std::shared_ptr<arrow::RecordBatch>> KeepInstants(
    const std::shared_ptr<arrow::RecordBatch>& batch, const InstantFilter& filter) {
  return KeepRows(batch, InInstants(*batch, filter));
}

Result<OutputStage> OutputStage::Make(const ReadContext& context,
                                      std::shared_ptr<arrow::Schema> input,
                                      const SliceReadOptions& options) {
  OutputStage stage;
  std::vector<std::shared_ptr<arrow::Field>> fields;
  for (const std::string& name : options.columns) {
    const bool hidden = !context.config.has_meta_fields && IsMetaField(name);
    stage.projection_.push_back(hidden ? -1 : input->GetFieldIndex(name));
    fields.push_back(context.schema.full->GetFieldByName(name));
  }
  if (options.row_numbers) {
    stage.projection_.push_back(input->num_fields() - 1);
    fields.push_back(RowNumberField());
  }
  stage.schema_ = arrow::schema(std::move(fields));
  stage.has_filter_ = !options.filter.Equals(cp::literal(true));
  if (stage.has_filter_) {
    ARROW_ASSIGN_OR_RAISE(stage.filter_, options.filter.Bind(*input));
  }
  stage.instants_ = options.instants;
  return stage;
}

Result<std::shared_ptr<arrow::RecordBatch>> OutputStage::Filter(
    const std::shared_ptr<arrow::RecordBatch>& batch) const {
  ARROW_ASSIGN_OR_RAISE(
      const arrow::Datum mask,
      cp::ExecuteScalarExpression(filter_, *batch->schema(), arrow::Datum(batch)));
  if (mask.is_scalar()) {
    const auto& value = checked_cast<const arrow::BooleanScalar&>(*mask.scalar());
    return value.is_valid && value.value ? batch : batch->Slice(0, 0);
  }
  cp::ExecContext context(BatchPool());
  ARROW_ASSIGN_OR_RAISE(const arrow::Datum kept,
                        cp::Filter(batch, mask, cp::FilterOptions::Defaults(), &context));
  return kept.record_batch();
}

Result<std::shared_ptr<arrow::RecordBatch>> OutputStage::Apply(
    const std::shared_ptr<arrow::RecordBatch>& batch) const {
  std::shared_ptr<arrow::RecordBatch> rows = batch;
  if (instants_) {
    ARROW_ASSIGN_OR_RAISE(rows, KeepInstants(rows, *instants_));
  }
  if (has_filter_ && rows->num_rows() > 0) {
    ARROW_ASSIGN_OR_RAISE(rows, Filter(rows));
  }
  std::vector<std::shared_ptr<arrow::Array>> columns;
  columns.reserve(projection_.size());
  for (size_t i = 0; i < projection_.size(); ++i) {
    if (projection_[i] >= 0) {
      columns.push_back(rows->column(projection_[i]));
      continue;
    }
    ARROW_ASSIGN_OR_RAISE(
        auto nulls,
        arrow::MakeArrayOfNull(schema_->field(static_cast<int>(i))->type(), rows->num_rows()));
    columns.push_back(std::move(nulls));
  }
  return arrow::RecordBatch::Make(schema_, rows->num_rows(), std::move(columns));
}

}  // namespace firth
