// SPDX-License-Identifier: Apache-2.0
// Index lookups against what real Hudi recorded of the golden tables' rows.
#include "firth/index.h"

#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "firth/api/index_access.h"
#include "firth/testing/golden.h"
#include "firth/testing/json_rows.h"

namespace firth {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;

std::string FileId(const Json& row) {
  const std::string name = row.at("_hoodie_file_name");
  return name.substr(0, name.find('_'));
}

class IndexTest : public ::testing::TestWithParam<const char*> {
 protected:
  // The tables' timelines are in the zone of the machine that wrote them.
  static void SetUpTestSuite() {
    setenv("TZ", "UTC", /*overwrite=*/1);
    tzset();
  }

  void SetUp() override {
    if (testing::GoldenNames().empty()) GTEST_SKIP() << "no golden tables in ../shared";
    golden_ = std::make_unique<testing::GoldenTable>(GetParam());
    std::ifstream file(testing::GoldenDir() / (std::string(GetParam()) + ".expected.json"));
    expected_ = Json::parse(file);
    table_ = std::make_unique<Table>(*Table::Open(golden_->root().string()));
  }

  // Keys of every row version that ever was, and some that never were.
  std::vector<std::string> AllKeys() const {
    std::vector<std::string> keys = {"", "-1", "nobody", "id:0"};
    for (const Json& row : expected_.at("rows")) keys.push_back(row.at("_hoodie_record_key"));
    return keys;
  }

  bool HasIndex(const std::string& type) const {
    return std::ranges::any_of(*ListIndexes(*table_->Pin()),
                               [&](const IndexInfo& index) { return index.type == type; });
  }

