// SPDX-License-Identifier: Apache-2.0
#include "firth/table/file_system_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firth/testing/memory_storage.h"

namespace firth {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

// Times have two digits here: they are opaque strings in order.
struct Table {
  std::vector<std::string> instants = {};  // file names of the timeline
  std::vector<std::string> files = {};     // names in partition "p"
  ViewContext context = {};
  int version = 9;

  Timeline LoadTimeline() const {
    const TimelineConfig config =
        version >= 8 ? TimelineConfig()
                     : TimelineConfig{TimelineLayout::kV1, ".hoodie", ".hoodie/archived"};
    std::map<std::string, std::string> contents;
    for (const std::string& name : instants) contents[config.active_dir + "/" + name] = "";
    const Result<Timeline> timeline = Timeline::Load(testing::MemoryStorage(contents), config);
    EXPECT_TRUE(timeline.ok()) << timeline.status();
    return *timeline;
  }

  Result<std::vector<FileSlice>> Slices(std::string_view as_of = "") const {
    TableConfig config;
    config.version = version;
    std::vector<FileInfo> infos;
    for (const std::string& name : files) infos.push_back({"p/" + name, 1});
    return SnapshotSlices(config, LoadTimeline(), context, "p", infos, as_of);
  }

  // "base instant: base file name or - | log file names"
  std::vector<std::string> Read(std::string_view as_of = "") const {
    const Result<std::vector<FileSlice>> slices = Slices(as_of);
    EXPECT_TRUE(slices.ok()) << slices.status();
    std::vector<std::string> texts;
    for (const FileSlice& slice : *slices) {
      std::string text = slice.file_id + " " + slice.base_instant + ": ";
      text += slice.base ? slice.base->path.substr(2) : "-";
      for (const LogFile& log : slice.logs) text += " " + log.path.substr(2);
      texts.push_back(text);
    }
    return texts;
  }
};

TEST(SnapshotSlices, TheNewestBaseFileWins) {
  Table table{.instants = {"01_02.commit", "03_04.commit"},
              .files = {"f_0-0-0_01.parquet", "f_0-0-0_03.parquet", "g_0-0-0_01.parquet"}};
  EXPECT_THAT(table.Read(), ElementsAre("f 03: f_0-0-0_03.parquet", "g 01: g_0-0-0_01.parquet"));
  EXPECT_THAT(table.Read("02"),
              ElementsAre("f 01: f_0-0-0_01.parquet", "g 01: g_0-0-0_01.parquet"));
  EXPECT_THAT(table.Read("00"), IsEmpty());
}

TEST(SnapshotSlices, LeavesOutWhatIsNotCommitted) {
  Table table{.instants = {"01_02.deltacommit", "03.deltacommit.inflight"},
              .files = {"f_0-0-0_01.parquet", "f_0-0-0_03.parquet", ".f_03.log.1_0-0-0",
                        "g_0-0-0_03.parquet", "h_0-0-0_09.parquet"}};
  EXPECT_THAT(table.Read(), ElementsAre("f 01: f_0-0-0_01.parquet"));
}

TEST(SnapshotSlices, ALogBelongsToTheNewestSliceBeforeItsCompletion) {
  // The delta commit 03 was requested before the compaction 04, which did not see it.
  Table table{.instants = {"01_02.deltacommit", "03_06.deltacommit", "04_05.commit"},
              .files = {"f_0-0-0_01.parquet", "f_0-0-0_04.parquet", ".f_03.log.1_0-0-0"}};
  EXPECT_THAT(table.Read(), ElementsAre("f 04: f_0-0-0_04.parquet .f_03.log.1_0-0-0"));
  EXPECT_THAT(table.Read("03"), ElementsAre("f 01: f_0-0-0_01.parquet .f_03.log.1_0-0-0"))
      << "before the compaction the delta commit is read over the older base";

  table.instants = {"01_02.deltacommit", "03_035.deltacommit", "04_05.commit"};
  EXPECT_THAT(table.Read(), ElementsAre("f 04: f_0-0-0_04.parquet"));
}

TEST(SnapshotSlices, LogsLaterThanTheSnapshotAreLeftOut) {
  Table table{.instants = {"01_02.deltacommit", "03_04.deltacommit", "05_06.deltacommit"},
              .files = {"f_0-0-0_01.parquet", ".f_03.log.1_0-0-0", ".f_05.log.1_0-0-0"}};
  EXPECT_THAT(table.Read("03"), ElementsAre("f 01: f_0-0-0_01.parquet .f_03.log.1_0-0-0"));
  EXPECT_THAT(table.Read("05"),
              ElementsAre("f 01: f_0-0-0_01.parquet .f_03.log.1_0-0-0 .f_05.log.1_0-0-0"));
}

TEST(SnapshotSlices, AGroupOfLogsOnlyBeginsWithItsFirstLog) {
  Table table{.instants = {"01_02.deltacommit", "03_04.deltacommit"},
              .files = {".f_03.log.1_0-0-0", ".f_01.log.1_0-0-0"}};
  EXPECT_THAT(table.Read(), ElementsAre("f 01: - .f_01.log.1_0-0-0 .f_03.log.1_0-0-0"));
}

TEST(SnapshotSlices, LogsAreInHudisOrder) {
  Table table{.instants = {"01_02.deltacommit", "03_04.deltacommit"},
              .files = {".f_01.log.10_0-0-0", ".f_01.log.2", ".f_01.log.2_0-0-1",
                        ".f_01.log.2_0-0-0", ".f_01.log.3_0-0-0.cdc", ".f_03.log.1_0-0-0"}};
  EXPECT_THAT(table.Read(), ElementsAre("f 01: - .f_01.log.2 .f_01.log.2_0-0-0 .f_01.log.2_0-0-1 "
                                        ".f_01.log.10_0-0-0 .f_03.log.1_0-0-0"));
}

TEST(SnapshotSlices, APendingCompactionIsFoldedIntoTheSliceBefore) {
  Table table{.instants = {"01_02.deltacommit", "03_04.deltacommit", "05.compaction.inflight",
                           "06_07.deltacommit"},
              .files = {"f_0-0-0_01.parquet", ".f_03.log.1_0-0-0", ".f_06.log.1_0-0-0",
                        "f_0-0-0_05.parquet"}};
  table.context.pending_compactions[{"p", "f"}] = "05";
  const char* merged = "f 01: f_0-0-0_01.parquet .f_03.log.1_0-0-0 .f_06.log.1_0-0-0";
  EXPECT_THAT(table.Read(), ElementsAre(merged));
  EXPECT_THAT(table.Read("06"), ElementsAre(merged));
  EXPECT_THAT(table.Read("04"), ElementsAre("f 01: f_0-0-0_01.parquet .f_03.log.1_0-0-0"));
}

TEST(SnapshotSlices, ReplacedGroupsAreHiddenFromTheReplacementOn) {
  Table table{.instants = {"01_02.commit", "03_04.replacecommit"},
              .files = {"f_0-0-0_01.parquet", ".f_01.log.1_0-0-0", "g_0-0-0_03.parquet"}};
  table.context.replaced[{"p", "f"}] = "03";
  EXPECT_THAT(table.Read(), ElementsAre("g 03: g_0-0-0_03.parquet"));
  EXPECT_THAT(table.Read("02"), ElementsAre("f 01: f_0-0-0_01.parquet .f_01.log.1_0-0-0"));
  table.context.replaced.clear();
  table.context.replaced[{"other", "f"}] = "03";
  EXPECT_EQ(table.Read().size(), 2u) << "file ids count within their partition";
}

TEST(SnapshotSlices, FilesOfAPendingReplaceStayHiddenOnceOlderInstantsAreArchived) {
  Table table{.instants = {"03.clustering.inflight", "05_06.commit"},
              .files = {"f_0-0-0_01.parquet", "g_0-0-0_03.parquet"}};
  EXPECT_THAT(table.Read(), ElementsAre("f 01: f_0-0-0_01.parquet"));
}

TEST(SnapshotSlices, VersionSixLogsNameTheirSlice) {
  Table table{.instants = {"01.deltacommit", "02.deltacommit", "03.commit", "04.deltacommit"},
              .files = {"f_0-0-0_01.parquet", ".f_01.log.1_0-0-0", "f_0-0-0_03.parquet",
                        ".f_03.log.1_0-0-0", ".f_03.log.2_0-0-0"},
              .context = {},
              .version = 6};
  EXPECT_THAT(table.Read(),
              ElementsAre("f 03: f_0-0-0_03.parquet .f_03.log.1_0-0-0 .f_03.log.2_0-0-0"));
  EXPECT_THAT(table.Read("02"), ElementsAre("f 01: f_0-0-0_01.parquet .f_01.log.1_0-0-0"));
}

TEST(SnapshotSlices, VersionSixFoldsPendingCompactions) {
  Table table{.instants = {"01.deltacommit", "03.compaction.requested", "04.deltacommit"},
              .files = {"f_0-0-0_01.parquet", ".f_01.log.1_0-0-0", ".f_03.log.1_0-0-0"},
              .context = {},
              .version = 6};
  EXPECT_THAT(table.Read(), ElementsAre("f 01: f_0-0-0_01.parquet .f_01.log.1_0-0-0"))
      << "a slice that was never committed";
  table.context.pending_compactions[{"p", "f"}] = "03";
  EXPECT_THAT(table.Read(),
              ElementsAre("f 01: f_0-0-0_01.parquet .f_01.log.1_0-0-0 .f_03.log.1_0-0-0"));
}

TEST(SnapshotSlices, OfTheBaseFilesOfOneWriteTheCommittedOneCounts) {
  const char* names[] = {"p/f_0-0-1_01.parquet", "p/f_0-0-2_01.parquet", "p/f_0-0-3_01.parquet"};
  for (const std::string committed : names) {
    const Result<Timeline> timeline = Timeline::Load(
        testing::MemoryStorage({{".hoodie/timeline/01_02.commit",
                                 R"({"partitionToWriteStats": {"p": [{"fileId": "f", "path": ")" +
                                     committed + R"("}]}})"}}),
        {});
    ASSERT_TRUE(timeline.ok()) << timeline.status();
    TableConfig config;
    config.version = 9;
    std::vector<FileInfo> files;
    for (const char* name : names) files.push_back({name, 1});
    for (const auto function : {SnapshotSlices, ReadOptimizedSlices}) {
      const Result<std::vector<FileSlice>> slices = function(config, *timeline, {}, "p", files, "");
      ASSERT_TRUE(slices.ok()) << slices.status();
      ASSERT_EQ(slices->size(), 1u);
      EXPECT_EQ(slices->front().base->path, committed);
    }
  }
}

