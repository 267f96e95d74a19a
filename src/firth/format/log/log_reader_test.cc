// SPDX-License-Identifier: Apache-2.0
#include "firth/format/log/log_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firth/common/bytes.h"
#include "firth/format/log/log_test_util.h"
#include "firth/format/log/log_writer.h"

namespace firth {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Two whole files written by Hudi.
const std::string kRollbackFile = FromHex(R"(
    234855444923 000000000000005b 00000001 00000000
    00000003
    00000000 00000011 3230323530313236303430393336353738
    00000003 00000001 30
    00000001 00000011 3230323530313236303430383236383738
    0000000000000000 00000000 0000000000000061)");
const std::string kEmptyDeleteFile = FromHex(R"(
    234855444923 0000000000000042 00000001 00000001
    00000001 00000000 00000011 3030303030303030303030303030303030
    0000000000000009 00000003 00000001 00 00000000 0000000000000048)");

const LogHeader kHeader = {{LogHeaderKey::kInstantTime, "20260101000000000"},
                           {LogHeaderKey::kSchema, R"({"type":"record","name":"r","fields":[]})"}};

std::string Block(const std::string& content) {
  return *EncodeLogBlock(LogBlockType::kAvroData, kHeader, content);
}

std::string WithI64(std::string bytes, size_t offset, int64_t value) {
  ByteWriter out;
  out.PutI64Be(value);
  return bytes.replace(offset, 8, out.bytes());
}

std::string WithI32(std::string bytes, size_t offset, int32_t value) {
  ByteWriter out;
  out.PutI32Be(value);
  return bytes.replace(offset, 4, out.bytes());
}

TEST(LogReader, ReadsARollbackBlockWrittenByHudi) {
  ASSERT_EQ(kRollbackFile.size(), 105u);
  const ReadLog log = ReadAllBlocks(kRollbackFile);
  ASSERT_TRUE(log.status.ok()) << log.status.ToString();
  ASSERT_EQ(log.blocks.size(), 1u);
  const LogBlock& block = log.blocks[0].block;
  EXPECT_EQ(block.type, LogBlockType::kCommand);
  EXPECT_EQ(block.Get(LogHeaderKey::kInstantTime), "20250126040936578");
  EXPECT_EQ(block.Get(LogHeaderKey::kCommandBlockType), "0");
  EXPECT_EQ(block.Get(LogHeaderKey::kTargetInstantTime), "20250126040826878");
  EXPECT_EQ(block.Get(LogHeaderKey::kSchema), "");
  EXPECT_EQ(block.content_length, 0);
}

TEST(LogReader, ReadsAnEmptyDeleteBlockWithoutSchema) {
  ASSERT_EQ(kEmptyDeleteFile.size(), 80u);
  const ReadLog log = ReadAllBlocks(kEmptyDeleteFile);
  ASSERT_TRUE(log.status.ok()) << log.status.ToString();
  ASSERT_EQ(log.blocks.size(), 1u);
  EXPECT_EQ(log.blocks[0].block.type, LogBlockType::kDelete);
  EXPECT_EQ(log.blocks[0].content, FromHex("00000003 00000001 00"));
}

TEST(EncodeLogBlock, WritesWhatHudiWrites) {
  EXPECT_EQ(
      *EncodeLogBlock(LogBlockType::kDelete, {{LogHeaderKey::kInstantTime, "00000000000000000"}},
                      *EncodeDeleteBlock({})),
      kEmptyDeleteFile);
}

TEST(EncodeLogBlock, RefusesMissingHeadersAndCorruptBlocks) {
  EXPECT_EQ(GetErrorCode(EncodeLogBlock(LogBlockType::kDelete, {}, "").status()),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(
      GetErrorCode(EncodeLogBlock(LogBlockType::kAvroData, {{LogHeaderKey::kInstantTime, "1"}}, "")
                       .status()),
      ErrorCode::kInvalidArgument);
  EXPECT_EQ(GetErrorCode(EncodeLogBlock(LogBlockType::kCorrupt, kHeader, "").status()),
            ErrorCode::kInvalidArgument);
}

TEST(LogReader, ReadsBlocksInOrder) {
  const ReadLog log = ReadAllBlocks(Block("one") + Block("") + kRollbackFile);
  ASSERT_TRUE(log.status.ok());
  ASSERT_EQ(log.blocks.size(), 3u);
  EXPECT_EQ(log.corrupt, 0);
  EXPECT_EQ(log.blocks[0].content, "one");
  EXPECT_EQ(log.blocks[0].block.header, kHeader);
  EXPECT_EQ(log.blocks[1].content, "");
  EXPECT_EQ(log.blocks[1].block.offset, static_cast<int64_t>(Block("one").size()));
  EXPECT_EQ(log.blocks[2].block.type, LogBlockType::kCommand);
}

TEST(LogReader, EmptyFileHasNoBlocks) {
  const ReadLog log = ReadAllBlocks("");
  EXPECT_TRUE(log.status.ok());
  EXPECT_THAT(log.blocks, IsEmpty());
  EXPECT_EQ(log.corrupt, 0);
}

TEST(LogReader, FileThatBeginsWithoutMagicIsCorruptAndNamed) {
  const Status status = ReadAllBlocks("PAR1PAR1").status;
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kCorrupt);
  EXPECT_EQ(status.message(), "test.log: block at offset 0: does not begin with \"#HUDI#\"");
}

// The search for the next block begins behind the magic of the damaged one.
TEST(LogReader, DamagedStretchIsOneCorruptBlockAndReadingGoesOn) {
  const std::string torn = Block("torn away").substr(0, 60);
  auto reader = *OpenBytes(Block("a") + torn + Block("b"));
  ASSERT_EQ((*reader->Next())->type, LogBlockType::kAvroData);
  const LogBlock corrupt = **reader->Next();
  EXPECT_EQ(corrupt.type, LogBlockType::kCorrupt);
  EXPECT_EQ(corrupt.offset, static_cast<int64_t>(Block("a").size()));
  EXPECT_EQ(corrupt.content_offset, corrupt.offset + 6);
  EXPECT_EQ(corrupt.content_length, 54);
  const LogBlock last = **reader->Next();
  EXPECT_EQ((*reader->LoadContent(last))->ToString(), "b");
  EXPECT_FALSE(reader->Next()->has_value());
}

TEST(LogReader, GarbageAfterAWholeBlockMakesThatBlockCorrupt) {
  const ReadLog log = ReadAllBlocks(Block("lost") + "garbage" + Block("kept"));
  ASSERT_TRUE(log.status.ok());
  EXPECT_EQ(log.corrupt, 1);
  ASSERT_EQ(log.blocks.size(), 1u);
  EXPECT_EQ(log.blocks[0].content, "kept");
}

TEST(LogReader, FewerThanSixBytesAfterTheLastBlockAreTheEnd) {
  const ReadLog log = ReadAllBlocks(Block("a") + "#HUDI");
  EXPECT_TRUE(log.status.ok());
  EXPECT_EQ(log.corrupt, 0);
  EXPECT_EQ(log.blocks.size(), 1u);
}

TEST(LogReader, MagicInsideATornPayloadIsTakenForABlock) {
  const std::string torn = Block("xx" + Block("inner") + "yy");
  const ReadLog log = ReadAllBlocks(torn.substr(0, torn.size() - 1) + Block("after"));
  // "inner" is followed by neither magic nor end, so it is a second damaged stretch.
  EXPECT_EQ(log.corrupt, 2);
  ASSERT_EQ(log.blocks.size(), 1u);
  EXPECT_EQ(log.blocks[0].content, "after");
}

TEST(LogReader, ImpossibleBlockSizesAreDamage) {
  for (const int64_t size :
       {int64_t{-1}, int64_t{0}, int64_t{8}, int64_t{31}, int64_t{1} << 31,
        std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()}) {
    SCOPED_TRACE(size);
    const ReadLog log = ReadAllBlocks(WithI64(Block("a"), 6, size));
    EXPECT_TRUE(log.status.ok());
    EXPECT_EQ(log.corrupt, 1);
    EXPECT_THAT(log.blocks, IsEmpty());
  }
}

TEST(LogReader, UnknownTypesAndVersionsAreUnsupportedWithFileAndOffset) {
  const std::string first = Block("a");
  for (const int32_t type : {-1, 2, 7}) {
    const ReadLog log = ReadAllBlocks(first + WithI32(Block("b"), 18, type));
    EXPECT_EQ(GetErrorCode(log.status), ErrorCode::kUnsupported);
    EXPECT_THAT(log.status.message(), HasSubstr(fmt::format("test.log: block at offset {}: block "
                                                            "type {}",
                                                            first.size(), type)));
    EXPECT_EQ(log.blocks.size(), 1u);
  }
  for (const int32_t version : {0, 2}) {
    const Status status = ReadAllBlocks(WithI32(first, 14, version)).status;
    EXPECT_EQ(GetErrorCode(status), ErrorCode::kUnsupported);
    EXPECT_THAT(status.message(), HasSubstr(fmt::format("log format version {}", version)));
  }
}

// kRollbackFile has its first key at 26, its second at 51 and its third at 60.
TEST(LogReader, UnknownHeaderKeysAreSkipped) {
  const ReadLog log = ReadAllBlocks(WithI32(kRollbackFile, 60, 9));
  ASSERT_TRUE(log.status.ok()) << log.status.ToString();
  EXPECT_EQ(log.blocks[0].block.header.size(), 2u);
}

TEST(LogReader, HeadersThatNoWriterMakesAreCorrupt) {
  const auto message = [](size_t offset, int32_t value) {
    const Status status = ReadAllBlocks(WithI32(kRollbackFile, offset, value)).status;
    return status.ok() ? "" : status.message();
  };
  EXPECT_THAT(message(22, -1), HasSubstr("claims -1 entries"));
  EXPECT_THAT(message(22, 300), HasSubstr("claims 300 entries"));
  EXPECT_THAT(message(22, 2), HasSubstr("claims"));  // the third entry is no content length
  EXPECT_THAT(message(60, -1), HasSubstr("header key before offset 68 is -1"));
  EXPECT_THAT(message(60, 256), HasSubstr("is 256"));
  EXPECT_THAT(message(60, 3), HasSubstr("header key 3 before offset 85 occurs twice"));
  EXPECT_THAT(message(26, 4), HasSubstr("without INSTANT_TIME"));
  EXPECT_THAT(message(30, -5), HasSubstr("claims -5 bytes"));
  EXPECT_THAT(message(30, 1 << 30), HasSubstr("claims 1073741824 bytes"));
}

TEST(LogReader, ContentMustFillItsBlock) {
  const std::string block = Block("content");
  const size_t length_offset = block.size() - 8 - 4 - 7 - 8;
  EXPECT_THAT(ReadAllBlocks(WithI64(block, length_offset, 8)).status.message(),
              HasSubstr("claims 4 bytes, 3 remain"));
  EXPECT_EQ(GetErrorCode(ReadAllBlocks(WithI64(block, length_offset, 6)).status),
            ErrorCode::kCorrupt);
  EXPECT_THAT(ReadAllBlocks(WithI64(block, length_offset, 7 + 4)).status.message(),
              HasSubstr("entry count"));
  EXPECT_EQ(GetErrorCode(ReadAllBlocks(WithI64(block, length_offset, -1)).status),
            ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace firth