  std::unique_ptr<testing::GoldenTable> golden_;
  Json expected_;
  std::unique_ptr<Table> table_;
};

TEST_P(IndexTest, ListIsThatOfTheProperties) {
  const auto indexes = ListIndexes(*table_->Pin());
  ASSERT_TRUE(indexes.ok()) << indexes.status();
  std::string names;
  for (const IndexInfo& index : *indexes) {
    names += (names.empty() ? "" : ",") + index.name;
    EXPECT_EQ(index.state, IndexState::kReady) << index.name << ": " << index.reason;
    EXPECT_GT(index.file_groups, 0) << index.name;
    EXPECT_GT(index.bytes, 0) << index.name;
    if (!expected_.contains("index_defs")) continue;  // version 6
    const Json& definitions = expected_.at("index_defs").at("indexDefinitions");
    if (!definitions.contains(index.name)) continue;
    EXPECT_EQ(index.columns, definitions.at(index.name).at("sourceFields")) << index.name;
  }
  EXPECT_EQ(names, expected_.at("properties").at("hoodie.table.metadata.partitions"));
}

// At the latest and at every past moment that the index still serves.
TEST_P(IndexTest, EachKeyIsFoundInItsFileAndNoOther) {
  std::map<std::string, Json> moments = {{"", expected_.at("snapshot")}};
  for (const auto& [as_of, view] : expected_.at("time_travel").items()) moments[as_of] = view;
  std::set<std::string> writes;
  for (const TimelineEntry& entry : *table_->Timeline(/*archived=*/true)) {
    writes.insert(entry.requested);
  }
  for (const auto& [as_of, view] : moments) {
    SCOPED_TRACE(as_of);
    const Snapshot snapshot = as_of.empty() ? *table_->Pin() : *table_->Pin(as_of);
    const auto found = LookupKeys(snapshot, AllKeys());
    if (!found.ok()) {
      EXPECT_NE(as_of, "");
      EXPECT_EQ(GetErrorCode(found.status()), ErrorCode::kUnsupported) << found.status();
      continue;
    }
    std::map<std::string, std::string> wanted, located;
    for (const Json& row : testing::RowsOfView(expected_, view)) {
      wanted[row.at("_hoodie_record_key")] =
          row.at("_hoodie_partition_path").get<std::string>() + "/" + FileId(row);
    }
    for (const KeyLocation& place : found->locations) {
      EXPECT_TRUE(located.emplace(place.key, place.partition + "/" + place.file_id).second);
      EXPECT_TRUE(writes.contains(place.instant)) << place.instant;
      EXPECT_TRUE(as_of.empty() || place.instant <= as_of) << place.instant;
    }
    EXPECT_EQ(located, wanted);
    EXPECT_GT(found->cost.file_groups, 0);
  }
}

TEST_P(IndexTest, KeysOfOnePartitionOnly) {
  KeyLookupOptions options;
  options.partition = "p1";
  const auto found = LookupKeys(*table_->Pin(), AllKeys(), options);
  ASSERT_TRUE(found.ok()) << found.status();
  std::set<std::string> wanted, located;
  for (const Json& row : testing::RowsOfView(expected_, expected_.at("snapshot"))) {
    if (row.at("_hoodie_partition_path") == "p1") wanted.insert(row.at("_hoodie_record_key"));
  }
  for (const KeyLocation& place : found->locations) located.insert(place.key);
  EXPECT_EQ(located, wanted);
}

TEST_P(IndexTest, ASecondLookupTakesItsBlocksFromMemory) {
  const Snapshot snapshot = *table_->Pin();
  const auto first = LookupKeys(snapshot, AllKeys());
  const auto second = LookupKeys(snapshot, AllKeys());
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_GT(first->cost.bytes, 0);
  EXPECT_GT(first->cost.requests, 0);
  EXPECT_EQ(second->cost.bytes, 0);
  EXPECT_EQ(second->cost.requests, 0);
  EXPECT_EQ(second->cost.cache_hits, second->cost.blocks);
}

TEST_P(IndexTest, RowsOfAValueAreThoseOfAScan) {
  if (!HasIndex("secondary_index")) {
    const std::vector<std::optional<std::string>> any = {"x"};
    const auto none = LookupValues(*table_->Pin(), "ts", any);
    EXPECT_EQ(GetErrorCode(none.status()), ErrorCode::kNotFound);
    EXPECT_THAT(none.status().message(), HasSubstr("record_index"));
    return;
  }
  std::set<std::pair<std::string, std::string>> wanted, found;
  std::set<std::optional<std::string>> values = {"", "nobody", std::nullopt};
  for (const Json& row : expected_.at("rows")) values.insert(row.at("name").get<std::string>());
  for (const Json& row : testing::RowsOfView(expected_, expected_.at("snapshot"))) {
    wanted.emplace(row.at("name"), row.at("_hoodie_record_key"));
  }
  const std::vector<std::optional<std::string>> asked(values.begin(), values.end());
  const auto lookup = LookupValues(*table_->Pin(), "name", asked);
  ASSERT_TRUE(lookup.ok()) << lookup.status();
  EXPECT_EQ(lookup->index, "secondary_index_idx_name");
  for (const ValueMatch& match : lookup->matches) {
    EXPECT_TRUE(found.emplace(match.value.value_or("NULL"), match.key).second);
  }
  EXPECT_EQ(found, wanted);
}

// The filter of a row's file must know its key, and few others.
TEST_P(IndexTest, BloomFiltersKnowTheKeysOfTheirFiles) {
  const Snapshot snapshot = *table_->Pin();
  std::map<std::string, std::vector<std::string>> keys_of;
  for (const Json& row : testing::RowsOfView(expected_, expected_.at("snapshot"))) {
    const std::string name = row.at("_hoodie_file_name");
    if (!name.ends_with(".parquet")) continue;  // of a log
    keys_of[row.at("_hoodie_partition_path").get<std::string>() + "/" + name].push_back(
        row.at("_hoodie_record_key"));
  }
  if (!HasIndex("bloom_filters")) {
    EXPECT_EQ(GetErrorCode(LookupBloomFilter(snapshot, "p0/x.parquet", {}).status()),
              ErrorCode::kNotFound);
    return;
  }
  for (auto& [file, keys] : keys_of) {
    const size_t own = keys.size();
    for (int i = 0; i < 1000; ++i) keys.push_back(fmt::format("never-{}", i));
    const auto found = LookupBloomFilter(snapshot, file, keys);
    ASSERT_TRUE(found.ok()) << found.status();
    const auto& possible = found->possible;
    EXPECT_TRUE(std::all_of(possible.begin(), possible.begin() + static_cast<int64_t>(own),
                            [](bool may) { return may; }))
        << file;
    EXPECT_LT(std::count(possible.begin() + static_cast<int64_t>(own), possible.end(), true), 10);
  }
  const auto none = LookupBloomFilter(snapshot, "p0/no_such_file.parquet", {});
  EXPECT_EQ(GetErrorCode(none.status()), ErrorCode::kNotFound);
}

// Of the base files without logs over them, whose rows are those of the snapshot.
TEST_P(IndexTest, StatisticsAreThoseOfTheRows) {
  struct Range {
    int64_t min = std::numeric_limits<int64_t>::max();
    int64_t max = std::numeric_limits<int64_t>::min();
    int64_t rows = 0;
  };
  std::map<std::string, Range> wanted;
  std::set<std::string> with_logs;
  const Snapshot snapshot = *table_->Pin();
  const std::vector<FileSliceEntry> slices = *snapshot.Files();
  for (const FileSliceEntry& slice : slices) {
    if (!slice.log_files.empty()) with_logs.insert(slice.partition + "/" + slice.file_id);
  }
  for (const Json& row : testing::RowsOfView(expected_, expected_.at("snapshot"))) {
    const std::string name = row.at("_hoodie_file_name");
    const std::string partition = row.at("_hoodie_partition_path");
    if (with_logs.contains(partition + "/" + FileId(row))) continue;
    Range& range = wanted[partition + "/" + FileId(row)];
    range.min = std::min(range.min, row.at("ts").get<int64_t>());
    range.max = std::max(range.max, row.at("ts").get<int64_t>());
    ++range.rows;
  }
  const std::vector<std::string> columns = {"TS", "part"};  // found as reads find them
  const auto found = LookupStatistics(snapshot, columns);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_GT(found->cost.bytes, 0);
  size_t checked = 0;
  for (const FileStatistics& of : found->statistics) {
    const std::string group = of.file.substr(0, of.file.find('_'));
    if (!wanted.contains(group)) continue;
    ++checked;
    const std::string partition = of.file.substr(0, of.file.find('/'));
    EXPECT_TRUE(of.stored) << of.file << " " << of.column;
    EXPECT_EQ(of.rows, wanted[group].rows) << of.file;
    EXPECT_EQ(of.nulls, 0) << of.file;
    const bool is_time = of.column == "ts";
    EXPECT_EQ(of.min, is_time ? StatisticsBound(wanted[group].min) : StatisticsBound(partition));
    EXPECT_EQ(of.max, is_time ? StatisticsBound(wanted[group].max) : StatisticsBound(partition));
  }
  EXPECT_EQ(checked, 2 * wanted.size());
}

TEST_P(IndexTest, StatisticsOfAFileThatHasNoneAreNotStored) {
  const std::vector<std::string> columns = {"ts"}, files = {"p0/no_such_file.parquet"};
  const auto found = LookupStatistics(*table_->Pin(), columns, files);
  ASSERT_TRUE(found.ok()) << found.status();
  ASSERT_EQ(found->statistics.size(), 1U);
  EXPECT_FALSE(found->statistics[0].stored);
  EXPECT_EQ(found->statistics[0].rows, -1);
  const std::vector<std::string> absent = {"no_such_column"};
  EXPECT_EQ(GetErrorCode(LookupStatistics(*table_->Pin(), absent).status()),
            ErrorCode::kInvalidArgument);
  EXPECT_TRUE(
      LookupStatistics(*table_->Pin(), columns, std::vector<std::string>())->statistics.empty());
}

INSTANTIATE_TEST_SUITE_P(Golden, IndexTest,
                         ::testing::Values("v6_mor_mdt_full", "v8_mor_mdt_full", "v9_mor_mdt_full",
                                           "v9_mor_mdt_compacted", "v9_cow_search",
                                           "v9_cow_expr_index"),
                         [](const auto& test) { return std::string(test.param); });

// A table that is unpacked from the repository's own data.
class UnpackedTest : public ::testing::Test {
 protected:
  Table Unpack(const std::string& zip, const std::string& name) {
    folder_ = std::filesystem::temp_directory_path() / fmt::format("firth_index_{}", getpid());
    std::filesystem::create_directories(folder_);
    EXPECT_EQ(std::system(fmt::format("unzip -qq -o '{}/{}' -d '{}'", FIRTH_TEST_DATA_DIR, zip,
                                      folder_.string())
                              .c_str()),
              0);
    root_ = folder_ / name;
    return *Table::Open(root_.string());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // Of all rows of v9_cow_expr_index.
  static std::vector<std::string> Keys() {
    std::vector<std::string> keys;
    for (int key = 0; key < 100; ++key) keys.push_back(fmt::to_string(key));
    return keys;
  }

  std::filesystem::path folder_, root_;
};

TEST_F(UnpackedTest, APartitionedIndexNeedsThePartition) {
  const Table table = Unpack("metadata/partitioned_record_index.zip", "v9_mor_partitioned_rli");
  const Snapshot snapshot = *table.Pin();
  const std::vector<std::string> keys = {"id:1", "id:2", "id:3"};
  const auto refused = LookupKeys(snapshot, keys);
  EXPECT_EQ(GetErrorCode(refused.status()), ErrorCode::kInvalidArgument);
  for (const auto& [partition, key] :
       {std::pair("x/p-1", "id:1"), std::pair("y/0000-0", "id:1"), std::pair("x/q_2", "id:3")}) {
    KeyLookupOptions options;
    options.partition = partition;
    const auto found = LookupKeys(snapshot, keys, options);
    ASSERT_TRUE(found.ok()) << found.status();
    ASSERT_EQ(found->locations.size(), 1U) << partition;
    EXPECT_LE(found->cost.file_groups, 2) << "only those of " << partition;
    EXPECT_EQ(found->locations[0].key, key);
    EXPECT_EQ(found->locations[0].partition, partition);
  }
  const auto indexes = *ListIndexes(snapshot);
  EXPECT_TRUE(std::ranges::any_of(indexes, [](const IndexInfo& index) {
    return index.name == "record_index" && index.partitioned && index.file_groups == 8;
  }));
}

TEST_F(UnpackedTest, ATableWithoutTheIndexNamesThoseItHas) {
  const Table table = Unpack("tables/tickets.zip", "tickets");
  const std::vector<std::string> keys = {"T-1"};
  const arrow::Status status = LookupKeys(*table.Pin(), keys).status();
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kNotFound);
  EXPECT_EQ(status.message(),
            "the table has no record index; its indexes are: column_stats, files, partition_stats");
}

TEST_F(UnpackedTest, AnIndexThatIsDamagedIsListedWithTheReason) {
  Table table = Unpack("tables/tickets.zip", "tickets");
  std::filesystem::remove_all(root_ / ".hoodie/metadata/column_stats");
  ASSERT_TRUE(table.Refresh().ok());
  const auto indexes = ListIndexes(*table.Pin());
  ASSERT_TRUE(indexes.ok()) << indexes.status();
  ASSERT_EQ(indexes->size(), 3U);
  EXPECT_EQ(indexes->at(0).name, "column_stats");
  EXPECT_EQ(indexes->at(0).state, IndexState::kDistrusted);
  EXPECT_NE(indexes->at(0).reason, "");
  EXPECT_EQ(indexes->at(1).state, IndexState::kReady);
  const arrow::Status status = LookupStatistics(*table.Pin()).status();
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kUnsupported);
  EXPECT_THAT(status.message(), HasSubstr(indexes->at(0).reason));
}

