// SPDX-License-Identifier: Apache-2.0
// Files too large to be read whole.
#include "firth/format/log/file_windows.h"

#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <gtest/gtest.h>

#include "firth/format/log/log_reader.h"
#include "firth/format/log/log_test_util.h"
#include "firth/format/log/log_writer.h"

namespace firth {
namespace {

constexpr size_t kMiB = size_t{1} << 20;

/// Counts what is asked of it. Only positioned reads are expected.
class CountingFile : public arrow::io::RandomAccessFile {
 public:
  explicit CountingFile(std::string bytes)
      : file_(std::make_shared<arrow::io::BufferReader>(
            arrow::Buffer::FromString(std::move(bytes)))) {}

  Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t position, int64_t length) override {
    ++reads;
    bytes_read += length;
    return file_->ReadAt(position, length);
  }
  Result<int64_t> GetSize() override { return file_->GetSize(); }
  Result<int64_t> Tell() const override { return file_->Tell(); }
  Status Seek(int64_t position) override { return file_->Seek(position); }
  Result<int64_t> Read(int64_t length, void* out) override { return file_->Read(length, out); }
  Result<std::shared_ptr<arrow::Buffer>> Read(int64_t length) override {
    return file_->Read(length);
  }
  Status Close() override { return file_->Close(); }
  bool closed() const override { return file_->closed(); }

  int reads = 0;
  int64_t bytes_read = 0;

 private:
  std::shared_ptr<arrow::io::BufferReader> file_;
};

std::string Block(const std::string& content) {
  return *EncodeLogBlock(LogBlockType::kAvroData,
                         {{LogHeaderKey::kInstantTime, "1"}, {LogHeaderKey::kSchema, "{}"}},
                         content);
}

TEST(FileWindows, SmallFileIsReadOnce) {
  auto file = std::make_shared<CountingFile>(Block("a") + Block("b"));
  auto reader = *LogReader::Open(file, "f");
  while (const auto block = *reader->Next()) ASSERT_TRUE(reader->LoadContent(*block).ok());
  EXPECT_EQ(file->reads, 1);
}

TEST(FileWindows, LargeBlocksAreFoundWithoutTheirContents) {
  std::string bytes;
  for (const char c : {'a', 'b', 'c'}) bytes += Block(std::string(5 * kMiB, c));
  auto file = std::make_shared<CountingFile>(bytes);
  auto reader = *LogReader::Open(file, "f");
  std::vector<LogBlock> blocks;
  while (const auto block = *reader->Next()) blocks.push_back(*block);
  ASSERT_EQ(blocks.size(), 3u);
  // The tail of a block comes with the head of the next one.
  EXPECT_EQ(file->reads, 4);
  EXPECT_LT(file->bytes_read, int64_t{kMiB});
  EXPECT_EQ((*reader->LoadContent(blocks[1]))->ToString(), std::string(5 * kMiB, 'b'));
  EXPECT_EQ(file->reads, 5);
}

TEST(FileWindows, HeaderLargerThanAWindowIsRead) {
  const std::string schema(3 * static_cast<size_t>(FileWindows::kReadAhead), 's');
  const LogHeader header = {{LogHeaderKey::kInstantTime, "1"}, {LogHeaderKey::kSchema, schema}};
  const std::string large =
      *EncodeLogBlock(LogBlockType::kAvroData, header, std::string(9 * kMiB, 'x'));
  const ReadLog log = ReadAllBlocks(Block("before") + large + Block("after"));
  ASSERT_TRUE(log.status.ok()) << log.status.ToString();
  ASSERT_EQ(log.blocks.size(), 3u);
  EXPECT_EQ(log.blocks[1].block.header, header);
  EXPECT_EQ(log.blocks[2].content, "after");
}

// The next magic lies across the border of two search windows, at each of its bytes.
TEST(FileWindows, SearchFindsTextAcrossItsStretches) {
  for (int64_t shift = -7; shift <= 1; ++shift) {
    SCOPED_TRACE(shift);
    std::string bytes(9 * kMiB, '.');
    const int64_t at = 4 * FileWindows::kReadAhead + shift;
    bytes.replace(static_cast<size_t>(at), kLogMagic.size(), kLogMagic);
    auto windows = *FileWindows::Open(std::make_shared<CountingFile>(bytes));
    EXPECT_EQ(*windows.Find(kLogMagic, 20), at);
    EXPECT_EQ(*windows.Find(kLogMagic, at), at);
    EXPECT_EQ(*windows.Find(kLogMagic, at + 1), windows.size());
  }
}

// Sizes behind damage may point anywhere; following them must not cost a window each.
TEST(FileWindows, ManyFalseBlocksCostLittle) {
  std::string bytes;
  while (bytes.size() < 9 * kMiB) {
    std::string block = Block("x");
    block[11] = 0x3F;  // a size of 4 MiB
    bytes += block;
  }
  auto file = std::make_shared<CountingFile>(bytes);
  auto reader = *LogReader::Open(file, "f");
  int corrupt = 0;
  while (const auto block = *reader->Next()) corrupt += block->type == LogBlockType::kCorrupt;
  EXPECT_GT(corrupt, 50000);
  EXPECT_LT(file->bytes_read, 4 * static_cast<int64_t>(bytes.size()));
}

}  // namespace
}  // namespace firth
