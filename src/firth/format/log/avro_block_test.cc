// SPDX-License-Identifier: Apache-2.0
#include "firth/format/log/avro_block.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "firth/format/log/log_test_util.h"
#include "firth/format/log/log_writer.h"

namespace firth {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(AvroBlockReader, GivesTheRecordsInOrder) {
  EXPECT_THAT(*AvroRecords(EncodeAvroBlock({"a", "", "ccc"})), ElementsAre("a", "", "ccc"));
  EXPECT_THAT(*AvroRecords(FromHex("00000003 00000000")), IsEmpty());
  EXPECT_EQ(EncodeAvroBlock({"a"}), FromHex("00000003 00000001 00000001 61"));
}

TEST(AvroBlockReader, RejectsWhatIsNoAvroBlock) {
  const auto code = [](std::string_view hex) {
    return GetErrorCode(AvroRecords(FromHex(hex)).status());
  };
  EXPECT_EQ(code("00000003"), ErrorCode::kCorrupt);
  EXPECT_EQ(code("00000000 00000000"), ErrorCode::kUnsupported);
  EXPECT_EQ(code("00000004 00000000"), ErrorCode::kUnsupported);
  EXPECT_EQ(code("00000003 7fffffff 00000000"), ErrorCode::kCorrupt);
  EXPECT_EQ(code("00000003 ffffffff 00000000"), ErrorCode::kCorrupt);
  EXPECT_EQ(code("00000003 00000001 ffffffff 61"), ErrorCode::kCorrupt);
  EXPECT_EQ(code("00000003 00000001 00000002 61"), ErrorCode::kCorrupt);
  EXPECT_EQ(code("00000003 00000001 00000001 6162"), ErrorCode::kCorrupt);
}

TEST(AvroBlockReader, GivesTheSameWhateverTheWindow) {
  std::mt19937 random(7);
  std::vector<std::string> records(200);
  for (std::string& record : records) record.assign(random() % 40, static_cast<char>(random()));
  const std::string content = EncodeAvroBlock({records.begin(), records.end()});
  for (const int64_t window : {1, 4, 7, 39, 64, 1000, 1 << 20}) {
    EXPECT_EQ(*AvroRecords(content, window), records) << window;
  }
}

}  // namespace
}  // namespace firth
