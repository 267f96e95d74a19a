// SPDX-License-Identifier: Apache-2.0
#include "firth/timeline/clean_metadata.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firth/timeline/commit_metadata.h"

namespace firth {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(DeletedFiles, AreThoseThatWereDeleted) {
  const auto deleted = DecodeDeletedFiles(
      R"({"totalFilesDeleted": 2, "partitionMetadata": {
            "p": {"deletePathPatterns": ["x.parquet"], "successDeleteFiles": ["a.parquet"],
                  "failedDeleteFiles": ["c.parquet"]},
            "q/r": {"successDeleteFiles": ["hdfs://host/t/q/r/b.parquet", 7]}, "s": {}}})");
  ASSERT_TRUE(deleted.ok()) << deleted.status();
  EXPECT_THAT(*deleted, ElementsAre(Pair("p", ElementsAre("a.parquet")),
                                    Pair("q/r", ElementsAre("b.parquet"))));
}

TEST(DeletedFiles, AreThoseThatAPlanNames) {
  const auto plan = DecodeDeletedFiles(
      R"({"filesToBeDeletedPerPartition": {"p": ["/t/p/old.parquet"]},
          "filePathsToBeDeletedPerPartition": {
            "": [{"filePath": "file:/t/a.parquet", "isBootstrapBaseFile": false}]}})");
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(*plan, ElementsAre(Pair("", ElementsAre("a.parquet")),
                                 Pair("p", ElementsAre("old.parquet"))));
}

TEST(DeletedFiles, OtherContentHasNone) {
  EXPECT_THAT(*DecodeDeletedFiles(""), IsEmpty());
  EXPECT_THAT(*DecodeDeletedFiles(R"({"partitionMetadata": ["p"]})"), IsEmpty());
  EXPECT_EQ(GetErrorCode(DecodeDeletedFiles("{").status()), ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace firth
