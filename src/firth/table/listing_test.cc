// SPDX-License-Identifier: Apache-2.0
#include "firth/table/listing.h"

#include <arrow/filesystem/filesystem.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firth/testing/memory_storage.h"

namespace firth {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Names(const PartitionFiles& partitions) {
  std::vector<std::string> names;
  for (const auto& entry : partitions) names.push_back(entry.first);
  return names;
}

std::shared_ptr<Storage> Lake() {
  return testing::MemoryStorage({{".hoodie/hoodie.properties", ""},
                                 {".hoodie/metadata/files/.hoodie_partition_metadata", ""},
                                 {"a/b=c %😀/.hoodie_partition_metadata", ""},
                                 {"a/b=c %😀/f_0-0-0_01.parquet", "12"},
                                 {"a/d/.hoodie_partition_metadata.parquet", ""},
                                 {"a/empty/x.parquet", ""},
                                 {"p=1/.hoodie_partition_metadata", ""}});
}

TEST(ListDataFiles, PartitionsAreFoldersWithAMetaFile) {
  for (const int threads : {1, 4}) {
    const Result<PartitionFiles> partitions = ListDataFiles(*Lake(), threads);
    ASSERT_TRUE(partitions.ok()) << partitions.status();
    EXPECT_THAT(Names(*partitions), ElementsAre("a/b=c %😀", "a/d", "p=1"));
    const std::vector<FileInfo>& files = partitions->at("a/b=c %😀");
    ASSERT_EQ(files.size(), 2u);
    EXPECT_EQ(files[1].name(), "f_0-0-0_01.parquet");
    EXPECT_EQ(files[1].size, 2);
  }
}

TEST(ListDataFiles, UnwantedFoldersAreLeftOutAtAnyDepth) {
  const auto no_d = [](std::string_view folder) { return folder != "a/d"; };
  EXPECT_THAT(Names(*ListDataFiles(*Lake(), 1, no_d)), ElementsAre("a/b=c %😀", "p=1"));
  const auto no_a = [](std::string_view folder) { return folder != "a"; };
  EXPECT_THAT(Names(*ListDataFiles(*Lake(), 1, no_a)), ElementsAre("p=1"));
}

TEST(ListDataFiles, AnUnpartitionedTableIsOnePartition) {
  const auto storage =
      testing::MemoryStorage({{".hoodie_partition_metadata", ""}, {"f_0-0-0_01.parquet", ""}});
  const Result<PartitionFiles> partitions = ListDataFiles(*storage);
  ASSERT_TRUE(partitions.ok()) << partitions.status();
  EXPECT_THAT(Names(*partitions), ElementsAre(""));
}

// Files that come and go later change nothing for those who look again.
TEST(DataFileListing, FoldersAreListedOnce) {
  const auto storage = Lake();
  DataFileListing listing;
  bool listed = false;
  const auto names = [&](const FolderFilter& wanted) {
    std::vector<std::string> found;
    const PartitionFilesView view = listing.List(*storage, 2, wanted, &listed).ValueOrDie();
    for (const auto& entry : view) found.emplace_back(entry.first);
    return found;
  };
  EXPECT_THAT(names([](std::string_view folder) { return folder != "a"; }), ElementsAre("p=1"));
  EXPECT_TRUE(listed);
  arrow::fs::FileSystem& changed = *storage->file_system();
  ASSERT_TRUE(changed.DeleteDir(storage->FullPath("p=1")).ok());
  ASSERT_TRUE(changed.DeleteDir(storage->FullPath("a/d")).ok());
  EXPECT_THAT(names(nullptr), ElementsAre("a/b=c %😀", "p=1"));
  EXPECT_TRUE(listed);
  ASSERT_TRUE(changed.DeleteDir(storage->FullPath("a")).ok());
  EXPECT_THAT(names(nullptr), ElementsAre("a/b=c %😀", "p=1"));
  EXPECT_FALSE(listed);
}

}  // namespace
}  // namespace firth
