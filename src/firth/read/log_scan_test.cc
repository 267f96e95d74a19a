// SPDX-License-Identifier: Apache-2.0
// Which blocks count, and their order: the assembly of spec 02 section 3.3.
#include "firth/read/log_scan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace firth {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

LogBlock Data(std::string instant, std::string compacted = "") {
  LogBlock block;
  block.type = LogBlockType::kAvroData;
  block.header[LogHeaderKey::kInstantTime] = std::move(instant);
  if (!compacted.empty()) {
    block.header[LogHeaderKey::kCompactedBlockTimes] = std::move(compacted);
  }
  return block;
}

LogBlock Rollback(std::string target) {
  LogBlock block;
  block.type = LogBlockType::kCommand;
  block.header[LogHeaderKey::kInstantTime] = "999";
  block.header[LogHeaderKey::kCommandBlockType] = "0";
  block.header[LogHeaderKey::kTargetInstantTime] = std::move(target);
  return block;
}

std::vector<size_t> Order(const std::vector<LogBlock>& blocks) {
  return OrderBlocks(blocks).ValueOrDie();
}

TEST(OrderBlocks, KeepsBlocksOfAnInstantTogetherInOrderOfTheirFirst) {
  EXPECT_THAT(Order({Data("1"), Data("2"), Data("1"), Data("3"), Data("2")}),
              ElementsAre(0, 2, 1, 4, 3));
}

TEST(OrderBlocks, RollbackRemovesOnlyWhatCameBefore) {
  EXPECT_THAT(Order({Data("1"), Data("2"), Rollback("2"), Data("3")}), ElementsAre(0, 3));
  EXPECT_THAT(Order({Data("1"), Rollback("1"), Data("1")}), ElementsAre(2));
  EXPECT_THAT(Order({Rollback("7"), Data("1")}), ElementsAre(1));
  EXPECT_THAT(Order({Data("1"), Rollback("1")}), IsEmpty());
}

TEST(OrderBlocks, CompactedBlockTakesThePlaceOfItsNewestSource) {
  // 1 and 2 were folded into 5; 3 came meanwhile and stays behind them.
  EXPECT_THAT(Order({Data("1"), Data("2"), Data("3"), Data("5", "1,2")}), ElementsAre(3, 2));
  EXPECT_THAT(Order({Data("1"), Data("2"), Data("3"), Data("5", "1,2"), Data("5", "1,2")}),
              ElementsAre(3, 4, 2));
}

TEST(OrderBlocks, CompactionsOfCompactionsResolveToTheLast) {
  EXPECT_THAT(
      Order({Data("1"), Data("2"), Data("4", "1,2"), Data("3"), Data("6", "4,3"), Data("7")}),
      ElementsAre(4, 5));
}

TEST(OrderBlocks, RolledBackCompactionLeavesItsSources) {
  EXPECT_THAT(Order({Data("1"), Data("2"), Data("5", "1,2"), Rollback("5")}), ElementsAre(0, 1));
}

// Without any of its sources the scan covers other files than the compaction did.
TEST(OrderBlocks, CompactionWithoutSourcesIsLeftOut) {
  EXPECT_THAT(Order({Data("3"), Data("5", "1,2")}), ElementsAre(0));
}

TEST(OrderBlocks, UnknownCommandIsRefused) {
  LogBlock block = Rollback("1");
  block.header[LogHeaderKey::kCommandBlockType] = "4";
  const Status status = OrderBlocks({block}).status();
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kUnsupported);
  EXPECT_THAT(status.message(), ::testing::HasSubstr("\"4\""));
}

}  // namespace
}  // namespace firth
