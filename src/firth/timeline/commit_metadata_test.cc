// SPDX-License-Identifier: Apache-2.0
#include "firth/timeline/commit_metadata.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace firth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

// As Hudi 0.15 writes it, shortened.
constexpr std::string_view kVersionSix = R"({
  "partitionToWriteStats" : {
    "p1" : [ {
      "fileId" : "f1-0",
      "path" : "p1/.f1-0_20240101000000000.log.2_0-1-2",
      "cdcStats" : null,
      "prevCommit" : "20240101000000000",
      "numWrites" : 4, "numDeletes" : 1, "numUpdateWrites" : 3, "numInserts" : 2,
      "fileSizeInBytes" : 1234,
      "runtimeStats" : {"totalScanTime" : 0, "totalUpsertTime" : 181, "totalCreateTime" : 0},
      "logVersion" : 2, "logOffset" : 0,
      "baseFile" : "f1-0_0-1-2_20240101000000000.parquet",
      "logFiles" : [ ".f1-0_20240101000000000.log.1_0-1-2" ],
      "recordsStats" : {"val" : null}
    } ]
  },
  "compacted" : false,
  "extraMetadata" : {"schema" : "{}", "checkpoint" : null},
  "operationType" : "UPSERT"
})";

TEST(DecodeCommitMetadata, ReadsJson) {
  const Result<CommitMetadata> metadata = DecodeCommitMetadata(kVersionSix);
  ASSERT_TRUE(metadata.ok()) << metadata.status();
  EXPECT_EQ(metadata->operation, "UPSERT");
  EXPECT_EQ(metadata->schema(), "{}");
  EXPECT_FALSE(metadata->compacted);
  ASSERT_EQ(metadata->write_stats.size(), 1u);
  ASSERT_EQ(metadata->write_stats.at("p1").size(), 1u);
  const WriteStat& stat = metadata->write_stats.at("p1").front();
  EXPECT_EQ(stat.file_id, "f1-0");
  EXPECT_EQ(stat.path, "p1/.f1-0_20240101000000000.log.2_0-1-2");
  EXPECT_EQ(stat.prev_commit, "20240101000000000");
  EXPECT_EQ(stat.num_writes, 4);
  EXPECT_EQ(stat.num_deletes, 1);
  EXPECT_EQ(stat.num_update_writes, 3);
  EXPECT_EQ(stat.num_inserts, 2);
  EXPECT_EQ(stat.file_size, 1234);
  EXPECT_EQ(stat.base_file, "f1-0_0-1-2_20240101000000000.parquet");
  EXPECT_THAT(stat.log_files, ElementsAre(".f1-0_20240101000000000.log.1_0-1-2"));
  EXPECT_TRUE(stat.cdc_stats.empty());
}

TEST(DecodeCommitMetadata, EmptyFileIsADefaultValue) {
  const Result<CommitMetadata> metadata = DecodeCommitMetadata("");
  ASSERT_TRUE(metadata.ok()) << metadata.status();
  EXPECT_TRUE(metadata->write_stats.empty());
  EXPECT_EQ(metadata->schema(), "");
}

TEST(DecodeCommitMetadata, WrongTypeNamesTheField) {
  const auto message = [](std::string_view text) {
    const Status status = DecodeCommitMetadata(text).status();
    EXPECT_EQ(GetErrorCode(status), ErrorCode::kCorrupt);
    return status.message();
  };
  EXPECT_THAT(message(R"({"compacted": 1})"), HasSubstr("field compacted is of type number"));
  EXPECT_THAT(message(R"({"partitionToWriteStats": {"p": [{"numWrites": "4"}]}})"),
              HasSubstr("field numWrites is of type string; must be an integer"));
  EXPECT_THAT(message(R"({"partitionToWriteStats": {"p": {}}})"), HasSubstr("must be an array"));
  EXPECT_THAT(message("[]"), HasSubstr("must be an object"));
  EXPECT_THAT(message("Obj"), HasSubstr("neither an Avro container nor JSON"));
}

