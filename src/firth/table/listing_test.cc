// SPDX-License-Identifier: Apache-2.0
#include "firth/table/listing.h"

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

}  // namespace
}  // namespace firth
