// SPDX-License-Identifier: Apache-2.0
#include "firth/table/table_properties.h"

#include <arrow/buffer.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "firth/table/table_config.h"

namespace firth {
namespace {

namespace stdfs = std::filesystem;

class TablePropertiesTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = stdfs::temp_directory_path() / ("firth_properties_" + std::to_string(getpid()));
    stdfs::create_directories(root_);
    storage_ = *Storage::Open(root_.string(), {});
    writer_ = *StorageWriter::Open(*storage_);
    ASSERT_TRUE(CreateTableProperties(*writer_, kProperties).ok());
  }
  void TearDown() override { stdfs::remove_all(root_); }

  std::string Get(std::string_view key) const {
    return std::string(TableConfig::Load(*storage_)->Get(key));
  }
  const Properties kProperties = {{"hoodie.table.name", "t"},
                                  {"hoodie.table.version", "9"},
                                  {"hoodie.timeline.layout.version", "2"},
                                  {"hoodie.x", "a:b=c#é 😀"}};
  stdfs::path root_;
  std::shared_ptr<Storage> storage_;
  std::shared_ptr<const StorageWriter> writer_;
};

// As Hudi 1.2 wrote it for a table of that name.
TEST(TableChecksum, CoversDatabaseAndName) {
  EXPECT_EQ(TableChecksum({{"hoodie.table.name", "v9_cow_basic"}}), "2026525744");
  EXPECT_EQ(
      TableChecksum({{"hoodie.table.name", "v9_cow_empty_x"}, {"hoodie.database.name", "default"}}),
      "2408735154");
}

TEST_F(TablePropertiesTest, WhatIsCreatedIsRead) {
  EXPECT_EQ(Get("hoodie.x"), "a:b=c#é 😀");
  EXPECT_EQ(Get("hoodie.table.checksum"), TableChecksum(kProperties));
  EXPECT_EQ(GetErrorCode(CreateTableProperties(*writer_, kProperties)), ErrorCode::kAlreadyExists);
}

}  // namespace
}  // namespace firth
