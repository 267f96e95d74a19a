// SPDX-License-Identifier: Apache-2.0
// Predicates on keys and indexed values open the file groups that the record index names, where it
// is sure that no other has a row; data_skipping_test.cc asks whether rows are ever missing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "firth/scan.h"
#include "firth/testing/metadata_reads.h"

namespace firth {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// A table of the repository, unpacked.
class KeySkipping : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / fmt::format("firth_key_skipping_{}", getpid());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  Table Unpack(const std::string& zip, const std::string& name) {
    const std::string command =
        fmt::format("unzip -qq -o '{}/{}.zip' -d '{}'", FIRTH_TEST_DATA_DIR, zip, folder_.string());
    EXPECT_EQ(std::system(command.c_str()), 0);
    root_ = folder_ / name;
    return Open();
  }
  Table UnpackIndexed() { return Unpack("tables/v9_cow_expr_index", "v9_cow_expr_index"); }
  Table Open() const { return *Table::Open(root_.string()); }

  // The report of a plan whose rows are those of reading everything.
  static ScanReport PlanOf(const Snapshot& snapshot, ScanOptions options) {
    options.with_meta = true;
    const auto plan = snapshot.Plan(options);
    EXPECT_TRUE(plan.ok()) << plan.status();
    options.prune = options.use_metadata = false;
    EXPECT_EQ(testing::SortedRows(*plan), testing::SortedRows(snapshot, options)) << options.where;
    return plan->Report();
  }
  static ScanReport PlanOf(const Table& table, ScanOptions options) {
    return PlanOf(*table.Pin(), std::move(options));
  }

  fs::path folder_, root_;
};

TEST_F(KeySkipping, KeysAreReadWhereTheRecordIndexHasThem) {
  const Table table = UnpackIndexed();
  struct Case {
    const char* where;
    int skipped;  // of three slices, one a partition
  };
  for (const Case& test : {Case{"id = 17", 2}, Case{"17 = id AND name LIKE 'n%'", 2},
                           Case{"id IN (17, 18)", 1}, Case{"id IN (17, 20, 999, NULL)", 2},
                           Case{"id = 999", 3}, Case{"_hoodie_record_key = '18'", 2},
                           Case{"id = 17 OR id = 18 OR (id = 19 AND qty > 0)", 0}}) {
    const ScanReport report = PlanOf(table, {.where = test.where});
    EXPECT_EQ(report.slices_pruned, test.skipped) << test.where;
    EXPECT_THAT(report.notes,
                Contains(fmt::format("record index: {} of 3 file slices skipped", test.skipped)))
        << test.where;
  }
  for (const char* where : {"id > 17", "id = 17 OR qty = 3", "NOT (id = 17)", "id <> 17"}) {
    EXPECT_THAT(PlanOf(table, {.where = where}).notes, Each(Not(StartsWith("record index"))))
        << where;
  }
}

TEST_F(KeySkipping, ValuesAreReadWhereTheSecondaryIndexHasThem) {
  const Table table = UnpackIndexed();
  const auto note = [&](const char* where) {
    const auto notes = PlanOf(table, {.where = where}).notes;
    const auto found = std::ranges::find_if(notes, [](const std::string& text) {
      return text.starts_with("secondary_index_idx_name");
    });
    return found == notes.end() ? std::string() : *found;
  };
  EXPECT_EQ(note("name = 'name-17-a'"), "secondary_index_idx_name: 2 of 3 file slices skipped");
  EXPECT_EQ(note("qty >= 0 AND name IN ('name-17-a', 'nobody', NULL)"),
            "secondary_index_idx_name: 2 of 3 file slices skipped");
  EXPECT_EQ(note("name = 'name-17'"), "secondary_index_idx_name: 3 of 3 file slices skipped");
  EXPECT_EQ(note("name = ''"), "secondary_index_idx_name: 3 of 3 file slices skipped");
  EXPECT_EQ(note("name LIKE 'name-17-a'"), "");
  EXPECT_EQ(note("name IS NULL"), "");
}

