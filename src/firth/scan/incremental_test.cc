// SPDX-License-Identifier: Apache-2.0
// Ranges over timelines of a few instants, whose commits say which file groups they wrote.
#include "firth/scan/incremental.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "firth/testing/memory_storage.h"

namespace firth {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using Files = std::map<std::string, std::string>;

// Millisecond `n` of the year.
std::string Time(int n) { return fmt::format("20260101000000{:03}", n); }

std::string CommitOf(std::string_view partition, std::string_view file_id) {
  return fmt::format(R"({{"partitionToWriteStats":{{"{}":[{{"fileId":"{}"}}]}}}})", partition,
                     file_id);
}

void AddWrite(int requested, int completed, const std::string& metadata, Files* files) {
  (*files)[fmt::format(".hoodie/timeline/{}_{}.deltacommit", Time(requested), Time(completed))] =
      metadata;
}

// Four writes, the second of which takes long and the last of which never ends.
Files LayoutTwo() {
  Files files;
  AddWrite(1, 2, CommitOf("p", "f1"), &files);
  AddWrite(3, 7, CommitOf("p", "f2"), &files);
  AddWrite(4, 5, CommitOf("q", "f3"), &files);
  files[".hoodie/timeline/" + Time(8) + ".deltacommit.requested"] = "";
  return files;
}

std::shared_ptr<const PinnedSnapshot> Pin(const Files& files, TableConfig config = {},
                                          std::optional<std::string_view> as_of = {}) {
  if (config.version == 0) config.version = 9;
  const std::shared_ptr<Storage> storage = testing::MemoryStorage(files);
  const Timeline timeline = Timeline::Load(storage, config.timeline).ValueOrDie();
  return PinSnapshot(storage, config, timeline, as_of).ValueOrDie();
}

IncrementalRange Resolve(const std::shared_ptr<const PinnedSnapshot>& snapshot,
                         const std::string& begin, const std::optional<std::string>& end = {}) {
  return ResolveIncremental(snapshot, begin, end).ValueOrDie();
}

TEST(ResolveIncremental, TakesWritesByCompletionTimeInLayoutTwo) {
  const auto snapshot = Pin(LayoutTwo());
  const IncrementalRange early = Resolve(snapshot, Time(2), Time(5));
  EXPECT_THAT(early.commits.instants, ElementsAre(Time(4)));
  EXPECT_EQ(early.last, Time(4));
  EXPECT_THAT(*early.touched, ElementsAre(Pair("q", "f3")));
  // At its end the write that was requested earlier had not completed.
  EXPECT_FALSE(early.at->context->timeline.IsCommitted(Time(3)));
  EXPECT_TRUE(early.at->context->timeline.IsCommitted(Time(4)));

  const IncrementalRange late = Resolve(snapshot, Time(5));
  EXPECT_THAT(late.commits.instants, ElementsAre(Time(3)));
  EXPECT_THAT(*late.touched, ElementsAre(Pair("p", "f2")));
  EXPECT_EQ(late.at, snapshot);
}

TEST(ResolveIncremental, TakesWritesByInstantTimeInLayoutOne) {
  TableConfig config;
  config.version = 6;
  config.timeline = {TimelineLayout::kV1, ".hoodie", ".hoodie/archived"};
  const auto snapshot = Pin({{".hoodie/" + Time(1) + ".commit", CommitOf("p", "f1")},
                             {".hoodie/" + Time(3) + ".commit", CommitOf("p", "f2")},
                             {".hoodie/" + Time(4) + ".commit", CommitOf("q", "f3")}},
                            config);
  const IncrementalRange range = Resolve(snapshot, Time(1), Time(3));
  EXPECT_THAT(range.commits.instants, ElementsAre(Time(3)));
  EXPECT_THAT(*range.touched, ElementsAre(Pair("p", "f2")));
  EXPECT_EQ(range.at->as_of, Time(3));
}

TEST(ResolveIncremental, BeginsAtTheBeginningOrAtADate) {
  const auto snapshot = Pin(LayoutTwo());
  for (const char* begin : {"", "earliest", "0", "000", "2026-01-01"}) {
    EXPECT_THAT(Resolve(snapshot, begin).commits.instants, ElementsAre(Time(1), Time(3), Time(4)))
        << begin;
  }
  const IncrementalRange nothing = Resolve(snapshot, "2026-01-02");
  EXPECT_THAT(nothing.commits.instants, IsEmpty());
  EXPECT_THAT(*nothing.touched, IsEmpty());
}

TEST(ResolveIncremental, EndsAtTheSnapshot) {
  const auto snapshot = Pin(LayoutTwo(), {}, Time(3));
  EXPECT_THAT(Resolve(snapshot, "").commits.instants, ElementsAre(Time(1), Time(3)));
}

TEST(ResolveIncremental, GathersTheFileGroupsOfManyCommits) {
  constexpr int kCommits = 200;
  Files files;
  for (int i = 0; i < kCommits; ++i) {
    AddWrite(2 * i, 2 * i + 1, CommitOf("p", fmt::format("f{}", i % 150)), &files);
  }
  const IncrementalRange range = Resolve(Pin(files), Time(99));
  EXPECT_EQ(range.commits.instants.size(), 150u);
  EXPECT_EQ(range.touched->size(), 150u);
  EXPECT_EQ(range.last, Time(2 * (kCommits - 1)));
}

TEST(ResolveIncremental, DamagedCommitIsNamed) {
  Files files = LayoutTwo();
  AddWrite(10, 11, "{", &files);
  // The schema would be looked for in the damaged commit.
  TableConfig config;
  config.create_schema = R"({"type":"record","name":"r","fields":[]})";
  const auto snapshot = Pin(files, config, Time(4));
  EXPECT_TRUE(ResolveIncremental(snapshot, "", {}).ok());  // later than the snapshot
  auto latest = std::make_shared<PinnedSnapshot>(*snapshot);
  latest->as_of.clear();
  const Status status = ResolveIncremental(latest, "", {}).status();
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kCorrupt) << status;
  EXPECT_THAT(status.message(), HasSubstr(Time(10)));
}

TEST(ResolveIncremental, RefusesWhatHasNoAnswer) {
  const Status backwards = ResolveIncremental(Pin(LayoutTwo()), Time(5), Time(2)).status();
  EXPECT_EQ(GetErrorCode(backwards), ErrorCode::kInvalidArgument);
  EXPECT_THAT(backwards.message(), HasSubstr("before it begins"));
  const Status nonsense = ResolveIncremental(Pin(LayoutTwo()), "yesterday", {}).status();
  EXPECT_EQ(GetErrorCode(nonsense), ErrorCode::kInvalidArgument);

  TableConfig config;
  config.name = "trips";
  config.has_meta_fields = false;
  const Status no_meta = ResolveIncremental(Pin(LayoutTwo(), config), "", {}).status();
  EXPECT_EQ(GetErrorCode(no_meta), ErrorCode::kUnsupported);
  EXPECT_THAT(no_meta.message(), HasSubstr("trips"));
}

}  // namespace
}  // namespace firth
