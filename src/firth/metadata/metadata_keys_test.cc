// SPDX-License-Identifier: Apache-2.0
#include "firth/metadata/metadata_keys.h"

#include <gtest/gtest.h>

namespace firth {
namespace {

// Keys of a metadata table that Hudi 1.2.0 wrote.
TEST(MetadataKeys, AreThoseOfHudi) {
  EXPECT_EQ(PartitionStatsKey("part", "p0"), "+WGrmgkN3io=Z+KNMU8CLlo=");
  EXPECT_EQ(ColumnStatsPrefix("part"), "+WGrmgkN3io=");
  EXPECT_EQ(ColumnStatsKey("_hoodie_commit_time", "p1",
                           "a2565176-3dab-4c2e-b50b-adf9c17da68c-0_1-63-268_20261129211400404."
                           "parquet"),
            "JBBzUToHtLc=qT4Pioac33A=QqSQF9CgICI4iROi7w2MLg==");
  EXPECT_EQ(BloomFilterKey("p0",
                           "f1b6c6e8-1eec-4fde-918f-e1509ee29453-0_0-1843-2557_"
                           "20261129212741540.parquet"),
            "Z+KNMU8CLlo=0oC12R2ivQF9rzXb7LhD8g==");
  EXPECT_EQ(ExpressionPartitionStatsKey("ts", "p2"), "oyTjviKHuhI=2CMHrhWVE9w=iBsANRlvpYk=");
}

TEST(MetadataKeys, TheRootPartitionIsADot) {
  EXPECT_EQ(FilesKey(""), ".");
  EXPECT_EQ(FilesKey("a/b"), "a/b");
  EXPECT_EQ(PartitionStatsKey("c", ""), PartitionStatsKey("c", "."));
}

// Expected hashes computed with Python over UTF-16 code units.
TEST(FileGroupOf, IsJavasHashOverUtf16) {
  EXPECT_EQ(FileGroupOf("", 10), 0);
  EXPECT_EQ(FileGroupOf("19743$", 10), 0);
  EXPECT_EQ(FileGroupOf("TXN-017", 10), 1);
  EXPECT_EQ(FileGroupOf("k\xC3\xA4se", 7), 4);
  EXPECT_EQ(FileGroupOf("\xF0\x9F\x98\x80key", 10), 6);
  // Java's hash of this word is the smallest int, whose absolute value is itself.
  EXPECT_EQ(FileGroupOf("polygenelubricants", 10), 8);
}

TEST(SecondaryKey, SurvivesFormattingAndParsing) {
  const SecondaryKey keys[] = {{"value", "key"},
                               {std::nullopt, "key"},
                               {"", ""},
                               {"a$b\\c", "$\\$"},
                               {std::string("\0", 1), std::string("x\0y", 3)}};
  for (const SecondaryKey& key : keys) {
    const std::string text = FormatSecondaryKey(key);
    const auto parsed = ParseSecondaryKey(text);
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    EXPECT_EQ(*parsed, key) << text;
    EXPECT_TRUE(text.starts_with(SecondaryKeyPrefix(key.value)));
  }
}

TEST(SecondaryKey, IsAsHudiWritesIt) {
  EXPECT_EQ(FormatSecondaryKey({"19743", "TXN-017"}), "19743$TXN-017");
  EXPECT_EQ(FormatSecondaryKey({std::nullopt, "TXN-003"}), std::string("\0$TXN-003", 9));
  EXPECT_EQ(FormatSecondaryKey({"a$", "b\\"}), "a\\$$b\\\\");
  EXPECT_EQ(HashedPartOfKey("a\\$$b", true), "a\\$$");
  EXPECT_EQ(HashedPartOfKey("a\\$$b", false), "a\\$$b");
}

TEST(SecondaryKey, WithoutSeparatorIsCorrupt) {
  EXPECT_EQ(GetErrorCode(ParseSecondaryKey("a\\$b").status()), ErrorCode::kCorrupt);
}

TEST(MetadataFileId, NamesPartitionAndGroup) {
  EXPECT_EQ(FileIdPrefix("column_stats"), "col-stats-");
  EXPECT_EQ(FileIdPrefix("files"), "files-");
  EXPECT_EQ(FileIdPrefix("secondary_index_idx_name"), "secondary-index-idx-name-");
  const auto id = ParseMetadataFileId("record-index-0012-0");
  ASSERT_TRUE(id);
  EXPECT_EQ(id->prefix, "record-index-");
  EXPECT_EQ(id->number, 12);
  EXPECT_EQ(ParseMetadataFileId("files-0003")->number, 3);
  EXPECT_FALSE(ParseMetadataFileId("0003"));
  EXPECT_FALSE(ParseMetadataFileId("files-00x3-0"));
  EXPECT_FALSE(ParseMetadataFileId("files0003-0"));
}

TEST(MetadataPartition, IsKnownByName) {
  EXPECT_EQ(ParseMetadataPartition("files"), MetadataIndex::kFiles);
  EXPECT_EQ(ParseMetadataPartition("secondary_index_a"), MetadataIndex::kSecondaryIndex);
  EXPECT_EQ(ParseMetadataPartition("expr_index_a"), MetadataIndex::kExpressionIndex);
  EXPECT_EQ(ParseMetadataPartition("text_index_a"), std::nullopt);
  EXPECT_EQ(ParseMetadataPartition("files2"), std::nullopt);
}

}  // namespace
}  // namespace firth
