// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "firth/table/file_system_view.h"

namespace firth {
namespace {

TEST(ParseBaseFileNameTest, TakesTheNameApart) {
  const std::optional<BaseFile> base = ParseBaseFileName(
      "y=1/m=2/4f2685a3-614f-49ca-9b2b-e1cb9fb61f27-0_1-74-111_20240707001301554.parquet", 77);
  ASSERT_TRUE(base.has_value());
  EXPECT_EQ(base->path,
            "y=1/m=2/4f2685a3-614f-49ca-9b2b-e1cb9fb61f27-0_1-74-111_20240707001301554.parquet");
  EXPECT_EQ(base->file_id, "4f2685a3-614f-49ca-9b2b-e1cb9fb61f27-0");
  EXPECT_EQ(base->write_token, "1-74-111");
  EXPECT_EQ(base->instant, "20240707001301554");
  EXPECT_EQ(base->size, 77);
}

TEST(ParseBaseFileNameTest, KnowsTheFormatsOfHudi) {
  EXPECT_TRUE(ParseBaseFileName("files/files-0000-0_0-0-0_00000000000000000.hfile", 1));
  EXPECT_TRUE(ParseBaseFileName("a-0_1-0-1_20240707001301554.orc", 1));
  EXPECT_TRUE(ParseBaseFileName("a-0_1-0-1_20240707001301554.lance", 1));
}

TEST(ParseBaseFileNameTest, IgnoresOtherFiles) {
  for (const char* name :
       {"", "p/.hoodie_partition_metadata", "p/.hoodie_partition_metadata.parquet",
        "part-00000-4f2685a3.snappy.parquet", "_SUCCESS", "a-0_1-0-1.parquet",
        "_1-0-1_20240707001301554.parquet", "a-0_1-0-1_20240707x.parquet", "a-0_1-0-1_.parquet",
        "a-0_1-0-1_20240707001301554.parquet.crc", "a-0_1-0-1_20240707001301554.csv",
        "a-0_1-0-1_20240707001301554.marker.CREATE"}) {
    EXPECT_FALSE(ParseBaseFileName(name, 1).has_value()) << name;
  }
}

TEST(ParseLogFileNameTest, TakesTheNameApart) {
  const std::optional<LogFile> log =
      ParseLogFileName("p/.9c6ed25b-1d2c-0_20260307135835748.log.12_0-38-83", 5);
  ASSERT_TRUE(log.has_value());
  EXPECT_EQ(log->file_id, "9c6ed25b-1d2c-0");
  EXPECT_EQ(log->instant, "20260307135835748");
  EXPECT_EQ(log->version, 12);
  EXPECT_EQ(log->write_token, "0-38-83");
  EXPECT_FALSE(log->cdc);
  EXPECT_EQ(log->size, 5);
}

TEST(ParseLogFileNameTest, TokenIsOptional) {
  const std::optional<LogFile> log = ParseLogFileName(".f-0_20260307135835748.log.1", 5);
  ASSERT_TRUE(log.has_value());
  EXPECT_EQ(log->version, 1);
  EXPECT_EQ(log->write_token, "");
}

TEST(ParseLogFileNameTest, TellsChangeLogs) {
  for (const char* name :
       {".f-0_20260307135835748.log.1_0-10-5.cdc", ".f-0_20260307135835748.log.1_0-10-5-cdc"}) {
    const std::optional<LogFile> log = ParseLogFileName(name, 5);
    ASSERT_TRUE(log.has_value()) << name;
    EXPECT_TRUE(log->cdc);
    EXPECT_EQ(log->write_token, "0-10-5");
  }
}

TEST(ParseLogFileNameTest, FileIdsMayHoldUnderscores) {
  const std::optional<LogFile> log = ParseLogFileName(".a_b_20260307135835748.log.1_0-1-2", 5);
  ASSERT_TRUE(log.has_value());
  EXPECT_EQ(log->file_id, "a_b");
}

TEST(ParseLogFileNameTest, IgnoresOtherFiles) {
  for (const char* name :
       {"", ".log.1", "f-0_20260307135835748.log.1_0-1-2", ".f-0_20260307135835748.log.",
        ".f-0_20260307135835748.log.x_0-1-2", ".f-0_20260307135835748.log.1_0-1",
        ".f-0_20260307135835748.log.1_0-1-2-3", ".f-0_20260307135835748.log.1_0-1-2.crc",
        ".f-0_20260307135835748.log.99999999999_0-1-2", ".f-0_x.log.1_0-1-2",
        "._20260307135835748.log.1_0-1-2", ".f-0.log.1_0-1-2", ".commits_.archive.1_1-0-1",
        ".hoodie_partition_metadata"}) {
    EXPECT_FALSE(ParseLogFileName(name, 1).has_value()) << name;
  }
}

}  // namespace
}  // namespace firth
