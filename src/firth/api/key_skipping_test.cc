// SPDX-License-Identifier: Apache-2.0
// Predicates on keys and indexed values open the file groups that the record index names, where it
// is sure that no other has a row; data_skipping_test.cc asks whether rows are ever missing.
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "firth/scan.h"
#include "firth/testing/metadata_files.h"
#include "firth/testing/metadata_reads.h"
#include "firth/testing/table_files.h"

namespace firth {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
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

TEST_F(KeySkipping, IndexesThatAreBeingBuiltAreNamed) {
  UnpackIndexed();
  std::ofstream(root_ / ".hoodie/hoodie.properties", std::ios::app)
      << "\nhoodie.table.metadata.partitions=files"
         "\nhoodie.table.metadata.partitions.inflight=files,column_stats,record_index\n";
  EXPECT_THAT(PlanOf(Open(), {.where = "id = 17"}).notes,
              Contains("still being built, so not used: column_stats, record_index"));
  EXPECT_THAT(PlanOf(Open(), {}).notes, Each(Not(HasSubstr("column_stats"))));
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

// Values of a partition column may be in paths alone, spelled in another way than those of the
// index.
TEST_F(KeySkipping, ColumnsThatFilesLackAreNotLookedUp) {
  UnpackIndexed();
  const fs::path properties = root_ / ".hoodie/hoodie.properties";
  std::ofstream(properties, std::ios::app) << "hoodie.table.partition.fields=name\nhoodie."
                                              "datasource.write.drop.partition.columns=true\n";
  EXPECT_EQ(Open().Pin()->Plan({.where = "name IN ('p0', 'p1')"})->Report().slices_pruned, 0);
  EXPECT_THAT(PlanOf(Open(), {.where = "name IN ('p0', 'p1')"}).notes,
              Each(Not(StartsWith("secondary_index_idx_name"))));
}

// Three rows, in partitions a, b and c, and a metadata table made of what is said of them.
class MadeIndexes : public KeySkipping {
 protected:
  void SetUp() override {
    KeySkipping::SetUp();
    root_ = folder_ / "made";
    const auto schema =
        arrow::schema({arrow::field("id", arrow::int64()), arrow::field("p", arrow::utf8())});
    auto table = *testing::TableFiles::Create(
        root_.string(), {.merge_on_read = false, .schema = schema, .partition_field = "p"});
    ASSERT_TRUE(table->Begin("INSERT").ok());
    for (const char* partition : {"a", "b", "c"}) {
      groups_.push_back(table->NewGroup(partition));
      ASSERT_TRUE(WriteRow(table.get(), &groups_.back()).ok());
    }
    ASSERT_TRUE(table->Commit().ok());
    files_ = table->written();
  }

  Status WriteRow(testing::TableFiles* table, testing::FileGroup* group) {
    arrow::Int64Builder ids;
    arrow::StringBuilder partitions;
    ARROW_RETURN_NOT_OK(partitions.Append(group->partition));
    ARROW_RETURN_NOT_OK(ids.Append(static_cast<int64_t>(groups_.size())));
    const auto row =
        arrow::RecordBatch::Make(table->spec().schema, 1, {*ids.Finish(), *partitions.Finish()});
    ARROW_ASSIGN_OR_RAISE(const auto full, table->WithMeta(*row, group->partition));
    ARROW_ASSIGN_OR_RAISE(const auto sink, table->OpenBase(group));
    ARROW_RETURN_NOT_OK(sink->Write(*full));
    return sink->Close({.inserts = 1});
  }

  // With a record index that has the keys 1 to 3 in those groups.
  void MakeMetadata(bool with_statistics = true) {
    testing::MetadataFiles metadata(root_.string(), "20260102000000000");
    ASSERT_TRUE(metadata.WriteFiles(files_).ok());
    if (with_statistics) {
      ASSERT_TRUE(metadata.WriteColumnStats(files_, 1).ok());
    }
    ASSERT_TRUE(metadata.BeginRecordIndex(1).ok());
    for (size_t i = 0; i < groups_.size(); ++i) {
      ASSERT_TRUE(
          metadata.AddKey(fmt::format("{}", i + 1), groups_[i].partition, groups_[i].file_id).ok());
    }
    ASSERT_TRUE(metadata.Finish().ok());
  }

  std::vector<testing::FileGroup> groups_;
  std::vector<testing::WrittenFile> files_;
};

TEST_F(MadeIndexes, KeysAreFoundInPartitionsThatAreReadAndInOthers) {
  MakeMetadata();
  for (const bool unique_keys : {false, true}) {
    const auto pruned = [&](const char* where) {
      return PlanOf(Open(), {.where = where, .unique_keys = unique_keys}).slices_pruned;
    };
    EXPECT_EQ(pruned("id = 2"), 2);
    EXPECT_EQ(pruned("id = 2 AND p > 'a'"), 1);
    EXPECT_EQ(pruned("id = 1 AND p > 'a'"), 2);
  }
}

TEST_F(MadeIndexes, PlacesThatTheSnapshotLacksAreDoubted) {
  const std::vector<testing::FileGroup> known = groups_;
  for (const auto& [partition, file_id] :
       {std::pair("P=b", known[1].file_id), std::pair("c", known[1].file_id)}) {
    groups_[1].partition = partition;
    fs::remove_all(root_ / ".hoodie/metadata");
    MakeMetadata();
    for (const bool unique_keys : {false, true}) {
      for (const char* where : {"id = 2", "id = 2 AND p <> 'c'", "id IN (1, 2)"}) {
        const ScanReport report = PlanOf(Open(), {.where = where, .unique_keys = unique_keys});
        EXPECT_THAT(report.notes, Contains(HasSubstr("which is not listed"))) << where;
      }
    }
  }
}

TEST_F(MadeIndexes, CountsThatAreDamagedAreNotAddedUp) {
  for (const int64_t rows : {INT64_MAX, int64_t{-1}}) {
    for (testing::WrittenFile& file : files_) file.rows = rows;
    fs::remove_all(root_ / ".hoodie/metadata");
    MakeMetadata();
    EXPECT_EQ(PlanOf(Open(), {.where = "_hoodie_record_key = '2'"}).slices_pruned,
              2);  // by footers
  }
}

TEST_F(MadeIndexes, AFailureOfTheStorageIsNotKept) {
  MakeMetadata(/*with_statistics=*/false);
  const fs::path base = root_ / "c" / groups_[2].base_file, away = root_ / "away";
  const Snapshot snapshot = *Open().Pin();
  fs::rename(base, away);
  fs::create_directory(base);
  const auto plan = snapshot.Plan({.where = "id = 2"});
  EXPECT_EQ(GetErrorCode(plan.status()), ErrorCode::kIo) << plan.status();
  fs::remove(base);
  fs::rename(away, base);
  EXPECT_EQ(PlanOf(snapshot, {.where = "id = 2"}).slices_pruned, 2);
}

TEST_F(MadeIndexes, WhatKeepsFootersFromBeingCountedIsTold) {
  MakeMetadata(/*with_statistics=*/false);
  const fs::path base = root_ / "c" / groups_[2].base_file;
  std::ofstream(base, std::ios::in | std::ios::out).seekp(-1, std::ios::end) << '?';
  const auto plan = Open().Pin()->Plan({.where = "id = 2"});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->Report().slices_pruned, 0);
  EXPECT_THAT(plan->Report().notes,
              Contains(AllOf(StartsWith("record index not used: "), HasSubstr(base.filename()))));
}

}  // namespace
}  // namespace firth
