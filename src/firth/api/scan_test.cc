// SPDX-License-Identifier: Apache-2.0
// Reads through the public interface over generated tables, against rows kept in a map.
#include "firth/scan.h"

#include <arrow/array/array_binary.h>
#include <arrow/array/array_primitive.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "firth/table.h"
#include "firth/testing/table_builder.h"

namespace firth {
namespace {

using ::testing::HasSubstr;
using Rows = std::map<std::string, int64_t>;  // id to value

std::string PartitionOf(const std::string& id) { return fmt::format("p{}", id.back() % 3); }

std::shared_ptr<arrow::RecordBatch> Batch(const Rows& rows) {
  arrow::StringBuilder id, part;
  arrow::Int64Builder value;
  for (const auto& [key, number] : rows) {
    EXPECT_TRUE(id.Append(key).ok() && part.Append(PartitionOf(key)).ok());
    EXPECT_TRUE(number < 0 ? value.AppendNull().ok() : value.Append(number).ok());
  }
  const auto schema =
      arrow::schema({arrow::field("id", arrow::utf8()), arrow::field("part", arrow::utf8()),
                     arrow::field("value", arrow::int64())});
  return arrow::RecordBatch::Make(schema, static_cast<int64_t>(rows.size()),
                                  {*id.Finish(), *part.Finish(), *value.Finish()});
}

Rows RowsOf(arrow::RecordBatchReader& reader) {
  Rows rows;
  const auto table = *reader.ToTable();
  const auto batch = *table->CombineChunksToBatch();
  const auto& ids = static_cast<const arrow::StringArray&>(*batch->GetColumnByName("id"));
  const auto& values = static_cast<const arrow::Int64Array&>(*batch->GetColumnByName("value"));
  for (int64_t i = 0; i < batch->num_rows(); ++i) {
    const int64_t value = values.IsNull(i) ? -1 : values.Value(i);
    EXPECT_TRUE(rows.emplace(ids.GetString(i), value).second) << ids.GetString(i) << " twice";
  }
  return rows;
}

Rows Read(const Snapshot& snapshot, const ScanOptions& options = {}) {
  const auto reader = snapshot.Read(options);
  EXPECT_TRUE(reader.ok()) << reader.status();
  return reader.ok() ? RowsOf(**reader) : Rows();
}

// Some hundred rows in three partitions of two file groups, written over by `rounds` commits.
class ScanTest : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    dir_ = std::filesystem::temp_directory_path() /
           fmt::format("firth_scan_{}_{}", getpid(), GetParam() ? "mor" : "cow");
    std::filesystem::remove_all(dir_);
    for (int i = 0; i < 300; ++i) rows_[fmt::format("k{:03}", i)] = i % 17 == 0 ? -1 : i;
    builder_ = std::make_unique<testing::TableBuilder>(
        (dir_ / "t").string(), testing::TableSpec{.merge_on_read = GetParam(),
                                                  .schema = Batch({})->schema(),
                                                  .partition_field = "part",
                                                  .row_group_rows = 20});
    builder_->Insert(*Batch(rows_), 2);
    ASSERT_TRUE(builder_->status().ok()) << builder_->status();
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }

  void Upsert(const Rows& changes) {
    builder_->Upsert(*Batch(changes));
    ASSERT_TRUE(builder_->status().ok()) << builder_->status();
    for (const auto& [key, value] : changes) rows_[key] = value;
  }
  Snapshot Pin() { return *Table::Open(builder_->dir())->Pin(); }

  std::filesystem::path dir_;
  std::unique_ptr<testing::TableBuilder> builder_;
  Rows rows_;
};

TEST_P(ScanTest, APinnedSnapshotStaysWhatItWasWhateverCommits) {
  const Rows before = rows_;
  const Snapshot snapshot = Pin();
  Upsert({{"k001", 9001}, {"new1", 5}});
  builder_->Delete({"k002"});
  ASSERT_TRUE(builder_->status().ok());
  rows_.erase("k002");
  EXPECT_EQ(Read(snapshot), before);
  EXPECT_EQ(Read(Pin()), rows_);
}

