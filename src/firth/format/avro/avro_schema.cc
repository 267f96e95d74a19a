// SPDX-License-Identifier: Apache-2.0
#include "firth/format/avro/avro_schema.h"

#include <array>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace firth {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr size_t kMaxSchemaText = 64 << 20;
constexpr int kMaxDecimalDigits = 76;

constexpr std::array<std::string_view, 14> kKindNames = {
    "null",   "boolean", "int",  "long",   "float", "double", "bytes",
    "string", "fixed",   "enum", "record", "array", "map",    "union"};

struct LogicalName {
  AvroLogical logical;
  AvroKind kind;
  std::string_view name;
};
// Decimal and the three kinds of Hudi carry more attributes and are read one by one.
constexpr LogicalName kPlainLogicals[] = {
    {AvroLogical::kDate, AvroKind::kInt, "date"},
    {AvroLogical::kTimeMillis, AvroKind::kInt, "time-millis"},
    {AvroLogical::kTimeMicros, AvroKind::kLong, "time-micros"},
    {AvroLogical::kTimestampMillis, AvroKind::kLong, "timestamp-millis"},
    {AvroLogical::kTimestampMicros, AvroKind::kLong, "timestamp-micros"},
    {AvroLogical::kLocalTimestampMillis, AvroKind::kLong, "local-timestamp-millis"},
    {AvroLogical::kLocalTimestampMicros, AvroKind::kLong, "local-timestamp-micros"},
    {AvroLogical::kUuid, AvroKind::kString, "uuid"},
    {AvroLogical::kBlob, AvroKind::kRecord, "blob"},
    {AvroLogical::kVariant, AvroKind::kRecord, "variant"},
};

bool IsNamed(AvroKind kind) {
  return kind == AvroKind::kRecord || kind == AvroKind::kEnum || kind == AvroKind::kFixed;
}

std::string_view NamespaceOf(std::string_view full_name) {
  const size_t dot = full_name.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : full_name.substr(0, dot);
}

std::string_view ShortName(std::string_view full_name) {
  return full_name.substr(full_name.rfind('.') + 1);  // npos + 1 is 0
}

std::string Qualify(std::string_view name, std::string_view name_space) {
  if (name_space.empty() || name.find('.') != std::string_view::npos) return std::string(name);
  return fmt::format("{}.{}", name_space, name);
}

// A member that must be a string, or empty when absent.
std::string StringMember(const json& node, const char* key) {
  const auto it = node.find(key);
  return it != node.end() && it->is_string() ? it->get<std::string>() : std::string();
}

// A whole number in [0, limit], or -1.
int32_t NumberMember(const json& node, const char* key, int32_t limit) {
  const auto it = node.find(key);
  if (it == node.end() || !it->is_number_integer()) return -1;
  if (it->is_number_unsigned() && it->get<uint64_t>() > static_cast<uint64_t>(limit)) return -1;
  const auto value = it->get<int64_t>();
  return value < 0 || value > limit ? -1 : static_cast<int32_t>(value);
}

// The most decimal digits that `size` bytes of two's complement hold whatever they are.
int DecimalDigits(int32_t size) {
  // floor(log10(2) * (8 * size - 1)), exact for the sizes that matter
  return static_cast<int>((int64_t{8} * size - 1) * 30103 / 100000);
}

class SchemaParser {
 public:
  Result<AvroSchemaPtr> Parse(const json& root) {
    ARROW_ASSIGN_OR_RAISE(const Node node, ParseNode(root, "", 0));
    return node.schema;
  }

 private:
  // A subtree with its expanded size, so that references cannot multiply work unseen.
  struct Node {
    AvroSchemaPtr schema;
    int64_t nodes = 1;
    int height = 1;
  };

