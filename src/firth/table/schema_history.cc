// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "firth/table/table_schema.h"

namespace firth {
namespace {

using Json = nlohmann::json;

constexpr int kMaxDepth = 64;

Result<const Json*> Member(const Json& object, const char* name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  if (found == object.end()) return CorruptError("schema history: \"{}\" is missing", name);
  return &*found;
}

Result<int64_t> Integer(const Json& object, const char* name) {
  ARROW_ASSIGN_OR_RAISE(const Json* value, Member(object, name));
  if (!value->is_number_integer()) {
    return CorruptError("schema history: \"{}\" is of type {}; must be an integer", name,
                        value->type_name());
  }
  return value->get<int64_t>();
}

Result<int32_t> FieldId(const Json& object, const char* name) {
  ARROW_ASSIGN_OR_RAISE(const int64_t id, Integer(object, name));
  if (id < 0 || id > std::numeric_limits<int32_t>::max()) {
    return CorruptError("schema history: \"{}\" is {}; must be 0 to 2147483647", name, id);
  }
  return static_cast<int32_t>(id);
}

Result<std::vector<InternalField>> Children(const Json& type, int depth);

Result<InternalField> NamedChild(const Json& type, const char* name, const char* id_name,
                                 int depth) {
  InternalField field;
  field.name = name;
  ARROW_ASSIGN_OR_RAISE(field.id, FieldId(type, id_name));
  ARROW_ASSIGN_OR_RAISE(const Json* child, Member(type, name));
  ARROW_ASSIGN_OR_RAISE(field.children, Children(*child, depth));
  return field;
}

Result<std::vector<InternalField>> RecordFields(const Json& type, int depth) {
  ARROW_ASSIGN_OR_RAISE(const Json* list, Member(type, "fields"));
  if (!list->is_array()) return CorruptError("schema history: \"fields\" is not an array");
  std::vector<InternalField> fields;
  fields.reserve(list->size());
  for (const Json& item : *list) {
    InternalField field;
    ARROW_ASSIGN_OR_RAISE(field.id, FieldId(item, "id"));
    ARROW_ASSIGN_OR_RAISE(const Json* name, Member(item, "name"));
    if (!name->is_string()) return CorruptError("schema history: a field name is not a string");
    field.name = name->get<std::string>();
    ARROW_ASSIGN_OR_RAISE(const Json* child, Member(item, "type"));
    ARROW_ASSIGN_OR_RAISE(field.children, Children(*child, depth));
    fields.push_back(std::move(field));
  }
  return fields;
}

// The fields below a type; a type that is only a name has none.
Result<std::vector<InternalField>> Children(const Json& type, int depth) {
  if (type.is_string()) return std::vector<InternalField>();
  if (depth >= kMaxDepth) {
    return CorruptError("schema history: types nest deeper than {}", kMaxDepth);
  }
  ARROW_ASSIGN_OR_RAISE(const Json* kind, Member(type, "type"));
  if (*kind == "record") return RecordFields(type, depth + 1);
  std::vector<InternalField> children;
  if (*kind == "array") {
    ARROW_ASSIGN_OR_RAISE(InternalField element,
                          NamedChild(type, "element", "element_id", depth + 1));
    children.push_back(std::move(element));
  } else if (*kind == "map") {
    ARROW_ASSIGN_OR_RAISE(InternalField key, NamedChild(type, "key", "key_id", depth + 1));
    ARROW_ASSIGN_OR_RAISE(InternalField value, NamedChild(type, "value", "value_id", depth + 1));
    children.push_back(std::move(key));
    children.push_back(std::move(value));
  } else {
    return CorruptError("schema history: type is none of record, array and map");
  }
  return children;
}

}  // namespace

Result<std::vector<InternalSchema>> ParseSchemaHistory(std::string_view text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return CorruptError("schema history is not JSON");
  ARROW_ASSIGN_OR_RAISE(const Json* list, Member(json, "schemas"));
  if (!list->is_array()) return CorruptError("schema history: \"schemas\" is not an array");
  std::vector<InternalSchema> schemas;
  schemas.reserve(list->size());
  for (const Json& item : *list) {
    InternalSchema schema;
    ARROW_ASSIGN_OR_RAISE(schema.version_id, Integer(item, "version_id"));
    ARROW_ASSIGN_OR_RAISE(schema.fields, RecordFields(item, 0));
    schemas.push_back(std::move(schema));
  }
  std::ranges::sort(schemas, {}, &InternalSchema::version_id);
  return schemas;
}

}  // namespace firth
