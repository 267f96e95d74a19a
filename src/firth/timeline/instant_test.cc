// SPDX-License-Identifier: Apache-2.0
#include "firth/timeline/instant.h"

#include <gtest/gtest.h>

namespace firth {
namespace {

struct NameCase {
  const char* name;
  TimelineLayout layout;
  const char* requested;
  const char* completed;
  Action action;
  InstantState state;
};

class InstantName : public testing::TestWithParam<NameCase> {};

TEST_P(InstantName, IsParsed) {
  const NameCase& expected = GetParam();
  const std::optional<Instant> instant = ParseInstantFileName(expected.name, expected.layout);
  ASSERT_TRUE(instant.has_value()) << expected.name;
  EXPECT_EQ(instant->requested, expected.requested);
  EXPECT_EQ(instant->completed, expected.completed);
  EXPECT_EQ(instant->action, expected.action);
  EXPECT_EQ(instant->state, expected.state);
  EXPECT_EQ(instant->file_name, expected.name);
  EXPECT_FALSE(instant->archived);
}

constexpr TimelineLayout kV1 = TimelineLayout::kV1;
constexpr TimelineLayout kV2 = TimelineLayout::kV2;

// Spec 01, section 3.2, line by line.
INSTANTIATE_TEST_SUITE_P(
    Grammar, InstantName,
    testing::Values(
        NameCase{"20240101120000000.commit", kV1, "20240101120000000", "20240101120000000",
                 Action::kCommit, InstantState::kCompleted},
        NameCase{"20240101120000000_20240101120001000.commit", kV2, "20240101120000000",
                 "20240101120001000", Action::kCommit, InstantState::kCompleted},
        NameCase{"20240101120000000.commit.requested", kV2, "20240101120000000", "",
                 Action::kCommit, InstantState::kRequested},
        NameCase{"20240101120000000.inflight", kV1, "20240101120000000", "", Action::kCommit,
                 InstantState::kInflight},
        NameCase{"20240101120000000.inflight", kV2, "20240101120000000", "", Action::kCommit,
                 InstantState::kInflight},
        NameCase{"20240101120000000.deltacommit.inflight", kV2, "20240101120000000", "",
                 Action::kDeltaCommit, InstantState::kInflight},
        NameCase{"20240101120000000.clustering.requested", kV2, "20240101120000000", "",
                 Action::kClustering, InstantState::kRequested},
        NameCase{"20240101120000000_20240101120001000.replacecommit", kV2, "20240101120000000",
                 "20240101120001000", Action::kReplaceCommit, InstantState::kCompleted},
        NameCase{"20240101120000000.compaction.inflight", kV1, "20240101120000000", "",
                 Action::kCompaction, InstantState::kInflight},
        NameCase{"20240101120000000.logcompaction.requested", kV2, "20240101120000000", "",
                 Action::kLogCompaction, InstantState::kRequested},
        NameCase{"20240101120000000_20240101120001000.clean", kV2, "20240101120000000",
                 "20240101120001000", Action::kClean, InstantState::kCompleted},
        NameCase{"20240101120000000.rollback.inflight", kV2, "20240101120000000", "",
                 Action::kRollback, InstantState::kInflight},
        NameCase{"20240101120000000.restore.requested", kV1, "20240101120000000", "",
                 Action::kRestore, InstantState::kRequested},
        NameCase{"20240101120000000.savepoint.inflight", kV2, "20240101120000000", "",
                 Action::kSavepoint, InstantState::kInflight},
        NameCase{"20240101120000000_20240101120001000.indexing", kV2, "20240101120000000",
                 "20240101120001000", Action::kIndexing, InstantState::kCompleted},
        NameCase{"20240101120000000_20240101120001000.schemacommit", kV2, "20240101120000000",
                 "20240101120001000", Action::kSchemaCommit, InstantState::kCompleted},
        // Old second precision, metadata table times, and a name that an upgrade left behind.
        NameCase{"20240101120000.commit", kV1, "20240101120000", "20240101120000", Action::kCommit,
                 InstantState::kCompleted},
        NameCase{"00000000000000001_20240101120001000.deltacommit", kV2, "00000000000000001",
                 "20240101120001000", Action::kDeltaCommit, InstantState::kCompleted},
        NameCase{"20240101120000000.deltacommit", kV2, "20240101120000000", "20240101120000000",
                 Action::kDeltaCommit, InstantState::kCompleted}));

TEST(InstantNameTest, ForeignFilesAreNoInstants) {
  for (const char* name :
       {"", "hoodie.properties", "history", "20240101120000000", "20240101120000000.",
        "20240101120000000.commit.tmp", "20240101120000000.commit.requested.crc",
        ".20240101120000000.commit.crc", "20240101120000000.unknown", "20240101120000000_.commit",
        "20240101120000000_20240101120001000.commit.requested",
        "20240101120000000_20240101120001000.inflight", "20240101120000000_x.commit",
        "_20240101120001000.commit", "x20240101120000000.commit", "2024010112000000a.commit",
        "111111111111111111111111111111111.commit"}) {
    EXPECT_FALSE(ParseInstantFileName(name, kV1).has_value()) << name;
    EXPECT_FALSE(ParseInstantFileName(name, kV2).has_value()) << name;
  }
}

TEST(InstantNameTest, LayoutOneHasNoCompletionTimes) {
  EXPECT_FALSE(ParseInstantFileName("20240101120000000_20240101120001000.commit", kV1).has_value());
}

TEST(ActionTest, NamesRoundTrip) {
  for (int i = 0; i <= static_cast<int>(Action::kSchemaCommit); ++i) {
    const auto action = static_cast<Action>(i);
    EXPECT_EQ(ParseAction(ActionName(action)), action);
  }
  EXPECT_EQ(ParseAction("COMMIT"), std::nullopt);
}

TEST(ActionTest, ServicesCompleteAsWrites) {
  EXPECT_EQ(CompletedAction(Action::kCompaction), Action::kCommit);
  EXPECT_EQ(CompletedAction(Action::kLogCompaction), Action::kDeltaCommit);
  EXPECT_EQ(CompletedAction(Action::kClustering), Action::kReplaceCommit);
  EXPECT_EQ(CompletedAction(Action::kClean), Action::kClean);
}

}  // namespace
}  // namespace firth
