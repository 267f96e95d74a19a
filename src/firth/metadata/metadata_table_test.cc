// SPDX-License-Identifier: Apache-2.0
// A damaged metadata table is not believed, or tells the truth all the same.
#include "firth/metadata/metadata_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "firth/metadata/metadata_listing.h"
#include "firth/testing/golden.h"

namespace firth {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::string_view kTable = "v9_mor_mdt_compacted";

bool Ends(const fs::path& path, std::string_view with) { return path.string().ends_with(with); }

// Paths and sizes; partitions without files are there with size -1.
std::map<std::string, int64_t> Flat(const PartitionFiles& partitions) {
  std::map<std::string, int64_t> flat;
  for (const auto& [partition, files] : partitions) {
    flat[partition + "/"] = -1;
    for (const FileInfo& file : files) flat[file.path] = file.size;
  }
  return flat;
}

// A copy of a golden table that tests may damage.
class MetadataTableTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (testing::GoldenNames().empty()) {
      GTEST_SKIP() << "no golden tables in " << testing::GoldenDir();
    }
    Unpack(kTable);
  }

  void Unpack(std::string_view name) {
    table_ = std::make_unique<testing::GoldenTable>(name);
    metadata_ = table_->root() / ".hoodie/metadata";
    timeline_ = metadata_ / ".hoodie/timeline";
  }

  // Opened anew, as it is now.
  std::shared_ptr<const MetadataTable> Open(std::string_view extra_inflight = "",
                                            MetadataTableOptions options = {}) {
    const auto storage = *Storage::Open(table_->root().string(), {});
    storage_ = storage;
    TableConfig config = *TableConfig::Load(*storage);
    if (!extra_inflight.empty()) {
      config.properties["hoodie.table.metadata.partitions.inflight"] = extra_inflight;
    }
    const Timeline timeline = *Timeline::Load(storage, config.timeline);
    const auto opened = MetadataTable::Open(storage, config, timeline, std::move(options));
    EXPECT_TRUE(opened.ok()) << opened.status();
    return *opened;
  }

  std::string Reason(std::string_view partition) {
    const auto reason = Open()->Distrust(partition);
    EXPECT_TRUE(reason.ok()) << reason.status();
    return *reason;
  }

  std::vector<fs::path> FilesIn(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
    std::ranges::sort(files);
    return files;
  }

  // Removes all files of `folder` whose names contain `part`; how many there were.
  size_t RemoveNamed(const fs::path& folder, std::string_view part) {
    size_t removed = 0;
    for (const fs::path& file : FilesIn(folder)) {
      if (file.filename().string().find(part) == std::string::npos) continue;
      fs::remove(file);
      ++removed;
    }
    return removed;
  }

  // The time of the last completed instant of an action in a timeline's folder.
  std::string LastInstant(const fs::path& folder, std::string_view action) {
    std::string last;
    for (const fs::path& file : FilesIn(folder)) {
      const std::string name = file.filename().string();
      if (Ends(file, action) && name.find('_') != std::string::npos) last = name.substr(0, 17);
    }
    return last;
  }

  std::unique_ptr<testing::GoldenTable> table_;
  std::shared_ptr<const Storage> storage_;  // of the last Open
  fs::path metadata_;
  fs::path timeline_;
};

TEST_F(MetadataTableTest, FoldersOfPartitionsThatWillBeAskedForAreListedOnce) {
  MetadataTableOptions options;
  options.partitions = {"files", "column_stats", "no_such_index"};
  const auto table = Open("column_stats", options);
  const int64_t opened = storage_->counters().list_calls;
  EXPECT_EQ(*table->Distrust("files"), "");
  EXPECT_EQ(storage_->counters().list_calls, opened);
  EXPECT_EQ(*table->Distrust("column_stats"), "it is still being built");
  EXPECT_EQ(*table->Distrust("record_index"), "");
  EXPECT_EQ(storage_->counters().list_calls, opened + 1);
}

TEST_F(MetadataTableTest, FilesThatGoAfterTheyWereListedAreAnErrorOfTheLookup) {
  MetadataTableOptions options;
  options.partitions = {"files"};
  const auto table = Open("", options);
  ASSERT_GT(RemoveNamed(metadata_ / "files", ".log."), 0U);
  EXPECT_EQ(*table->Distrust("files"), "");
  const auto files = ListMetadataFiles(*table, nullptr);
  EXPECT_EQ(GetErrorCode(files.status()), ErrorCode::kNotFound) << files.status();
}

