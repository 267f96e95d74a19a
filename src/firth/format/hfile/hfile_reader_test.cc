// SPDX-License-Identifier: Apache-2.0
#include "firth/format/hfile/hfile_reader.h"

#include <arrow/io/memory.h>
#include <fmt/format.h>

#include "firth/format/hfile/hfile_check.h"
#include "firth/format/hfile/hfile_writer.h"

namespace firth {
namespace {

HFileEntries ManyEntries() {
  HFileEntries entries;
  for (int i = 0; i < 2'000; ++i) entries.emplace_back(fmt::format("key-{:06}", i), "value");
  return entries;
}

std::string ManyBlocks() {
  const auto sink = *arrow::io::BufferOutputStream::Create();
  const auto writer = *HFileWriter::Make(sink, {.block_bytes = 400});
  for (const auto& [key, value] : ManyEntries()) EXPECT_TRUE(writer->Append(key, value).ok());
  EXPECT_TRUE(writer->Finish().ok());
  return (*sink->Finish())->ToString();
}

HFileCost LookUp(const HFileReader& reader, std::vector<std::string_view> keys) {
  return *reader.Lookup(keys,
                        [](size_t, std::string_view, std::string_view) { return Status::OK(); });
}

TEST(HFileReader, OpensInOneRequestAndServesSmallFilesFromIt) {
  const std::string bytes = ManyBlocks();
  const auto reader = *OpenHFileBytes(bytes);
  EXPECT_EQ(reader->open_cost().requests, 1);
  EXPECT_EQ(reader->open_cost().bytes, static_cast<int64_t>(bytes.size()));
  EXPECT_EQ(LookUp(*reader, {"key-000500"}), (HFileCost{.blocks = 1}));
}

TEST(HFileReader, ReadsNeighboursInOneRequestAndEachBlockOnce) {
  const std::string bytes = ManyBlocks();
  const auto reader = *OpenHFileBytes(bytes, {.tail_bytes = 0, .merge_gap = 0});
  EXPECT_EQ(reader->open_cost().requests, 2);
  const HFileCost twice = LookUp(*reader, {"key-001005", "key-001005", "key-001006"});
  EXPECT_LE(twice.blocks, 2);
  EXPECT_EQ(twice.requests, 1);
  const HFileCost far = LookUp(*reader, {"key-001500", "key-000205"});
  EXPECT_EQ(far.requests, 2);
  const auto merged = *OpenHFileBytes(bytes, {.tail_bytes = 0, .merge_gap = 1 << 20});
  EXPECT_EQ(LookUp(*merged, {"key-001500", "key-000205"}).requests, 1);
}

TEST(HFileReader, CacheAnswersTheSecondLookupWithinItsBound) {
  const std::string bytes = ManyBlocks();
  const auto cache = std::make_shared<HFileBlockCache>(int64_t{1} << 20);
  const auto reader = *OpenHFileBytes(bytes, {.tail_bytes = 0, .cache = cache});
  const HFileCost first = LookUp(*reader, {"key-000205", "key-001500"});
  const HFileCost second = LookUp(*reader, {"key-000205", "key-001500"});
  EXPECT_EQ(first.cache_hits, 0);
  EXPECT_EQ(second, (HFileCost{.cache_hits = first.blocks}));
  const auto other = *OpenHFileBytes(bytes, {.path = "other", .tail_bytes = 0, .cache = cache});
  EXPECT_EQ(LookUp(*other, {"key-000205"}).cache_hits, 0);

  const auto small = std::make_shared<HFileBlockCache>(int64_t{64} << 10);
  const auto bounded = *OpenHFileBytes(bytes, {.tail_bytes = 0, .cache = small});
  CheckPoints(*bounded, ManyEntries());
  EXPECT_LE(small->bytes(), int64_t{64} << 10);
  EXPECT_GT(small->bytes(), 0);
}

TEST(HFileReader, ReadsAPartOfAFile) {
  const std::string bytes = ManyBlocks();
  const auto reader =
      *OpenHFileBytes("in front" + bytes + "behind",
                      {.offset = 8, .length = static_cast<int64_t>(bytes.size()), .tail_bytes = 0});
  EXPECT_EQ(*ScanHFile(*reader), ManyEntries());
}

// Hadoop's integers from 128 on, and protobuf's, which Hudi 1.1 wrote.
TEST(HFileReader, TakesBothLengthsOfIndexKeys) {
  const std::string key = std::string("\0\x80", 2) + std::string(128, 'k');  // 130 bytes
  const std::string block(
      "\0\0\0\0\0\0\0\x07"
      "\0\0\0\x64",
      12);
  for (const std::string_view length : {"\x8F\x82", "\x82\x01"}) {
    const std::string payload = block + std::string(length) + key;
    const auto entries = ParseHFileRootIndex(payload, 1, HFileRootKind::kDataBlocks);
    ASSERT_TRUE(entries.ok()) << entries.status();
    EXPECT_EQ(entries->front().offset, 7);
    EXPECT_EQ(entries->front().bytes, 100);
    EXPECT_EQ(entries->front().key, std::string(128, 'k'));
  }
}

}  // namespace
}  // namespace firth
