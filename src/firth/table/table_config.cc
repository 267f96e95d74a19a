// SPDX-License-Identifier: Apache-2.0
#include "firth/table/table_config.h"

#include <arrow/buffer.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "firth/common/log.h"
#include "firth/table/table_properties.h"

namespace firth {
namespace {

constexpr std::string_view kPropertiesPath = ".hoodie/hoodie.properties";
constexpr std::string_view kBackupPath = ".hoodie/hoodie.properties.backup";
constexpr int64_t kMaxPropertiesBytes = int64_t{64} << 20;  // create.schema can be long

constexpr std::array<std::pair<std::string_view, KeyGenerator>, 8> kGeneratorTypes = {{
    {"SIMPLE", KeyGenerator::kSimple},
    {"COMPLEX", KeyGenerator::kComplex},
    {"NON_PARTITION", KeyGenerator::kNonPartitioned},
    {"TIMESTAMP", KeyGenerator::kTimestamp},
    {"CUSTOM", KeyGenerator::kCustom},
    {"GLOBAL_DELETE", KeyGenerator::kGlobalDelete},
    {"AUTO_RECORD", KeyGenerator::kAutoRecord},
    {"HOODIE_TABLE_METADATA", KeyGenerator::kMetadata},
}};

// Class names without package; an "Avro" before "KeyGenerator" changes nothing.
constexpr std::array<std::pair<std::string_view, KeyGenerator>, 8> kGeneratorClasses = {{
    {"SimpleKeyGenerator", KeyGenerator::kSimple},
    {"ComplexKeyGenerator", KeyGenerator::kComplex},
    {"NonpartitionedKeyGenerator", KeyGenerator::kNonPartitioned},
    {"TimestampBasedKeyGenerator", KeyGenerator::kTimestamp},
    {"CustomKeyGenerator", KeyGenerator::kCustom},
    {"GlobalDeleteKeyGenerator", KeyGenerator::kGlobalDelete},
    {"AutoRecordGenWrapperKeyGenerator", KeyGenerator::kAutoRecord},
    {"HoodieTableMetadataKeyGenerator", KeyGenerator::kMetadata},
}};

template <typename Table>
KeyGenerator FindGenerator(const Table& table, std::string_view name) {
  const auto found = std::ranges::find(table, name, [](const auto& entry) { return entry.first; });
  return found == table.end() ? KeyGenerator::kOther : found->second;
}

KeyGenerator GeneratorOfType(std::string_view type) {
  if (type.ends_with("_AVRO")) type.remove_suffix(5);
  return FindGenerator(kGeneratorTypes, type);
}

KeyGenerator GeneratorOfClass(std::string_view class_name) {
  std::string name(class_name.substr(class_name.rfind('.') + 1));
  const size_t avro = name.rfind("AvroKeyGenerator");
  if (avro != std::string::npos) name.erase(avro, 4);
  return FindGenerator(kGeneratorClasses, name);
}

KeyGenerator DeriveGenerator(const TableConfig& config) {
  const std::string_view type = config.Get("hoodie.table.keygenerator.type");
  if (!type.empty()) return GeneratorOfType(type);
  const std::string_view class_name = config.Get("hoodie.table.keygenerator.class");
  if (!class_name.empty()) return GeneratorOfClass(class_name);
  if (config.partition_fields.empty()) return KeyGenerator::kNonPartitioned;
  const bool simple = config.partition_fields.size() == 1 && config.record_key_fields.size() <= 1;
  return simple ? KeyGenerator::kSimple : KeyGenerator::kComplex;
}

Result<bool> ReadFlag(const TableConfig& config, std::string_view key, bool fallback) {
  std::string value(config.Get(key));
  std::ranges::transform(value, value.begin(), [](unsigned char c) { return std::tolower(c); });
  if (value.empty()) return fallback;
  if (value == "true") return true;
  if (value == "false") return false;
  return CorruptError("{} is \"{}\"; must be true or false", key, value);
}

Result<int> ReadInteger(const TableConfig& config, std::string_view key) {
  const std::string_view text = config.Get(key);
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return CorruptError("{} is \"{}\"; must be a number", key, text);
  }
  return value;
}

Status ReadVersion(TableConfig* config) {
  if (config->Get("hoodie.table.version").empty()) {
    return WithRemedy(UnsupportedError("hoodie.table.version is missing, so the table is older "
                                       "than version 6; firth reads versions 6, 8 and 9"),
                      "upgrade the table with Hudi 1.2 first");
  }
  ARROW_ASSIGN_OR_RAISE(config->version, ReadInteger(*config, "hoodie.table.version"));
  if (config->version == 6 || config->version == 8 || config->version == 9) return Status::OK();
  const Status error =
      UnsupportedError("table version is {}; firth reads versions 6, 8 and 9", config->version);
  return WithRemedy(error, config->version > 9
                               ? "downgrade the table to version 9 with the Hudi release that "
                                 "wrote it, or use a newer firth"
                               : "upgrade the table to version 9 with Hudi 1.2");
}

// Features that would make any reading of the table half right.
Status RefuseUnsupported(const TableConfig& config) {
  const std::string_view format = config.Get("hoodie.table.format", "native");
  if (format != "native") {
    return WithRemedy(UnsupportedError("hoodie.table.format is \"{}\"; firth reads native", format),
                      "read the table with the engine that provides this format");
  }
  if (!config.Get("hoodie.bootstrap.base.path").empty()) {
    return WithRemedy(UnsupportedError("the table is bootstrapped from {}: its rows are partly "
                                       "outside of it",
                                       config.Get("hoodie.bootstrap.base.path")),
                      "rewrite all partitions with Hudi, for example by clustering");
  }
  ARROW_ASSIGN_OR_RAISE(const bool mixed,
                        ReadFlag(config, "hoodie.table.multiple.base.file.formats.enable", false));
  std::string_view base_format = config.Get("hoodie.table.base.file.format");
  if (base_format.empty()) base_format = config.Get("hoodie.table.ro.file.format", "PARQUET");
  const std::string_view wanted = config.is_metadata_table ? "HFILE" : "PARQUET";
  if (mixed || base_format != wanted) {
    return WithRemedy(
        UnsupportedError("base files are {}{}; firth reads {}",
                         mixed ? "of several formats, by default " : "", base_format, wanted),
        "rewrite the table with Parquet base files");
  }
  return Status::OK();
}

// A folder below .hoodie, as a property names it.
Result<std::string> ReadFolder(const TableConfig& config, std::string_view key,
                               std::string_view fallback) {
  const std::string_view path = config.Get(key, fallback);
  const auto leads_out = [](std::string_view part) {
    return part.empty() || part == "." || part == "..";
  };
  for (std::string_view rest = path;;) {
    const size_t slash = rest.find('/');
    if (leads_out(rest.substr(0, slash))) {
      return CorruptError("{} is \"{}\"; must be a folder inside .hoodie", key, path);
    }
    if (slash == std::string_view::npos) return std::string(path);
    rest.remove_prefix(slash + 1);
  }
}

Status ReadTimelineConfig(TableConfig* config) {
  int layout = config->version >= 8 ? 2 : 1;
  if (!config->Get("hoodie.timeline.layout.version").empty()) {
    ARROW_ASSIGN_OR_RAISE(const int stored, ReadInteger(*config, "hoodie.timeline.layout.version"));
    if (stored != layout) {
      return CorruptError("hoodie.timeline.layout.version is {}; a table of version {} has {}",
                          stored, config->version, layout);
    }
  }
  TimelineConfig& timeline = config->timeline;
  if (layout == 1) {
    timeline.layout = TimelineLayout::kV1;
    timeline.active_dir = ".hoodie";
    ARROW_ASSIGN_OR_RAISE(const std::string archive,
                          ReadFolder(*config, "hoodie.archivelog.folder", "archived"));
    timeline.history_dir = fmt::format(".hoodie/{}", archive);
  } else {
    timeline.layout = TimelineLayout::kV2;
    ARROW_ASSIGN_OR_RAISE(const std::string active,
                          ReadFolder(*config, "hoodie.timeline.path", "timeline"));
    ARROW_ASSIGN_OR_RAISE(const std::string history,
                          ReadFolder(*config, "hoodie.timeline.history.path", "history"));
    timeline.active_dir = fmt::format(".hoodie/{}", active);
    timeline.history_dir = fmt::format("{}/{}", timeline.active_dir, history);
  }
  config->timeline_is_utc = config->Get("hoodie.table.timeline.timezone") == "UTC";
  return Status::OK();
}

// `f` or `f:TIMESTAMP`: only the CUSTOM generator stores types, and no other may have a colon
// there.
void ReadPartitionFields(TableConfig* config) {
  for (const std::string& item : SplitList(config->Get("hoodie.table.partition.fields"))) {
    std::string_view name = item;
    const size_t colon = name.rfind(':');
    const std::string_view type =
        colon == std::string_view::npos ? std::string_view() : name.substr(colon + 1);
    const bool timestamp = type == "TIMESTAMP" || type == "timestamp";
    if (timestamp || type == "SIMPLE" || type == "simple") name = name.substr(0, colon);
    config->partition_fields.emplace_back(name);
    config->partition_is_timestamp.push_back(timestamp);
  }
}

Status ReadKeys(TableConfig* config) {
  config->record_key_fields = SplitList(config->Get("hoodie.table.recordkey.fields"));
  ReadPartitionFields(config);
  config->key_generator = DeriveGenerator(*config);
  if (config->key_generator == KeyGenerator::kTimestamp) {
    config->partition_is_timestamp.assign(config->partition_fields.size(), true);
  }
  ARROW_ASSIGN_OR_RAISE(
      config->hive_style,
      ReadFlag(*config, "hoodie.datasource.write.hive_style_partitioning", false));
  ARROW_ASSIGN_OR_RAISE(
      config->url_encode,
      ReadFlag(*config, "hoodie.datasource.write.partitionpath.urlencode", false));
  ARROW_ASSIGN_OR_RAISE(config->drops_partition_columns,
                        ReadFlag(*config, "hoodie.datasource.write.drop.partition.columns", false));
  ARROW_ASSIGN_OR_RAISE(
      config->slash_separated_dates,
      ReadFlag(*config, "hoodie.datasource.write.slash.separated.date.partitioning", false));
  // Hudi 1.2 stores only how Hive takes the path apart again.
  if (config->partition_fields.size() == 1 && !config->hive_style &&
      config->Get("hoodie.table.partition_extractor_class")
          .ends_with("SlashEncodedDayPartitionValueExtractor")) {
    config->slash_separated_dates = true;
  }
  return Status::OK();
}

bool IsMetadataTable(const TableConfig& config) {
  return config.Get("hoodie.compaction.payload.class").ends_with("metadata.HoodieMetadataPayload");
}

// What a checksum proves is that the file was written to its end.
bool HasValidChecksum(const Properties& properties) {
  const auto stored = properties.find("hoodie.table.checksum");
  return stored == properties.end() || stored->second == TableChecksum(properties);
}

Result<Properties> ReadProperties(const Storage& storage, std::string_view path) {
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Buffer> text,
                        storage.ReadFile(path, kMaxPropertiesBytes));
  Result<Properties> properties = ParseProperties(std::string_view(*text));
  if (!properties.ok()) return WithContext(properties.status(), path);
  if (!HasValidChecksum(*properties)) {
    return CorruptError("{}: hoodie.table.checksum is {}, which does not match the table's name",
                        path, properties->find("hoodie.table.checksum")->second);
  }
  return properties;
}

