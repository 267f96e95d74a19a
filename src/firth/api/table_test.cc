// SPDX-License-Identifier: Apache-2.0
#include "firth/table.h"

#include <arrow/array/builder_primitive.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "firth/scan.h"
#include "firth/testing/table_builder.h"

namespace firth {
namespace {

std::shared_ptr<arrow::RecordBatch> Ids(int64_t from, int64_t to) {
  arrow::Int64Builder ids;
  for (int64_t id = from; id < to; ++id) EXPECT_TRUE(ids.Append(id).ok());
  return arrow::RecordBatch::Make(arrow::schema({arrow::field("id", arrow::int64())}), to - from,
                                  {*ids.Finish()});
}

class TableTest : public ::testing::Test {
 protected:
  void SetUp() override {
    dir_ = std::filesystem::temp_directory_path() / fmt::format("firth_table_{}", getpid());
    std::filesystem::remove_all(dir_);
    builder_ = std::make_unique<testing::TableBuilder>(
        (dir_ / "t").string(), testing::TableSpec{.schema = Ids(0, 0)->schema()});
    Insert(0, 10);
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }

  void Insert(int64_t from, int64_t to) {
    builder_->Insert(*Ids(from, to));
    ASSERT_TRUE(builder_->status().ok()) << builder_->status();
  }
  static int64_t CountRows(const Table& table) {
    ScanOptions options;
    options.threads = 1;
    return (*(*table.Pin()->Read(options))->ToTable())->num_rows();
  }

  std::filesystem::path dir_;
  std::unique_ptr<testing::TableBuilder> builder_;
};

TEST_F(TableTest, InfoOutlivesRefreshesAndTheTable) {
  TableInfo info;
  {
    Table table = *Table::Open(builder_->dir());
    const TableInfo& kept = table.info();  // a copy: the reference lengthens its life
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(table.Refresh().ok());
    EXPECT_EQ(kept.location, builder_->dir());
    info = kept;
  }
  EXPECT_EQ(info.properties.at("hoodie.table.name"), info.name);
}

TEST_F(TableTest, CopiesAreTheSameTable) {
  Table table = *Table::Open(builder_->dir());
  const Table copy = table;
  Insert(10, 15);
  EXPECT_EQ(CountRows(copy), 10);
  ASSERT_TRUE(table.Refresh().ok());
  EXPECT_EQ(CountRows(copy), 15);
}

TEST_F(TableTest, ARefreshThatFailsLeavesTheTableAsItWas) {
  Table table = *Table::Open(builder_->dir());
  const std::filesystem::path properties = dir_ / "t" / ".hoodie" / "hoodie.properties";
  std::filesystem::rename(properties, dir_ / "away");
  EXPECT_EQ(GetErrorCode(table.Refresh()), ErrorCode::kNotFound);
  EXPECT_EQ(CountRows(table), 10);
  std::filesystem::rename(dir_ / "away", properties);
  EXPECT_TRUE(table.Refresh().ok());
}

// Under ThreadSanitizer this is the test that a refresh and everything else may run at once.
TEST_F(TableTest, RefreshesAndReadsRunAtTheSameTime) {
  // Commits that are there and not completed: to complete one is to rename one file.
  const std::filesystem::path timeline = dir_ / "t" / ".hoodie" / "timeline";
  std::vector<std::filesystem::path> completed;
  std::set<std::filesystem::path> known;
  for (const auto& entry : std::filesystem::directory_iterator(timeline)) {
    known.insert(entry.path());
  }
  for (int64_t id = 10; id < 60; id += 10) {
    Insert(id, id + 10);
    for (const auto& entry : std::filesystem::directory_iterator(timeline)) {
      if (!known.insert(entry.path()).second || entry.file_size() == 0) continue;
      completed.push_back(entry.path());
      std::filesystem::rename(entry.path(), dir_ / entry.path().filename());
    }
  }
  ASSERT_EQ(completed.size(), 5U);

  Table table = *Table::Open(builder_->dir());
  constexpr int kRounds = 25;
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < kRounds; ++round) wrong += table.Refresh().ok() ? 0 : 1;
    });
    threads.emplace_back([&] {
      int64_t before = 10;
      for (int round = 0; round < kRounds; ++round) {
        wrong += table.info().version == 9 ? 0 : 1;
        const int64_t rows = CountRows(table);
        wrong += rows >= before && rows % 10 == 0 ? 0 : 1;  // never back to an older timeline
        before = rows;
        wrong += table.Timeline()->empty() ? 1 : 0;
      }
    });
  }
  for (const auto& path : completed) std::filesystem::rename(dir_ / path.filename(), path);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  ASSERT_TRUE(table.Refresh().ok());
  EXPECT_EQ(CountRows(table), 60);
}

}  // namespace
}  // namespace firth