TEST(SnapshotSlices, OtherBaseFormatsAreRefused) {
  Table table{.instants = {"01_02.commit"}, .files = {"f_0-0-0_01.orc"}};
  const Status status = table.Slices().status();
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kUnsupported);
  EXPECT_THAT(status.message(), HasSubstr("p/f_0-0-0_01.orc"));
}

TEST(ReadOptimizedSlicesTest, TakesCommittedBaseFilesOnly) {
  const Table table{
      .instants = {"01_02.deltacommit", "03_04.deltacommit", "05.compaction.inflight"}};
  TableConfig config;
  config.version = 9;
  const std::vector<FileInfo> files = {{"p/f_0-0-0_01.parquet", 1},
                                       {"p/.f_03.log.1_0-0-0", 1},
                                       {"p/f_0-0-0_05.parquet", 1},
                                       {"p/.g_03.log.1_0-0-0", 1}};
  const Result<std::vector<FileSlice>> slices =
      ReadOptimizedSlices(config, table.LoadTimeline(), {}, "p", files, "");
  ASSERT_TRUE(slices.ok()) << slices.status();
  ASSERT_EQ(slices->size(), 1u);
  EXPECT_EQ(slices->front().base->path, "p/f_0-0-0_01.parquet");
  EXPECT_TRUE(slices->front().logs.empty());
}

