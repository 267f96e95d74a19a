// SPDX-License-Identifier: Apache-2.0
// Timelines of the golden tables against what real Hudi says about them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "firth/testing/golden.h"
#include "firth/timeline/history.h"
#include "firth/timeline/timeline.h"

namespace firth {
namespace {

using Json = nlohmann::json;

// requested, completed, action, state
using Row = std::tuple<std::string, std::string, std::string, std::string>;

Row ToRow(const Instant& instant) {
  constexpr const char* kStates[] = {"requested", "inflight", "completed"};
  return {instant.requested, instant.completed, std::string(ActionName(instant.action)),
          kStates[static_cast<int>(instant.state)]};
}

// The meta folder of a table, unpacked once for all tests.
std::string Unpacked(const std::string& name) {
  static std::map<std::string, testing::GoldenTable> tables;
  return tables.try_emplace(name, name, "*/.hoodie/*").first->second.root().string();
}

class GoldenTimeline : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam().empty()) {
      GTEST_SKIP() << "no golden tables in " << testing::GoldenDir() << ": set FIRTH_SHARED";
    }
    expected_ =
        Json::parse(testing::ReadFileBytes(testing::GoldenDir() / (GetParam() + ".expected.json")));
    const Result<std::shared_ptr<Storage>> storage = Storage::Open(Unpacked(GetParam()), {});
    ASSERT_TRUE(storage.ok()) << storage.status();
    TimelineConfig config;
    is_v6_ = expected_.at("table_version") == 6;
    if (is_v6_) {
      const Json& properties = expected_.at("properties");
      const auto folder = properties.find("hoodie.archivelog.folder");
      config = {
          TimelineLayout::kV1, ".hoodie",
          ".hoodie/" + (folder == properties.end() ? "archived" : folder->get<std::string>())};
    }
    const Result<Timeline> timeline = Timeline::Load(*storage, config);
    ASSERT_TRUE(timeline.ok()) << timeline.status();
    timeline_ = *timeline;
  }

  Json expected_;
  bool is_v6_ = false;
  Timeline timeline_;
};

TEST_P(GoldenTimeline, HasTheActiveInstants) {
  std::vector<Row> expected;
  for (const Json& row : expected_.at("timeline")) {
    const std::string requested = row.at("requested");
    const std::string state = row.at("state");
    std::string completed;
    if (state == "completed") {
      completed =
          row.at("completed").is_null() ? requested : row.at("completed").get<std::string>();
    }
    expected.emplace_back(requested, completed, row.at("action"), state);
  }
  std::vector<Row> found;
  for (const Instant& instant : timeline_.instants()) found.push_back(ToRow(instant));
  EXPECT_THAT(found, ::testing::UnorderedElementsAreArray(expected));
  EXPECT_TRUE(std::ranges::is_sorted(timeline_.instants(), {}, &Instant::requested));
}

TEST_P(GoldenTimeline, DecodesTheContents) {
  for (const Json& row : expected_.at("timeline")) {
    const auto instant = std::ranges::find_if(timeline_.instants(), [&](const Instant& candidate) {
      return candidate.requested == row.at("requested") &&
             ActionName(candidate.action) == row.at("action");
    });
    ASSERT_NE(instant, timeline_.instants().end());
    const Json& contents = row.at("content");
    if (!instant->is_write() || !instant->is_completed()) continue;
    const Json& content = contents.at(instant->file_name);
    const Result<CommitMetadata> metadata = timeline_.ReadCommitMetadata(*instant);
    ASSERT_TRUE(metadata.ok()) << metadata.status();
    EXPECT_EQ(metadata->operation, content.value("operationType", ""));
    std::set<std::string> paths, expected_paths;
    for (const auto& [partition, stats] : metadata->write_stats) {
      for (const WriteStat& stat : stats) paths.insert(partition + "|" + stat.path);
    }
    for (const auto& [partition, stats] : content.at("partitionToWriteStats").items()) {
      for (const Json& stat : stats) {
        const Json& path = stat.contains("path") ? stat.at("path") : Json();
        expected_paths.insert(partition + "|" + (path.is_null() ? "" : path.get<std::string>()));
      }
    }
    EXPECT_EQ(paths, expected_paths);
  }
}

