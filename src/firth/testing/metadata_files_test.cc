// SPDX-License-Identifier: Apache-2.0
// Metadata tables made here are believed, and say what was put in.
#include "firth/testing/metadata_files.h"

#include <arrow/array/builder_primitive.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "firth/index.h"
#include "firth/scan.h"
#include "firth/testing/table_files.h"

namespace firth::testing {
namespace {

// Three file groups in two partitions: one with the rows 5, null and 7, the others hollow.
class MetadataFilesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    dir_ = std::filesystem::temp_directory_path() / fmt::format("firth_metadata_{}", getpid());
    const auto schema =
        arrow::schema({arrow::field("id", arrow::int64()), arrow::field("n", arrow::int64())});
    auto table = *TableFiles::Create(
        dir_.string(), {.merge_on_read = false, .schema = schema, .partition_field = "p"});
    ASSERT_TRUE(table->Begin("INSERT").ok());
    for (const char* partition : {"a", "a", "b"}) groups_.push_back(table->NewGroup(partition));
    ASSERT_TRUE(WriteRows(table.get()).ok());
    ASSERT_TRUE(table->AddHollowBase(&groups_[1], 1'000, 10).ok());
    ASSERT_TRUE(table->AddHollowBase(&groups_[2], 2'000, 20).ok());
    ASSERT_TRUE(table->Commit().ok());

    MetadataFiles metadata(dir_.string(), "20260102000000000");
    ASSERT_TRUE(metadata.WriteFiles(table->written()).ok());
    ASSERT_TRUE(metadata.WriteColumnStats(table->written(), 2).ok());
    ASSERT_TRUE(metadata.BeginRecordIndex(3).ok());
    for (size_t i = 0; i < 30; ++i) {
      const FileGroup& group = groups_[i % 3];
      ASSERT_TRUE(metadata.AddKey(fmt::format("k{:02}", i), group.partition, group.file_id).ok());
    }
    ASSERT_TRUE(metadata.Finish().ok());
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }

  Status WriteRows(TableFiles* table) {
    arrow::Int64Builder ids, numbers;
    ARROW_RETURN_NOT_OK(ids.AppendValues({1, 2, 3}));
    ARROW_RETURN_NOT_OK(numbers.AppendValues({5, 0, 7}, {true, false, true}));
    const auto rows =
        arrow::RecordBatch::Make(table->spec().schema, 3, {*ids.Finish(), *numbers.Finish()});
    ARROW_ASSIGN_OR_RAISE(const auto full, table->WithMeta(*rows, "a"));
    ARROW_ASSIGN_OR_RAISE(const auto sink, table->OpenBase(&groups_[0]));
    ARROW_RETURN_NOT_OK(sink->Write(*full));
    return sink->Close({.inserts = 3});
  }

  Snapshot Pin() const { return *Table::Open(dir_.string())->Pin(); }

  std::filesystem::path dir_;
  std::vector<FileGroup> groups_;
};

TEST_F(MetadataFilesTest, EveryIndexIsReady) {
  const auto indexes = ListIndexes(Pin());
  ASSERT_TRUE(indexes.ok()) << indexes.status();
  ASSERT_EQ(indexes->size(), 3U);
  for (const IndexInfo& index : *indexes) {
    EXPECT_EQ(index.state, IndexState::kReady) << index.name << ": " << index.reason;
  }
}

TEST_F(MetadataFilesTest, FilesAreThoseOfAListing) {
  std::vector<std::string> names[2];
  for (const bool use_metadata : {false, true}) {
    const auto plan = Pin().Plan({.use_metadata = use_metadata});
    ASSERT_TRUE(plan.ok()) << plan.status();
    for (const Split& split : plan->splits()) {
      names[use_metadata].push_back(
          fmt::format("{} {}", *split.slice.base_file, split.slice.base_bytes));
    }
    EXPECT_EQ(plan->Report().notes.at(0).find("metadata table") != std::string::npos, use_metadata);
  }
  EXPECT_EQ(names[0].size(), 3U);
  EXPECT_EQ(names[0], names[1]);
}

TEST_F(MetadataFilesTest, KeysAreWhereTheyWerePut) {
  std::vector<std::string> keys = {"nobody"};
  for (int i = 0; i < 30; ++i) keys.push_back(fmt::format("k{:02}", i));
  const auto found = LookupKeys(Pin(), keys);
  ASSERT_TRUE(found.ok()) << found.status();
  ASSERT_EQ(found->locations.size(), 30U);
  for (size_t i = 0; i < 30; ++i) {
    EXPECT_EQ(found->locations[i].file_id, groups_[i % 3].file_id);
    EXPECT_EQ(found->locations[i].partition, groups_[i % 3].partition);
  }
}

TEST_F(MetadataFilesTest, StatisticsAreThoseOfTheRows) {
  const std::vector<std::string> columns = {"n"};
  const auto found = LookupStatistics(Pin(), columns);
  ASSERT_TRUE(found.ok()) << found.status();
  ASSERT_EQ(found->statistics.size(), 3U);
  for (const FileStatistics& of : found->statistics) {
    EXPECT_EQ(of.stored, of.file.starts_with("a/" + groups_[0].file_id));
    if (!of.stored) continue;
    EXPECT_EQ(of.min, StatisticsBound(int64_t{5}));
    EXPECT_EQ(of.max, StatisticsBound(int64_t{7}));
    EXPECT_EQ(of.rows, 3);
    EXPECT_EQ(of.nulls, 1);
  }
}

}  // namespace
}  // namespace firth::testing
