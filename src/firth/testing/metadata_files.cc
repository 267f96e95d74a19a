// SPDX-License-Identifier: Apache-2.0
#include "firth/testing/metadata_files.h"

#include <arrow/io/file.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "firth/common/bytes.h"
#include "firth/common/checksum.h"
#include "firth/common/properties.h"
#include "firth/format/avro/avro_codec.h"
#include "firth/format/hfile/hfile_writer.h"
#include "firth/metadata/metadata_keys.h"
#include "firth/timeline/commit_metadata.h"

namespace firth::testing {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// Types of records, as their field `type` has them.
constexpr int kPartitionListRecord = 1;
constexpr int kFilesRecord = 2;
constexpr int kColumnStatsRecord = 3;
constexpr int kRecordIndexRecord = 5;

// When the rows of all keys were inserted: 2026-01-01T00:00:10Z.
constexpr int64_t kInsertedMillis = 1'767'225'610'000;

constexpr const char* kSchema =
    R"({"type":"record","name":"HoodieMetadataRecord","namespace":"org.apache.hudi.avro.model","fields":[
{"name":"_hoodie_commit_time","type":["null","string"],"default":null},
{"name":"_hoodie_commit_seqno","type":["null","string"],"default":null},
{"name":"_hoodie_record_key","type":["null","string"],"default":null},
{"name":"_hoodie_partition_path","type":["null","string"],"default":null},
{"name":"_hoodie_file_name","type":["null","string"],"default":null},
{"name":"key","type":"string"},{"name":"type","type":"int"},
{"name":"filesystemMetadata","type":["null",{"type":"map","values":{"type":"record",
"name":"HoodieMetadataFileInfo","fields":[
{"name":"size","type":"long"},{"name":"isDeleted","type":"boolean"}]}}]},
{"name":"BloomFilterMetadata","type":["null",{"type":"record","name":"HoodieMetadataBloomFilter",
"fields":[{"name":"type","type":"string"},{"name":"timestamp","type":"string"},
{"name":"bloomFilter","type":"bytes"},{"name":"isDeleted","type":"boolean"}]}],"default":null},
{"name":"ColumnStatsMetadata","type":["null",{"type":"record","name":"HoodieMetadataColumnStats",
"fields":[{"name":"fileName","type":["null","string"],"default":null},
{"name":"columnName","type":["null","string"],"default":null},
{"name":"minValue","type":["null",{"type":"record","name":"LongWrapper",
"fields":[{"name":"value","type":"long"}]}],"default":null},
{"name":"maxValue","type":["null","LongWrapper"],"default":null},
{"name":"valueCount","type":["null","long"],"default":null},
{"name":"nullCount","type":["null","long"],"default":null},
{"name":"totalSize","type":["null","long"],"default":null},
{"name":"totalUncompressedSize","type":["null","long"],"default":null},
{"name":"isDeleted","type":"boolean"},
{"name":"isTightBound","type":"boolean","default":false},
{"name":"valueType","type":["null",{"type":"record","name":"HoodieValueTypeInfo",
"fields":[{"name":"typeOrdinal","type":"int"},
{"name":"additionalInfo","type":["null","string"],"default":null}]}],"default":null}]}],"default":null},
{"name":"recordIndexMetadata","type":["null",{"type":"record","name":"HoodieRecordIndexInfo",
"fields":[{"name":"partitionName","type":["null","string"],"default":null},
{"name":"fileIdHighBits","type":["null","long"],"default":null},
{"name":"fileIdLowBits","type":["null","long"],"default":null},
{"name":"fileIndex","type":["null","int"],"default":null},
{"name":"fileId","type":["null","string"],"default":null},
{"name":"instantTime","type":["null","long"],"default":null},
{"name":"fileIdEncoding","type":"int","default":0},
{"name":"position","type":["null","long"],"default":null}]}],"default":null},
{"name":"SecondaryIndexMetadata","type":["null",{"type":"record","name":"HoodieSecondaryIndexInfo",
"fields":[{"name":"isDeleted","type":"boolean"}]}],"default":null}]})";

Status WriteText(const fs::path& path, std::string_view text) {
  fs::create_directories(path.parent_path());
  std::ofstream out(path, std::ios::binary);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  return out.good() ? Status::OK() : Error(ErrorCode::kIo, "{}: not written", path.string());
}

// Datums have an empty key: the entry has it.
Result<std::string> Encode(int type, const char* payload_field, Json payload) {
  static const AvroSchemaPtr schema = *ParseAvroSchema(kSchema);
  ByteWriter out;
  ARROW_RETURN_NOT_OK(EncodeAvroJson(
      *schema, {{"key", ""}, {"type", type}, {payload_field, std::move(payload)}}, &out));
  return out.Finish();
}