  Result<Node> ParseNode(const json& node, std::string_view name_space, int depth) {
    if (depth >= kMaxAvroDepth) {
      return UnsupportedError("avro schema is nested deeper than {} levels", kMaxAvroDepth);
    }
    if (node.is_string()) return Resolve(node.get_ref<const std::string&>(), name_space, depth);
    if (node.is_array()) return ParseUnion(node, name_space, depth);
    if (!node.is_object()) {
      return CorruptError("avro schema: a type is {}; must be a name, a list or an object",
                          node.type_name());
    }
    const auto type = node.find("type");
    if (type == node.end()) return CorruptError("avro schema: an object has no \"type\"");
    if (!type->is_string()) return ParseNode(*type, name_space, depth + 1);
    const auto& name = type->get_ref<const std::string&>();
    if (name == "record" || name == "error") return ParseRecord(node, name_space, depth);
    if (name == "enum") return ParseEnum(node, name_space);
    if (name == "fixed") return ParseFixed(node, name_space);
    if (name == "array") return ParseItems(node, AvroKind::kArray, "items", name_space, depth);
    if (name == "map") return ParseItems(node, AvroKind::kMap, "values", name_space, depth);
    return ParsePrimitive(node, name, name_space, depth);
  }

  static Status Grow(Node* parent, const Node& child) {
    parent->nodes += child.nodes;
    parent->height = std::max(parent->height, child.height + 1);
    if (parent->nodes > kMaxAvroNodes) {
      return UnsupportedError("avro schema has more than {} types, counted with references",
                              kMaxAvroNodes);
    }
    return Status::OK();
  }

  Result<Node> Resolve(const std::string& name, std::string_view name_space, int depth) {
    for (size_t i = 0; i < static_cast<size_t>(AvroKind::kFixed); ++i) {
      if (kKindNames[i] == name) {
        auto schema = std::make_shared<AvroSchema>();
        schema->kind = static_cast<AvroKind>(i);
        return Node{std::move(schema)};
      }
    }
    // Like Avro's own library, a short name may also mean a type outside every namespace.
    for (const std::string& full_name : {Qualify(name, name_space), name}) {
      if (open_.contains(full_name)) {
        return UnsupportedError("avro schema: record \"{}\" contains itself", full_name);
      }
      const auto it = named_.find(full_name);
      if (it == named_.end()) continue;
      if (depth + it->second.height > kMaxAvroDepth) {
        return UnsupportedError("avro schema is nested deeper than {} levels", kMaxAvroDepth);
      }
      return it->second;
    }
    return CorruptError("avro schema: type \"{}\" is not defined before its use", name);
  }

  Result<Node> ParsePrimitive(const json& node, const std::string& name,
                              std::string_view name_space, int depth) {
    ARROW_ASSIGN_OR_RAISE(Node result, Resolve(name, name_space, depth));
    const std::string logical = StringMember(node, "logicalType");
    if (logical.empty() || IsNamed(result.schema->kind)) return result;
    auto schema = std::make_shared<AvroSchema>(*result.schema);
    ReadLogical(node, logical, schema.get());
    result.schema = std::move(schema);
    return result;
  }

  static void ReadLogical(const json& node, std::string_view logical, AvroSchema* schema) {
    for (const LogicalName& plain : kPlainLogicals) {
      if (plain.name == logical && plain.kind == schema->kind) schema->logical = plain.logical;
    }
    if (logical != "decimal") return;
    if (schema->kind != AvroKind::kBytes && schema->kind != AvroKind::kFixed) return;
    const int limit = schema->kind == AvroKind::kFixed
                          ? std::min(kMaxDecimalDigits, DecimalDigits(schema->size))
                          : kMaxDecimalDigits;
    const int32_t precision = NumberMember(node, "precision", limit);
    const int32_t scale = node.contains("scale") ? NumberMember(node, "scale", precision) : 0;
    if (precision < 1 || scale < 0) return;
    schema->logical = AvroLogical::kDecimal;
    schema->precision = precision;
    schema->scale = scale;
  }

