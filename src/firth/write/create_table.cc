// SPDX-License-Identifier: Apache-2.0
#include "firth/write/create_table.h"

#include <arrow/type.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <utility>

#include "firth/format/avro/avro_schema.h"
#include "firth/table/table_config.h"
#include "firth/write/stored_types.h"

namespace firth {
namespace {

constexpr std::string_view kDeleteFlag = "_hoodie_is_deleted";

// Properties that fields of the definition decide.
constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kDecided = {{
    {"hoodie.table.name", "the name"},
    {"hoodie.table.type", "the type"},
    {"hoodie.table.version", "the version"},
    {"hoodie.table.initial.version", "the version"},
    {"hoodie.timeline.layout.version", "the version"},
    {"hoodie.table.create.schema", "the schema"},
    {"hoodie.table.recordkey.fields", "the key"},
    {"hoodie.table.partition.fields", "the partition columns"},
    {"hoodie.table.ordering.fields", "the ordering columns"},
    {"hoodie.table.precombine.field", "the ordering columns"},
}};

// Properties that say what writers did.
constexpr std::array<std::string_view, 4> kWritten = {
    "hoodie.table.checksum", "hoodie.table.metadata.partitions",
    "hoodie.table.metadata.partitions.inflight", "hoodie.table.index.defs.path"};

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower;
}

// `column:TIMESTAMP` without what follows the colon.
std::string_view ColumnOf(std::string_view partition) {
  return partition.substr(0, partition.find(':'));
}

bool IsCustom(const TableDefinition& definition) {
  return std::ranges::any_of(definition.partition_by, [](const std::string& partition) {
    return partition.find(':') != std::string::npos;
  });
}

// Spark names columns without regard to case. `inside`: of which column; empty at the top.
Status CheckNames(const arrow::FieldVector& fields, const std::string& inside) {
  std::set<std::string> names;
  for (const auto& field : fields) {
    const std::string name = inside.empty() ? field->name() : inside + "." + field->name();
    if (!names.insert(Lower(field->name())).second) {
      return InvalidError("column \"{}\" is there twice; names must differ in more than case",
                          name);
    }
    ARROW_RETURN_NOT_OK(CheckNames(field->type()->fields(), name));
  }
  return Status::OK();
}

Status CheckColumns(const arrow::Schema& schema) {
  for (const auto& field : schema.fields()) {
    const std::string& name = field->name();
    if (name == kDeleteFlag && field->type()->id() != arrow::Type::BOOL) {
      return InvalidError("column \"{}\" marks deleted rows: it must be boolean, not {}", name,
                          field->type()->ToString());
    }
    if (name.starts_with("_hoodie_") && name != kDeleteFlag) {
      return InvalidError("column \"{}\": names that begin with _hoodie_ are Hudi's own", name);
    }
  }
  if (schema.num_fields() == 0) return InvalidError("the schema has no column");
  return CheckNames(schema.fields(), "");
}

// Fields that become keys, paths or an order.
Status CheckField(const arrow::Schema& schema, std::string_view name, std::string_view use) {
  const auto field = schema.GetFieldByName(std::string(name));
  if (field == nullptr) {
    return InvalidError("{} column \"{}\" is not in the schema, which has {}", use, name,
                        fmt::join(schema.field_names(), ", "));
  }
  switch (field->type()->id()) {
    case arrow::Type::STRUCT:
    case arrow::Type::LIST:
    case arrow::Type::FIXED_SIZE_LIST:
    case arrow::Type::MAP:
    case arrow::Type::BINARY:
    case arrow::Type::FIXED_SIZE_BINARY:
      return InvalidError(
          "{} column \"{}\" has type {}; must be a number, a text, a date, a time "
          "or a boolean",
          use, name, field->type()->ToString());
    default:
      return Status::OK();
  }
}

// A custom key generator knows how to spell each column.
Status CheckPartitionTypes(const TableDefinition& definition) {
  if (!IsCustom(definition)) return Status::OK();
  for (const std::string& partition : definition.partition_by) {
    const std::string_view type = std::string_view(partition).substr(ColumnOf(partition).size());
    if (type != ":SIMPLE" && type != ":TIMESTAMP") {
      return InvalidError(
          "partition \"{}\": must be column:SIMPLE or column:TIMESTAMP, as one of "
          "the partition columns has a colon",
          partition);
    }
  }
  return Status::OK();
}

/// @param schema of the types that are stored
Status CheckFields(const TableDefinition& definition, const arrow::Schema& schema) {
  const auto check = [&](const std::vector<std::string>& names, std::string_view use) {
    std::set<std::string_view> seen;
    for (const std::string& name : names) {
      const std::string_view column = use == "partition" ? ColumnOf(name) : name;
      ARROW_RETURN_NOT_OK(CheckField(schema, column, use));
      if (!seen.insert(column).second) {
        return InvalidError("{} column \"{}\" is given twice", use, column);
      }
    }
    return Status::OK();
  };
  ARROW_RETURN_NOT_OK(check(definition.key, "key"));
  ARROW_RETURN_NOT_OK(check(definition.partition_by, "partition"));
  ARROW_RETURN_NOT_OK(check(definition.ordering, "ordering"));
  if (!definition.ordering.empty() && definition.key.empty()) {
    return InvalidError("ordering columns choose between rows of one key; the table has no key");
  }
  return Status::OK();
}

Status CheckVersion(int version) {
  if (version == 8 || version == 9) return Status::OK();
  const Status error = UnsupportedError("table version is {}; firth writes 8 and 9", version);
  return version == 6 ? WithRemedy(error,
                                   "create the table with version 9; Hudi 1.x reads it, and "
                                   "can downgrade it to 6 for older readers")
                      : error;
}

std::string_view KeyGeneratorType(const TableDefinition& definition) {
  const bool timestamp = definition.properties.contains("hoodie.keygen.timebased.timestamp.type");
  if (IsCustom(definition)) return "CUSTOM";
  if (definition.partition_by.empty()) return "NON_PARTITION";
  if (timestamp) return "TIMESTAMP";
  return definition.partition_by.size() == 1 && definition.key.size() <= 1 ? "SIMPLE" : "COMPLEX";
}

// Letters, digits and underscores stay: what Hudi makes of a table's name in its Avro schemas.
std::string AvroName(std::string_view table) {
  std::string name;
  for (const char c : table) {
    const bool fits = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    const bool digit_in_front = name.empty() && std::isdigit(static_cast<unsigned char>(c)) != 0;
    name += fits && !digit_in_front ? std::string(1, c) : "__";
  }
  return name;
}

// Version 8 spells the merge mode in three ways.
void AddMergeProperties(const TableDefinition& definition, Properties* properties) {
  const bool ordered = !definition.ordering.empty();
  (*properties)["hoodie.record.merge.mode"] =
      ordered ? "EVENT_TIME_ORDERING" : "COMMIT_TIME_ORDERING";
  const std::string ordering = fmt::format("{}", fmt::join(definition.ordering, ","));
  if (definition.version >= 9) {
    if (ordered) (*properties)["hoodie.table.ordering.fields"] = ordering;
    return;
  }
  if (ordered) (*properties)["hoodie.table.precombine.field"] = ordering;
  (*properties)["hoodie.compaction.payload.class"] =
      ordered ? "org.apache.hudi.common.model.DefaultHoodieRecordPayload"
              : "org.apache.hudi.common.model.OverwriteWithLatestAvroPayload";
  (*properties)["hoodie.record.merge.strategy.id"] =
      ordered ? "eeb8d96f-b1e4-49fd-bbf8-28ac514178e5" : "ce9acb64-bde0-424c-9b91-f6ebba25356d";
}

Properties CommonProperties(const TableDefinition& definition) {
  const std::string version = fmt::to_string(definition.version);
  return {
      {"hoodie.table.type", definition.merge_on_read ? "MERGE_ON_READ" : "COPY_ON_WRITE"},
      {"hoodie.table.version", version},
      {"hoodie.table.initial.version", version},
      {"hoodie.table.base.file.format", "PARQUET"},
      {"hoodie.table.multiple.base.file.formats.enable", "false"},
      {"hoodie.table.keygenerator.type", std::string(KeyGeneratorType(definition))},
      {"hoodie.table.timeline.timezone", "UTC"},
      {"hoodie.table.cdc.enabled", "false"},
      {"hoodie.timeline.layout.version", "2"},
      {"hoodie.timeline.path", "timeline"},
      {"hoodie.timeline.history.path", "history"},
      {"hoodie.archivelog.folder", "history"},
      {"hoodie.populate.meta.fields", "true"},
      {"hoodie.datasource.write.hive_style_partitioning", "false"},
      {"hoodie.datasource.write.partitionpath.urlencode", "false"},
      {"hoodie.datasource.write.drop.partition.columns", "false"},
      {"hoodie.partition.metafile.use.base.format", "false"},
  };
}

// The path of a timestamp says nothing without them.
Status CheckTimestamps(const TableConfig& config) {
  if (std::ranges::find(config.partition_is_timestamp, true) ==
      config.partition_is_timestamp.end()) {
    return Status::OK();
  }
  constexpr std::string_view kType = "hoodie.keygen.timebased.timestamp.type";
  constexpr std::string_view kFormat = "hoodie.keygen.timebased.output.dateformat";
  constexpr std::array<std::string_view, 6> kTypes = {
      "UNIX_TIMESTAMP", "EPOCHMILLISECONDS", "EPOCHMICROSECONDS", "SCALAR", "DATE_STRING", "MIXED"};
  const std::string_view type = config.Get(kType);
  if (std::ranges::find(kTypes, type) == kTypes.end()) {
    return InvalidError(
        "{} is \"{}\"; must be one of {}, for there is a timestamp among the "
        "partition columns",
        kType, type, fmt::join(kTypes, ", "));
  }
  return config.Get(kFormat).empty()
             ? InvalidError("{} is missing: a pattern of the paths, yyyy/MM/dd", kFormat)
             : Status::OK();
}

// What the caller adds or sets otherwise.
Status AddGiven(const TableDefinition& definition, Properties* properties) {
  for (const auto& [key, value] : definition.properties) {
    if (!key.starts_with("hoodie.")) {
      return InvalidError("table property \"{}\": names begin with \"hoodie.\"", key);
    }
    const auto decided =
        std::ranges::find(kDecided, key, [](const auto& entry) { return entry.first; });
    if (decided != kDecided.end()) {
      return InvalidError("table property \"{}\" is what {} says", key, decided->second);
    }
    if (std::ranges::find(kWritten, key) != kWritten.end()) {
      return InvalidError("table property \"{}\" is kept by writers", key);
    }
    (*properties)[key] = value;
  }
  return Status::OK();
}

}  // namespace

