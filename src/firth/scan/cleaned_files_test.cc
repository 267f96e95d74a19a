// SPDX-License-Identifier: Apache-2.0
#include "firth/scan/cleaned_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "firth/testing/memory_storage.h"

namespace firth {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

Result<CleanedFiles> Load(const std::map<std::string, std::string>& instants) {
  std::map<std::string, std::string> files;
  for (const auto& [name, content] : instants) files[".hoodie/timeline/" + name] = content;
  return LoadCleanedFiles(Timeline::Load(testing::MemoryStorage(files), {}).ValueOrDie());
}

std::string CleanOf(const std::string& partition, const std::string& files) {
  return fmt::format(R"({{"partitionMetadata":{{"{}":{{"successDeleteFiles":[{}]}}}}}})", partition,
                     files);
}

TEST(LoadCleanedFiles, NamesTheInstantsOfDeletedFilesByFileGroup) {
  const Result<CleanedFiles> cleaned = Load({
      {"05_06.clean", CleanOf("p", R"("f1_0-1-0_01.parquet","/old/host/t/p/f2_0-1-0_02.parquet")")},
      {"07_08.clean", CleanOf("p", R"("f1_0-1-0_03.parquet",".f1_04.log.1_0-1-0")")},
      {"09_10.clean", CleanOf("q", R"(".f1_04.log.1_0-1-0.cdc",".hoodie_partition_metadata")")},
      {"11.clean.requested", "not read"},
      {"11.clean.inflight", ""},
  });
  ASSERT_TRUE(cleaned.ok()) << cleaned.status();
  EXPECT_THAT(*cleaned, ElementsAre(Pair(Pair("p", "f1"), UnorderedElementsAre("01", "03", "04")),
                                    Pair(Pair("p", "f2"), ElementsAre("02"))));
}

TEST(LoadCleanedFiles, GathersManyCleans) {
  std::map<std::string, std::string> instants;
  for (int i = 100; i < 300; ++i) {
    instants[fmt::format("{}_{}.clean", i, i + 500)] =
        CleanOf("p", fmt::format(R"("f{}_0-1-0_{}.parquet")", i % 10, i - 50));
  }
  const CleanedFiles cleaned = Load(instants).ValueOrDie();
  EXPECT_EQ(cleaned.size(), 10u);
  for (const auto& [group, files] : cleaned) EXPECT_EQ(files.size(), 20u) << group.second;
}

TEST(LoadCleanedFiles, DamagedCleanIsNamed) {
  const Status status = Load({{"05_06.clean", CleanOf("p", "")}, {"07_08.clean", "{"}}).status();
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kCorrupt) << status;
  EXPECT_THAT(status.message(), HasSubstr("07_08.clean"));
}

FileSlice SliceAt(std::string instant) {
  FileSlice slice;
  slice.partition = "p";
  slice.file_id = "f1";
  slice.base_instant = std::move(instant);
  return slice;
}

TEST(CheckNotCleaned, AsksForFilesBetweenTheRemainingSliceAndTheSnapshot) {
  const CleanedFiles cleaned = {{{"p", "f1"}, {"03"}}, {{"q", "f9"}, {"01"}}};
  // The slice of 05 came after the cleaned file, which nobody misses.
  EXPECT_TRUE(CheckNotCleaned(cleaned, {}, "p", {SliceAt("05")}, "06").ok());
  EXPECT_TRUE(CheckNotCleaned(cleaned, {}, "p", {SliceAt("03")}, "06").ok());
  // A snapshot before the cleaned file never had it.
  EXPECT_TRUE(CheckNotCleaned(cleaned, {}, "p", {SliceAt("01")}, "02").ok());
  EXPECT_TRUE(CheckNotCleaned(cleaned, {}, "r", {}, "06").ok());

  const Status older = CheckNotCleaned(cleaned, {}, "p", {SliceAt("01")}, "04");
  EXPECT_EQ(GetErrorCode(older), ErrorCode::kNotFound);
  EXPECT_THAT(older.message(), HasSubstr("file group f1 of partition \"p\" at instant 03"));
  EXPECT_EQ(GetErrorCode(CheckNotCleaned(cleaned, {}, "p", {}, "03")), ErrorCode::kNotFound);
}

TEST(CheckNotCleaned, GroupsReplacedBeforeTheSnapshotAreNotMissed) {
  const CleanedFiles cleaned = {{{"p", "f1"}, {"03"}}};
  ViewContext view;
  view.replaced[{"p", "f1"}] = "05";
  EXPECT_TRUE(CheckNotCleaned(cleaned, view, "p", {}, "05").ok());
  EXPECT_EQ(GetErrorCode(CheckNotCleaned(cleaned, view, "p", {}, "04")), ErrorCode::kNotFound);
}

}  // namespace
}  // namespace firth