  Result<Node> ParseUnion(const json& node, std::string_view name_space, int depth) {
    Node result;
    auto schema = std::make_shared<AvroSchema>();
    schema->kind = AvroKind::kUnion;
    if (node.empty()) return CorruptError("avro schema: a union has no branches");
    for (const json& branch : node) {
      ARROW_ASSIGN_OR_RAISE(Node child, ParseNode(branch, name_space, depth + 1));
      if (child.schema->kind == AvroKind::kUnion) {
        return CorruptError("avro schema: a union is a branch of a union");
      }
      ARROW_RETURN_NOT_OK(Grow(&result, child));
      schema->types.push_back(std::move(child.schema));
    }
    result.schema = std::move(schema);
    return result;
  }

  Result<Node> ParseItems(const json& node, AvroKind kind, const char* key,
                          std::string_view name_space, int depth) {
    const auto items = node.find(key);
    if (items == node.end()) {
      return CorruptError("avro schema: a type {} has no \"{}\"", AvroKindName(kind), key);
    }
    Node result;
    ARROW_ASSIGN_OR_RAISE(Node child, ParseNode(*items, name_space, depth + 1));
    ARROW_RETURN_NOT_OK(Grow(&result, child));
    auto schema = std::make_shared<AvroSchema>();
    schema->kind = kind;
    schema->types.push_back(std::move(child.schema));
    result.schema = std::move(schema);
    return result;
  }

  Result<std::string> FullName(const json& node, std::string_view name_space) const {
    const std::string name = StringMember(node, "name");
    if (name.empty()) return CorruptError("avro schema: a named type has no \"name\"");
    const auto own = node.find("namespace");
    const std::string full_name =
        Qualify(name, own != node.end() && own->is_string() ? own->get_ref<const std::string&>()
                                                            : std::string(name_space));
    if (full_name.front() == '.' || full_name.back() == '.' ||
        full_name.find("..") != std::string::npos) {
      return CorruptError("avro schema: a part of the name \"{}\" is empty", full_name);
    }
    if (named_.contains(full_name) || open_.contains(full_name)) {
      return CorruptError("avro schema: type \"{}\" is defined twice", full_name);
    }
    return full_name;
  }

  Result<Node> ParseRecord(const json& node, std::string_view name_space, int depth) {
    Node result;
    auto schema = std::make_shared<AvroSchema>();
    schema->kind = AvroKind::kRecord;
    ARROW_ASSIGN_OR_RAISE(schema->full_name, FullName(node, name_space));
    ReadLogical(node, StringMember(node, "logicalType"), schema.get());
    const auto fields = node.find("fields");
    if (fields == node.end() || !fields->is_array()) {
      return CorruptError("avro schema: record \"{}\" has no list of fields", schema->full_name);
    }
    open_.insert(schema->full_name);
    std::unordered_set<std::string_view> names;
    schema->fields.reserve(fields->size());
    for (const json& field : *fields) {
      ARROW_ASSIGN_OR_RAISE(Node child, ParseField(field, schema.get(), depth));
      if (!names.insert(field["name"].get_ref<const std::string&>()).second) {
        return CorruptError("avro schema: record \"{}\" has two fields \"{}\"", schema->full_name,
                            schema->fields.back().name);
      }
      ARROW_RETURN_NOT_OK(Grow(&result, child));
    }
    open_.erase(schema->full_name);
    result.schema = std::move(schema);
    named_.emplace(result.schema->full_name, result);
    return result;
  }

  // Appends the field to `record`.
  Result<Node> ParseField(const json& node, AvroSchema* record, int depth) {
    AvroField field;
    if (node.is_object()) field.name = StringMember(node, "name");
    if (field.name.empty() || !node.contains("type")) {
      return CorruptError("avro schema: a field of record \"{}\" has no name or type",
                          record->full_name);
    }
    const std::string name_space(NamespaceOf(record->full_name));
    ARROW_ASSIGN_OR_RAISE(Node child, ParseNode(node["type"], name_space, depth + 1));
    field.type = child.schema;
    if (const auto value = node.find("default"); value != node.end()) {
      field.has_default = true;
      field.default_value = *value;
    }
    record->fields.push_back(std::move(field));
    return child;
  }

