// SPDX-License-Identifier: Apache-2.0
// Which blocks count, and their order: the assembly of spec 02 section 3.3. What a range leaves.
#include "firth/read/log_scan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "firth/format/log/log_writer.h"
#include "firth/testing/memory_storage.h"

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

enum class Columns { kAll, kSome };

std::string BlockBytes(std::string instant, Columns columns = Columns::kAll) {
  LogHeader header = {{LogHeaderKey::kInstantTime, std::move(instant)},
                      {LogHeaderKey::kSchema, R"("string")"}};
  if (columns == Columns::kSome) header[LogHeaderKey::kIsPartial] = "true";
  return EncodeLogBlock(LogBlockType::kAvroData, header, EncodeAvroBlock({"\x02x"})).ValueOrDie();
}

struct Scanned {
  std::vector<std::string> instants;
  bool has_partial = false;
  int64_t corrupt_blocks = 0;
  int64_t reads = 0;
};

// A scan of one log file of a table of version 9.
Scanned Scan(const std::string& bytes, std::optional<InstantFilter> range) {
  ReadContext context;
  const auto storage = testing::MemoryStorage({{"a.log", bytes}});
  context.storage = storage;
  context.config.version = 9;
  LogFile log;
  log.path = "a.log";
  log.size = static_cast<int64_t>(bytes.size());
  FileSlice slice;
  slice.logs = {log};
  SliceReadOptions options;
  options.instants = std::move(range);
  SliceReadMetrics metrics;
  const Result<LogScan> scan = ScanLogs(context, slice, options, &metrics);
  EXPECT_TRUE(scan.ok()) << scan.status();
  Scanned scanned{{}, scan->has_partial, metrics.corrupt_blocks, storage->counters().read_calls};
  for (const ScannedBlock& block : scan->blocks) {
    scanned.instants.emplace_back(block.block.Get(LogHeaderKey::kInstantTime));
  }
  return scanned;
}

TEST(ScanLogs, RangeLeavesOutBlocksOfOtherCommits) {
  const std::string bytes = BlockBytes("1") + BlockBytes("2") + BlockBytes("3");
  EXPECT_THAT(Scan(bytes, {}).instants, ElementsAre("1", "2", "3"));
  EXPECT_THAT(Scan(bytes, InstantFilter{{"2"}}).instants, ElementsAre("2"));
}

TEST(ScanLogs, PartialUpdateInTheRangeNeedsTheVersionsBeforeIt) {
  const std::string bytes = BlockBytes("1") + BlockBytes("2", Columns::kSome) + BlockBytes("3");
  const Scanned with = Scan(bytes, InstantFilter{{"2"}});
  EXPECT_THAT(with.instants, ElementsAre("1", "2", "3"));
  EXPECT_TRUE(with.has_partial);
  const Scanned without = Scan(bytes, InstantFilter{{"3"}});
  EXPECT_THAT(without.instants, ElementsAre("3"));
  EXPECT_FALSE(without.has_partial);
}

TEST(ScanLogs, PartialUpdateInTheRangeIsReadAndItsDamageCountedOnce) {
  const std::string torn = BlockBytes("1").substr(0, 60);
  const std::string bytes = BlockBytes("1") + torn + BlockBytes("2", Columns::kSome);
  const Scanned all = Scan(bytes, {}), range = Scan(bytes, InstantFilter{{"2"}});
  EXPECT_EQ(range.corrupt_blocks, 1);
  EXPECT_EQ(range.instants, all.instants);
  EXPECT_EQ(range.reads, all.reads);
}

}  // namespace
}  // namespace firth
