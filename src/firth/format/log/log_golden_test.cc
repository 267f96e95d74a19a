// SPDX-License-Identifier: Apache-2.0
// Every log file that real Hudi wrote into the golden tables, those of metadata tables included.
#include <arrow/array/array_binary.h>
#include <arrow/chunked_array.h>
#include <arrow/io/file.h>
#include <gtest/gtest.h>
#include <parquet/arrow/reader.h>
#include <parquet/file_reader.h>
#include <parquet/schema.h>

#include <algorithm>
#include <map>
#include <optional>

#include "firth/common/bytes.h"
#include "firth/format/log/log_reader.h"
#include "firth/format/log/log_test_util.h"
#include "firth/format/log/log_writer.h"
#include "firth/testing/golden.h"

namespace firth {
namespace {

bool IsLogFile(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with('.') && name.find(".log.") != std::string::npos &&
         !name.ends_with(".crc");
}

class LogGolden : public ::testing::Test {
 protected:
  void SetUp() override {
    if (testing::GoldenNames().empty()) {
      GTEST_SKIP() << "no golden tables at " << testing::GoldenDir() << ": set FIRTH_SHARED";
    }
  }

  void CheckBlock(const std::string& file, const ReadBlock& read) {
    const LogBlock& block = read.block;
    ++blocks_[block.type];
    // The identities of the framing.
    size_t header_bytes = 4;
    for (const auto& [key, value] : block.header) header_bytes += 8 + value.size();
    const auto block_size =
        static_cast<int64_t>(LoadBigEndian64(file.data() + static_cast<size_t>(block.offset) + 6));
    EXPECT_EQ(block_size,
              4 + 4 + static_cast<int64_t>(header_bytes) + 8 + block.content_length + 4 + 8);
    const auto trailer = static_cast<int64_t>(
        LoadBigEndian64(file.data() + static_cast<size_t>(block.offset + 14 + block_size - 8)));
    EXPECT_EQ(trailer, block_size + 6);
    CheckContent(read);
  }

  void CheckContent(const ReadBlock& read) {
    std::optional<size_t> records;
    switch (read.block.type) {
      case LogBlockType::kAvroData:
      case LogBlockType::kCdc: {
        EXPECT_NE(read.block.Get(LogHeaderKey::kSchema), "");
        const auto split = AvroRecords(read.content);
        ASSERT_TRUE(split.ok()) << split.status().ToString();
        EXPECT_EQ(EncodeAvroBlock({split->begin(), split->end()}), read.content);
        records = split->size();
        break;
      }
      case LogBlockType::kDelete: {
        const auto deletes = DecodeDeleteBlock(read.content);
        ASSERT_TRUE(deletes.ok()) << deletes.status().ToString();
        for (const DeleteRecord& record : *deletes) ++kinds_[record.ordering.kind];
        records = deletes->size();
        // Hudi's encoder writes array blocks without their size, as ours does.
        EXPECT_EQ(*EncodeDeleteBlock(*deletes), read.content);
        break;
      }
      case LogBlockType::kCommand:
        EXPECT_EQ(read.content, "");
        EXPECT_EQ(read.block.Get(LogHeaderKey::kCommandBlockType), "0");
        EXPECT_NE(read.block.Get(LogHeaderKey::kTargetInstantTime), "");
        break;
      default:
        EXPECT_NE(read.content, "");
    }
    CheckPositions(read.block, records);
  }

  // Parquet and HFile blocks don't say how many records they have without being decoded.
  void CheckPositions(const LogBlock& block, std::optional<size_t> records) {
    const std::string_view text = block.Get(LogHeaderKey::kRecordPositions);
    if (text.empty()) return;
    ++with_positions_;
    EXPECT_NE(block.Get(LogHeaderKey::kBaseFileInstantOfPositions), "");
    const auto positions =
        DecodeRecordPositions(text, static_cast<int64_t>(records.value_or(1'000'000)));
    ASSERT_TRUE(positions.ok()) << positions.status().ToString();
    EXPECT_EQ(positions->size(), records.value_or(positions->size()));
    EXPECT_TRUE(std::ranges::is_sorted(*positions, std::ranges::less_equal()));
    EXPECT_EQ(*EncodeRecordPositions(*positions), text);
  }