TEST_F(MetadataTableTest, WithoutItsFolderNothingIsBelieved) {
  fs::remove_all(metadata_);
  EXPECT_THAT(Reason("files"), HasSubstr("hoodie.properties"));
  const auto listed = ListMetadataFiles(*Open(), nullptr);
  ASSERT_FALSE(listed.ok());
  EXPECT_EQ(GetErrorCode(listed.status()), ErrorCode::kUnsupported);
  EXPECT_THAT(listed.status().message(), HasSubstr("partition files"));
}

TEST_F(MetadataTableTest, APartitionWithoutItsFolderIsNotBelieved) {
  fs::remove_all(metadata_ / "record_index");
  EXPECT_EQ(Reason("record_index"), "its folder is missing");
  EXPECT_EQ(Reason("files"), "");
}

TEST_F(MetadataTableTest, APartitionThatIsBeingBuiltIsNotBelieved) {
  const auto metadata = Open("column_stats,record_index");
  EXPECT_EQ(*metadata->Distrust("record_index"), "it is still being built");
  EXPECT_EQ(*metadata->Distrust("files"), "");
}

TEST_F(MetadataTableTest, ATruncatedLogIsNotBelieved) {
  for (const fs::path& file : FilesIn(metadata_ / "files")) {
    if (file.filename().string().find("20261129213544516") == std::string::npos) continue;
    fs::resize_file(file, fs::file_size(file) - 1);
  }
  EXPECT_THAT(Reason("files"), HasSubstr(" bytes of "));
  EXPECT_EQ(Reason("record_index"), "");
}

TEST_F(MetadataTableTest, OneCommitBehindIsNotBelieved) {
  const std::string last = LastInstant(table_->root() / ".hoodie/timeline", ".deltacommit");
  ASSERT_GT(RemoveNamed(timeline_, last), 0u);
  EXPECT_EQ(Reason("files"), "it lags behind: deltacommit " + last + " of the table is not in it");
}

TEST_F(MetadataTableTest, OneCommitAheadIsSeenAsItWasBefore) {
  const fs::path data = table_->root() / ".hoodie/timeline";
  const std::string last = LastInstant(data, ".deltacommit");
  const auto before = ListMetadataFiles(*Open(), nullptr);
  ASSERT_TRUE(before.ok()) << before.status();
  // The writer died before its own commit; or nothing of that commit was there yet when the data
  // table's timeline was read.
  for (const std::string& what : {last + "_", last}) {
    ASSERT_GT(RemoveNamed(data, what), 0u);
    EXPECT_EQ(Reason("record_index"), "");
    const auto listed = ListMetadataFiles(*Open(), nullptr);
    ASSERT_TRUE(listed.ok()) << listed.status();
    EXPECT_NE(Flat(*listed), Flat(*before));
    for (const auto& [partition, files] : *listed) {
      for (const FileInfo& file : files) EXPECT_THAT(file.path, Not(HasSubstr(last)));
    }
  }
}

TEST_F(MetadataTableTest, ACommitThatTheTableNeverHadIsNotBelieved) {
  const std::string unknown = "20261129213500000";
  for (const fs::path& file : FilesIn(timeline_)) {
    std::string name = file.filename().string();
    if (!name.starts_with("20261129213503951") && !name.starts_with("20261129213503951_")) continue;
    fs::copy_file(file, timeline_ / (unknown + name.substr(17)));
  }
  EXPECT_EQ(Reason("files"), "its commit " + unknown + " is of no instant that the table has");
}

TEST_F(MetadataTableTest, MissingFileGroupsAreNoticed) {
  ASSERT_GT(RemoveNamed(metadata_ / "record_index", "record-index-0004-0"), 0u);
  EXPECT_EQ(Reason("record_index"), "file group 4 is missing");
}

// Without the last group, keys would be looked for in the wrong ones.
TEST_F(MetadataTableTest, AMissingLastFileGroupIsNoticed) {
  // The commits that know of the group are gone from the timeline, as they are in an old table.
  ASSERT_GT(RemoveNamed(metadata_ / "record_index", "record-index-0009-0"), 0u);
  EXPECT_THAT(Reason("record_index"), HasSubstr("record-index-0009-0"));
  const auto metadata = Open();
  EXPECT_FALSE(metadata->Lookup("record_index", std::vector<std::string>{"1"}, nullptr).ok());
}

// A folder that was deleted and written to again holds the latest changes only.
TEST_F(MetadataTableTest, APartlyRecreatedPartitionIsNotBelieved) {
  for (const fs::path& file : FilesIn(metadata_ / "files")) {
    if (file.filename().string().find("20261129213544516") == std::string::npos) fs::remove(file);
  }
  EXPECT_THAT(Reason("files"), HasSubstr("is missing"));
}