// Written again, the metadata has Hudi's own header (the schema's text, byte for byte) and the same
// values, but for statistics that firth does not keep.
TEST_P(GoldenTimeline, CommitMetadataIsWrittenAsHudiWritesIt) {
  if (is_v6_) return;
  const std::set<std::string> dropped = {"maxEventTime",
                                         "minEventTime",
                                         "numUpdates",
                                         "runtimeStats",
                                         "tempPath",
                                         "totalLogBlocks",
                                         "totalLogFiles",
                                         "totalLogReadTimeMs",
                                         "totalLogRecords",
                                         "totalLogSizeCompacted",
                                         "totalLogFilesCompacted",
                                         "totalUpdatedRecordsCompacted",
                                         "totalWriteBytes"};
  for (const Instant& instant : timeline_.CompletedWrites()) {
    SCOPED_TRACE(instant.file_name);
    const Result<std::string> bytes = timeline_.ReadContent(instant);
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    const Result<CommitMetadata> metadata = DecodeCommitMetadata(*bytes);
    ASSERT_TRUE(metadata.ok()) << metadata.status();
    const Result<std::string> written = EncodeCommitMetadata(*metadata, instant.action);
    ASSERT_TRUE(written.ok()) << written.status();
    const size_t header = written->find("firth-timeline-1");
    EXPECT_EQ(bytes->substr(0, header), written->substr(0, header));

    Json expected = *DecodeInstantContent(*bytes), found = *DecodeInstantContent(*written);
    for (Json* json : {&expected, &found}) {
      for (auto& [partition, stats] : json->at("partitionToWriteStats").items()) {
        for (Json& stat : stats) {
          for (const std::string& name : dropped) stat.erase(name);
        }
      }
    }
    EXPECT_EQ(found, expected) << Json::diff(expected, found);
  }
}

TEST_P(GoldenTimeline, ReadsThePlansOfPendingServices) {
  for (const Instant& instant : timeline_.Pending()) {
    if (instant.action != Action::kCompaction && instant.action != Action::kClustering &&
        instant.action != Action::kLogCompaction) {
      continue;
    }
    const Result<std::string> bytes = timeline_.ReadPlan(instant);
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    const Result<Json> plan = DecodeInstantContent(*bytes);
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_TRUE(plan->contains("operations") || plan->contains("clusteringPlan")) << *plan;
  }
}

TEST_P(GoldenTimeline, HasTheArchivedInstants) {
  const Result<std::vector<Instant>> history = timeline_.LoadHistory();
  ASSERT_TRUE(history.ok()) << history.status();
  std::vector<Row> expected;
  const Json& archived = expected_.at("archived");
  if (archived.contains("instants")) {
    for (const Json& row : archived.at("instants")) {
      expected.emplace_back(row.at("requested"), row.at("completed"), row.at("action"),
                            "completed");
    }
  }
  std::vector<Row> found;
  for (const Instant& instant : *history) {
    found.push_back(ToRow(instant));
    EXPECT_TRUE(instant.archived);
  }
  if (is_v6_ && archived.contains("v6_files")) {  // recorded as names only
    EXPECT_FALSE(found.empty());
  } else {
    EXPECT_EQ(found, expected);
  }
}

// Each step of the recipe says which instants it made: what is not active must be archived.
TEST_P(GoldenTimeline, AccountsForAllWritesOfTheSteps) {
  const Result<std::vector<ArchivedInstant>> archived = timeline_.LoadArchivedWrites({}, {});
  ASSERT_TRUE(archived.ok()) << archived.status();
  const Result<std::vector<Instant>> history = timeline_.LoadHistory();
  ASSERT_TRUE(history.ok()) << history.status();
  std::set<std::string> known;
  for (const Instant& instant : timeline_.instants()) known.insert(instant.requested);
  for (const Instant& instant : *history) known.insert(instant.requested);
  for (const ArchivedInstant& entry : *archived) {
    EXPECT_FALSE(entry.metadata.write_stats.empty()) << entry.instant.requested;
    EXPECT_NE(entry.metadata.schema(), "");
    EXPECT_TRUE(timeline_.IsCommitted(entry.instant.requested));
    const Result<std::string> completed = timeline_.ExactCompletionTime(entry.instant.requested);
    ASSERT_TRUE(completed.ok()) << completed.status();
    EXPECT_EQ(*completed, entry.instant.completed);
    const Result<CommitMetadata> metadata = timeline_.ReadCommitMetadata(entry.instant);
    ASSERT_TRUE(metadata.ok()) << metadata.status();
    EXPECT_EQ(metadata->write_stats.size(), entry.metadata.write_stats.size());
  }
  if (expected_.at("archived").empty()) return;  // nothing left the active timeline
  for (const Json& step : expected_.at("steps")) {
    for (const Json& made : step.at("result").value("new_instants", Json::array())) {
      EXPECT_TRUE(known.contains(made.get<std::string>())) << made;
    }
  }
}

std::vector<std::string> Names() {
  std::vector<std::string> names = testing::GoldenNames();
  if (names.empty()) names.emplace_back();
  return names;
}

std::string TestName(const ::testing::TestParamInfo<std::string>& param) {
  return param.param.empty() ? "none" : param.param;
}

INSTANTIATE_TEST_SUITE_P(All, GoldenTimeline, ::testing::ValuesIn(Names()), TestName);

}  // namespace
}  // namespace firth