TEST_F(KeySkipping, ManyKeysAreLookedUpAtOnce) {
  const Table table = UnpackIndexed();
  std::string where = "id IN (17";
  for (int id = 1000; id < 101'000; ++id) where += fmt::format(",{}", id);
  EXPECT_EQ(PlanOf(table, {.where = where + ")"}).slices_pruned, 2);
}

TEST_F(KeySkipping, CountingIsDoneOnceForASnapshot) {
  const Table table = UnpackIndexed();
  const Snapshot snapshot = *table.Pin();
  const ScanReport first = snapshot.Plan({.where = "id = 17"})->Report();
  const ScanReport second = snapshot.Plan({.where = "id = 18"})->Report();
  EXPECT_EQ(second.slices_pruned, 2);
  EXPECT_LT(second.read_calls, first.read_calls);
  EXPECT_EQ(second.list_calls, 0);
}

TEST_F(KeySkipping, FootersAreCountedWhereStatisticsAreLost) {
  UnpackIndexed();
  fs::remove_all(root_ / ".hoodie/metadata/column_stats");
  EXPECT_EQ(PlanOf(Open(), {.where = "id = 17"}).slices_pruned, 2);
}

TEST_F(KeySkipping, EveryMomentHasItsOwnAnswer) {
  const Table table = Unpack("tables/v9_cow_record_index_changes", "v9_cow_record_index_changes");
  int used = 0;
  for (const TimelineEntry& entry : *table.Timeline()) {
    if (entry.state != "completed") continue;
    const auto then = table.Pin(entry.requested);
    if (!then.ok()) continue;
    for (const char* where : {"id = 6", "id = 8", "id = 33", "name = 'a$b\\c'", "name = '😀 é'"}) {
      for (const bool unique_keys : {false, true}) {
        used += PlanOf(*then, {.where = where, .unique_keys = unique_keys}).slices_pruned > 0;
      }
    }
  }
  EXPECT_GT(used, 10);
}

TEST_F(KeySkipping, ReadOptimizedReadsOfCopyOnWriteAskItIncrementalOnesDoNot) {
  const Table table = UnpackIndexed();
  EXPECT_EQ(PlanOf(table, {.query = QueryType::kReadOptimized, .where = "id = 17"}).slices_pruned,
            2);
  const ScanReport report =
      PlanOf(table, {.query = QueryType::kIncremental, .where = "id = 17", .begin = "earliest"});
  EXPECT_THAT(report.notes,
              Contains("record index not used: incremental reads take rows of several moments"));
}

TEST_F(KeySkipping, AnIndexThatIsLostOrShortHidesNoRow) {
  UnpackIndexed();
  const fs::path index = root_ / ".hoodie/metadata/record_index";
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(index)) files.push_back(entry.path());
  for (const fs::path& file : files) {
    const std::string bytes = testing::ReadFileBytes(file);
    for (const size_t left : {size_t{0}, bytes.size() / 2, bytes.size() - 1}) {
      fs::resize_file(file, left);
      PlanOf(Open(), {.where = "id IN (17, 18)"});
      PlanOf(Open(), {.where = "id IN (17, 18)", .unique_keys = true});
    }
    std::ofstream(file, std::ios::binary) << bytes;
  }
  fs::remove_all(index);
  for (const bool unique_keys : {false, true}) {
    const ScanReport report = PlanOf(Open(), {.where = "id = 17", .unique_keys = unique_keys});
    EXPECT_THAT(report.notes, Contains(StartsWith("record index not used: its folder is missing")));
  }
}

// Keys 3 to 5 were inserted twice, into two file groups, of which the index has one.
TEST_F(KeySkipping, KeysThatAreThereTwiceAreCounted) {
  const Table table = Unpack("tables/v9_cow_record_index_twice", "v9_cow_record_index_twice");
  for (const char* where : {"id = 3", "id = 1", "id IN (3, 4)", "name = 'name-3-a'"}) {
    const ScanReport report = PlanOf(table, {.where = where});
    EXPECT_THAT(report.notes, Contains(HasSubstr(" not used: record_index has "))) << where;
  }
}

// Slices with logs are not counted. Keys are unique in each data partition of that table; their
// generator writes `id:5` in this release and `5` in others.
TEST_F(KeySkipping, LogsNeedAPromise) {
  const Table table = Unpack("metadata/partitioned_record_index", "v9_mor_partitioned_rli");
  const auto plan = [&](const std::string& where, bool unique_keys) {
    return PlanOf(table, {.where = where, .unique_keys = unique_keys});
  };
  const std::string one = "_hoodie_record_key = 'id:5'";
  const ScanReport report = plan(one, false);
  const auto skipped = [&](int64_t slices) {
    return fmt::format("record index: {} of {} file slices skipped", slices, report.slices);
  };
  EXPECT_THAT(report.notes, Contains(HasSubstr("slices with logs are not counted; a promise of "
                                               "unique keys would do")));
  EXPECT_THAT(plan(one, true).notes, Contains(skipped(report.slices - 1)));
  const std::string two = "_hoodie_record_key IN ('id:1', 'id:3')";
  EXPECT_THAT(plan(two, true).notes, Contains(skipped(report.slices - 3))) << "id:1 is twice";
  for (const char* where : {"_hoodie_record_key IN ('id:5', 'id:6')", "id = 5"}) {
    EXPECT_THAT(plan(where, true).notes, Contains(HasSubstr("record index not used: ")));
  }
  EXPECT_THAT(
      PlanOf(table, {.query = QueryType::kReadOptimized, .where = one, .unique_keys = true}).notes,
      Contains("record index not used: base files have keys that logs deleted"));
}

}  // namespace
}  // namespace firth