Result<std::string> EncodeStats(const WrittenFile& file, const LongStats& stats) {
  const bool known = stats.nulls < file.rows;
  return Encode(kColumnStatsRecord, "ColumnStatsMetadata",
                {{"fileName", file.name},
                 {"columnName", stats.column},
                 {"minValue", known ? Json{{"value", stats.min}} : Json()},
                 {"maxValue", known ? Json{{"value", stats.max}} : Json()},
                 {"valueCount", file.rows},
                 {"nullCount", stats.nulls},
                 {"isDeleted", false}});
}

// The datum of a key's record: `file_id` is 32 hexadecimal digits with hyphens and "-0".
Result<std::string> EncodeLocation(std::string_view partition, std::string_view file_id) {
  std::string digits(file_id.substr(0, 36));
  std::erase(digits, '-');
  uint64_t high = 0, low = 0;
  const char* middle = digits.data() + 16;
  const char* end = digits.data() + digits.size();
  if (digits.size() != 32 || std::from_chars(digits.data(), middle, high, 16).ptr != middle ||
      std::from_chars(middle, end, low, 16).ptr != end) {
    return InvalidError("file id {} has no UUID", file_id);
  }
  return Encode(kRecordIndexRecord, "recordIndexMetadata",
                {{"partitionName", partition},
                 {"fileIdHighBits", static_cast<int64_t>(high)},
                 {"fileIdLowBits", static_cast<int64_t>(low)},
                 {"fileIndex", 0},
                 {"fileId", ""},
                 {"instantTime", kInsertedMillis},
                 {"fileIdEncoding", 0}});
}

}  // namespace

struct MetadataFiles::Index {
  struct Group {
    std::string file_id, path;
    std::shared_ptr<arrow::io::FileOutputStream> sink;
    std::unique_ptr<HFileWriter> writer;
  };
  std::string partition;
  std::string instant;
  std::vector<Group> groups;

  Status Append(std::string_view key, std::string_view datum) {
    const auto count = static_cast<int32_t>(groups.size());
    return groups[static_cast<size_t>(FileGroupOf(key, count))].writer->Append(key, datum);
  }
  Status AppendAll(const std::map<std::string, std::string>& records) {
    for (const auto& [key, datum] : records) ARROW_RETURN_NOT_OK(Append(key, datum));
    return Status::OK();
  }
};

MetadataFiles::MetadataFiles(std::string dir, std::string completed)
    : dir_(std::move(dir)), completed_(std::move(completed)) {}
MetadataFiles::~MetadataFiles() = default;

Result<std::unique_ptr<MetadataFiles::Index>> MetadataFiles::NewIndex(std::string_view partition,
                                                                      int groups) {
  auto index = std::make_unique<Index>();
  index->partition = partition;
  index->instant = fmt::format("{:017}", instants_++);
  const fs::path root = fs::path(dir_) / ".hoodie/metadata";
  ARROW_RETURN_NOT_OK(WriteText(root / partition / ".hoodie_partition_metadata",
                                fmt::format("commitTime={}\npartitionDepth=1\n", index->instant)));
  for (int number = 0; number < groups; ++number) {
    Index::Group& group = index->groups.emplace_back();
    group.file_id = fmt::format("{}{:04}-0", FileIdPrefix(partition), number);
    group.path =
        fmt::format("{}/{}_{}-0-0_{}.hfile", partition, group.file_id, number, index->instant);
    ARROW_ASSIGN_OR_RAISE(group.sink,
                          arrow::io::FileOutputStream::Open((root / group.path).string()));
    ARROW_ASSIGN_OR_RAISE(group.writer, HFileWriter::Make(group.sink));
    group.writer->AddInfo("schema", kSchema);
  }
  return index;
}

// Finishes the files and completes their instant.
Status MetadataFiles::Close(Index* index) {
  CommitMetadata commit;
  commit.operation = "BULK_INSERT";
  commit.extra["schema"] = kSchema;
  for (Index::Group& group : index->groups) {
    ARROW_RETURN_NOT_OK(group.writer->Finish());
    WriteStat stat;
    stat.file_id = group.file_id;
    stat.path = group.path;
    stat.prev_commit = "null";
    stat.num_writes = stat.num_inserts = group.writer->num_entries();
    stat.file_size = group.writer->bytes_written();
    commit.write_stats[index->partition].push_back(std::move(stat));
    ARROW_RETURN_NOT_OK(group.sink->Close());
  }
  const fs::path timeline = fs::path(dir_) / ".hoodie/metadata/.hoodie/timeline";
  ARROW_ASSIGN_OR_RAISE(const std::string bytes,
                        EncodeCommitMetadata(commit, Action::kDeltaCommit));
  for (const char* state : {"requested", "inflight"}) {
    ARROW_RETURN_NOT_OK(
        WriteText(timeline / fmt::format("{}.deltacommit.{}", index->instant, state), ""));
  }
  ARROW_RETURN_NOT_OK(
      WriteText(timeline / fmt::format("{}_{}.deltacommit", index->instant, completed_), bytes));
  partitions_.push_back(index->partition);
  return Status::OK();
}