TEST_P(ScanTest, TimeTravelGivesTheRowsOfEachCommit) {
  std::vector<std::pair<std::string, Rows>> history = {{builder_->instant(), rows_}};
  for (int round = 0; round < 3; ++round) {
    Upsert({{fmt::format("k{:03}", round * 7), 1000 + round}, {fmt::format("n{}", round), round}});
    history.emplace_back(builder_->instant(), rows_);
  }
  const Table table = *Table::Open(builder_->dir());
  for (const auto& [instant, rows] : history) {
    const Snapshot snapshot = *table.Pin(instant);
    EXPECT_EQ(snapshot.instant(), instant);
    EXPECT_EQ(Read(snapshot), rows) << instant;
  }
}

TEST_P(ScanTest, AnEmptyBoundIsRefused) {
  const auto refused = [&](const ScanOptions& options) {
    const Status status = Pin().Plan(options).status();
    EXPECT_EQ(GetErrorCode(status), ErrorCode::kInvalidArgument);
    return status.message();
  };
  EXPECT_THAT(refused({.query = QueryType::kIncremental}), HasSubstr("begin is empty"));
  EXPECT_THAT(refused({.query = QueryType::kIncremental, .begin = "earliest", .end = ""}),
              HasSubstr("end is empty"));
}

TEST_P(ScanTest, ColumnsAreFoundInAnyCaseAndWithBlanks) {
  const auto plan = Pin().Plan({.columns = {" VALUE", "id ", "_HOODIE_record_KEY"}});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(plan->schema()->field_names(),
              ::testing::ElementsAre("value", "id", "_hoodie_record_key"));
  EXPECT_THAT(Pin().Plan({.columns = {"id", "ID"}}).status().message(),
              HasSubstr("column \"id\" is asked for twice"));
  EXPECT_THAT(Pin().Plan({.columns = {"valeu"}}).status().message(),
              HasSubstr("no column \"valeu\"; did you mean \"value\"?"));
}

TEST_P(ScanTest, IncrementalRangesHoldTheRowsThatChangedInThem) {
  Upsert({{"k010", 2000}, {"k011", 2001}});
  const auto timeline = *Table::Open(builder_->dir())->Timeline();
  const std::string middle = timeline.back().completed;
  Upsert({{"k011", 3001}, {"n", 1}});
  ScanOptions options{.query = QueryType::kIncremental, .begin = middle};
  EXPECT_EQ(Read(Pin(), options), (Rows{{"k011", 3001}, {"n", 1}}));
  options = {.query = QueryType::kIncremental, .begin = timeline.front().completed, .end = middle};
  EXPECT_EQ(Read(Pin(), options), (Rows{{"k010", 2000}, {"k011", 2001}}));
  options.begin = "000";
  options.end.reset();
  EXPECT_EQ(Read(Pin(), options), rows_);
}

