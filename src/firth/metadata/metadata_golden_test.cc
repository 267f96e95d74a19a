// SPDX-License-Identifier: Apache-2.0
// The metadata tables of the golden tables against what real Hudi recorded of them, and against the
// tables' own files and rows.
#include <arrow/array.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "firth/format/log/log_reader.h"
#include "firth/metadata/bloom_filter.h"
#include "firth/metadata/metadata_keys.h"
#include "firth/metadata/metadata_listing.h"
#include "firth/metadata/metadata_merge.h"
#include "firth/metadata/metadata_table.h"
#include "firth/table/file_system_view.h"
#include "firth/testing/golden.h"
#include "firth/testing/json_rows.h"

namespace firth {
namespace {

using Json = nlohmann::json;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAreArray;

Json Expected(const std::string& name) {
  std::ifstream file(testing::GoldenDir() / (name + ".expected.json"));
  return Json::parse(file);
}

// Golden tables that have a metadata table.
std::vector<std::string> TablesWithMetadata() {
  std::vector<std::string> names;
  for (const std::string& name : testing::ReadableGoldenNames()) {
    std::string text = testing::ReadFileBytes(testing::GoldenDir() / (name + ".expected.json"));
    if (text.find("\"hoodie.table.metadata.partitions\"") != std::string::npos) {
      names.push_back(name);
    }
  }
  return names;
}

// A record in the form of the expectations, without bloom filters' bits.
Json StatsValueJson(const StatsValue& value) {
  if (value.is_null()) return Json();
  Json number;
  if (const auto* flag = std::get_if<bool>(&value.value)) number = *flag;
  if (const auto* whole = std::get_if<int64_t>(&value.value)) number = *whole;
  if (const auto* real = std::get_if<double>(&value.value)) number = *real;
  if (const auto* text = std::get_if<std::string>(&value.value)) number = *text;
  const int member = static_cast<int>(value.kind) - 1;
  return {{fmt::format("member{}", member), {{"value", number}}}};
}

Json PayloadJson(const FilesPayload& payload) {
  Json files = Json::object();
  for (const ListedFile& file : payload.files) {
    files[file.name] = {{"size", file.size}, {"isDeleted", file.deleted}};
  }
  return {{"filesystemMetadata", files}};
}
Json PayloadJson(const ColumnStatsPayload& stats) {
  Json json = {
      {"fileName", stats.file_name},     {"columnName", stats.column},
      {"valueCount", stats.value_count}, {"nullCount", stats.null_count},
      {"totalSize", stats.total_size},   {"totalUncompressedSize", stats.total_uncompressed_size},
      {"isDeleted", stats.deleted},      {"isTightBound", stats.tight_bound}};
  if (!stats.min.is_null()) json["minValue"] = StatsValueJson(stats.min);
  if (!stats.max.is_null()) json["maxValue"] = StatsValueJson(stats.max);
  if (stats.value_type != StatsValueType::kByWrapper) {
    json["valueType"] = {{"typeOrdinal", static_cast<int>(stats.value_type)}};
    if (!stats.type_info.empty()) json["valueType"]["additionalInfo"] = stats.type_info;
  }
  return {{"ColumnStatsMetadata", json}};
}
Json PayloadJson(const BloomFilterPayload& bloom) {
  return {{"BloomFilterMetadata",
           {{"type", bloom.type},
            {"timestamp", bloom.timestamp},
            {"bloomFilter", {{"base64_len", (bloom.filter.size() + 2) / 3 * 4}}},
            {"isDeleted", bloom.deleted}}}};
}
Json PayloadJson(const RecordLocation& location) {
  return {{"recordIndexMetadata",
           {{"partitionName", location.partition},
            {"fileId", location.file_id},
            {"instantTime", location.instant_millis}}}};
}
Json PayloadJson(const SecondaryIndexPayload& entry) {
  return {{"SecondaryIndexMetadata", {{"isDeleted", entry.deleted}}}};
}
Json PayloadJson(const std::monostate&) { return {{"unknown", true}}; }

Json RecordJson(const MetadataRecord& record) {
  Json json = std::visit([](const auto& payload) { return PayloadJson(payload); }, record.payload);
  json["key"] = record.key;
  json["type"] = record.type;
  return json;
}

// Defaults are filled in, and the bits of a file id become its text.
void Normalise(Json* record) {
  if (record->contains("ColumnStatsMetadata")) {
    Json& stats = record->at("ColumnStatsMetadata");
    if (!stats.contains("isTightBound")) stats["isTightBound"] = false;  // not in version 6
  }
  if (!record->contains("recordIndexMetadata")) return;
  Json& info = record->at("recordIndexMetadata");
  const auto high = static_cast<uint64_t>(info.at("fileIdHighBits").get<int64_t>());
  const auto low = static_cast<uint64_t>(info.at("fileIdLowBits").get<int64_t>());
  info = {{"partitionName", info.at("partitionName")},
          {"fileId", fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}-{}", high >> 32,
                                 high >> 16 & 0xFFFF, high & 0xFFFF, low >> 48,
                                 low & 0xFFFFFFFFFFFF, info.at("fileIndex").get<int>())},
          {"instantTime", info.at("instantTime")}};
}

class MetadataGoldenTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    table_ = std::make_unique<testing::GoldenTable>(GetParam());
    storage_ = *Storage::Open(table_->root().string(), {});
    const Result<TableConfig> config = TableConfig::Load(*storage_);
    ASSERT_TRUE(config.ok()) << config.status();
    config_ = *config;
    timeline_ = std::make_unique<Timeline>(*Timeline::Load(storage_, config_.timeline));
    expected_ = Expected(GetParam());
  }

  std::shared_ptr<const MetadataTable> Open(std::string as_of = "") {
    auto opened = MetadataTable::Open(storage_, config_, *timeline_,
                                      {.as_of = std::move(as_of), .cache = {}});
    EXPECT_TRUE(opened.ok()) << opened.status();
    return *opened;
  }

  std::vector<FileSlice> Slices(const PartitionFiles& files, const std::string& as_of) const {
    const ViewContext context = *LoadViewContext(*timeline_);
    std::vector<FileSlice> all;
    for (const auto& [partition, list] : files) {
      auto slices = SnapshotSlices(config_, *timeline_, context, partition, list, as_of);
      EXPECT_TRUE(slices.ok()) << slices.status();
      std::ranges::move(*slices, std::back_inserter(all));
    }
    if (config_.version < 8) {
      for (FileSlice& slice : all) {
        std::erase_if(slice.logs, [&](const LogFile& log) { return !HasCommitted(log); });
      }
    }
    return all;
  }

  // Version 6 tells only by blocks whether a log file has anything of a completed write. If not,
  // the metadata table need not have it.
  bool HasCommitted(const LogFile& log) const {
    auto reader = *LogReader::Open(*storage_->OpenFile(log.path), log.path);
    for (auto block = *reader->Next(); block; block = *reader->Next()) {
      if (block->type != LogBlockType::kCommand &&
          timeline_->IsCommitted(block->Get(LogHeaderKey::kInstantTime))) {
        return true;
      }
    }
    return false;
  }

  std::unique_ptr<testing::GoldenTable> table_;
  std::shared_ptr<Storage> storage_;
  TableConfig config_;
  std::unique_ptr<Timeline> timeline_;
  Json expected_;
};

TEST_P(MetadataGoldenTest, EveryReadyPartitionIsBelieved) {
  const auto metadata = Open();
  for (const std::string& partition : config_.metadata_partitions) {
    const auto reason = metadata->Distrust(partition);
    ASSERT_TRUE(reason.ok()) << reason.status();
    EXPECT_EQ(*reason, "") << partition;
  }
  EXPECT_NE(*metadata->Distrust("no_such_partition"), "");
}