  Result<Node> ParseEnum(const json& node, std::string_view name_space) {
    auto schema = std::make_shared<AvroSchema>();
    schema->kind = AvroKind::kEnum;
    ARROW_ASSIGN_OR_RAISE(schema->full_name, FullName(node, name_space));
    const auto symbols = node.find("symbols");
    if (symbols == node.end() || !symbols->is_array() || symbols->empty()) {
      return CorruptError("avro schema: enum \"{}\" has no symbols", schema->full_name);
    }
    for (const json& symbol : *symbols) {
      if (!symbol.is_string()) {
        return CorruptError("avro schema: enum \"{}\" has a symbol that is {}", schema->full_name,
                            symbol.type_name());
      }
      schema->symbols.push_back(symbol.get<std::string>());
    }
    return Define(std::move(schema));
  }

  Result<Node> ParseFixed(const json& node, std::string_view name_space) {
    auto schema = std::make_shared<AvroSchema>();
    schema->kind = AvroKind::kFixed;
    ARROW_ASSIGN_OR_RAISE(schema->full_name, FullName(node, name_space));
    schema->size = NumberMember(node, "size", kMaxAvroFixedSize);
    if (schema->size < 0) {
      return CorruptError("avro schema: fixed \"{}\" has no size from 0 to {}", schema->full_name,
                          kMaxAvroFixedSize);
    }
    const std::string logical = StringMember(node, "logicalType");
    if (logical == "vector") {
      ARROW_RETURN_NOT_OK(ReadVector(node, schema.get()));
    } else {
      ReadLogical(node, logical, schema.get());
    }
    return Define(std::move(schema));
  }

  static Status ReadVector(const json& node, AvroSchema* schema) {
    schema->element_type = StringMember(node, "elementType");
    schema->dimension = NumberMember(node, "dimension", kMaxAvroFixedSize);
    int64_t width = 0;
    if (schema->element_type == "FLOAT") width = 4;
    if (schema->element_type == "DOUBLE") width = 8;
    if (schema->element_type == "INT8") width = 1;
    if (width == 0) {
      return UnsupportedError(
          "avro schema: vector \"{}\" has elements of type \"{}\"; must be FLOAT, DOUBLE or INT8",
          schema->full_name, schema->element_type);
    }
    if (schema->dimension < 1 || schema->dimension * width != schema->size) {
      return CorruptError("avro schema: vector \"{}\" of dimension {} and {} has {} bytes",
                          schema->full_name, schema->dimension, schema->element_type, schema->size);
    }
    schema->logical = AvroLogical::kVector;
    return Status::OK();
  }

  Node Define(std::shared_ptr<AvroSchema> schema) {
    Node node{std::move(schema)};
    named_.emplace(node.schema->full_name, node);
    return node;
  }

  std::unordered_map<std::string, Node> named_;
  std::unordered_set<std::string> open_;  // records whose fields are being read
};

class SchemaPrinter {
 public:
  ordered_json Print(const AvroSchema& schema, std::string_view name_space) {
    if (schema.kind == AvroKind::kUnion) {
      ordered_json branches = ordered_json::array();
      for (const AvroSchemaPtr& type : schema.types) branches.push_back(Print(*type, name_space));
      return branches;
    }
    const std::string kind(AvroKindName(schema.kind));
    if (IsNamed(schema.kind)) return PrintNamed(schema, kind, name_space);
    if (schema.kind == AvroKind::kArray || schema.kind == AvroKind::kMap) {
      const char* key = schema.kind == AvroKind::kArray ? "items" : "values";
      return {{"type", kind}, {key, Print(*schema.types[0], name_space)}};
    }
    if (schema.logical == AvroLogical::kNone) return kind;
    ordered_json node = {{"type", kind}};
    AddLogical(schema, &node);
    return node;
  }