// Random predicates over key, partition and value: the same rows with and without pruning, on any
// number of threads, and those that the predicate says.
TEST_P(ScanTest, PruningAndThreadsNeverChangeRows) {
  Upsert({{"k005", 7000}, {"k100", -1}, {"n1", 150}});
  std::mt19937 random(7);
  int64_t pruned = 0;
  for (int i = 0; i < 200; ++i) {
    const auto bound = static_cast<int64_t>(random() % 320);
    const std::string part = fmt::format("p{}", random() % 4);
    const std::string key = fmt::format("k{:03}", random() % 320);
    const std::vector<std::pair<std::string, std::function<bool(const std::string&, int64_t)>>>
        choices = {
            {fmt::format("value < {}", bound),
             [=](const std::string&, int64_t v) { return v >= 0 && v < bound; }},
            {fmt::format("part = '{}' AND value >= {}", part, bound),
             [=](const std::string& k, int64_t v) { return PartitionOf(k) == part && v >= bound; }},
            {fmt::format("id >= '{}' OR value IS NULL", key),
             [=](const std::string& k, int64_t v) { return k >= key || v < 0; }},
            {fmt::format("NOT (part IN ('{}', 'p0')) AND id < '{}'", part, key),
             [=](const std::string& k, int64_t) {
               return PartitionOf(k) != part && PartitionOf(k) != "p0" && k < key;
             }},
        };
    const auto& [where, matches] = choices[random() % choices.size()];
    SCOPED_TRACE(where);
    Rows expected;
    for (const auto& [k, v] : rows_) {
      if (matches(k, v)) expected[k] = v;
    }
    ScanOptions options{.where = where, .threads = static_cast<int>(random() % 3 + 1)};
    const ScanPlan plan = *Pin().Plan(options);
    EXPECT_EQ(RowsOf(**plan.ReadAll()), expected);
    const ScanReport report = plan.Report();
    pruned += report.partitions_pruned + report.row_groups_pruned;
    options.prune = false;
    EXPECT_EQ(Read(Pin(), options), expected);
  }
  EXPECT_GT(pruned, 0);  // else the test would compare nothing
}

TEST_P(ScanTest, SplitsTravelAsBytesAndGiveTheWholeTable) {
  Upsert({{"k001", 9001}});
  const ScanPlan plan = *Pin().Plan({});
  EXPECT_GT(plan.splits().size(), 3u);
  Rows all;
  for (const Split& split : plan.splits()) {
    const Split received = *Split::Deserialize(split.Serialize());
    const Rows part = RowsOf(**plan.ReadSplit(received));
    for (const auto& row : part) EXPECT_TRUE(all.insert(row).second);
  }
  EXPECT_EQ(all, rows_);
}

TEST_P(ScanTest, ProjectionReadsTheBytesOfItsColumnsOnly) {
  const auto bytes = [this](std::vector<std::string> columns) {
    const ScanPlan plan = *Pin().Plan({.columns = std::move(columns), .threads = 1});
    EXPECT_TRUE((*plan.ReadAll())->ToTable().ok());
    return plan.Report().bytes_read;
  };
  const int64_t nothing = bytes({"_hoodie_file_name"});
  EXPECT_LT(nothing, bytes({"_hoodie_file_name", "id"}));
  EXPECT_LT(bytes({"value"}), bytes({"value", "id"}));
}

TEST_P(ScanTest, BadRequestsAreInvalidAndSayWhatWouldDo) {
  const Snapshot snapshot = Pin();
  const auto error = [&](const ScanOptions& options) {
    const Status status = snapshot.Plan(options).status();
    EXPECT_EQ(GetErrorCode(status), ErrorCode::kInvalidArgument);
    return status.message();
  };
  EXPECT_THAT(error({.columns = {"nope"}}), HasSubstr("id, part, value"));
  EXPECT_THAT(error({.columns = {"id", "id"}}), HasSubstr("twice"));
  EXPECT_THAT(error({.where = "valu > 1"}), HasSubstr("value"));
  EXPECT_THAT(error({.batch_rows = 0}), HasSubstr("1 to 16777216"));
  EXPECT_THAT(error({.begin = "000"}), HasSubstr("incremental"));
  EXPECT_THAT(error({.query = QueryType::kIncremental, .begin = "3", .end = "2"}),
              HasSubstr("before it begins"));
  EXPECT_FALSE(Split::Deserialize("{}").ok());
  EXPECT_FALSE(Split::Deserialize(R"({"version":1,"log_files":["../x"]})").ok());
}

INSTANTIATE_TEST_SUITE_P(Tables, ScanTest, ::testing::Bool(), [](const auto& test) {
  return test.param ? "MergeOnRead" : "CopyOnWrite";
});

}  // namespace
}  // namespace firth