TEST_F(UnpackedTest, AnIndexThatIsBeingBuiltIsListed) {
  Table table = Unpack("tables/tickets.zip", "tickets");
  std::ofstream(root_ / ".hoodie/hoodie.properties", std::ios::app)
      << "\nhoodie.table.metadata.partitions.inflight=record_index\n";
  ASSERT_TRUE(table.Refresh().ok());
  const auto indexes = ListIndexes(*table.Pin());
  ASSERT_TRUE(indexes.ok()) << indexes.status();
  ASSERT_EQ(indexes->size(), 4U);
  EXPECT_EQ(indexes->at(3).name, "record_index");
  EXPECT_EQ(indexes->at(3).state, IndexState::kBuilding);
  const std::vector<std::string> keys = {"T-1"};
  const arrow::Status status = LookupKeys(*table.Pin(), keys).status();
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kUnsupported);
  EXPECT_EQ(status.message(), "index record_index is not used: it is still being built");
}

TEST_F(UnpackedTest, ASecondaryIndexThatIsBeingBuiltIsNotAsked) {
  Table table = Unpack("tables/v9_cow_expr_index.zip", "v9_cow_expr_index");
  std::ofstream(root_ / ".hoodie/hoodie.properties", std::ios::app)
      << "\nhoodie.table.metadata.partitions=files"
         "\nhoodie.table.metadata.partitions.inflight=secondary_index_idx_name\n";
  ASSERT_TRUE(table.Refresh().ok());
  const std::vector<std::optional<std::string>> values = {"x"};
  const arrow::Status status = LookupValues(*table.Pin(), "name", values).status();
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kUnsupported);
  EXPECT_EQ(status.message(),
            "index secondary_index_idx_name is not used: it is still being built");
}

