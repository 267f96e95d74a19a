// SPDX-License-Identifier: Apache-2.0
#include "firth/metadata/index_definitions.h"

#include <arrow/buffer.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "firth/metadata/metadata_keys.h"

namespace firth {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kPathProperty = "hoodie.table.index.defs.path";
constexpr std::string_view kDefaultPath = ".hoodie/.index_defs/index.json";
constexpr int64_t kMaxBytes = int64_t{64} << 20;

// A text member; absent and null are "".
Result<std::string> Text(const Json& object, const char* member, std::string_view index) {
  const auto found = object.find(member);
  if (found == object.end() || found->is_null()) return std::string();
  if (!found->is_string()) {
    return CorruptError("index \"{}\": {} is no text but {}", index, member, found->type_name());
  }
  return found->get<std::string>();
}

Result<int32_t> Version(const Json& object, std::string_view index) {
  ARROW_ASSIGN_OR_RAISE(const std::string version, Text(object, "version", index));
  if (version.empty() || version == "V1") return 1;
  if (version == "V2") return 2;
  return WithRemedy(
      UnsupportedError("index \"{}\" has version \"{}\"; known are V1 and V2", index, version),
      "use a newer firth");
}

Result<IndexDefinition> ParseDefinition(const std::string& name, const Json& object) {
  if (!object.is_object()) return CorruptError("index \"{}\" is no object", name);
  IndexDefinition definition{.name = name};
  ARROW_ASSIGN_OR_RAISE(definition.type, Text(object, "indexType", name));
  ARROW_ASSIGN_OR_RAISE(definition.function, Text(object, "indexFunction", name));
  ARROW_ASSIGN_OR_RAISE(definition.version, Version(object, name));
  if (const auto fields = object.find("sourceFields"); fields != object.end()) {
    for (const Json& field : *fields) {
      if (!field.is_string()) {
        return CorruptError("index \"{}\": sourceFields holds {}", name, field.type_name());
      }
      definition.source_fields.push_back(field.get<std::string>());
    }
  }
  if (const auto options = object.find("indexOptions"); options != object.end()) {
    if (!options->is_object() && !options->is_null()) {
      return CorruptError("index \"{}\": indexOptions is {}", name, options->type_name());
    }
    for (const auto& [key, value] : options->items()) {
      definition.options[key] = value.is_string() ? value.get<std::string>() : value.dump();
    }
  }
  return definition;
}

// Whether a path stays below the table's folder.
bool IsInside(std::string_view path) {
  return !path.empty() && path.front() != '/' && path != ".." && !path.starts_with("../") &&
         path.find("/../") == std::string_view::npos && !path.ends_with("/..");
}

}  // namespace

std::optional<std::string> FindSecondaryIndex(const IndexDefinitions& definitions,
                                              std::string_view column,
                                              const std::vector<std::string>& partitions) {
  for (const auto& [name, definition] : definitions) {
    if (ParseMetadataPartition(name) == MetadataIndex::kSecondaryIndex &&
        definition.source_fields.size() == 1 && definition.source_fields[0] == column &&
        std::ranges::find(partitions, name) != partitions.end()) {
      return name;
    }
  }
  return std::nullopt;
}

Result<IndexDefinitions> ParseIndexDefinitions(std::string_view json) {
  const Json root = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!root.is_object()) return CorruptError("the index definitions are no JSON object");
  IndexDefinitions definitions;
  const auto list = root.find("indexDefinitions");
  if (list == root.end() || list->is_null()) return definitions;
  if (!list->is_object()) return CorruptError("indexDefinitions is {}", list->type_name());
  for (const auto& [name, object] : list->items()) {
    ARROW_ASSIGN_OR_RAISE(definitions[name], ParseDefinition(name, object));
  }
  return definitions;
}

Result<IndexDefinitions> LoadIndexDefinitions(const Storage& storage, const TableConfig& config) {
  const std::string path(config.Get(kPathProperty, kDefaultPath));
  if (!IsInside(path)) return CorruptError("{} is \"{}\"; must be relative", kPathProperty, path);
  Result<std::shared_ptr<arrow::Buffer>> content = storage.ReadFile(path, kMaxBytes);
  if (!content.ok()) {
    ARROW_ASSIGN_OR_RAISE(const bool exists, storage.Exists(path));
    if (!exists) return IndexDefinitions();
    return content.status();
  }
  Result<IndexDefinitions> definitions = ParseIndexDefinitions(std::string_view(**content));
  if (!definitions.ok()) return WithContext(definitions.status(), path);
  return definitions;
}

}  // namespace firth