TEST_P(MetadataGoldenTest, FilesAreThoseRecorded) {
  if (!expected_.contains("mdt") || !expected_.at("mdt").contains("files")) return;
  MetadataCost cost;
  const auto listed = ListMetadataFiles(*Open(), &cost);
  ASSERT_TRUE(listed.ok()) << listed.status();
  Json found = Json::object();
  std::vector<std::string> partitions;
  for (const auto& [partition, files] : *listed) {
    partitions.push_back(partition.empty() ? "." : partition);
    for (const FileInfo& file : files) found[partition][file.name()] = file.size;
  }
  EXPECT_EQ(found, expected_.at("mdt").at("files"));
  const std::vector<std::string> all = expected_.at("mdt").at("all_partitions");
  EXPECT_THAT(partitions, UnorderedElementsAreArray(all));
  EXPECT_GT(cost.bytes, 0);
}

TEST_P(MetadataGoldenTest, SlicesAreThoseOfAListing) {
  const auto listed = ListMetadataFiles(*Open(), nullptr);
  ASSERT_TRUE(listed.ok()) << listed.status();
  const PartitionFiles stored = *ListDataFiles(*storage_);
  std::vector<std::string> moments = {""};
  for (const auto& entry : expected_.at("time_travel").items()) moments.push_back(entry.key());
  for (const std::string& as_of : moments) {
    EXPECT_EQ(Slices(*listed, as_of), Slices(stored, as_of)) << as_of;
  }
}

TEST_P(MetadataGoldenTest, RecordsAreThoseRecorded) {
  if (!expected_.contains("mdt") || !expected_.at("mdt").contains("records")) return;
  const auto metadata = Open();
  std::vector<Json> found, expected;
  for (const std::string& partition : config_.metadata_partitions) {
    const Status status = metadata->Scan(
        partition,
        [&](MetadataRecord record) {
          found.push_back(RecordJson(record));
          return Status::OK();
        },
        nullptr);
    ASSERT_TRUE(status.ok()) << partition << ": " << status;
  }
  for (Json record : expected_.at("mdt").at("records")) {
    Normalise(&record);
    expected.push_back(std::move(record));
  }
  std::ranges::sort(found, {}, [](const Json& record) { return record.dump(); });
  std::ranges::sort(expected, {}, [](const Json& record) { return record.dump(); });
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], expected[i]);
}