Status MetadataFiles::WriteFiles(const std::vector<WrittenFile>& files) {
  std::map<std::string, Json> by_partition;
  for (const WrittenFile& file : files) {
    by_partition[FilesKey(file.partition)][file.name] = {{"size", file.size}, {"isDeleted", false}};
  }
  std::map<std::string, std::string> records;
  Json all = Json::object();
  for (auto& [key, listed] : by_partition) {
    all[key] = {{"size", 0}, {"isDeleted", false}};
    ARROW_ASSIGN_OR_RAISE(records[key],
                          Encode(kFilesRecord, "filesystemMetadata", std::move(listed)));
  }
  ARROW_ASSIGN_OR_RAISE(records[std::string(kAllPartitionsKey)],
                        Encode(kPartitionListRecord, "filesystemMetadata", std::move(all)));
  ARROW_ASSIGN_OR_RAISE(const auto index, NewIndex("files", 1));
  ARROW_RETURN_NOT_OK(index->AppendAll(records));
  return Close(index.get());
}

Status MetadataFiles::WriteColumnStats(const std::vector<WrittenFile>& files, int groups) {
  std::map<std::string, std::string> records;
  for (const WrittenFile& file : files) {
    for (const LongStats& stats : file.stats) {
      ARROW_ASSIGN_OR_RAISE(records[ColumnStatsKey(stats.column, file.partition, file.name)],
                            EncodeStats(file, stats));
    }
  }
  ARROW_ASSIGN_OR_RAISE(const auto index, NewIndex("column_stats", groups));
  ARROW_RETURN_NOT_OK(index->AppendAll(records));
  return Close(index.get());
}

Status MetadataFiles::BeginRecordIndex(int groups) {
  return NewIndex("record_index", groups).Value(&record_index_);
}

Status MetadataFiles::AddKey(std::string_view key, std::string_view partition,
                             std::string_view file_id) {
  auto location = locations_.find(file_id);
  if (location == locations_.end()) {
    ARROW_ASSIGN_OR_RAISE(std::string datum, EncodeLocation(partition, file_id));
    location = locations_.emplace(std::string(file_id), std::move(datum)).first;
  }
  return record_index_->Append(key, location->second);
}

Status MetadataFiles::Finish() {
  if (record_index_ != nullptr) ARROW_RETURN_NOT_OK(Close(record_index_.get()));
  const fs::path folder = fs::path(dir_) / ".hoodie";
  std::ifstream file(folder / "hoodie.properties", std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  ARROW_ASSIGN_OR_RAISE(Properties table, ParseProperties(text));
  const std::string name = table["hoodie.table.name"] + "_metadata";
  table["hoodie.table.metadata.partitions"] = fmt::format("{}", fmt::join(partitions_, ","));
  ARROW_RETURN_NOT_OK(WriteText(folder / "hoodie.properties", FormatProperties(table)));
  return WriteText(
      folder / "metadata/.hoodie/hoodie.properties",
      FormatProperties({
          {"hoodie.table.name", name},
          {"hoodie.table.type", "MERGE_ON_READ"},
          {"hoodie.table.version", "9"},
          {"hoodie.table.initial.version", "9"},
          {"hoodie.table.base.file.format", "HFILE"},
          {"hoodie.table.recordkey.fields", "key"},
          {"hoodie.table.keygenerator.type", "HOODIE_TABLE_METADATA"},
          {"hoodie.populate.meta.fields", "false"},
          {"hoodie.record.merge.mode", "CUSTOM"},
          {"hoodie.record.merge.strategy.id", "00000000-0000-0000-0000-000000000000"},
          {"hoodie.compaction.payload.class", "org.apache.hudi.metadata.HoodieMetadataPayload"},
          {"hoodie.table.checksum", fmt::to_string(Crc32("." + name))},
          {"hoodie.timeline.layout.version", "2"},
          {"hoodie.timeline.path", "timeline"},
          {"hoodie.timeline.history.path", "history"},
          {"hoodie.archivelog.folder", "history"},
          {"hoodie.datasource.write.drop.partition.columns", "false"},
      }));
}

}  // namespace firth::testing
