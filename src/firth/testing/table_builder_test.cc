// SPDX-License-Identifier: Apache-2.0
// Builds tables and looks at their files by other means than the builder's own.
#include "firth/testing/table_builder.h"

#include <arrow/array/array_binary.h>
#include <arrow/array/array_primitive.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/io/file.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <parquet/arrow/reader.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>

#include "firth/common/properties.h"
#include "firth/format/log/log_reader.h"
#include "firth/timeline/timeline.h"

namespace firth::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Pair;
using ::testing::SizeIs;

struct Row {
  int64_t id;
  std::string name;
  int64_t ts;
  std::string part;
};

std::shared_ptr<arrow::Schema> RowSchema() {
  return arrow::schema({arrow::field("id", arrow::int64()), arrow::field("name", arrow::utf8()),
                        arrow::field("ts", arrow::int64()), arrow::field("part", arrow::utf8())});
}

std::shared_ptr<arrow::RecordBatch> Rows(const std::vector<Row>& rows) {
  arrow::Int64Builder id, ts;
  arrow::StringBuilder name, part;
  for (const Row& row : rows) {
    EXPECT_TRUE(id.Append(row.id).ok() && name.Append(row.name).ok() && ts.Append(row.ts).ok() &&
                part.Append(row.part).ok());
  }
  return arrow::RecordBatch::Make(RowSchema(), static_cast<int64_t>(rows.size()),
                                  {*id.Finish(), *name.Finish(), *ts.Finish(), *part.Finish()});
}

class TableBuilderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    dir_ = fs::temp_directory_path() / fmt::format("firth_table_builder_{}", getpid());
    fs::remove_all(dir_);
  }
  void TearDown() override { fs::remove_all(dir_); }

  TableSpec Spec(bool merge_on_read) const {
    return {.merge_on_read = merge_on_read,
            .schema = RowSchema(),
            .partition_field = "part",
            .ordering_field = "ts"};
  }

  /// Data files below the table, relative to it, whose name has `part` in it.
  std::vector<fs::path> Files(std::string_view part) const {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(dir_)) {
      const std::string name = entry.path().filename().string();
      if (name.find(part) != std::string::npos) files.push_back(fs::relative(entry.path(), dir_));
    }
    std::ranges::sort(files);
    return files;
  }

  std::shared_ptr<arrow::Table> ReadBase(const fs::path& path) const {
    auto file = *arrow::io::ReadableFile::Open((dir_ / path).string());
    return *(*parquet::arrow::OpenFile(file, arrow::default_memory_pool()))->ReadTable();
  }

  /// Record key to name in the base files of one instant.
  std::map<std::string, std::string> NamesIn(std::string_view instant) const {
    std::map<std::string, std::string> names;
    for (const fs::path& path : Files(fmt::format("_{}.parquet", instant))) {
      const auto batch = *ReadBase(path)->CombineChunksToBatch();
      const auto column = [&](const char* name) {
        return std::static_pointer_cast<arrow::StringArray>(batch->GetColumnByName(name));
      };
      for (int64_t row = 0; row < batch->num_rows(); ++row) {
        names[column("_hoodie_record_key")->GetString(row)] = column("name")->GetString(row);
      }
    }
    return names;
  }

  fs::path dir_;
};

TEST_F(TableBuilderTest, PropertiesAndTimelineAreThoseOfAVersion9Table) {
  TableBuilder table(dir_.string(), Spec(true));
  table.Insert(*Rows({{1, "a", 1, "x"}})).InsertPending(*Rows({{2, "b", 1, "y"}}));
  ASSERT_TRUE(table.status().ok()) << table.status().ToString();
  const std::shared_ptr<const Storage> storage = *Storage::Open(dir_.string(), {});
  const Properties properties =
      *ParseProperties((*storage->ReadFile(".hoodie/hoodie.properties"))->ToString());
  EXPECT_THAT(properties, IsSupersetOf({Pair("hoodie.table.version", "9"),
                                        Pair("hoodie.table.type", "MERGE_ON_READ"),
                                        Pair("hoodie.table.partition.fields", "part"),
                                        Pair("hoodie.table.ordering.fields", "ts"),
                                        Pair("hoodie.table.checksum", "498511606")}));
  const Timeline timeline = *Timeline::Load(storage, TimelineConfig{});
  ASSERT_THAT(timeline.CompletedWrites(), SizeIs(1));
  EXPECT_THAT(timeline.Pending(), SizeIs(1));
  const CommitMetadata metadata = *timeline.ReadCommitMetadata(timeline.CompletedWrites()[0]);
  EXPECT_EQ(metadata.operation, "INSERT");
  const WriteStat& stat = metadata.write_stats.at("x").at(0);
  EXPECT_EQ(stat.num_inserts, 1);
  EXPECT_EQ(stat.file_size, static_cast<int64_t>(fs::file_size(dir_ / stat.path)));
}

TEST_F(TableBuilderTest, RowsAreSpreadOverFileGroupsOfTheirPartition) {
  TableBuilder table(dir_.string(), Spec(true));
  table.Insert(*Rows({{1, "a", 1, "x"}, {2, "b", 1, "y"}, {3, "c", 1, "x"}, {4, "d", 1, "x"}}), 2);
  ASSERT_TRUE(table.status().ok()) << table.status().ToString();
  std::map<std::string, std::vector<int64_t>> rows;
  for (const fs::path& path : Files(".parquet")) {
    rows[path.parent_path().string()].push_back(ReadBase(path)->num_rows());
  }
  for (auto& [partition, counts] : rows) std::ranges::sort(counts);
  EXPECT_THAT(rows, ElementsAre(Pair("x", ElementsAre(1, 2)), Pair("y", ElementsAre(1))));
}