TEST_P(MetadataGoldenTest, CountsAgreeWithScans) {
  const auto metadata = Open();
  for (const std::string& partition : config_.metadata_partitions) {
    SCOPED_TRACE(partition);
    int64_t scanned = 0;
    const auto count = [&](const MetadataRecord&) {
      ++scanned;
      return Status::OK();
    };
    ASSERT_TRUE(metadata->Scan(partition, count, nullptr).ok());
    EXPECT_EQ(*metadata->CountRecords(partition, /*max_changes=*/1'000, nullptr), scanned);
    const std::optional<int64_t> of_base_files = *metadata->CountRecords(partition, 0, nullptr);
    EXPECT_EQ(of_base_files.value_or(scanned), scanned);
  }
}

// By key, each record that a scan gives is found, and what is not there is not.
TEST_P(MetadataGoldenTest, LookupsAgreeWithScans) {
  const auto metadata = Open();
  for (const std::string& partition : config_.metadata_partitions) {
    SCOPED_TRACE(partition);
    std::map<std::string, MetadataRecord> scanned;
    ASSERT_TRUE(metadata
                    ->Scan(
                        partition,
                        [&](MetadataRecord record) {
                          scanned[record.key] = record;
                          return Status::OK();
                        },
                        nullptr)
                    .ok());
    std::vector<std::string> keys = {"", "absent"};
    for (const auto& [key, record] : scanned) {
      keys.push_back(key);
      keys.push_back(key + "x");
      keys.push_back(key.substr(0, key.size() - 1));
    }
    std::ranges::reverse(keys);
    std::vector<MetadataRecord> wanted;
    for (const auto& [key, record] : scanned) wanted.push_back(record);
    MetadataCost cost;
    const auto found = metadata->Lookup(partition, keys, &cost);
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_TRUE(*found == wanted);
    // By prefix, too: each key's first half, and everything.
    for (const std::vector<std::string>& prefixes :
         {std::vector<std::string>{""}, {keys.front(), keys.back(), "0", "n", "p"}}) {
      std::vector<MetadataRecord> begun;
      for (const MetadataRecord& record : wanted) {
        if (std::ranges::any_of(prefixes, [&](const std::string& prefix) {
              return record.key.starts_with(prefix);
            })) {
          begun.push_back(record);
        }
      }
      const auto by_prefix =
          metadata->LookupPrefixes(partition, prefixes, kAnyNumberOfRecords, &cost);
      ASSERT_TRUE(by_prefix.ok()) << by_prefix.status();
      EXPECT_TRUE(*by_prefix == begun);
    }
  }
}

// The file id that a row's file name begins with.
std::string FileId(const Json& row) {
  const std::string name = row.at("_hoodie_file_name");
  return name.substr(0, name.find('_'));
}

TEST_P(MetadataGoldenTest, RecordIndexKnowsWhereEachRowIs) {
  const auto& names = config_.metadata_partitions;
  if (std::ranges::find(names, "record_index") == names.end()) return;
  std::map<std::string, Json> moments = {{"", expected_.at("snapshot")}};
  for (const auto& [as_of, view] : expected_.at("time_travel").items()) moments[as_of] = view;
  int served = 0;
  for (const auto& [as_of, view] : moments) {
    SCOPED_TRACE(as_of);
    const auto metadata = Open(as_of);
    const std::string reason = *metadata->Distrust("record_index");
    if (!reason.empty()) {
      EXPECT_NE(as_of, "");
      RecordProperty("not served", as_of + ": " + reason);
      continue;
    }
    ++served;
    std::map<std::string, RecordLocation> wanted;
    std::vector<std::string> keys;
    for (const Json& row : testing::RowsOfView(expected_, view)) {
      wanted[row.at("_hoodie_record_key")] = {.partition = row.at("_hoodie_partition_path"),
                                              .file_id = FileId(row)};
    }
    // Every key that ever was, and some that never were.
    for (const Json& row : expected_.at("rows")) keys.push_back(row.at("_hoodie_record_key"));
    for (const char* absent : {"", "-1", "nobody"}) keys.push_back(absent);
    const auto found = metadata->Lookup("record_index", keys, nullptr);
    ASSERT_TRUE(found.ok()) << found.status();
    std::map<std::string, RecordLocation> locations;
    for (const MetadataRecord& record : *found) {
      const auto& location = std::get<RecordLocation>(record.payload);
      locations[record.key] = {.partition = location.partition, .file_id = location.file_id};
    }
    EXPECT_TRUE(locations == wanted);
  }
  EXPECT_GE(served, 1);
}

TEST_P(MetadataGoldenTest, SecondaryIndexKnowsWhoHasAValue) {
  for (const std::string& partition : config_.metadata_partitions) {
    if (ParseMetadataPartition(partition) != MetadataIndex::kSecondaryIndex) continue;
    const std::string column =
        expected_.at("index_defs").at("indexDefinitions").at(partition).at("sourceFields").at(0);
    const auto metadata = Open();
    std::map<std::string, std::set<std::string>> wanted;
    for (const Json& row : testing::RowsOfView(expected_, expected_.at("snapshot"))) {
      wanted[row.at(column)].insert(row.at("_hoodie_record_key").get<std::string>());
    }
    for (const Json& row : expected_.at("rows")) {
      const std::string value = row.at(column);
      const std::vector<std::string> prefix = {SecondaryKeyPrefix(value)};
      MetadataCost cost;
      const auto found = metadata->LookupPrefixes(partition, prefix, kAnyNumberOfRecords, &cost);
      ASSERT_TRUE(found.ok()) << found.status();
      std::set<std::string> keys;
      for (const MetadataRecord& record : *found) {
        keys.insert(ParseSecondaryKey(record.key)->record_key);
      }
      EXPECT_EQ(keys, wanted.contains(value) ? wanted.at(value) : std::set<std::string>()) << value;
      if (config_.version >= 9) {
        EXPECT_EQ(cost.file_groups, 1);
      }
    }
  }
}

// Whether a recorded value lies between two bounds; values that JSON has as text for want of a type
// are not compared.
bool IsWithin(const Json& value, const ColumnStatsPayload& stats) {
  const auto compare = [&](const StatsValue& bound) -> std::optional<int> {
    StatsValue found{.kind = bound.kind};
    if (std::holds_alternative<int64_t>(bound.value) && value.is_number_integer()) {
      found.value = value.get<int64_t>();
    } else if (std::holds_alternative<double>(bound.value) && value.is_number()) {
      // A float that became a double did so through its text: 0.1f reads as 0.1.
      const double number = value.get<double>();
      found.value = bound.kind == StatsValue::Kind::kFloat ? static_cast<float>(number) : number;
    } else if (bound.kind == StatsValue::Kind::kString && value.is_string()) {
      found.value = value.get<std::string>();
    }
    return CompareStats(found, bound);
  };
  return compare(stats.min).value_or(0) >= 0 && compare(stats.max).value_or(0) <= 0;
}

TEST_P(MetadataGoldenTest, ColumnStatsBoundTheRowsOfTheirFiles) {
  const auto& names = config_.metadata_partitions;
  if (std::ranges::find(names, "column_stats") == names.end()) return;
  const auto metadata = Open();
  for (const Json& row : expected_.at("rows")) {
    if (!row.contains("_hoodie_file_name") || row.at("_hoodie_file_name").is_null()) continue;
    const std::string file = row.at("_hoodie_file_name");
    if (!file.ends_with(".parquet")) continue;  // rows of logs name the file group
    const std::string partition = row.at("_hoodie_partition_path");
    std::vector<std::string> keys;
    for (const auto& column : row.items()) {
      keys.push_back(ColumnStatsKey(column.key(), partition, file));
    }
    const auto found = metadata->Lookup("column_stats", keys, nullptr);
    ASSERT_TRUE(found.ok()) << found.status();
    for (const MetadataRecord& record : *found) {
      const auto& stats = std::get<ColumnStatsPayload>(record.payload);
      EXPECT_EQ(stats.file_name, file);
      EXPECT_GE(stats.value_count, 1) << stats.column;
      const Json& value = row.at(stats.column);
      if (value.is_null()) {
        EXPECT_GE(stats.null_count, 1) << stats.column;
      } else {
        EXPECT_TRUE(IsWithin(value, stats)) << stats.column << " " << value;
      }
    }
  }
}

TEST_P(MetadataGoldenTest, BloomFiltersHaveTheKeysOfTheirFiles) {
  const auto& names = config_.metadata_partitions;
  if (std::ranges::find(names, "bloom_filters") == names.end()) return;
  const auto metadata = Open();
  int filters = 0;
  for (const Json& row : expected_.at("rows")) {
    const std::string file = row.at("_hoodie_file_name");
    if (!file.ends_with(".parquet")) continue;
    const std::string partition = row.at("_hoodie_partition_path");
    const std::vector<std::string> key = {BloomFilterKey(partition, file)};
    const auto found = metadata->Lookup("bloom_filters", key, nullptr);
    ASSERT_TRUE(found.ok()) << found.status();
    if (found->empty()) continue;  // the file was cleaned
    const auto& payload = std::get<BloomFilterPayload>((*found)[0].payload);
    const auto filter = BloomFilter::Parse(payload.type, payload.filter);
    ASSERT_TRUE(filter.ok()) << filter.status();
    EXPECT_TRUE(filter->MightContain(row.at("_hoodie_record_key").get<std::string>()));
    int wrong = 0;
    for (int i = 0; i < 1000; ++i) wrong += filter->MightContain(fmt::format("absent {}", i));
    EXPECT_LE(wrong, 2);
    ++filters;
  }
  EXPECT_GT(filters, 0);
}

INSTANTIATE_TEST_SUITE_P(Golden, MetadataGoldenTest, ::testing::ValuesIn(TablesWithMetadata()),
                         [](const auto& param) { return param.param; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(MetadataGoldenTest);

TEST(MetadataGolden, TablesArePresent) {
  if (TablesWithMetadata().empty()) {
    GTEST_SKIP() << "no golden tables in " << testing::GoldenDir();
  }
}

}  // namespace
}  // namespace firth
