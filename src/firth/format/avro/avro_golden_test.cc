// SPDX-License-Identifier: Apache-2.0
// Bytes that Hudi wrote: a log record of every type, and each Avro instant file of the golden
// tables against what Avro's own library read from it.
#include <arrow/array/array_binary.h>
#include <arrow/array/array_nested.h>
#include <arrow/json/from_string.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "firth/format/avro/avro_codec.h"

namespace firth {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

fs::path GoldenDir() {
  const char* shared = std::getenv("FIRTH_SHARED");
  return fs::path(shared != nullptr ? shared : FIRTH_SOURCE_DIR "/../shared") / "oracle/golden";
}

std::string ReadFile(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(in)), {});
}

// The answers leave out members that are null.
json WithoutNulls(const json& value) {
  if (value.is_object()) {
    json out = json::object();
    for (const auto& [key, member] : value.items()) {
      if (!member.is_null()) out[key] = WithoutNulls(member);
    }
    return out;
  }
  if (!value.is_array()) return value;
  json out = json::array();
  for (const json& item : value) out.push_back(WithoutNulls(item));
  return out;
}

class AvroGolden : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(GoldenDir())) {
      GTEST_SKIP() << "golden tables are not at " << GoldenDir() << ": set FIRTH_SHARED";
    }
    dir_ = fs::temp_directory_path() / fmt::format("firth_avro_golden_{}", getpid());
  }
  void TearDown() override { fs::remove_all(dir_); }

  // Unpacks the instant files of one table and checks each that is an Avro container.
  void CheckTable(const fs::path& expected_path) {
    const json expected = json::parse(ReadFile(expected_path));
    const std::string name = expected.at("name");
    const std::string command =
        fmt::format("unzip -qq -o '{}' '{}/.hoodie/*' -d '{}'",
                    (GoldenDir() / (name + ".zip")).string(), name, dir_.string());
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
    const int layout = expected.at("table_version").get<int>() >= 8 ? 2 : 1;
    const fs::path folder = dir_ / name / (layout == 2 ? ".hoodie/timeline" : ".hoodie");
    for (const json& instant : expected.at("timeline")) {
      if (!instant.contains("content")) continue;
      for (const auto& [file, content] : instant.at("content").items()) {
        const std::string bytes = ReadFile(folder / file);
        if (bytes.starts_with("Obj\x01")) CheckFile(name + "/" + file, bytes, content);
      }
    }
    fs::remove_all(dir_);
  }

  void CheckFile(const std::string& name, const std::string& bytes, const json& content) {
    SCOPED_TRACE(name);
    ++files_;
    const Result<AvroContainer> read = ReadAvroContainer(bytes);
    ASSERT_TRUE(read.ok()) << read.status().ToString();
    ASSERT_EQ(read->records.size(), 1u);
    EXPECT_EQ(WithoutNulls(read->records[0]), content);
    // Written again: the same records, and as many bytes (maps are in another order).
    const Result<std::string> again = WriteAvroContainer(
        *read->schema, SchemaText(bytes), read->records, bytes.substr(bytes.size() - 16));
    ASSERT_TRUE(again.ok()) << again.status().ToString();
    EXPECT_EQ(again->size(), bytes.size());
    EXPECT_EQ(ReadAvroContainer(*again)->records, read->records);
    // The printed schema decodes the file as the text in the file does.
    const std::string printed = FormatAvroSchema(*read->schema);
    EXPECT_EQ(FormatAvroSchema(**ParseAvroSchema(printed)), printed);
  }

  static std::string_view SchemaText(std::string_view bytes) {
    const size_t begin = bytes.find('{');
    const size_t sync =
        bytes.find(bytes.substr(bytes.size() - 16));  // behind the end of the header
    return bytes.substr(begin, sync - 1 - begin);
  }

  fs::path dir_;
  int files_ = 0;
};

TEST_F(AvroGolden, TimelineFilesDecodeAsAvroItselfDoes) {
  for (const auto& entry : fs::directory_iterator(GoldenDir())) {
    if (entry.path().string().ends_with(".expected.json")) CheckTable(entry.path());
  }
  EXPECT_GT(files_, 700);
  RecordProperty("files", files_);
}

// A record of golden table v9_mor_types, and its row as stock Hudi reads it.
TEST(AvroLogRecord, ThatHudiWroteDecodesToItsRow) {
  const std::string input = ReadFile(FIRTH_SOURCE_DIR "/fuzz/corpus/avro/types_3");
  const size_t zero = input.find('\0');
  const AvroSchemaPtr writer = *ParseAvroSchema(std::string_view(input).substr(0, zero));
  const auto wanted = *AvroToArrowSchema(*writer);
  auto decoder = *AvroDecoder::Make(writer, wanted, arrow::default_memory_pool());
  ASSERT_EQ(decoder->Append(std::string_view(input).substr(zero + 1)), Status::OK());
  auto batch = *decoder->Flush();
  ASSERT_EQ(batch->ValidateFull(), Status::OK());

  // Not text, so no JSON either.
  const int bin = wanted->GetFieldIndex("bin");
  EXPECT_EQ(static_cast<const arrow::BinaryArray&>(*batch->column(bin)).GetString(0),
            std::string("\x00\x01\x02\xFF", 4));
  batch = *batch->RemoveColumn(bin);
  const auto expected =
      arrow::json::ArrayFromJSONString(arrow::struct_(batch->schema()->fields()), R"([{
        "_hoodie_commit_time": "20261129205505234", "_hoodie_record_key": "1",
        "_hoodie_commit_seqno": "20261129205505234_0_3", "_hoodie_partition_path": "",
        "_hoodie_file_name": "4c571f8c-00a8-4590-b5f4-08fce107e3e8-0",
        "id": 1, "ok": false, "i8": -4, "i16": -4000, "i64": -4000000000000000, "f32": -1.25,
        "f64": -1e300, "d5": "1.21", "d18": "-11234567.1234",
        "d38": "11234567890123456789012345.0123456789", "s": "updated", "dt": 19782,
        "tsu": 1709210096789012, "arr": [7], "arrs": [{"x": 1, "y": null}], "m": [["k0", 0]],
        "ms": [["a", {"k": 1, "l": ["p"]}]], "st": null, "ts": 2}])");
  ASSERT_TRUE(expected.ok()) << expected.status().ToString();
  EXPECT_TRUE((*batch->ToStructArray())->Equals(**expected)) << batch->ToString();
}

}  // namespace
}  // namespace firth
