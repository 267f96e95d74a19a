// SPDX-License-Identifier: Apache-2.0
// Reads whose files the metadata table lists: whole, broken in every way, and at odds with the
// table. The rows are those of a storage listing, and the report says what was not trusted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "firth/scan.h"
#include "firth/testing/golden.h"
#include "firth/testing/metadata_reads.h"

namespace firth {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kTrusted = "files listed from the metadata table";
constexpr const char* kNotTrusted = "metadata table not used: ";

std::vector<fs::path> FilesBelow(const fs::path& folder) {
  std::vector<fs::path> files;
  if (!fs::exists(folder)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

class MetadataReadTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam().empty()) GTEST_SKIP() << "no golden tables in " << testing::GoldenDir();
    table_ = std::make_unique<testing::GoldenTable>(GetParam());
  }
  fs::path Root() const { return table_->root(); }
  fs::path Metadata() const { return Root() / ".hoodie/metadata"; }

  // The latest rows both ways, and what the report of the first says.
  std::vector<std::string> NotesOfEqualReads() {
    const arrow::Result<Table> table = Table::Open(Root().string());
    EXPECT_TRUE(table.ok()) << table.status();
    const Snapshot snapshot = *table->Pin();
    const auto plan = snapshot.Plan({.with_meta = true});
    EXPECT_TRUE(plan.ok()) << plan.status();
    if (!plan.ok()) return {};
    EXPECT_EQ(testing::SortedRows(*plan),
              testing::SortedRows(snapshot, {.with_meta = true, .use_metadata = false}));
    return plan->Report().notes;
  }

  std::unique_ptr<testing::GoldenTable> table_;
};

class MetadataListingTest : public MetadataReadTest {};
class MetadataFaultTest : public MetadataReadTest {};

TEST_P(MetadataListingTest, RowsAreThoseOfAStorageListingAtEveryInstant) {
  const Table table = *Table::Open(Root().string());
  EXPECT_THAT(NotesOfEqualReads(), Contains(StartsWith(kTrusted)));
  for (const TimelineEntry& entry : *table.Timeline()) {
    SCOPED_TRACE(entry.requested);
    const auto snapshot = table.Pin(entry.requested);
    if (!snapshot.ok()) continue;
    for (const QueryType query : {QueryType::kSnapshot, QueryType::kReadOptimized}) {
      EXPECT_EQ(testing::SortedRows(*snapshot, {.query = query}),
                testing::SortedRows(*snapshot, {.query = query, .use_metadata = false}));
    }
    const auto changed = [&](bool use_metadata) {
      return testing::SortedRows(*table.Pin(), {.query = QueryType::kIncremental,
                                                .begin = entry.completed,
                                                .use_metadata = use_metadata});
    };
    if (!entry.completed.empty() && table.info().has_meta_fields) {
      EXPECT_EQ(changed(true), changed(false));
    }
  }
}

TEST_P(MetadataListingTest, NoFolderOfTheTableIsListed) {
  const Snapshot snapshot = *Table::Open(Root().string())->Pin();
  ASSERT_TRUE(snapshot.Plan({}).ok());
  const ScanPlan again = *snapshot.Plan({});
  EXPECT_EQ(again.Report().list_calls, 0);
}

TEST_P(MetadataFaultTest, AnAbsentTableIsNotUsed) {
  fs::remove_all(Metadata());
  EXPECT_THAT(NotesOfEqualReads(), Contains(HasSubstr(kNotTrusted)));
}

TEST_P(MetadataFaultTest, APartitionOfWhichAnyFileIsLostOrTruncatedIsNotUsedOrRight) {
  for (const fs::path& file : FilesBelow(Metadata() / "files")) {
    SCOPED_TRACE(file);
    const std::string bytes = testing::ReadFileBytes(file);
    fs::resize_file(file, bytes.size() / 2);
    NotesOfEqualReads();
    fs::remove(file);
    NotesOfEqualReads();
    std::ofstream(file, std::ios::binary) << bytes;
  }
  EXPECT_THAT(NotesOfEqualReads(), Contains(StartsWith(kTrusted)));
}

TEST_P(MetadataFaultTest, APartitionThatIsBeingBuiltIsNotUsed) {
  std::ofstream(Root() / ".hoodie/hoodie.properties", std::ios::app)
      << "\nhoodie.table.metadata.partitions.inflight=files\n";
  EXPECT_THAT(NotesOfEqualReads(),
              Contains(HasSubstr(std::string(kNotTrusted) + "it is still being built")));
}

// Its newest commit of a write that the table has completed is taken back.
TEST_P(MetadataFaultTest, OneCommitBehindIsNotUsed) {
  std::string last;
  for (const TimelineEntry& entry : *Table::Open(Root().string())->Timeline()) {
    const bool writes = entry.action.ends_with("commit") || entry.action == "clean";
    if (writes && entry.state == "completed") last = std::max(last, entry.requested);
  }
  int removed = 0;
  for (const fs::path& file : FilesBelow(Metadata() / ".hoodie")) {
    const bool found =
        file.extension() == ".deltacommit" && file.filename().string().starts_with(last);
    if (found) removed += static_cast<int>(fs::remove(file));
  }
  ASSERT_EQ(removed, 1) << last;
  EXPECT_THAT(NotesOfEqualReads(), Contains(HasSubstr(kNotTrusted)));
}

// The table's own last commit is taken back: the metadata table is ahead and shows dead files.
TEST_P(MetadataFaultTest, OneCommitAheadShowsNoDeadRows) {
  const Table table = *Table::Open(Root().string());
  const std::string last = table.Timeline()->back().requested;
  for (const fs::path& file : FilesBelow(Root() / ".hoodie")) {
    const bool own = file.string().find("/metadata/") == std::string::npos;
    const std::string name = file.filename();
    if (own && name.starts_with(last) && file.extension() != ".requested" &&
        file.extension() != ".inflight") {
      fs::remove(file);
    }
  }
  if (table.Timeline()->size() == 1) GTEST_SKIP() << "no other commit";
  NotesOfEqualReads();
}

TEST_P(MetadataListingTest, OffMeansOff) {
  const Snapshot snapshot = *Table::Open(Root().string())->Pin();
  const ScanPlan plan = *snapshot.Plan({.use_metadata = false});
  EXPECT_THAT(plan.Report().notes, Contains(StartsWith("files listed from storage")));
  EXPECT_THAT(plan.Report().notes, Not(Contains(HasSubstr(kNotTrusted))));
}

std::vector<std::string> OrNone(std::vector<std::string> names) {
  if (testing::GoldenNames().empty()) return {""};
  return names;
}

std::string NameOf(const ::testing::TestParamInfo<std::string>& info) {
  return info.param.empty() ? "none" : info.param;
}

INSTANTIATE_TEST_SUITE_P(Golden, MetadataListingTest,
                         ::testing::ValuesIn(OrNone(testing::GoldenNamesWithMetadata())), NameOf);
INSTANTIATE_TEST_SUITE_P(
    Golden, MetadataFaultTest,
    ::testing::ValuesIn(OrNone({"v6_cow_rollback", "v6_mor_mdt_full", "v8_mor_mdt_full",
                                "v9_cow_clustering", "v9_mor_crash", "v9_mor_mdt_compacted",
                                "v9_mor_mdt_full", "v9_mor_savepoint_restore"})),
    NameOf);

}  // namespace
}  // namespace firth
