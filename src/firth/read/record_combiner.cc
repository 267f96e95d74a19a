// SPDX-License-Identifier: Apache-2.0
#include "firth/read/record_combiner.h"

#include <arrow/array/array_binary.h>
#include <arrow/array/array_primitive.h>
#include <arrow/array/builder_base.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/checked_cast.h>

#include <algorithm>
#include <utility>

#include "firth/common/memory.h"
#include "firth/read/row_number.h"

namespace firth {

using arrow::internal::checked_cast;

RecordCombiner::RecordCombiner(const MergePlan& plan)
    : plan_(plan),
      columns_(static_cast<size_t>(plan.rows->num_fields())),
      number_column_(plan.rows->GetFieldIndex(kRowNumberColumn)) {
  if (number_column_ < 0) return;
  arrow::FieldVector fields = plan.rows->fields();
  fields.erase(fields.begin() + number_column_);
  unnumbered_ = arrow::schema(std::move(fields));
}

void RecordCombiner::SetRows(std::shared_ptr<arrow::RecordBatch> rows, Source* source) const {
  source->columns = rows->columns();
  if (unnumbered_ == nullptr) {
    source->rows = std::move(rows);
    return;
  }
  arrow::ArrayVector columns = source->columns;
  columns.erase(columns.begin() + number_column_);
  source->rows = arrow::RecordBatch::Make(unnumbered_, rows->num_rows(), std::move(columns));
}

uint32_t RecordCombiner::AddSource(std::shared_ptr<arrow::RecordBatch> rows,
                                   std::shared_ptr<const std::vector<bool>> present) {
  has_partial_ = has_partial_ || present != nullptr;
  Source source{nullptr, {}, std::move(present)};
  if (rows) SetRows(std::move(rows), &source);
  sources_.push_back(std::move(source));
  return static_cast<uint32_t>(sources_.size() - 1);
}

uint32_t RecordCombiner::AddRow(std::shared_ptr<arrow::RecordBatch> row, const VersionRef& winner) {
  Source source{std::move(row), {}, nullptr};
  source.columns = source.rows->columns();
  if (unnumbered_) {
    const auto& numbers = sources_[winner.batch].columns[static_cast<size_t>(number_column_)];
    source.columns.insert(source.columns.begin() + number_column_, numbers->Slice(winner.row, 1));
  }
  sources_.push_back(std::move(source));
  return static_cast<uint32_t>(sources_.size() - 1);
}

void RecordCombiner::ReplaceSource(uint32_t source, std::shared_ptr<arrow::RecordBatch> rows) {
  SetRows(std::move(rows), &sources_[source]);
}

RecordCombiner::Cell RecordCombiner::CellOf(const VersionRef& version, size_t column) const {
  if (version.merged != kNone) return combined_[version.merged * columns_ + column];
  const Source& source = sources_[version.batch];
  if (source.present && !(*source.present)[column]) return {kNone, 0};
  return {version.batch, version.row};
}

bool RecordCombiner::IsDefault(const arrow::Array& column, int64_t row,
                               const ColumnDefault& value) const {
  if (column.IsNull(row)) return value.kind == ColumnDefault::Kind::kNull;
  switch (value.kind) {
    case ColumnDefault::Kind::kNone:
    case ColumnDefault::Kind::kNull:
      return false;
    case ColumnDefault::Kind::kBoolean:
      return column.type_id() == arrow::Type::BOOL &&
             checked_cast<const arrow::BooleanArray&>(column).Value(row) == (value.value != 0);
    case ColumnDefault::Kind::kInteger:
      if (column.type_id() == arrow::Type::INT32) {
        return checked_cast<const arrow::Int32Array&>(column).Value(row) == value.value;
      }
      return column.type_id() == arrow::Type::INT64 &&
             checked_cast<const arrow::Int64Array&>(column).Value(row) == value.value;
  }
  return false;
}

bool RecordCombiner::TakesLow(const Cell& high, size_t column) const {
  if (high.batch == kNone) return true;
  if (has_partial_) return false;
  const arrow::Array& array = *sources_[high.batch].columns[column];
  switch (plan_.partial_update) {
    case PartialUpdateMode::kNone:
      return false;
    case PartialUpdateMode::kIgnoreDefaults:
      return IsDefault(array, high.row, plan_.defaults[column]);
    case PartialUpdateMode::kFillUnavailable:
      return (array.type_id() == arrow::Type::STRING || array.type_id() == arrow::Type::BINARY) &&
             array.IsValid(high.row) &&
             checked_cast<const arrow::BinaryArray&>(array).GetView(high.row) ==
                 plan_.unavailable_value;
  }
  return false;
}

VersionRef RecordCombiner::Combine(const VersionRef& low, const VersionRef& high, bool late) {
  const std::vector<bool>& set_by_late = plan_.set_by_late_updates;
  const size_t start = combined_.size();
  bool differs = false;
  for (size_t column = 0; column < columns_; ++column) {
    Cell cell = CellOf(high, column);
    if ((late && !set_by_late.empty() && set_by_late[column]) || TakesLow(cell, column)) {
      const Cell other = CellOf(low, column);
      differs = differs || other != cell;
      cell = other;
    }
    combined_.push_back(cell);
  }
  if (!differs) {
    combined_.resize(start);
    return high;
  }
  return {high.batch, high.row, static_cast<uint32_t>(start / columns_)};
}

Result<std::shared_ptr<arrow::RecordBatch>> RecordCombiner::Build(
    const std::vector<VersionRef>& versions) const {
  arrow::ArrayVector arrays;
  for (size_t column = 0; column < columns_; ++column) {
    const auto& field = plan_.rows->field(static_cast<int>(column));
    ARROW_ASSIGN_OR_RAISE(auto builder, arrow::MakeBuilder(field->type(), BatchPool()));
    ARROW_RETURN_NOT_OK(builder->Reserve(static_cast<int64_t>(versions.size())));
    for (const VersionRef& version : versions) {
      const Cell cell = CellOf(version, column);
      if (cell.batch == kNone) {
        ARROW_RETURN_NOT_OK(builder->AppendNull());
        continue;
      }
      ARROW_RETURN_NOT_OK(
          builder->AppendArraySlice(*sources_[cell.batch].columns[column]->data(), cell.row, 1));
    }
    ARROW_ASSIGN_OR_RAISE(auto array, builder->Finish());
    arrays.push_back(std::move(array));
  }
  return arrow::RecordBatch::Make(plan_.rows, static_cast<int64_t>(versions.size()),
                                  std::move(arrays));
}

}  // namespace firth
