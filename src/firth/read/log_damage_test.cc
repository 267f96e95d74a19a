// SPDX-License-Identifier: Apache-2.0
// Whole reads of a slice whose log blocks have a changed header: an error, or the rows of fewer
// whole blocks, and never another row. Contents have no checksum either, which nobody can mend.
#include <arrow/array/array_nested.h>
#include <arrow/json/from_string.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "firth/format/log/log_reader.h"
#include "firth/read/slice_reader.h"
#include "firth/table/file_system_view.h"
#include "firth/testing/json_rows.h"
#include "firth/testing/table_builder.h"

namespace firth {
namespace {

using ::testing::HasSubstr;
using Rows = std::vector<nlohmann::json>;  // sorted

std::shared_ptr<arrow::RecordBatch> Batch(std::string_view json) {
  const auto type = arrow::struct_(
      {arrow::field("id", arrow::int64()), arrow::field("ts", arrow::int64()),
       arrow::field("price", arrow::decimal128(10, 2)),
       arrow::field("at", arrow::struct_({arrow::field("x", arrow::int32()),
                                          arrow::field("y", arrow::list(arrow::utf8()))}))});
  const auto array = arrow::json::ArrayFromJSONString(type, json).ValueOrDie();
  return arrow::RecordBatch::FromStructArray(array).ValueOrDie();
}

std::string ReadBytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void WriteBytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// One slice: a base file, an update, a delete and another update in logs.
class LogDamageTest : public ::testing::Test {
 protected:
  void SetUp() override {
    dir_ = std::filesystem::temp_directory_path() / fmt::format("firth_damage_{}", getpid());
    std::filesystem::remove_all(dir_);
    testing::TableSpec spec;
    spec.schema = Batch("[]")->schema();
    spec.ordering_field = "ts";
    spec.properties["hoodie.table.initial.version"] = "9";
    testing::TableBuilder builder(path(), spec);
    builder
        .Insert(*Batch(R"([{"id": 1, "ts": 1, "price": "1.50", "at": {"x": 1, "y": ["a"]}},
                           {"id": 2, "ts": 1, "price": "2.50", "at": {"x": 2, "y": ["b"]}},
                           {"id": 3, "ts": 1, "price": "3.50", "at": null}])"))
        .Upsert(*Batch(R"([{"id": 1, "ts": 2, "price": "9.25", "at": {"x": 7, "y": ["c"]}}])"))
        .Delete({"2"})
        .Upsert(*Batch(R"([{"id": 3, "ts": 3, "price": "0.25", "at": {"x": 8, "y": []}}])"));
    ASSERT_TRUE(builder.status().ok()) << builder.status();
    const auto storage = Storage::Open(path(), {}).ValueOrDie();
    context_->storage = storage;
    context_->config = TableConfig::Load(*storage).ValueOrDie();
    context_->timeline = Timeline::Load(storage, context_->config.timeline).ValueOrDie();
    context_->schema =
        ResolveTableSchema(*storage, context_->config, context_->timeline, "").ValueOrDie();
    const auto slices = SnapshotSlices(context_->config, context_->timeline, {}, "",
                                       storage->List("").ValueOrDie(), "")
                            .ValueOrDie();
    ASSERT_EQ(slices.size(), 1U);
    slice_ = slices[0];
    ASSERT_EQ(slice_.logs.size(), 3U);
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }

  std::string path() const { return (dir_ / "t").string(); }
  std::string PathOf(const LogFile& log) const { return path() + "/" + log.path; }

  Result<Rows> Read(const FileSlice& slice) const {
    SliceReadOptions options;
    options.columns = context_->schema.full->field_names();
    ARROW_ASSIGN_OR_RAISE(const auto stream, OpenSlice(context_, slice, options,
                                                       std::make_shared<SliceReadMetrics>()));
    Rows rows;
    while (true) {
      ARROW_ASSIGN_OR_RAISE(const auto batch, stream->Next());
      if (batch == nullptr) break;
      testing::AppendJsonRows(*batch, &rows);
    }
    std::ranges::sort(rows);
    return rows;
  }

  // The rows with every choice of whole blocks; each log has one.
  std::set<Rows> RowsOfAnyBlocks() const {
    std::set<Rows> allowed;
    for (unsigned choice = 0; choice < 8; ++choice) {
      FileSlice slice = slice_;
      slice.logs.clear();
      for (unsigned i = 0; i < 3; ++i) {
        if ((choice >> i & 1U) != 0) slice.logs.push_back(slice_.logs[i]);
      }
      allowed.insert(Read(slice).ValueOrDie());
    }
    return allowed;
  }

  LogBlock OnlyBlock(const LogFile& log) const {
    auto file = context_->storage->OpenFile(log.path).ValueOrDie();
    return *LogReader::Open(std::move(file), log.path).ValueOrDie()->Next().ValueOrDie();
  }

  // The error of a read in which `from` in the headers of the first log became `to`.
  Status ReadWith(std::string_view from, std::string_view to) const {
    std::string bytes = ReadBytes(PathOf(slice_.logs[0]));
    const size_t at = bytes.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    EXPECT_EQ(from.size(), to.size());
    WriteBytes(PathOf(slice_.logs[0]), bytes.replace(at, from.size(), to));
    return Read(slice_).status();
  }

  std::filesystem::path dir_;
  std::shared_ptr<ReadContext> context_ = std::make_shared<ReadContext>();
  FileSlice slice_;
};

TEST_F(LogDamageTest, ChangedHeaderByteIsAnErrorOrLeavesOutWholeBlocks) {
  const std::set<Rows> allowed = RowsOfAnyBlocks();
  ASSERT_EQ(allowed.size(), 8U);
  for (const LogFile& log : slice_.logs) {
    const std::string original = ReadBytes(PathOf(log));
    const LogBlock block = OnlyBlock(log);
    for (size_t at = 0; at < original.size(); ++at) {
      const auto offset = static_cast<int64_t>(at);
      if (offset >= block.content_offset && offset < block.content_offset + block.content_length) {
        continue;
      }
      for (const int change : {0x01, 0x04, 0x20}) {
        std::string changed = original;
        changed[at] = static_cast<char>(changed[at] ^ change);
        WriteBytes(PathOf(log), changed);
        const Result<Rows> rows = Read(slice_);
        ASSERT_TRUE(!rows.ok() || allowed.contains(*rows))
            << log.path << ": byte " << at << " changed by " << change;
      }
    }
    WriteBytes(PathOf(log), original);
  }
}

TEST_F(LogDamageTest, ErrorsNameTheColumnTheFileAndTheOffset) {
  const Status status = ReadWith(R"("name":"price")", R"("name":"prize")");
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kCorrupt);
  EXPECT_THAT(status.message(), HasSubstr(slice_.logs[0].path + ": block at offset 0"));
  EXPECT_THAT(status.message(), HasSubstr("column \"prize\""));
}

TEST_F(LogDamageTest, TypesAreComparedAtEveryLevel) {
  EXPECT_THAT(ReadWith(R"("scale":2)", R"("scale":3)").message(), HasSubstr("column \"price\""));
}

TEST_F(LogDamageTest, NestedNamesAreCompared) {
  EXPECT_THAT(ReadWith(R"("name":"x")", R"("name":"z")").message(), HasSubstr("column \"at\""));
}

TEST_F(LogDamageTest, BlocksAreOfTheInstantThatTheirFileNames) {
  const std::string instant = slice_.logs[0].instant;
  const std::string other = slice_.logs[1].instant;
  EXPECT_THAT(ReadWith(instant, other).message(), HasSubstr("the file is one of " + instant));
}

}  // namespace
}  // namespace firth
