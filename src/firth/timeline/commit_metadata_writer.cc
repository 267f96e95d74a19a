// SPDX-License-Identifier: Apache-2.0
// Schema text and field order are those of Hudi 1.x, byte for byte: docs/format/timeline.md.
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "firth/format/avro/avro_codec.h"
#include "firth/timeline/commit_metadata.h"

namespace firth {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kString = R"({"type":"string","avro.java.string":"String"})";
constexpr std::string_view kLong = R"("long")";
constexpr std::string_view kInt = R"("int")";
constexpr std::string_view kStringList =
    R"({"type":"array","items":{"type":"string","avro.java.string":"String"},"default":null})";
constexpr std::string_view kLongMap =
    R"({"type":"map","values":"long","avro.java.string":"String","default":null})";
constexpr std::string_view kRuntimeStats =
    R"({"type":"record","name":"HoodieRuntimeStats","fields":[)"
    R"({"name":"totalScanTime","type":["null","long"],"default":null},)"
    R"({"name":"totalCreateTime","type":["null","long"],"default":null},)"
    R"({"name":"totalUpsertTime","type":["null","long"],"default":null}]})";

constexpr std::array<std::pair<std::string_view, std::string_view>, 31> kStatFields = {{
    {"fileId", kString},
    {"path", kString},
    {"prevCommit", kString},
    {"numWrites", kLong},
    {"numDeletes", kLong},
    {"numUpdateWrites", kLong},
    {"totalWriteBytes", kLong},
    {"totalWriteErrors", kLong},
    {"partitionPath", kString},
    {"totalLogRecords", kLong},
    {"totalLogFiles", kLong},
    {"totalUpdatedRecordsCompacted", kLong},
    {"numInserts", kLong},
    {"totalLogBlocks", kLong},
    {"totalCorruptLogBlock", kLong},
    {"totalRollbackBlocks", kLong},
    {"fileSizeInBytes", kLong},
    {"logVersion", kInt},
    {"logOffset", kLong},
    {"baseFile", kString},
    {"logFiles", kStringList},
    {"cdcStats", kLongMap},
    {"prevBaseFile", kString},
    {"minEventTime", kLong},
    {"maxEventTime", kLong},
    {"runtimeStats", kRuntimeStats},
    {"totalLogFilesCompacted", kLong},
    {"totalLogReadTimeMs", kLong},
    {"totalLogSizeCompacted", kLong},
    {"tempPath", kString},
    {"numUpdates", kLong},
}};

std::string OptionalField(std::string_view name, std::string_view type) {
  return fmt::format(R"({{"name":"{}","type":["null",{}],"default":null}})", name, type);
}

std::string MapOf(std::string_view values, std::string_view suffix = {}) {
  return fmt::format(R"({{"type":"map","values":{},"avro.java.string":"String"{}}})", values,
                     suffix);
}

std::string SchemaText(Action action) {
  const bool replace = action == Action::kReplaceCommit;
  std::string stat_fields;
  for (const auto& [name, type] : kStatFields) {
    if (!stat_fields.empty()) stat_fields += ',';
    stat_fields += OptionalField(name, type);
  }
  const std::string stats = fmt::format(
      R"({{"type":"array","items":{{"type":"record","name":"HoodieWriteStat","fields":[{}]}}}})",
      stat_fields);
  std::string fields = OptionalField("partitionToWriteStats", MapOf(stats));
  fields += "," + OptionalField("compacted", R"("boolean")");
  fields += "," + OptionalField("extraMetadata", MapOf(kString, replace ? std::string_view()
                                                                        : R"(,"default":null)"));
  fields += R"(,{"name":"version","type":["int","null"],"default":1},)";
  fields += OptionalField("operationType", kString);
  if (replace) {
    const std::string ids = fmt::format(R"({{"type":"array","items":{}}})", kString);
    fields += "," + OptionalField("partitionToReplaceFileIds", MapOf(ids));
  }
  return fmt::format(
      R"({{"type":"record","name":"{}","namespace":"org.apache.hudi.avro.model","fields":[{}]}})",
      replace ? "HoodieReplaceCommitMetadata" : "HoodieCommitMetadata", fields);
}

Json TextOrNull(const std::string& text) { return text.empty() ? Json() : Json(text); }

// The number after ".log." in a log file's path.
int LogVersion(std::string_view path) {
  constexpr std::string_view kMark = ".log.";
  const size_t mark = path.rfind(kMark);
  if (mark == std::string_view::npos) return 1;
  int version = 0;
  for (const char c : path.substr(mark + kMark.size(), 9)) {
    if (c < '0' || c > '9') break;
    version = version * 10 + (c - '0');
  }
  return version;
}

Json StatToJson(const std::string& partition, const WriteStat& stat) {
  Json json;
  // Java leaves its primitive counters at zero too.
  for (const char* counter :
       {"totalWriteErrors", "totalLogRecords", "totalUpdatedRecordsCompacted", "totalLogBlocks",
        "totalCorruptLogBlock", "totalRollbackBlocks", "totalLogFilesCompacted",
        "totalLogReadTimeMs", "totalLogSizeCompacted", "numUpdates"}) {
    json[counter] = 0;
  }
  for (const char* absent : {"totalLogFiles", "minEventTime", "maxEventTime", "runtimeStats",
                             "tempPath", "logVersion", "logOffset", "baseFile", "logFiles"}) {
    json[absent] = nullptr;
  }
  json["fileId"] = stat.file_id;
  json["path"] = TextOrNull(stat.path);
  json["prevCommit"] = stat.prev_commit.empty() ? "null" : stat.prev_commit;
  json["numWrites"] = stat.num_writes;
  json["numDeletes"] = stat.num_deletes;
  json["numUpdateWrites"] = stat.num_update_writes;
  json["numInserts"] = stat.num_inserts;
  json["totalWriteBytes"] = stat.file_size < 0 ? 0 : stat.file_size;
  json["fileSizeInBytes"] = stat.file_size < 0 ? 0 : stat.file_size;
  json["partitionPath"] = partition;
  json["prevBaseFile"] = TextOrNull(stat.prev_base_file);
  json["cdcStats"] = stat.cdc_stats.empty() ? Json() : Json(stat.cdc_stats);
  if (!stat.log_files.empty()) {
    json["logVersion"] = LogVersion(stat.path);
    json["logOffset"] = 0;
    json["baseFile"] = stat.base_file;
    json["logFiles"] = stat.log_files;
  }
  return json;
}

Json ToJson(const CommitMetadata& metadata, Action action) {
  Json stats = Json::object();
  for (const auto& [partition, list] : metadata.write_stats) {
    Json& array = stats[partition] = Json::array();
    for (const WriteStat& stat : list) array.push_back(StatToJson(partition, stat));
  }
  Json json;
  json["partitionToWriteStats"] = std::move(stats);
  json["compacted"] = metadata.compacted;
  json["extraMetadata"] = Json(metadata.extra);
  json["version"] = nullptr;  // what Java writes, whatever the default says
  json["operationType"] = TextOrNull(metadata.operation);
  if (action == Action::kReplaceCommit) {
    json["partitionToReplaceFileIds"] = Json(metadata.replaced_file_ids);
  }
  return json;
}

}  // namespace

Result<std::string> EncodeCommitMetadata(const CommitMetadata& metadata, Action action) {
  if (action != Action::kCommit && action != Action::kDeltaCommit &&
      action != Action::kReplaceCommit) {
    return InvalidError(
        "action {} has no commit metadata; must be commit, deltacommit or "
        "replacecommit",
        ActionName(action));
  }
  const std::string text = SchemaText(action);
  ARROW_ASSIGN_OR_RAISE(const AvroSchemaPtr schema, ParseAvroSchema(text));
  // One block a file: the marker separates nothing, so it need not differ between files.
  constexpr std::string_view kSync = "firth-timeline-1";
  static_assert(kSync.size() == 16);
  return WriteAvroContainer(*schema, text, {ToJson(metadata, action)}, kSync);
}

}  // namespace firth
