// SPDX-License-Identifier: Apache-2.0
#include "firth/writer.h"

#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "firth/common/status.h"
#include "firth/scan.h"

namespace firth {
namespace {

namespace stdfs = std::filesystem;
using testing::HasSubstr;

class CreateTableTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = stdfs::temp_directory_path() / ("firth_create_" + std::to_string(getpid()));
    stdfs::remove_all(root_);
    definition_.schema = *ParseSchema("id bigint not null, name string, emb vector(2)");
    definition_.key = {"id"};
  }
  void TearDown() override { stdfs::remove_all(root_); }
  std::string Dir(const std::string& name) const { return (root_ / name).string(); }

  stdfs::path root_;
  TableDefinition definition_;
};

TEST_F(CreateTableTest, AnEmptyTableIsRead) {
  const auto table = CreateTable(Dir("deep/orders") + "/", definition_);
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ(table->info().name, "orders");
  const Snapshot snapshot = *table->Pin();
  EXPECT_EQ(snapshot.instant(), "");
  EXPECT_TRUE(snapshot.schema()->Equals(*definition_.schema)) << snapshot.schema()->ToString();
  const auto rows = (*snapshot.Read({}))->ToTable();
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_EQ((*rows)->num_rows(), 0);
}

TEST_F(CreateTableTest, ATableThatIsThereStays) {
  ASSERT_TRUE(CreateTable(Dir("t"), definition_).ok());
  definition_.merge_on_read = true;
  const auto second = CreateTable(Dir("t"), definition_);
  EXPECT_EQ(GetErrorCode(second.status()), ErrorCode::kAlreadyExists);
  EXPECT_THAT(second.status().message(), HasSubstr("is a Hudi table already"));
  EXPECT_EQ(Table::Open(Dir("t"))->info().type, "COPY_ON_WRITE");
}

// A writer that updates properties leaves the backup alone for a moment.
TEST_F(CreateTableTest, ATableWhosePropertiesAreBeingReplacedIsThere) {
  ASSERT_TRUE(CreateTable(Dir("t"), definition_).ok());
  const stdfs::path folder = root_ / "t/.hoodie";
  stdfs::rename(folder / "hoodie.properties", folder / "hoodie.properties.backup");
  EXPECT_EQ(GetErrorCode(CreateTable(Dir("t"), definition_).status()), ErrorCode::kAlreadyExists);
}

TEST_F(CreateTableTest, WhatBelongsToAnotherTableIsNotAdopted) {
  const auto refused = [&](const std::string& file, const std::string& dir) {
    stdfs::remove_all(root_);
    stdfs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << "x";
    const auto status = CreateTable(Dir(dir), definition_).status();
    EXPECT_FALSE(status.ok()) << file;
    if (status.ok()) return;
    EXPECT_EQ(GetErrorCode(status), ErrorCode::kAlreadyExists) << status;
    EXPECT_FALSE(stdfs::exists(root_ / dir / ".hoodie/hoodie.properties"));
  };
  refused("t/.hoodie/timeline/20260101000000000.commit.requested", "t");  // its properties are lost
  refused("t/de/.hoodie_partition_metadata", "t/de");
  refused("t/0a1b-0_0-1-0_20260101000000000.parquet", "t");
  refused("t/.hoodie/hoodie.properties", "t/.hoodie/metadata");
}

TEST_F(CreateTableTest, FilesThatAreNoTablesAreLeftAlone) {
  stdfs::create_directories(root_ / "t");
  std::ofstream(root_ / "t/README.md") << "x";
  EXPECT_TRUE(CreateTable(Dir("t"), definition_).ok());
}

TEST_F(CreateTableTest, OneOfManyCreatorsWins) {
  constexpr int kThreads = 8;
  std::atomic<int> winners{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      const Status status = CreateTable(Dir("t"), definition_).status();
      winners += status.ok();
      EXPECT_TRUE(status.ok() || GetErrorCode(status) == ErrorCode::kAlreadyExists) << status;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(winners, 1);
}

TEST_F(CreateTableTest, ABadDefinitionLeavesNoFolder) {
  definition_.key = {"no"};
  EXPECT_FALSE(CreateTable(Dir("t"), definition_).ok());
  EXPECT_FALSE(stdfs::exists(root_ / "t"));
}

TEST_F(CreateTableTest, SaysWhatIsInTheWay) {
  stdfs::create_directories(root_);
  std::ofstream(root_ / "file") << "x";
  const Status status = CreateTable(Dir("file"), definition_).status();
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kIo);
  EXPECT_THAT(status.message(), HasSubstr("file"));
}

}  // namespace
}  // namespace firth