CommitMetadata Example() {
  CommitMetadata metadata;
  WriteStat base;
  base.file_id = "f1-0";
  base.path = "p=1/f1-0_0-1-2_20240101000000000.parquet";
  base.num_writes = base.num_inserts = 7;
  base.file_size = 4321;
  base.prev_base_file = "f1-0_0-1-2_20230101000000000.parquet";
  base.cdc_stats = {{"p=1/.f1-0_20240101000000000.log.1_0-1-2.cdc", 99}};
  WriteStat log;
  log.file_id = "f2-0";
  log.path = "p=1/.f2-0_20240101000000000.log.3_0-1-2";
  log.prev_commit = "20240101000000000";
  log.num_update_writes = 2;
  log.num_deletes = 1;
  log.file_size = 50;
  log.log_files = {".f2-0_20240101000000000.log.3_0-1-2"};
  metadata.write_stats["p=1"] = {base, log};
  metadata.operation = "UPSERT";
  metadata.extra = {{"schema", R"({"type":"record"})"}, {"k", "ünï"}};
  return metadata;
}

TEST(EncodeCommitMetadata, RoundTrips) {
  const CommitMetadata metadata = Example();
  const Result<std::string> bytes = EncodeCommitMetadata(metadata, Action::kDeltaCommit);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const Result<CommitMetadata> read = DecodeCommitMetadata(*bytes);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->operation, "UPSERT");
  EXPECT_EQ(read->extra, metadata.extra);
  EXPECT_TRUE(read->replaced_file_ids.empty());
  ASSERT_EQ(read->write_stats.at("p=1").size(), 2u);
  const WriteStat& base = read->write_stats.at("p=1")[0];
  EXPECT_EQ(base.path, "p=1/f1-0_0-1-2_20240101000000000.parquet");
  EXPECT_EQ(base.prev_commit, "null");
  EXPECT_EQ(base.file_size, 4321);
  EXPECT_EQ(base.prev_base_file, "f1-0_0-1-2_20230101000000000.parquet");
  EXPECT_THAT(base.cdc_stats, ElementsAre(Pair("p=1/.f1-0_20240101000000000.log.1_0-1-2.cdc", 99)));
  EXPECT_TRUE(base.log_files.empty());
  const WriteStat& log = read->write_stats.at("p=1")[1];
  EXPECT_EQ(log.prev_commit, "20240101000000000");
  EXPECT_THAT(log.log_files, ElementsAre(".f2-0_20240101000000000.log.3_0-1-2"));
  EXPECT_EQ(log.base_file, "");
}

TEST(EncodeCommitMetadata, FillsWhatJavaFills) {
  const Result<std::string> bytes = EncodeCommitMetadata(Example(), Action::kDeltaCommit);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const Result<nlohmann::json> json = DecodeInstantContent(*bytes);
  ASSERT_TRUE(json.ok()) << json.status();
  EXPECT_TRUE(json->at("version").is_null());
  EXPECT_EQ(json->at("compacted"), false);
  const nlohmann::json& log = json->at("partitionToWriteStats").at("p=1").at(1);
  EXPECT_EQ(log.at("partitionPath"), "p=1");
  EXPECT_EQ(log.at("totalWriteBytes"), 50);
  EXPECT_EQ(log.at("logVersion"), 3);
  EXPECT_EQ(log.at("logOffset"), 0);
  EXPECT_EQ(log.at("totalWriteErrors"), 0);
  EXPECT_TRUE(log.at("totalLogFiles").is_null());
  EXPECT_TRUE(log.at("runtimeStats").is_null());
}

TEST(EncodeCommitMetadata, ReplaceCommitKeepsTheReplacedGroups) {
  CommitMetadata metadata;
  metadata.replaced_file_ids = {{"p1", {"a-0", "b-0"}}, {"", {"c-0"}}};
  const Result<std::string> bytes = EncodeCommitMetadata(metadata, Action::kReplaceCommit);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const Result<CommitMetadata> read = DecodeCommitMetadata(*bytes);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->replaced_file_ids, metadata.replaced_file_ids);
}

TEST(EncodeCommitMetadata, RefusesOtherActions) {
  EXPECT_EQ(GetErrorCode(EncodeCommitMetadata({}, Action::kClean).status()),
            ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace firth