std::vector<std::string> AllKeys() {
  std::vector<std::string> keys;
  for (int i = 0; i < 200; ++i) keys.push_back(std::to_string(i));
  return keys;
}

struct Answers {
  Result<PartitionFiles> files = PartitionFiles();
  Result<std::vector<MetadataRecord>> locations = std::vector<MetadataRecord>();
};

Answers Ask(const MetadataTable& metadata) {
  return {ListMetadataFiles(metadata, nullptr),
          metadata.Lookup("record_index", AllKeys(), nullptr)};
}

// Each file of the two partitions in turn: deleted, cut in half, or with one byte changed. Nothing
// that is not an error may differ from the answers of the sound table.
TEST_F(MetadataTableTest, NoDamageToAFileChangesAnAnswer) {
  for (const char* name : {"v9_mor_mdt_compacted", "v8_mor_mdt_full", "v6_mor_mdt_full"}) {
    Unpack(name);
    const Answers sound = Ask(*Open());
    ASSERT_TRUE(sound.files.ok()) << sound.files.status();
    ASSERT_TRUE(sound.locations.ok()) << sound.locations.status();
    ASSERT_THAT(*sound.locations, Not(IsEmpty()));
    int refused = 0;
    const auto check = [&](const fs::path& file, std::string_view damage) {
      SCOPED_TRACE(fmt::format("{}: {} {}", name, file.filename().string(), damage));
      const Answers answers = Ask(*Open());
      refused += answers.files.ok() && answers.locations.ok() ? 0 : 1;
      EXPECT_TRUE(!answers.files.ok() || Flat(*answers.files) == Flat(*sound.files));
      EXPECT_TRUE(!answers.locations.ok() || *answers.locations == *sound.locations);
    };
    for (const char* partition : {"files", "record_index"}) {
      for (const fs::path& file : FilesIn(metadata_ / partition)) {
        const std::string bytes = testing::ReadFileBytes(file);
        if (bytes.empty() || file.filename() == ".hoodie_partition_metadata") continue;
        fs::remove(file);
        check(file, "is gone");
        std::ofstream(file, std::ios::binary) << bytes.substr(0, bytes.size() / 2);
        check(file, "is cut");
        std::string changed = bytes;
        changed[bytes.size() / 2] = static_cast<char>(changed[bytes.size() / 2] ^ 0x10);
        std::ofstream(file, std::ios::binary) << changed;
        check(file, "has another byte");
        std::ofstream(file, std::ios::binary) << bytes;
      }
    }
    EXPECT_GT(refused, 5);
  }
}

// Keys are unique within a partition of the data table, and each has file groups of its own, named
// after it.
TEST(PartitionedRecordIndex, KnowsEachPlaceOfAKey) {
  const fs::path folder =
      fs::temp_directory_path() / fmt::format("firth_partitioned_rli_{}", getpid());
  fs::create_directories(folder);
  ASSERT_EQ(std::system(fmt::format("unzip -qq -o '{}/metadata/partitioned_record_index.zip' -d "
                                    "'{}'",
                                    FIRTH_TEST_DATA_DIR, folder.string())
                            .c_str()),
            0);
  const auto storage = *Storage::Open((folder / "v9_mor_partitioned_rli").string(), {});
  const TableConfig config = *TableConfig::Load(*storage);
  const Timeline timeline = *Timeline::Load(storage, config.timeline);
  const auto metadata = *MetadataTable::Open(storage, config, timeline);
  for (const std::string& partition : config.metadata_partitions) {
    EXPECT_EQ(*metadata->Distrust(partition), "") << partition;
  }
  EXPECT_EQ(*metadata->FileGroups("record_index"), 8) << "two for each of four partitions";

  const std::vector<std::string> keys = {"id:1", "id:2", "id:3", "id:4", "id:5", "id:6"};
  const auto found = metadata->Lookup("record_index", keys, nullptr);
  ASSERT_TRUE(found.ok()) << found.status();
  const PartitionFiles files = *ListMetadataFiles(*metadata, nullptr);
  std::set<std::string> places;
  for (const MetadataRecord& record : *found) {
    const auto& location = std::get<RecordLocation>(record.payload);
    places.insert(record.key + " " + location.partition);
    EXPECT_TRUE(std::ranges::any_of(files.at(location.partition), [&](const FileInfo& file) {
      return file.name().find(location.file_id) != std::string_view::npos;
    })) << record.key;
  }
  EXPECT_EQ(places, (std::set<std::string>{"id:1 x/p-1", "id:1 y/0000-0", "id:3 x/q_2",
                                           "id:4 y/0000-0", "id:5 z/p-1"}));
  fs::remove_all(folder);
}

}  // namespace
}  // namespace firth
