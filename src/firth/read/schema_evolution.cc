// SPDX-License-Identifier: Apache-2.0
#include "firth/read/schema_evolution.h"

#include <arrow/type.h>
#include <arrow/util/checked_cast.h>

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace firth {
namespace {

using arrow::internal::checked_cast;
using TypePtr = std::shared_ptr<arrow::DataType>;

class Renamer {
 public:
  explicit Renamer(const InternalSchema& query) { Collect(query.fields); }

  std::vector<std::shared_ptr<arrow::Field>> Fields(
      const std::vector<std::shared_ptr<arrow::Field>>& fields,
      const std::vector<InternalField>& versions) const {
    std::vector<std::shared_ptr<arrow::Field>> renamed;
    for (const auto& field : fields) {
      const InternalField* version = Find(versions, field->name());
      renamed.push_back(
          version == nullptr
              ? field
              : field->WithName(NameOf(*version))->WithType(Type(field->type(), *version)));
    }
    return renamed;
  }

  AvroSchemaPtr Avro(const AvroSchemaPtr& schema,
                     const std::vector<InternalField>& children) const {
    auto copy = std::make_shared<AvroSchema>(*schema);
    switch (schema->kind) {
      case AvroKind::kRecord:
        for (AvroField& field : copy->fields) {
          const InternalField* version = Find(children, field.name);
          if (version == nullptr) continue;
          field.name = NameOf(*version);
          field.type = Avro(field.type, version->children);
        }
        return copy;
      case AvroKind::kUnion:
        for (AvroSchemaPtr& branch : copy->types) branch = Avro(branch, children);
        return copy;
      case AvroKind::kArray:
      case AvroKind::kMap:
        if (!children.empty()) {
          copy->types[0] = Avro(copy->types[0], children.back().children);
        }
        return copy;
      default:
        return schema;
    }
  }

 private:
  void Collect(const std::vector<InternalField>& fields) {
    for (const InternalField& field : fields) {
      names_.emplace(field.id, field.name);
      Collect(field.children);
    }
  }

  static const InternalField* Find(const std::vector<InternalField>& fields,
                                   std::string_view name) {
    for (const InternalField& field : fields) {
      if (field.name == name) return &field;
    }
    return nullptr;
  }

  std::string NameOf(const InternalField& field) const {
    const auto found = names_.find(field.id);
    return found != names_.end() ? found->second : fmt::format("\x01 dropped {}", field.id);
  }

  TypePtr Type(const TypePtr& type, const InternalField& version) const {
    const std::vector<InternalField>& children = version.children;
    if (children.empty()) return type;
    switch (type->id()) {
      case arrow::Type::STRUCT:
        return arrow::struct_(Fields(type->fields(), children));
      case arrow::Type::LIST: {
        const auto& field = checked_cast<const arrow::ListType&>(*type).value_field();
        return arrow::list(field->WithType(Type(field->type(), children[0])));
      }
      case arrow::Type::MAP: {
        const auto& map = checked_cast<const arrow::MapType&>(*type);
        return std::make_shared<arrow::MapType>(
            map.key_field(), map.item_field()->WithType(Type(map.item_type(), children.back())));
      }
      default:
        return type;
    }
  }

  std::unordered_map<int32_t, std::string> names_;
};

}  // namespace

SchemaEvolution::SchemaEvolution(const TableSchema& schema, std::string_view file_instant,
                                 std::string_view query_instant) {
  if (schema.history.empty()) return;
  query_ = query_instant.empty() ? &schema.history.back() : schema.HistoryAt(query_instant);
  file_ = schema.HistoryAt(file_instant);
  if (query_ == nullptr) file_ = nullptr;  // older than the history: names say all
}

std::shared_ptr<arrow::Schema> SchemaEvolution::Rename(const arrow::Schema& file) const {
  return arrow::schema(Renamer(*query_).Fields(file.fields(), file_->fields), file.metadata());
}

AvroSchemaPtr SchemaEvolution::Rename(const AvroSchemaPtr& record) const {
  return Renamer(*query_).Avro(record, file_->fields);
}

}  // namespace firth