TEST(LoadViewContextTest, ReadsReplacedGroups) {
  const std::string replaced = R"({"partitionToReplaceFileIds": {"p": ["f", "g"], "": ["f"]}})";
  const Result<Timeline> timeline =
      Timeline::Load(testing::MemoryStorage({{".hoodie/timeline/05_06.replacecommit", replaced},
                                             {".hoodie/timeline/03_04.replacecommit",
                                              R"({"partitionToReplaceFileIds": {"p": ["f"]}})"},
                                             {".hoodie/timeline/07.replacecommit.inflight", "{}"}}),
                     {});
  ASSERT_TRUE(timeline.ok()) << timeline.status();
  const Result<ViewContext> context = LoadViewContext(*timeline);
  ASSERT_TRUE(context.ok()) << context.status();
  EXPECT_THAT(context->replaced, ElementsAre(Pair(Pair("", "f"), "05"), Pair(Pair("p", "f"), "03"),
                                             Pair(Pair("p", "g"), "05")));
}

TEST(LoadViewContextTest, ReadsPendingCompactionsAndNamesBrokenPlans) {
  const auto load = [](const std::string& plan) {
    const Result<Timeline> timeline = Timeline::Load(
        testing::MemoryStorage({{".hoodie/timeline/05.compaction.requested", plan}}), {});
    return LoadViewContext(*timeline);
  };
  const Result<ViewContext> context =
      load(R"({"operations": [{"fileId": "f", "partitionPath": "p"}, {"fileId": "g"}]})");
  ASSERT_TRUE(context.ok()) << context.status();
  EXPECT_THAT(context->pending_compactions,
              ElementsAre(Pair(Pair("", "g"), "05"), Pair(Pair("p", "f"), "05")));
  const Status status = load(R"({"operations": [{}]})").status();
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kCorrupt);
  EXPECT_THAT(status.message(), HasSubstr("05.compaction.requested"));
}

}  // namespace
}  // namespace firth
