// SPDX-License-Identifier: Apache-2.0
#include "firth/format/hfile/hfile_writer.h"

#include <arrow/io/memory.h>

#include <random>
#include <set>

#include "firth/common/bytes.h"
#include "firth/common/checksum.h"
#include "firth/format/hfile/hfile_check.h"

namespace firth {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kBloom = "the serialized filter";

Result<std::string> WriteHFile(const HFileEntries& entries, HFileWriteOptions options,
                               bool bloom = false) {
  ARROW_ASSIGN_OR_RAISE(auto sink, arrow::io::BufferOutputStream::Create());
  ARROW_ASSIGN_OR_RAISE(auto writer, HFileWriter::Make(sink, options));
  for (const auto& [key, value] : entries) ARROW_RETURN_NOT_OK(writer->Append(key, value));
  if (bloom) writer->SetBloomFilter("DYNAMIC_V0", kBloom);
  writer->AddInfo("schema", "\"bytes\"");
  ARROW_RETURN_NOT_OK(writer->Finish());
  ARROW_ASSIGN_OR_RAISE(auto buffer, sink->Finish());
  if (buffer->size() != writer->bytes_written()) return InternalError("bytes_written is wrong");
  return buffer->ToString();
}

/// Keys of very different lengths, many with a common beginning.
HFileEntries RandomEntries(std::mt19937_64& random, size_t count, size_t max_key) {
  std::set<std::string> keys;
  if (count > 2) keys.insert("");
  while (keys.size() < count) {
    const size_t kinds[] = {random() % 4, random() % 40, random() % 300, random() % max_key + 1};
    std::string key(kinds[random() % 16 == 0 ? 3 : random() % 3], 'k');
    for (size_t i = 0; i < std::min<size_t>(key.size(), 6); ++i) {
      key[key.size() - 1 - i] = static_cast<char>(random() % 2 == 0 ? random() : 'k');
    }
    keys.insert(std::move(key));
  }
  HFileEntries entries;
  for (const std::string& key : keys) {
    const size_t length = random() % 5 == 0 ? 0 : random() % 50 == 0 ? 20'000 : random() % 60;
    std::string value(length, 'v');
    for (char& c : value) c = static_cast<char>('a' + random() % 8);
    entries.emplace_back(key, value);
  }
  return entries;
}

TEST(HFileWriter, RoundTripsRandomEntries) {
  std::mt19937_64 random(20);
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    HFileWriteOptions options;
    options.codec = std::array{HFileCodec::kGzip, HFileCodec::kNone, HFileCodec::kZstd}[round % 3];
    options.block_bytes = std::array{64, 500, 4'096, 70'000}[random() % 4];
    options.stock_readable = options.codec != HFileCodec::kZstd && round % 2 == 0;
    const size_t count = round < 6 ? round / 3 : random() % 300;
    const HFileEntries entries =
        RandomEntries(random, count, options.stock_readable ? 32'767 : 70'000);
    const auto bytes = WriteHFile(entries, options, round % 2 == 0);
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    HFileReadOptions read;
    read.tail_bytes = random() % 2 == 0 ? 0 : 1 << 18;
    read.merge_gap = random() % 2 == 0 ? 0 : 4'000;
    read.threads = 1 + static_cast<int>(random() % 3);
    if (round % 4 < 2) read.cache = std::make_shared<HFileBlockCache>(random() % 2 << 20);
    const auto reader = OpenHFileBytes(*bytes, read);
    ASSERT_TRUE(reader.ok()) << reader.status();
    EXPECT_EQ((*reader)->num_entries(), static_cast<int64_t>(count));
    CheckEverything(**reader, entries, count / 10 + 1);
  }
}

TEST(HFileWriter, SameEntriesGiveTheSameBytes) {
  std::mt19937_64 random(3);
  const HFileEntries entries = RandomEntries(random, 500, 200);
  EXPECT_EQ(*WriteHFile(entries, {}), *WriteHFile(entries, {}));
}

