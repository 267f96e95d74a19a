// SPDX-License-Identifier: Apache-2.0
// Every HFile that real Hudi wrote into the metadata tables of the golden tables, as base files and
// in log blocks, by both of its writers.
#include <arrow/array/array_binary.h>
#include <arrow/array/array_primitive.h>
#include <arrow/io/file.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <nlohmann/json.hpp>
#include <set>

#include "firth/format/hfile/hfile_check.h"
#include "firth/format/log/hfile_records.h"
#include "firth/format/log/log_reader.h"
#include "firth/testing/golden.h"

namespace firth {
namespace {

std::shared_ptr<arrow::Schema> WantedColumns() {
  return arrow::schema({arrow::field("key", arrow::utf8()), arrow::field("type", arrow::int32())});
}

std::shared_ptr<arrow::RecordBatch> Decode(const HFileReader& file, const HFileEntries& entries,
                                           std::string_view key_field) {
  auto decoder =
      HFileRecordDecoder::Make(file, WantedColumns(), key_field, arrow::default_memory_pool());
  EXPECT_TRUE(decoder.ok()) << decoder.status();
  if (!decoder.ok()) return nullptr;
  for (const auto& [key, value] : entries) {
    const Status status = (*decoder)->Append(key, value);
    EXPECT_TRUE(status.ok()) << status;
  }
  auto rows = (*decoder)->Flush();
  EXPECT_TRUE(rows.ok()) << rows.status();
  return rows.ok() ? *rows : nullptr;
}

class HFileGolden : public ::testing::Test {
 protected:
  void SetUp() override {
    if (testing::GoldenNames().empty()) {
      GTEST_SKIP() << "no golden tables at " << testing::GoldenDir() << ": set FIRTH_SHARED";
    }
  }

  /// Answers like brute force; all values are records whose key field is empty.
  void CheckFile(const HFileReader& file) {
    ++files_of_[file.trailer().uncompressed_bytes != 0 ? "hbase" : "native"];
    const auto entries = ScanHFile(file);
    ASSERT_TRUE(entries.ok()) << entries.status();
    ASSERT_EQ(file.num_entries(), static_cast<int64_t>(entries->size()));
    for (size_t i = 1; i < entries->size(); ++i) {
      ASSERT_LT((*entries)[i - 1].first, (*entries)[i].first);
    }
    CheckEverything(file, *entries, entries->size() / 3 + 1);
    const auto restored = Decode(file, *entries, "key"), stored = Decode(file, *entries, "");
    ASSERT_TRUE(restored != nullptr && stored != nullptr);
    ASSERT_EQ(restored->num_rows(), file.num_entries());
    const auto& keys = static_cast<const arrow::StringArray&>(*restored->column(0));
    const auto& empty = static_cast<const arrow::StringArray&>(*stored->column(0));
    const auto& types = static_cast<const arrow::Int32Array&>(*restored->column(1));
    for (int64_t i = 0; i < restored->num_rows(); ++i) {
      EXPECT_EQ(keys.GetView(i), (*entries)[static_cast<size_t>(i)].first);
      EXPECT_EQ(empty.GetView(i), "");
      EXPECT_THAT(types.Value(i), ::testing::AllOf(::testing::Ge(1), ::testing::Le(7)));
      keys_.insert(keys.GetString(i));
    }
  }

  void CheckBase(const std::filesystem::path& path) {
    const auto file = OpenHFileBytes(testing::ReadFileBytes(path), {.path = path.string()});
    ASSERT_TRUE(file.ok()) << file.status();
    CheckFile(**file);
    const auto bloom = (*file)->ReadMetaBlock("bloomFilter");
    ASSERT_TRUE(bloom.ok()) << bloom.status();
    EXPECT_EQ(*bloom != nullptr, (*file)->info().contains("bloomFilterTypeCode"));
  }

  void CheckLog(const std::filesystem::path& path) {
    const std::shared_ptr<arrow::io::RandomAccessFile> file =
        *arrow::io::ReadableFile::Open(path.string());
    auto reader = LogReader::Open(file, path.string());
    ASSERT_TRUE(reader.ok()) << reader.status();
    while (true) {
      const auto block = (*reader)->Next();
      ASSERT_TRUE(block.ok()) << block.status();
      if (!block->has_value()) return;
      if ((*block)->type != LogBlockType::kHfileData) continue;
      const auto hfile = OpenHFileBlock(file, **block, {.path = path.string()});
      ASSERT_TRUE(hfile.ok()) << hfile.status();
      EXPECT_EQ((*hfile)->info().at("schema"), (*block)->Get(LogHeaderKey::kSchema));
      CheckFile(**hfile);
      CheckRewritten(**hfile);
    }
  }

  /// What firth writes of the same records holds the same.
  static void CheckRewritten(const HFileReader& file) {
    const HFileEntries entries = *ScanHFile(file);
    const std::vector<HFileRecord> records([&] {
      std::vector<HFileRecord> views;
      for (const auto& [key, value] : entries) views.push_back({key, value});
      return views;
    }());
    const auto content = EncodeHFileBlock(records, file.info().at("schema"));
    ASSERT_TRUE(content.ok()) << content.status();
    const auto again = OpenHFileBytes(*content);
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(*ScanHFile(**again), entries);
    EXPECT_EQ((*again)->info().at("schema"), file.info().at("schema"));
  }

  std::map<std::string, int> files_of_;
  std::set<std::string> keys_;  // of one table
};

TEST_F(HFileGolden, EveryFileAnswersLikeBruteForceAndHoldsTheRecordsThatHudiReads) {
  for (const std::string& name : testing::GoldenNames()) {
    SCOPED_TRACE(name);
    const testing::GoldenTable table(name, "*/.hoodie/metadata/*");
    keys_.clear();
    for (const auto& path : table.Files()) {
      const std::string file = path.filename().string();
      if (file.ends_with(".crc")) continue;
      if (file.ends_with(".hfile")) CheckBase(path);
      if (file.starts_with('.') && file.find(".log.") != std::string::npos) CheckLog(path);
      if (HasFatalFailure()) return;
    }
    const auto expected = nlohmann::json::parse(
        testing::ReadFileBytes(testing::GoldenDir() / (name + ".expected.json")));
    if (!expected.contains("mdt") || !expected["mdt"].contains("records")) continue;
    for (const auto& record : expected["mdt"]["records"]) {
      EXPECT_TRUE(keys_.contains(record["key"])) << record["key"];
    }
  }
  EXPECT_GT(files_of_["hbase"], 100);
  EXPECT_GT(files_of_["native"], 100);
}

}  // namespace
}  // namespace firth