Result<Properties> PropertiesOf(const TableDefinition& definition,
                                const std::string& default_name) {
  ARROW_RETURN_NOT_OK(CheckVersion(definition.version));
  if (definition.schema == nullptr) return InvalidError("a table needs a schema");
  ARROW_ASSIGN_OR_RAISE(const auto columns, ToStoredTypes(*definition.schema));
  ARROW_RETURN_NOT_OK(CheckColumns(*columns));
  ARROW_RETURN_NOT_OK(CheckPartitionTypes(definition));
  ARROW_RETURN_NOT_OK(CheckFields(definition, *columns));
  const std::string name = definition.name.empty() ? default_name : definition.name;
  if (name.empty()) return InvalidError("the table needs a name");
  const std::string avro_name = AvroName(name);
  ARROW_ASSIGN_OR_RAISE(const AvroSchemaPtr schema,
                        ArrowToAvroSchema(*columns, avro_name + "_record", "hoodie." + avro_name));

  Properties properties = CommonProperties(definition);
  properties["hoodie.table.name"] = name;
  properties["hoodie.table.create.schema"] = FormatAvroSchema(*schema);
  if (definition.version >= 9) properties["hoodie.table.format"] = "native";
  if (!definition.key.empty()) {
    properties["hoodie.table.recordkey.fields"] = fmt::format("{}", fmt::join(definition.key, ","));
  }
  if (!definition.partition_by.empty()) {
    properties["hoodie.table.partition.fields"] =
        fmt::format("{}", fmt::join(definition.partition_by, ","));
  }
  AddMergeProperties(definition, &properties);
  ARROW_RETURN_NOT_OK(AddGiven(definition, &properties));
  // The reader's checks hold for a new table too; what they find is the caller's mistake.
  const Result<TableConfig> config = TableConfig::FromProperties(properties);
  if (!config.ok()) return InvalidError("{}", config.status().message());
  ARROW_RETURN_NOT_OK(CheckTimestamps(*config));
  return properties;
}

}  // namespace firth
