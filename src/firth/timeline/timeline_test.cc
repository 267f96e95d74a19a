// SPDX-License-Identifier: Apache-2.0
#include "firth/timeline/timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firth/testing/memory_storage.h"
#include "firth/timeline/history.h"

namespace firth {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Timeline Load(const std::map<std::string, std::string>& names, TimelineConfig config = {}) {
  std::map<std::string, std::string> files;
  for (const auto& [name, content] : names) files[config.active_dir + "/" + name] = content;
  Result<Timeline> timeline = Timeline::Load(testing::MemoryStorage(files), config);
  EXPECT_TRUE(timeline.ok()) << timeline.status();
  return *timeline;
}

TEST(TimelineLoad, KeepsTheHighestStateOfEachAction) {
  const Timeline timeline = Load({{"01.commit.requested", ""},
                                  {"01.inflight", ""},
                                  {"01_02.commit", ""},
                                  {"03.compaction.requested", ""},
                                  {"03.compaction.inflight", ""},
                                  {"03_05.commit", ""},
                                  {"04.deltacommit.requested", ""},
                                  {"04.deltacommit.inflight", ""},
                                  {"06.clustering.requested", ""},
                                  {"07.commit.tmp", ""},
                                  {"history", ""}});
  std::vector<std::string> files;
  for (const Instant& instant : timeline.instants()) files.push_back(instant.file_name);
  EXPECT_THAT(files, ElementsAre("01_02.commit", "03_05.commit", "04.deltacommit.inflight",
                                 "06.clustering.requested"));
  EXPECT_EQ(timeline.CompletedWrites().size(), 2u);
  ASSERT_EQ(timeline.Pending().size(), 2u);
  EXPECT_EQ(timeline.Pending()[1].action, Action::kClustering);
}

TEST(TimelineLoad, ASavepointAndItsCommitAreTwoInstants) {
  const Timeline timeline = Load({{"01_02.commit", ""}, {"01_03.savepoint", ""}});
  ASSERT_EQ(timeline.instants().size(), 2u);
  EXPECT_EQ(timeline.CompletionTime("01"), "02");
}

TEST(TimelineLoad, PrefersTheNameWithACompletionTime) {
  const Timeline timeline = Load({{"01.commit", ""}, {"01_02.commit", ""}});
  ASSERT_EQ(timeline.instants().size(), 1u);
  EXPECT_EQ(timeline.instants()[0].completed, "02");
}

TEST(TimelineLoad, AMissingFolderIsAnEmptyTimeline) {
  const Timeline timeline = Load({});
  EXPECT_TRUE(timeline.instants().empty());
  EXPECT_FALSE(timeline.IsCommitted("01"));
}

TEST(TimelineIsCommitted, FollowsTheState) {
  const Timeline timeline = Load({{"05_06.deltacommit", ""},
                                  {"07.deltacommit.inflight", ""},
                                  {"08.compaction.requested", ""},
                                  {"09.clustering.inflight", ""}});
  EXPECT_TRUE(timeline.IsCommitted("05"));
  for (const char* pending : {"07", "08", "09"}) {
    EXPECT_FALSE(timeline.IsCommitted(pending)) << pending;
    EXPECT_EQ(timeline.CompletionTime(pending), "");
  }
  EXPECT_FALSE(timeline.IsCommitted("06")) << "a time that is no instant, after the first write";
  EXPECT_FALSE(timeline.IsCommitted("10"));
}

TEST(TimelineIsCommitted, WhatIsOlderThanTheFirstWriteWasArchived) {
  const Timeline timeline = Load({{"03_03.clean", ""}, {"05_06.commit", ""}});
  EXPECT_EQ(timeline.first_active_write(), "05");
  EXPECT_TRUE(timeline.IsCommitted("04"));
  EXPECT_TRUE(timeline.IsArchived("04"));
  EXPECT_EQ(timeline.CompletionTime("04"), "04");
  EXPECT_FALSE(timeline.IsArchived("05"));
}

TEST(TimelineIsCommitted, APendingWriteBeforeAllOthersIsNotArchived) {
  const Timeline timeline = Load({{"03.replacecommit.inflight", ""}, {"05_06.commit", ""}});
  EXPECT_FALSE(timeline.IsCommitted("03"));
  EXPECT_FALSE(timeline.IsCommitted("04"));
  EXPECT_TRUE(timeline.IsCommitted("02"));
}

TEST(TimelineIsCommitted, ASavepointedCommitDoesNotStartTheTimeline) {
  const Timeline timeline =
      Load({{"01_02.commit", ""}, {"01_03.savepoint", ""}, {"08_09.commit", ""}});
  EXPECT_EQ(timeline.first_active_write(), "08");
  EXPECT_TRUE(timeline.IsCommitted("01"));
  EXPECT_TRUE(timeline.IsCommitted("05")) << "archived between the two";
}

TEST(TimelineIsCommitted, SavepointedCommitsAloneStartTheTimeline) {
  const Timeline timeline = Load({{"03_04.commit", ""}, {"03_05.savepoint", ""}});
  EXPECT_TRUE(timeline.IsCommitted("02"));
  EXPECT_TRUE(timeline.IsCommitted("03"));
  EXPECT_FALSE(timeline.IsCommitted("04"));
}

TEST(TimelineLayoutOne, CompletesAtTheRequestedTime) {
  const Timeline timeline =
      Load({{"01.commit", ""}, {"02.deltacommit.inflight", ""}, {"hoodie.properties", ""}},
           {TimelineLayout::kV1, ".hoodie", ".hoodie/archived"});
  ASSERT_EQ(timeline.instants().size(), 2u);
  EXPECT_EQ(timeline.CompletionTime("01"), "01");
  EXPECT_FALSE(timeline.IsCommitted("02"));
}

TEST(TimelineReadPlan, FindsThePlanOfACompletedService) {
  const Timeline timeline =
      Load({{"03.compaction.requested", "plan"}, {"03_05.commit", "metadata"}});
  const Result<std::string> plan = timeline.ReadPlan(timeline.instants()[0]);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(*plan, "plan");
  EXPECT_EQ(*timeline.ReadContent(timeline.instants()[0]), "metadata");
}

TEST(TimelineReadCommitMetadata, ErrorsNameTheFile) {
  const Timeline timeline = Load({{"03_05.commit", "{"}, {"06.inflight", ""}});
  const Status corrupt = timeline.ReadCommitMetadata(timeline.instants()[0]).status();
  EXPECT_EQ(GetErrorCode(corrupt), ErrorCode::kCorrupt);
  EXPECT_THAT(corrupt.message(), HasSubstr("03_05.commit"));
  EXPECT_EQ(GetErrorCode(timeline.ReadCommitMetadata(timeline.instants()[1]).status()),
            ErrorCode::kInvalidArgument);
}

TEST(TimelineCompletedAtOrBefore, MakesLaterWritesPending) {
  const Timeline timeline =
      Load({{"01_02.commit", ""}, {"03_09.deltacommit", ""}, {"04_05.deltacommit", ""}});
  const Timeline earlier = timeline.CompletedAtOrBefore("05");
  EXPECT_TRUE(earlier.IsCommitted("01"));
  EXPECT_FALSE(earlier.IsCommitted("03"));
  EXPECT_TRUE(earlier.IsCommitted("04"));
  EXPECT_TRUE(timeline.IsCommitted("03"));
}

TEST(TimelineHistoryTest, ATableThatNeverArchivedHasNone) {
  const Timeline timeline = Load({{"01_02.commit", ""}});
  const Result<std::vector<Instant>> history = timeline.LoadHistory();
  ASSERT_TRUE(history.ok()) << history.status();
  EXPECT_TRUE(history->empty());
  EXPECT_EQ(*timeline.ExactCompletionTime("00"), "00");
}

TEST(TimelineHistoryTest, FindsTheManifest) {
  const std::string history = ".hoodie/timeline/history/";
  const auto message = [&](std::map<std::string, std::string> files) {
    const Result<Timeline> timeline = Timeline::Load(testing::MemoryStorage(files), {});
    return timeline->LoadHistory().status().message();
  };
  // Each manifest is broken, so that the error tells which one was read.
  const std::map<std::string, std::string> manifests = {{history + "manifest_2", "{"},
                                                        {history + "manifest_10", "{"}};
  EXPECT_THAT(message(manifests), HasSubstr("manifest_10"));
  std::map<std::string, std::string> with_version = manifests;
  with_version[history + "_version_"] = "2";
  EXPECT_THAT(message(with_version), HasSubstr("manifest_2"));
  with_version[history + "_version_"] = "";  // being rewritten
  EXPECT_THAT(message(with_version), HasSubstr("manifest_10"));
}

TEST(ParseLsmManifestTest, ReadsTheFileNames) {
  const Result<std::vector<std::string>> names = ParseLsmManifest(
      R"({"files":[{"fileName":"01_05_1.parquet","fileLen":9},{"fileName":"06_06_0.parquet"}]})");
  ASSERT_TRUE(names.ok()) << names.status();
  EXPECT_THAT(*names, ElementsAre("01_05_1.parquet", "06_06_0.parquet"));
}

TEST(ParseLsmManifestTest, RefusesWhatIsNoFileName) {
  for (const char* text :
       {"", "[]", "{}", R"({"files":{}})", R"({"files":[1]})", R"({"files":[{}]})",
        R"({"files":[{"fileName":"../../01_05_1.parquet"}]})"}) {
    EXPECT_EQ(GetErrorCode(ParseLsmManifest(text).status()), ErrorCode::kCorrupt) << text;
  }
}

TEST(ParseLsmFileNameTest, TellsTheRange) {
  const std::optional<LsmFileRange> range = ParseLsmFileName("0123_0456_2.parquet");
  ASSERT_TRUE(range.has_value());
  EXPECT_EQ(range->first, "0123");
  EXPECT_EQ(range->last, "0456");
  EXPECT_EQ(range->level, 2);
  for (const char* name : {"01_02.parquet", "01_02_10.parquet", "01_02_a.parquet", "_02_1.parquet",
                           "01_02_1.parquet.crc", "01__1.parquet", "manifest_1"}) {
    EXPECT_FALSE(ParseLsmFileName(name).has_value()) << name;
  }
}

}  // namespace
}  // namespace firth