TEST_F(UnpackedTest, FaultsOfAnIndexAreErrorsThatSayWhatIsWrong) {
  const auto fault = [&](const std::function<void()>& damage, ErrorCode code,
                         const std::string& text) {
    Table table = Unpack("tables/v9_cow_expr_index.zip", "v9_cow_expr_index");
    damage();
    ASSERT_TRUE(table.Refresh().ok());
    const Snapshot snapshot = *table.Pin();
    const auto keys = Keys();
    const arrow::Status status = LookupKeys(snapshot, keys).status();
    EXPECT_EQ(GetErrorCode(status), code) << status;
    EXPECT_THAT(status.message(), HasSubstr(text));
    std::filesystem::remove_all(root_);
  };
  const std::string metadata = ".hoodie/metadata/";
  const std::string log =
      metadata + "record_index/.record-index-0003-0_20261129212809446.log.1_4-1901-2723";
  fault([&] { std::filesystem::remove_all(root_ / metadata); }, ErrorCode::kUnsupported,
        "index record_index is not used: ");
  fault(
      [&] {
        std::filesystem::remove(
            root_ /
            (metadata + ".hoodie/timeline/20261129212809446_20261129212817319.deltacommit"));
      },
      ErrorCode::kUnsupported, "lags behind: commit 20261129212809446 of the table is not in it");
  fault([&] { std::filesystem::resize_file(root_ / log, 100); }, ErrorCode::kUnsupported,
        "record-index-0003-0_20261129212809446.log.1");
  const std::string older =
      metadata + "record_index/.record-index-0003-0_20261129212741540.log.1_4-1845-2567";
  fault(
      [&] {
        std::fstream file(root_ / older, std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(9'400) << std::string(64, '\xAA');  // in its HFile
      },
      ErrorCode::kCorrupt, "log.1_4-1845-2567: block: 2030 bytes are no gzip member");
}

// Version V1 of statistics says only which wrapper a bound is in.
TEST(StatisticsBounds, ThoseOfTimestampsWithoutAUnitAreUnknown) {
  const StatsValue bound{.kind = StatsValue::Kind::kLong, .value = int64_t{1'700'000'000'000}};
  const auto time = arrow::timestamp(arrow::TimeUnit::MICRO);
  ColumnStatsPayload stats;
  EXPECT_EQ(ToStatisticsBound(bound, stats, time.get()), StatisticsBound());
  EXPECT_EQ(ToStatisticsBound(bound, stats, arrow::int64().get()),
            StatisticsBound(int64_t{1'700'000'000'000}));
  stats.value_type = StatsValueType::kTimestampMillis;
  EXPECT_EQ(ToStatisticsBound(bound, stats, time.get()),
            StatisticsBound(std::string("2023-11-14 22:13:20.000")));
}

TEST(StatisticsBounds, DecimalsHaveTheScaleOfTheirColumn) {
  // 12.5 at scale 15 is 12'500'000'000'000'000 = 0x2C68AF0BB14000.
  const StatsValue bound{.kind = StatsValue::Kind::kDecimal,
                         .value = std::string("\x2C\x68\xAF\x0B\xB1\x40\x00", 7)};
  const ColumnStatsPayload stats;
  const auto text = [&](int32_t scale) {
    return ToStatisticsBound(bound, stats, arrow::decimal128(20, scale).get());
  };
  EXPECT_EQ(text(2), StatisticsBound(std::string("12.50")));
  EXPECT_EQ(text(0), StatisticsBound(std::string("12.500000000000000"))) << "12 would be another";
  EXPECT_EQ(text(16), StatisticsBound()) << "it may have had a digit more";
}

TEST(StatisticsBounds, BinaryColumnsHaveBytesWhateverTheyAre) {
  const StatsValue bound{.kind = StatsValue::Kind::kBytes, .value = std::string("abc")};
  const ColumnStatsPayload stats;
  EXPECT_EQ(ToStatisticsBound(bound, stats, arrow::binary().get()),
            StatisticsBound(BinaryValue{"abc"}));
  EXPECT_EQ(ToStatisticsBound(bound, stats, nullptr), StatisticsBound(BinaryValue{"abc"}));
  EXPECT_EQ(ToStatisticsBound(bound, stats, arrow::utf8().get()),
            StatisticsBound(std::string("abc")));
}

TEST_F(UnpackedTest, TablesWithoutAMetadataTableHaveNoIndexes) {
  const Table table = Unpack("tables/v9_cow_empty.zip", "v9_cow_empty");
  const auto indexes = ListIndexes(*table.Pin());
  ASSERT_TRUE(indexes.ok()) << indexes.status();
  EXPECT_TRUE(indexes->empty());
}

}  // namespace
}  // namespace firth