TEST_F(TableBuilderTest, BaseFilesHaveMetaColumnsAndFooterKeys) {
  TableBuilder table(dir_.string(), Spec(true));
  table.Insert(*Rows({{10, "a", 1, "x"}, {9, "b", 1, "x"}}));
  ASSERT_TRUE(table.status().ok()) << table.status().ToString();
  const fs::path path = Files(".parquet").at(0);
  const auto batch = *ReadBase(path)->CombineChunksToBatch();
  const auto text = [&](int column, int64_t row) {
    return static_cast<const arrow::StringArray&>(*batch->column(column)).GetString(row);
  };
  EXPECT_EQ(text(0, 0), table.instant());
  EXPECT_EQ(text(1, 1), table.instant() + "_0_1");
  EXPECT_EQ(text(2, 0), "10");
  EXPECT_EQ(text(3, 0), "x");
  EXPECT_EQ(text(4, 0), path.filename().string());
  const auto keys = parquet::ParquetFileReader::OpenFile((dir_ / path).string())
                        ->metadata()
                        ->key_value_metadata();
  EXPECT_EQ(*keys->Get("hoodie_min_record_key"), "10");  // as text
  EXPECT_EQ(*keys->Get("hoodie_max_record_key"), "9");
}

TEST_F(TableBuilderTest, MergeOnReadChangesGoToLogs) {
  TableBuilder table(dir_.string(), Spec(true));
  const OrderingValue ordering{OrderingValue::Kind::kLong, int64_t{7}};
  table.Insert(*Rows({{1, "a", 1, "x"}, {2, "b", 1, "x"}}))
      .Upsert(*Rows({{2, "b2", 2, "x"}, {3, "c", 2, "x"}}))
      .Delete({"1"}, ordering);
  ASSERT_TRUE(table.status().ok()) << table.status().ToString();
  EXPECT_THAT(Files(".parquet"), SizeIs(2));  // the new key 3 has a group of its own
  const std::vector<fs::path> logs = Files(".log.");
  ASSERT_THAT(logs, SizeIs(2));
  const auto block_of = [&](const fs::path& path) {
    auto reader = *LogReader::Open(*arrow::io::ReadableFile::Open((dir_ / path).string()), "log");
    const LogBlock block = **reader->Next();
    return std::pair(block, (*reader->LoadContent(block))->ToString());
  };
  const auto [data, data_content] = block_of(logs[0]);
  EXPECT_EQ(data.type, LogBlockType::kAvroData);
  EXPECT_EQ(data_content.substr(4, 4), std::string("\0\0\0\1", 4));  // one record
  const auto [deletes, delete_content] = block_of(logs[1]);
  EXPECT_EQ(deletes.Get(LogHeaderKey::kInstantTime), table.instant());
  EXPECT_THAT(*DecodeDeleteBlock(delete_content), ElementsAre(DeleteRecord{"1", "x", ordering}));
}

TEST_F(TableBuilderTest, LogOnlyGroupsHaveNoBaseFile) {
  TableBuilder table(dir_.string(), Spec(true));
  table.Insert(*Rows({{1, "a", 1, "x"}}), /*groups=*/1, /*log_only=*/true);
  ASSERT_TRUE(table.status().ok()) << table.status().ToString();
  EXPECT_THAT(Files(".parquet"), IsEmpty());
  EXPECT_THAT(Files(".log."), SizeIs(1));
}

TEST_F(TableBuilderTest, CopyOnWriteRewritesTheGroupByOrderingValue) {
  TableBuilder table(dir_.string(), Spec(false));
  table.Insert(*Rows({{1, "a", 5, "x"}, {2, "b", 5, "x"}, {3, "c", 5, "x"}, {4, "d", 5, "x"}}))
      .Upsert(*Rows({{1, "newer", 6, "x"}, {2, "equal", 5, "x"}, {3, "older", 4, "x"}}));
  ASSERT_TRUE(table.status().ok()) << table.status().ToString();
  EXPECT_THAT(NamesIn(table.instant()),
              ElementsAre(Pair("1", "newer"), Pair("2", "equal"), Pair("3", "c"), Pair("4", "d")));
  table.Delete({"1"}, {OrderingValue::Kind::kLong, int64_t{5}}).Delete({"2", "4"});
  ASSERT_TRUE(table.status().ok()) << table.status().ToString();
  EXPECT_THAT(NamesIn(table.instant()), ElementsAre(Pair("1", "newer"), Pair("3", "c")));
  table.Upsert(*Rows({{4, "again", 1, "x"}}));
  EXPECT_THAT(NamesIn(table.instant()),
              ElementsAre(Pair("1", "newer"), Pair("3", "c"), Pair("4", "again")));
}

TEST_F(TableBuilderTest, FirstFailureSticks) {
  TableBuilder table(dir_.string(), Spec(true));
  table.Delete({"absent"}).Insert(*Rows({{1, "a", 1, "x"}}));
  EXPECT_EQ(GetErrorCode(table.status()), ErrorCode::kInvalidArgument);
  EXPECT_THAT(Files(".parquet"), IsEmpty());
  EXPECT_EQ(GetErrorCode(TableBuilder(dir_.string(), Spec(true)).status()),
            ErrorCode::kAlreadyExists);
}

}  // namespace
}  // namespace firth::testing