 private:
  ordered_json PrintNamed(const AvroSchema& schema, const std::string& kind,
                          std::string_view name_space) {
    const std::string_view own_space = NamespaceOf(schema.full_name);
    const std::string name(ShortName(schema.full_name));
    if (!printed_.insert(schema.full_name).second) {
      return own_space == name_space ? name : schema.full_name;
    }
    ordered_json node = {{"type", kind}, {"name", name}};
    if (own_space != name_space) node["namespace"] = std::string(own_space);
    if (schema.kind == AvroKind::kEnum) node["symbols"] = schema.symbols;
    if (schema.kind == AvroKind::kFixed) node["size"] = schema.size;
    if (schema.kind == AvroKind::kRecord) {
      ordered_json fields = ordered_json::array();
      for (const AvroField& field : schema.fields) {
        ordered_json printed = {{"name", field.name}, {"type", Print(*field.type, own_space)}};
        if (field.has_default) printed["default"] = ordered_json(field.default_value);
        fields.push_back(std::move(printed));
      }
      node["fields"] = std::move(fields);
    }
    AddLogical(schema, &node);
    return node;
  }

  static void AddLogical(const AvroSchema& schema, ordered_json* node) {
    for (const LogicalName& plain : kPlainLogicals) {
      if (plain.logical == schema.logical) (*node)["logicalType"] = std::string(plain.name);
    }
    if (schema.logical == AvroLogical::kDecimal) {
      (*node)["logicalType"] = "decimal";
      (*node)["precision"] = schema.precision;
      (*node)["scale"] = schema.scale;
    }
    if (schema.logical == AvroLogical::kVector) {
      (*node)["logicalType"] = "vector";
      (*node)["dimension"] = schema.dimension;
      (*node)["elementType"] = schema.element_type;
      (*node)["storageBacking"] = "FIXED_BYTES";
    }
  }

  std::unordered_set<std::string_view> printed_;
};

}  // namespace

std::string_view AvroKindName(AvroKind kind) { return kKindNames[static_cast<size_t>(kind)]; }

int32_t MinDecimalBytes(int32_t precision) {
  int32_t size = 1;
  while (DecimalDigits(size) < precision) ++size;
  return size;
}

const AvroField* AvroSchema::FindField(std::string_view name) const {
  for (const AvroField& field : fields) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

const AvroSchema* AvroNonNull(const AvroSchema& schema, int* null_branch) {
  *null_branch = -1;
  if (schema.kind != AvroKind::kUnion) return &schema;
  if (schema.types.size() > 2) return nullptr;
  const AvroSchema* found = nullptr;
  for (size_t i = 0; i < schema.types.size(); ++i) {
    if (schema.types[i]->kind == AvroKind::kNull) {
      *null_branch = static_cast<int>(i);
    } else if (found == nullptr) {
      found = schema.types[i].get();
    } else {
      return nullptr;
    }
  }
  return found != nullptr ? found : schema.types[0].get();
}

Result<AvroSchemaPtr> ParseAvroSchema(std::string_view text) {
  if (text.size() > kMaxSchemaText) {
    return UnsupportedError("avro schema has {} bytes; at most {} are read", text.size(),
                            kMaxSchemaText);
  }
  bool too_deep = false;
  const auto check_depth = [&](int depth, json::parse_event_t, json&) {
    too_deep |= depth > 4 * kMaxAvroDepth;  // a level of the schema is up to three of the text
    return !too_deep;
  };
  const json root = json::parse(text, check_depth, /*allow_exceptions=*/false);
  if (too_deep) {
    return UnsupportedError("avro schema is nested deeper than {} levels", kMaxAvroDepth);
  }
  if (root.is_discarded()) {
    return CorruptError("avro schema is not JSON: {:.80}", text);
  }
  return SchemaParser().Parse(root);
}

std::string FormatAvroSchema(const AvroSchema& schema) {
  return SchemaPrinter().Print(schema, "").dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace firth