  std::map<LogBlockType, int> blocks_;
  std::map<OrderingValue::Kind, int> kinds_;
  int with_positions_ = 0;
};

TEST_F(LogGolden, EveryLogFileReadsWholeAndEncodesBack) {
  int files = 0;
  for (const std::string& name : testing::GoldenNames()) {
    const testing::GoldenTable table(name, "*.log.*");
    for (const auto& path : table.Files()) {
      if (!IsLogFile(path)) continue;
      SCOPED_TRACE(path.string());
      ++files;
      const std::string bytes = testing::ReadFileBytes(path);
      const ReadLog log = ReadAllBlocks(bytes);
      EXPECT_TRUE(log.status.ok()) << log.status.ToString();
      EXPECT_EQ(log.corrupt, 0);
      for (const ReadBlock& block : log.blocks) CheckBlock(bytes, block);
    }
  }
  EXPECT_GT(files, 500);
  for (const auto type :
       {LogBlockType::kCommand, LogBlockType::kDelete, LogBlockType::kAvroData,
        LogBlockType::kHfileData, LogBlockType::kParquetData, LogBlockType::kCdc}) {
    EXPECT_GT(blocks_[type], 0) << LogBlockTypeName(type);
  }
  using Kind = OrderingValue::Kind;
  for (const Kind kind : {Kind::kBoolean, Kind::kInt, Kind::kLong, Kind::kFloat, Kind::kString,
                          Kind::kDecimal, Kind::kArray}) {
    EXPECT_GT(kinds_[kind], 0) << "ordering kind " << static_cast<int>(kind);
  }
  EXPECT_GT(with_positions_, 0);
}

/// The record keys of a base file, by row.
std::vector<std::string> BaseFileKeys(const std::filesystem::path& path) {
  auto file = *arrow::io::ReadableFile::Open(path.string());
  auto reader = *parquet::arrow::OpenFile(file, arrow::default_memory_pool());
  const int column = reader->parquet_reader()->metadata()->schema()->ColumnIndex(
      std::string("_hoodie_record_key"));
  std::shared_ptr<arrow::ChunkedArray> keys;
  EXPECT_TRUE(reader->ReadColumn(column, &keys).ok());
  std::vector<std::string> result;
  for (const auto& chunk : keys->chunks()) {
    const auto& strings = dynamic_cast<const arrow::StringArray&>(*chunk);
    for (int64_t i = 0; i < strings.length(); ++i) result.push_back(strings.GetString(i));
  }
  return result;
}

/// The base file of the log's file group with that instant.
std::filesystem::path BaseFileOf(const std::filesystem::path& log, std::string_view instant) {
  const std::string name = log.filename().string();
  const std::string prefix = name.substr(1, name.find('_'));
  for (const auto& entry : std::filesystem::directory_iterator(log.parent_path())) {
    const std::string file = entry.path().filename().string();
    if (file.starts_with(prefix) && file.ends_with(fmt::format("_{}.parquet", instant))) {
      return entry.path();
    }
  }
  return {};
}

// The i-th position is the row of the i-th entry: the base file has the deleted key there.
TEST_F(LogGolden, PositionsOfDeletesAreTheRowsOfTheirKeys) {
  int deletes = 0;
  const testing::GoldenTable table("v9_mor_positions");
  for (const auto& path : table.Files()) {
    if (!IsLogFile(path) || path.string().find(".hoodie/") != std::string::npos) continue;
    SCOPED_TRACE(path.string());
    for (const ReadBlock& read : ReadAllBlocks(testing::ReadFileBytes(path)).blocks) {
      if (read.block.type != LogBlockType::kDelete) continue;
      const std::vector<DeleteRecord> records = *DecodeDeleteBlock(read.content);
      const auto positions = *DecodeRecordPositions(read.block.Get(LogHeaderKey::kRecordPositions),
                                                    static_cast<int64_t>(records.size()));
      const std::vector<std::string> keys =
          BaseFileKeys(BaseFileOf(path, read.block.Get(LogHeaderKey::kBaseFileInstantOfPositions)));
      ASSERT_EQ(positions.size(), records.size());
      for (size_t i = 0; i < records.size(); ++i, ++deletes) {
        ASSERT_LT(positions[i], static_cast<int64_t>(keys.size()));
        EXPECT_EQ(keys[static_cast<size_t>(positions[i])], records[i].record_key);
      }
    }
  }
  EXPECT_GT(deletes, 0);
}

}  // namespace
}  // namespace firth