TEST(HFileWriter, RefusesWhatHudiCannotRead) {
  EXPECT_THAT(WriteHFile({{"b", ""}, {"a", ""}}, {}).status().message(), HasSubstr("greater"));
  EXPECT_THAT(WriteHFile({{"a", ""}, {"a", ""}}, {}).status().message(), HasSubstr("greater"));
  EXPECT_TRUE(WriteHFile({{std::string(32'767, 'k'), ""}}, {}).ok());
  EXPECT_THAT(WriteHFile({{std::string(32'768, 'k'), ""}}, {}).status().message(),
              HasSubstr("32767"));
  EXPECT_FALSE(WriteHFile({}, {.codec = HFileCodec::kZstd}).ok());
  EXPECT_FALSE(WriteHFile({}, {.block_bytes = 0}).ok());
}

// One entry, uncompressed, by hand from docs/format/hfile.md.
TEST(HFileWriter, WritesTheBytesOfTheSpecification) {
  const std::string bytes = *WriteHFile({{"a", "xy"}}, {.codec = HFileCodec::kNone});
  std::string expected(
      "DATABLK*"
      "\0\0\0\x1C"                        // 24 and one checksum
      "\0\0\0\x18"                        // 24
      "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"  // no block in front
      "\x02"                              // CRC-32C
      "\0\0\x40\0"                        // 16,384
      "\0\0\0\x39"                        // 33 + 24
      "\0\0\0\x0D"
      "\0\0\0\x02"
      "\0\x01"
      "a"
      "\0"
      "\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF"
      "\x04"
      "xy"
      "\0",
      57);
  ByteWriter checksum;
  checksum.PutI32Be(static_cast<int32_t>(Crc32c(expected)));
  expected += checksum.bytes();
  expected += std::string(
      "IDXROOT2"
      "\0\0\0\x1E"
      "\0\0\0\x1A",
      16);
  EXPECT_EQ(bytes.substr(0, expected.size()), expected);
  const std::string entry(
      "\0\0\0\0\0\0\0\0"
      "\0\0\0\x3D"
      "\x0D"
      "\0\x01"
      "a"
      "\0"
      "\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF"
      "\x04",
      26);
  EXPECT_EQ(bytes.substr(61 + 33, entry.size()), entry);
  EXPECT_EQ(bytes.substr(bytes.size() - 4096, 8), "TRABLK\"$");
  EXPECT_EQ(bytes.substr(bytes.size() - 4), std::string("\x03\0\0\x03", 4));
}

// Spec: an empty payload is still compressed, to these 20 bytes.
TEST(HFileWriter, EmptyFileHasEmptyIndexes) {
  const std::string bytes = *WriteHFile({}, {}, true);
  const std::string empty(
      "\x1F\x8B\x08\0\0\0\0\0\0\0"
      "\x03\0"
      "\0\0\0\0"
      "\0\0\0\0",
      20);
  const size_t root = bytes.find("IDXROOT2");
  ASSERT_NE(root, std::string::npos);
  EXPECT_EQ(bytes.substr(root + 33, 20), empty);
  const auto reader = OpenHFileBytes(bytes);
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_EQ((*reader)->trailer().first_data_offset, -1);
  EXPECT_EQ((*reader)->info().at("minRecordKey"), "");
  EXPECT_FALSE((*reader)->info().contains("hfile.LASTKEY"));
  EXPECT_EQ((*(*reader)->ReadMetaBlock("bloomFilter"))->ToString(), kBloom);
}

TEST(HFileWriter, BaseFilesHaveABloomFilterAndTheirKeyRange) {
  const auto reader = *OpenHFileBytes(*WriteHFile({{"a", "1"}, {"b", "2"}, {"c", "3"}}, {}, true));
  EXPECT_EQ((*reader->ReadMetaBlock("bloomFilter"))->ToString(), kBloom);
  EXPECT_EQ(*reader->ReadMetaBlock("other"), nullptr);
  EXPECT_EQ(reader->info().at("minRecordKey"), "a");
  EXPECT_EQ(reader->info().at("maxRecordKey"), "c");
  EXPECT_EQ(reader->info().at("bloomFilterTypeCode"), "DYNAMIC_V0");
  EXPECT_EQ(reader->info().at("schema"), "\"bytes\"");
}

// The native reader of Hudi subtracts checksums from the payload, and so would lose short last
// entries of large blocks.
TEST(HFileWriter, LastEntriesOfLargeBlocksStayVisibleToHudi) {
  HFileEntries entries;
  std::mt19937_64 random(9);
  for (int i = 0; i < 40'000; ++i) {
    entries.emplace_back(fmt::format("{:05}", i), i % 3 == 0 ? "" : std::string(i % 30, 'x'));
  }
  for (const HFileCodec codec : {HFileCodec::kNone, HFileCodec::kGzip}) {
    const std::string bytes = *WriteHFile(entries, {.codec = codec, .block_bytes = 1 << 20});
    const auto reader = *OpenHFileBytes(bytes);
    int64_t offset = 0;
    int blocks = 0;
    for (; offset < reader->trailer().load_on_open_offset; ++blocks) {
      const auto header = *ParseHFileBlockHeader(std::string_view(bytes).substr(offset));
      const auto raw = arrow::Buffer::FromString(bytes.substr(offset, header.total_bytes));
      const auto block = *HFileBlock::Make(
          header.type, *DecodeHFilePayload(header, raw, codec, arrow::default_memory_pool()));
      const size_t last = block->size() - 1;
      const size_t start =
          block->value(last).data() - block->payload().data() - block->key(last).size() - 20;
      const int64_t hidden = (header.total_bytes + 16'383) / 16'384 * 4;
      ASSERT_LT(static_cast<int64_t>(start), header.payload_bytes - hidden);
      offset += header.total_bytes;
    }
    EXPECT_EQ(blocks, static_cast<int>(reader->trailer().data_index_count));
    const auto scanned = ScanHFile(*reader);
    ASSERT_TRUE(scanned.ok()) << scanned.status();
    EXPECT_EQ(*scanned, entries);
  }
}

}  // namespace
}  // namespace firth
