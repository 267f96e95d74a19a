// SPDX-License-Identifier: Apache-2.0
#include "firth/read/merge_plan.h"

#include <arrow/array/array_binary.h>
#include <arrow/array/array_primitive.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/checked_cast.h>

#include <utility>

#include "firth/read/output_stage.h"
#include "firth/read/row_number.h"
#include "firth/read/value_text.h"

namespace firth {
namespace {

using arrow::internal::checked_cast;

constexpr std::string_view kIsDeleted = "_hoodie_is_deleted";

// The rules that a retired payload class stands for (spec 02, 4.2).
MergeSpec Resolve(MergeSpec spec) {
  switch (spec.payload) {
    case PayloadKind::kPartialUpdate:
      spec.mode = MergeMode::kEventTime;
      spec.partial_update = PartialUpdateMode::kIgnoreDefaults;
      break;
    case PayloadKind::kOverwriteNonDefaults:
      spec.mode = MergeMode::kCommitTime;
      spec.partial_update = PartialUpdateMode::kIgnoreDefaults;
      break;
    case PayloadKind::kPostgresDebezium:
      spec.mode = MergeMode::kEventTime;
      spec.partial_update = PartialUpdateMode::kFillUnavailable;
      if (spec.ordering_fields.empty()) spec.ordering_fields = {"_event_lsn"};
      break;
    case PayloadKind::kMySqlDebezium:
      spec.mode = MergeMode::kEventTime;
      if (spec.ordering_fields.empty()) spec.ordering_fields = {"_event_bin_file", "_event_pos"};
      break;
    case PayloadKind::kAwsDms:
      spec.mode = MergeMode::kCommitTime;
      break;
    case PayloadKind::kNone:
    case PayloadKind::kOverwriteWithLatest:
    case PayloadKind::kDefault:
    case PayloadKind::kEventTime:
      break;
  }
  if (spec.mode == MergeMode::kCommitTime) spec.ordering_fields.clear();
  return spec;
}

// Java compares with == on objects, which is certain for null and for values it caches. A field
// without a default compares as if it were null.
ColumnDefault DefaultOf(const AvroField* field) {
  if (field == nullptr) return {};
  if (!field->has_default) return {ColumnDefault::Kind::kNull, 0};
  const nlohmann::json& value = field->default_value;
  if (value.is_null()) return {ColumnDefault::Kind::kNull, 0};
  if (value.is_boolean()) return {ColumnDefault::Kind::kBoolean, value.get<bool>() ? 1 : 0};
  if (!value.is_number_integer()) return {};
  const auto number = value.get<int64_t>();
  if (number < -128 || number > 127) return {};
  return {ColumnDefault::Kind::kInteger, number};
}

std::string TopLevel(const std::string& path) { return path.substr(0, path.find('.')); }

}  // namespace

DeleteRules::DeleteRules(const MergeSpec& spec, const arrow::Schema& rows)
    : is_deleted_(rows.GetFieldIndex(std::string(kIsDeleted))),
      operation_(rows.GetFieldIndex(std::string(kOperationField))),
      marked_(spec.delete_field.empty() ? -1 : rows.GetFieldIndex(spec.delete_field)),
      marker_(spec.delete_marker) {
  if (is_deleted_ >= 0 && rows.field(is_deleted_)->type()->id() != arrow::Type::BOOL) {
    is_deleted_ = -1;
  }
  if (operation_ >= 0 && rows.field(operation_)->type()->id() != arrow::Type::STRING) {
    operation_ = -1;
  }
}

std::vector<std::string> DeleteRules::Columns(const MergeSpec& spec) {
  std::vector<std::string> columns{std::string(kIsDeleted), std::string(kOperationField)};
  if (!spec.delete_field.empty()) columns.push_back(spec.delete_field);
  return columns;
}

Status DeleteRules::Mark(const arrow::RecordBatch& rows, std::vector<uint8_t>* flags) const {
  if (is_deleted_ >= 0) {
    const auto& column = checked_cast<const arrow::BooleanArray&>(*rows.column(is_deleted_));
    for (int64_t i = 0; i < column.length(); ++i) {
      if (column.IsValid(i) && column.Value(i)) (*flags)[i] |= row_flag::kDelete;
    }
  }
  if (operation_ >= 0) {
    const auto& column = checked_cast<const arrow::StringArray&>(*rows.column(operation_));
    for (int64_t i = 0; i < column.length(); ++i) {
      if (column.IsNull(i)) continue;
      const std::string_view operation = column.GetView(i);
      if (operation == "D" || operation == "-U") (*flags)[i] |= row_flag::kDelete;
    }
  }
  if (marked_ < 0) return Status::OK();
  const arrow::Array& column = *rows.column(marked_);
  std::string text;
  for (int64_t i = 0; i < column.length(); ++i) {
    if (column.IsNull(i)) continue;
    text.clear();
    ARROW_RETURN_NOT_OK(AppendValueText(column, i, &text));
    if (text == marker_) (*flags)[i] |= row_flag::kDelete;
  }
  return Status::OK();
}

Result<std::shared_ptr<arrow::Schema>> NeededColumns(const ReadContext& context,
                                                     const SliceReadOptions& options,
                                                     bool merging) {
  const arrow::Schema& full = *context.schema.full;
  std::vector<bool> needed(full.num_fields());
  std::vector<std::string> names;
  for (const std::string& name : options.columns) {
    if (context.config.has_meta_fields || !IsMetaField(name)) names.push_back(name);
  }
  for (std::string& name : FilterColumns(options.filter)) names.push_back(std::move(name));
  if (options.instants) names.emplace_back("_hoodie_commit_time");
  if (merging) {
    for (std::string& name : RecordKeys::Columns(context.config)) names.push_back(std::move(name));
  }
  for (const std::string& name : names) {
    const int index = full.GetFieldIndex(name);
    if (index < 0) return NotFoundError("the table has no column \"{}\"", name);
    needed[index] = true;
  }
  const MergeSpec spec = Resolve(context.config.merge);
  if (merging && spec.mode == MergeMode::kCustom) needed.assign(needed.size(), true);
  if (merging) {
    std::vector<std::string> optional = DeleteRules::Columns(spec);
    for (const std::string& field : spec.ordering_fields) optional.push_back(TopLevel(field));
    for (const std::string& name : optional) {
      if (const int index = full.GetFieldIndex(name); index >= 0) needed[index] = true;
    }
  }
  arrow::FieldVector fields;
  for (int i = 0; i < full.num_fields(); ++i) {
    if (needed[i]) fields.push_back(full.field(i));
  }
  if (options.row_numbers) fields.push_back(RowNumberField());
  return arrow::schema(std::move(fields));
}

Result<std::shared_ptr<arrow::Schema>> WithOperationColumn(std::shared_ptr<arrow::Schema> columns) {
  std::string name(kOperationField);
  if (columns->GetFieldIndex(name) >= 0) return columns;
  return columns->AddField(columns->num_fields(), arrow::field(std::move(name), arrow::utf8()));
}

Result<MergePlan> MakeMergePlan(const ReadContext& context, std::shared_ptr<arrow::Schema> rows) {
  const MergeSpec spec = Resolve(context.config.merge);
  MergePlan plan;
  if (spec.mode == MergeMode::kCustom) {
    std::string_view name = spec.custom_class;
    constexpr std::string_view kStrategy = "merge strategy ";
    if (name.starts_with(kStrategy)) name.remove_prefix(kStrategy.size());
    if (name.empty()) {
      return MakeError(ErrorCode::kUnsupported,
                       fmt::format("table {} has the merge mode CUSTOM and names no merger",
                                   context.config.name),
                       "compact the table and read it read-optimized");
    }
    plan.merger = FindRecordMerger(name);
    if (plan.merger == nullptr) {
      return MakeError(
          ErrorCode::kUnsupported,
          fmt::format("table {} merges records by {}, whose rules firth does not know",
                      context.config.name, spec.custom_class),
          fmt::format("register them with firth::RegisterRecordMerger(\"{}\", ...), or "
                      "compact the table and read it read-optimized",
                      name));
    }
  }
  plan.event_time = spec.mode == MergeMode::kEventTime && !spec.ordering_fields.empty();
  plan.partial_update = plan.merger ? PartialUpdateMode::kNone : spec.partial_update;
  plan.unavailable_value = spec.unavailable_value;
  if (spec.payload == PayloadKind::kPartialUpdate && context.config.version < 9) {
    for (const auto& field : rows->fields()) {
      plan.set_by_late_updates.push_back(IsMetaField(field->name()));
    }
  }
  ARROW_ASSIGN_OR_RAISE(plan.ordering,
                        OrderingCodec::Make(*rows, plan.event_time ? spec.ordering_fields
                                                                   : std::vector<std::string>{}));
  ARROW_ASSIGN_OR_RAISE(plan.keys, RecordKeys::Make(context.config, *rows));
  plan.deletes = DeleteRules(spec, *rows);
  for (const auto& field : rows->fields()) {
    plan.defaults.push_back(context.schema.avro
                                ? DefaultOf(context.schema.avro->FindField(field->name()))
                                : ColumnDefault{});
  }
  plan.rows = std::move(rows);
  return plan;
}

}  // namespace firth
