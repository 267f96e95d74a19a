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

using Instants = std::map<std::string, std::string>;  // file name to content

Timeline TimelineOf(const Instants& instants) {
  std::map<std::string, std::string> files;
  for (const auto& [name, content] : instants) files[".hoodie/timeline/" + name] = content;
  return Timeline::Load(testing::MemoryStorage(files), {}).ValueOrDie();
}

Result<CleanedFiles> Load(const Instants& instants) {
  return LoadCleanedFiles(TimelineOf(instants), /*archived=*/false);
}

// "instant by clean" of the files.
std::map<std::pair<std::string, std::string>, std::vector<std::string>> Texts(
    const CleanedFiles& cleaned) {
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> texts;
  for (const auto& [group, files] : cleaned) {
    for (const CleanedFile& file : files) {
      texts[group].push_back(fmt::format("{} by {}", file.instant, file.clean));
    }
  }
  return texts;
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
      {"11.clean.requested",
       R"({"filePathsToBeDeletedPerPartition":{"q":[{"filePath":"/t/q/f3_0-1-0_06.parquet"}]}})"},
      {"11.clean.inflight", ""},
  });
  ASSERT_TRUE(cleaned.ok()) << cleaned.status();
  EXPECT_THAT(
      Texts(*cleaned),
      ElementsAre(Pair(Pair("p", "f1"), UnorderedElementsAre("01 by 05", "03 by 07", "04 by 07")),
                  Pair(Pair("p", "f2"), ElementsAre("02 by 05")),
                  Pair(Pair("q", "f3"), ElementsAre("06 by 11"))));
}

TEST(LoadCleanedSince, LeavesOutWhatThePinnedTimelineKnows) {
  const std::string requested = R"({"filesToBeDeletedPerPartition":{"p":["f3_0-1-0_06.parquet"]}})";
  const Instants pinned = {{"05_06.clean", CleanOf("p", R"("f1_0-1-0_01.parquet")")},
                           {"07.clean.requested", requested}};
  Instants now = pinned;
  now["07_12.clean"] = CleanOf("p", R"("f3_0-1-0_06.parquet")");
  now["11_13.clean"] = CleanOf("p", R"("f1_0-1-0_03.parquet")");
  now["12.clean.requested"] = requested;
  const auto since = LoadCleanedSince(TimelineOf(pinned), TimelineOf(now));
  ASSERT_TRUE(since.ok()) << since.status();
  EXPECT_THAT(Texts(*since), ElementsAre(Pair(Pair("p", "f1"), ElementsAre("03 by 11")),
                                         Pair(Pair("p", "f3"), ElementsAre("06 by 12"))));
  EXPECT_TRUE(LoadCleanedSince(TimelineOf(pinned), TimelineOf(pinned))->empty());
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

PinnedSnapshot SnapshotAt(std::string as_of) {
  PinnedSnapshot snapshot;
  Instants instants;
  for (int i = 1; i < 7; ++i) instants[fmt::format("0{}_0{}.commit", i, i)] = "";
  snapshot.context =
      std::make_shared<ReadContext>(ReadContext{nullptr, {}, {}, TimelineOf(instants)});
  snapshot.as_of = std::move(as_of);
  snapshot.instant = "06";
  return snapshot;
}

SlicesByPartition SliceAt(std::string instant) {
  FileSlice slice;
  slice.partition = "p";
  slice.file_id = "f1";
  slice.base_instant = std::move(instant);
  return {{"p", {std::move(slice)}}};
}

bool All(std::string_view) { return true; }

TEST(CheckNotCleaned, AsksForFilesBetweenTheRemainingSliceAndTheSnapshot) {
  const CleanedFiles cleaned = {{{"p", "f1"}, {{"03", "09"}}}};
  // The slice of 05 came after the cleaned file, which nobody misses.
  EXPECT_TRUE(CheckNotCleaned(cleaned, SnapshotAt("06"), SliceAt("05"), All).ok());
  EXPECT_TRUE(CheckNotCleaned(cleaned, SnapshotAt("06"), SliceAt("03"), All).ok());
  // A snapshot before the cleaned file never had it.
  EXPECT_TRUE(CheckNotCleaned(cleaned, SnapshotAt("02"), SliceAt("01"), All).ok());
  const auto none = [](std::string_view partition) { return partition != "p"; };
  EXPECT_TRUE(CheckNotCleaned(cleaned, SnapshotAt("04"), SliceAt("01"), none).ok());

  const Status older = CheckNotCleaned(cleaned, SnapshotAt("04"), SliceAt("01"), All);
  EXPECT_EQ(GetErrorCode(older), ErrorCode::kNotFound);
  EXPECT_THAT(older.message(), HasSubstr("file group f1 of partition \"p\" at instant 03"));
  // The whole partition may be gone.
  EXPECT_EQ(GetErrorCode(CheckNotCleaned(cleaned, SnapshotAt("03"), {}, All)),
            ErrorCode::kNotFound);
}

TEST(CheckNotCleaned, TheLatestSnapshotNeedsWhatItsTimelineKnows) {
  const PinnedSnapshot latest = SnapshotAt("");
  EXPECT_TRUE(CheckNotCleaned({{{"p", "f1"}, {{"03", "09"}}}}, latest, SliceAt("05"), All).ok());
  // Written and cleaned after the snapshot was pinned.
  EXPECT_TRUE(CheckNotCleaned({{{"p", "f1"}, {{"07", "09"}}}}, latest, SliceAt("05"), All).ok());
  const Status gone = CheckNotCleaned({{{"p", "f1"}, {{"06", "09"}}}}, latest, SliceAt("05"), All);
  EXPECT_EQ(GetErrorCode(gone), ErrorCode::kNotFound);
  EXPECT_THAT(gone.ToString(), HasSubstr("pin a new snapshot"));
}

TEST(CheckNotCleaned, GroupsReplacedBeforeTheSnapshotAreNotMissed) {
  const CleanedFiles cleaned = {{{"p", "f1"}, {{"03", "09"}}}};
  PinnedSnapshot after = SnapshotAt("05"), before = SnapshotAt("04"), latest = SnapshotAt("");
  for (PinnedSnapshot* snapshot : {&after, &before, &latest}) {
    snapshot->view.replaced[{"p", "f1"}] = "05";
  }
  EXPECT_TRUE(CheckNotCleaned(cleaned, after, {}, All).ok());
  EXPECT_TRUE(CheckNotCleaned(cleaned, latest, {}, All).ok());
  EXPECT_EQ(GetErrorCode(CheckNotCleaned(cleaned, before, {}, All)), ErrorCode::kNotFound);
}

}  // namespace
}  // namespace firth
