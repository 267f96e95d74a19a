// SPDX-License-Identifier: Apache-2.0
#include "firth/read/record_key.h"

#include <arrow/array/array_base.h>
#include <arrow/array/builder_binary.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>

#include "firth/read/value_text.h"

namespace firth {
namespace {

constexpr std::string_view kKeyColumn = "_hoodie_record_key";

// Releases disagree on the form of a complex key of one field (spec 01, 6.5); newer tables say.
bool NamesSingleField(const TableConfig& config) {
  if (config.key_generator != KeyGenerator::kComplex &&
      config.key_generator != KeyGenerator::kGlobalDelete) {
    return false;
  }
  const std::string_view encoding = config.Get("hoodie.table.complex.keygen.encoding");
  return encoding.empty() ? config.version >= 9 : encoding == "FIELD_PREFIXED";
}

Result<std::vector<int>> Resolve(const arrow::Schema& rows, std::string_view dotted) {
  std::vector<int> path;
  arrow::FieldVector level = rows.fields();
  for (std::string_view rest = dotted; !rest.empty();) {
    const size_t dot = rest.find('.');
    const std::string_view name = rest.substr(0, dot);
    const auto found = std::find_if(level.begin(), level.end(),
                                    [&](const auto& field) { return field->name() == name; });
    if (found == level.end()) return NotFoundError("record key field \"{}\" is no column", dotted);
    path.push_back(static_cast<int>(found - level.begin()));
    level = (*found)->type()->fields();
    rest.remove_prefix(dot == std::string_view::npos ? rest.size() : dot + 1);
  }
  return path;
}

}  // namespace

std::vector<std::string> RecordKeys::Columns(const TableConfig& config) {
  if (config.has_meta_fields) return {std::string(kKeyColumn)};
  std::vector<std::string> columns;
  for (const std::string& field : config.record_key_fields) {
    columns.push_back(field.substr(0, field.find('.')));
  }
  return columns;
}

Result<RecordKeys> RecordKeys::Make(const TableConfig& config, const arrow::Schema& rows) {
  RecordKeys keys;
  if (config.has_meta_fields) {
    keys.stored_ = rows.GetFieldIndex(std::string(kKeyColumn));
    return keys;
  }
  if (config.record_key_fields.empty()) {
    return UnsupportedError(
        "table {} has neither meta columns nor record key fields: its log "
        "records cannot be matched with rows",
        config.name);
  }
  for (const std::string& field : config.record_key_fields) {
    ARROW_ASSIGN_OR_RAISE(std::vector<int> path, Resolve(rows, field));
    keys.parts_.push_back({field, std::move(path)});
  }
  keys.named_ = keys.parts_.size() > 1 || NamesSingleField(config);
  return keys;
}

Status RecordKeys::Append(const arrow::ArrayVector& columns, int64_t row, std::string* key) const {
  for (size_t i = 0; i < parts_.size(); ++i) {
    if (i > 0) key->push_back(',');
    if (named_) key->append(parts_[i].name).push_back(':');
    const size_t start = key->size();
    if (columns[i]->IsNull(row)) {
      key->append("__null__");
      continue;
    }
    ARROW_RETURN_NOT_OK(AppendValueText(*columns[i], row, key));
    if (named_ && key->size() == start) key->append("__empty__");
  }
  return Status::OK();
}

Result<std::shared_ptr<arrow::Array>> RecordKeys::Of(const arrow::RecordBatch& rows) const {
  if (stored_ >= 0) return rows.column(stored_);
  arrow::ArrayVector columns;
  for (const Part& part : parts_) {
    ARROW_ASSIGN_OR_RAISE(auto column, arrow::FieldPath(part.path).GetFlattened(rows));
    columns.push_back(std::move(column));
  }
  arrow::StringBuilder builder;
  std::string key;
  for (int64_t row = 0; row < rows.num_rows(); ++row) {
    key.clear();
    ARROW_RETURN_NOT_OK(Append(columns, row, &key));
    ARROW_RETURN_NOT_OK(builder.Append(key));
  }
  return builder.Finish();
}

}  // namespace firth