// A writer deletes the file and writes it anew, with the old one kept as backup meanwhile; when
// neither is there it has just finished.
Result<Properties> RecoverProperties(const Storage& storage, const Status& reason) {
  if (GetErrorCode(reason) == ErrorCode::kIo) return reason;
  Result<Properties> properties = ReadProperties(storage, kBackupPath);
  if (!properties.ok()) return ReadProperties(storage, kPropertiesPath);
  FIRTH_LOG(warn, "table properties taken from their backup: table={} reason={}",
            storage.display_root(), reason.message());
  return properties;
}

}  // namespace

std::string_view TableConfig::Get(std::string_view key, std::string_view fallback) const {
  const auto found = properties.find(key);
  return found == properties.end() || found->second.empty() ? fallback
                                                            : std::string_view(found->second);
}

Result<TableConfig> TableConfig::FromProperties(Properties properties) {
  TableConfig config;
  config.properties = std::move(properties);
  config.name = config.Get("hoodie.table.name");
  if (config.name.empty()) return CorruptError("hoodie.table.name is missing");
  config.is_metadata_table = IsMetadataTable(config);
  ARROW_RETURN_NOT_OK(ReadVersion(&config));
  ARROW_RETURN_NOT_OK(RefuseUnsupported(config));
  const std::string_view type = config.Get("hoodie.table.type", "COPY_ON_WRITE");
  if (type == "MERGE_ON_READ") {
    config.type = TableType::kMergeOnRead;
  } else if (type != "COPY_ON_WRITE") {
    return CorruptError("hoodie.table.type is \"{}\"; must be COPY_ON_WRITE or MERGE_ON_READ",
                        type);
  }
  ARROW_RETURN_NOT_OK(ReadTimelineConfig(&config));
  ARROW_RETURN_NOT_OK(ReadKeys(&config));
  ARROW_ASSIGN_OR_RAISE(config.has_meta_fields,
                        ReadFlag(config, "hoodie.populate.meta.fields", true));
  ARROW_ASSIGN_OR_RAISE(config.cdc_enabled, ReadFlag(config, "hoodie.table.cdc.enabled", false));
  ARROW_ASSIGN_OR_RAISE(config.merge, DeriveMergeSpec(config.properties, config.version));
  config.create_schema = config.Get("hoodie.table.create.schema");
  config.metadata_partitions = SplitList(config.Get("hoodie.table.metadata.partitions"));
  return config;
}

Result<TableConfig> TableConfig::Load(const Storage& storage) {
  Result<Properties> properties = ReadProperties(storage, kPropertiesPath);
  if (!properties.ok()) properties = RecoverProperties(storage, properties.status());
  if (!properties.ok() && GetErrorCode(properties.status()) == ErrorCode::kNotFound) {
    return WithRemedy(NotFoundError("{} is not a Hudi table: it has no {}", storage.display_root(),
                                    kPropertiesPath),
                      "check the path; it must be the folder that holds .hoodie");
  }
  ARROW_RETURN_NOT_OK(properties.status());
  Result<TableConfig> config = FromProperties(*std::move(properties));
  if (!config.ok()) return WithContext(config.status(), storage.display_root());
  return config;
}

}  // namespace firth
