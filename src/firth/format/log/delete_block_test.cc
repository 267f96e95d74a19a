// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "firth/common/bytes.h"
#include "firth/format/log/log_reader.h"
#include "firth/format/log/log_test_util.h"
#include "firth/format/log/log_writer.h"

namespace firth {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Kind = OrderingValue::Kind;

/// A block of version 3 around a payload in hexadecimal.
std::string BlockOf(std::string_view payload_hex) {
  const std::string payload = FromHex(payload_hex);
  ByteWriter out;
  out.PutI32Be(3);
  out.PutI32Be(static_cast<int32_t>(payload.size()));
  out.PutBytes(payload);
  return out.Finish();
}

/// The ordering value whose union is `hex`, in a block with one entry of key "k", partition "p".
Result<OrderingValue> Decode(std::string_view hex) {
  ARROW_ASSIGN_OR_RAISE(
      const std::vector<DeleteRecord> records,
      DecodeDeleteBlock(BlockOf("02 02 02 6b 02 02 70" + std::string(hex) + "00")));
  return records.at(0).ordering;
}

struct Vector {
  std::string_view hex;
  OrderingValue value;
};

// Branch number in zigzag, then the value as Avro writes it. The entries marked "Hudi" are bytes
// that releases 0.14 to 1.2 wrote; the others follow from the schema.
const std::vector<Vector> kVectors = {
    {"00", {}},
    {"02 01", {Kind::kBoolean, true}},
    {"02 00", {Kind::kBoolean, false}},
    {"04 00", {Kind::kInt, int64_t{0}}},   // Hudi
    {"06 00", {Kind::kLong, int64_t{0}}},  // Hudi
    {"04 ff ff ff ff 0f", {Kind::kInt, int64_t{std::numeric_limits<int32_t>::min()}}},
    {"06 ff ff ff ff ff ff ff ff ff 01", {Kind::kLong, std::numeric_limits<int64_t>::min()}},
    {"08 00 00 c0 3f", {Kind::kFloat, 1.5}},
    {"0a 00 00 00 00 00 00 f8 3f", {Kind::kDouble, 1.5}},
    {"0c 04 00 ff", {Kind::kBytes, std::string("\0\xff", 2)}},
    {"0e 04 6f 32", {Kind::kString, std::string("o2")}},
    {"10 d8 98 02", {Kind::kDate, int64_t{17964}}},
    {"12 0e 0d529ae9e86000", {Kind::kDecimal, FromHex("0d529ae9e86000")}},  // Hudi: 3.75
    {"14 02", {Kind::kTimeMicros, int64_t{1}}},
    {"16 80 80 89 82 e2 f5 86 06", {Kind::kTimestampMicros, int64_t{1704067200000000}}},
    {"18 02 04 06 c8 01 0e 02 62 00",  // Hudi's layout for two ordering fields
     {Kind::kArray,
      std::vector<OrderingValue>{{Kind::kLong, int64_t{100}}, {Kind::kString, std::string("b")}}}},
    {"18 02 02 00 00", {Kind::kArray, std::vector<OrderingValue>{{}}}},
    {"18 02 02 18 02 00",
     {Kind::kArray, std::vector<OrderingValue>{{Kind::kLocalDate, int64_t{1}}}}},
};

TEST(DecodeDeleteBlock, KnowsEveryOrderingBranch) {
  for (const auto& [hex, expected] : kVectors) {
    SCOPED_TRACE(hex);
    const Result<OrderingValue> value = Decode(hex);
    ASSERT_TRUE(value.ok()) << value.status().ToString();
    EXPECT_EQ(*value, expected);
  }
}

TEST(EncodeDeleteBlock, WritesTheSameBytes) {
  for (const auto& [hex, value] : kVectors) {
    SCOPED_TRACE(hex);
    EXPECT_EQ(*EncodeDeleteBlock({{"k", "p", value}}),
              BlockOf("02 02 02 6b 02 02 70" + std::string(hex) + "00"));
  }
}

// A whole entry as Spark wrote it: key, empty partition, IntWrapper(0).
TEST(DecodeDeleteBlock, ReadsAnEntryWrittenByHudi) {
  const std::string block = BlockOf("02 02 0e 54584e2d303032 02 00 04 00 00");
  const DeleteRecord expected{"TXN-002", "", {Kind::kInt, int64_t{0}}};
  EXPECT_THAT(*DecodeDeleteBlock(block), ElementsAre(expected));
  EXPECT_EQ(*EncodeDeleteBlock({expected}), block);
  EXPECT_TRUE(expected.ordering.IsDefault());
}

TEST(DecodeDeleteBlock, EmptyListIsOneByte) {
  EXPECT_THAT(*DecodeDeleteBlock(BlockOf("00")), IsEmpty());
  EXPECT_EQ(*EncodeDeleteBlock({}), BlockOf("00"));
}

TEST(DecodeDeleteBlock, ReadsArraysInSeveralBlocksWithSizes) {
  const auto records = DecodeDeleteBlock(BlockOf("01 0c 02 02 61 02 00 00  02 02 02 62 00 00  00"));
  ASSERT_TRUE(records.ok()) << records.status().ToString();
  EXPECT_THAT(*records, ElementsAre(DeleteRecord{"a", "", {}}, DeleteRecord{"b", "", {}}));
}

TEST(DecodeDeleteBlock, UnderstandsBranchesThatNoReleaseWrites) {
  EXPECT_EQ(*Decode("1a 02"), (OrderingValue{Kind::kLocalDate, int64_t{1}}));
  EXPECT_EQ(*Decode("18 00"), OrderingValue{});
}

TEST(EncodeDeleteBlock, WritesALocalDateOutsideArraysAsDate) {
  EXPECT_EQ(*EncodeDeleteBlock({{"k", "p", {Kind::kLocalDate, int64_t{1}}}}),
            *EncodeDeleteBlock({{"k", "p", {Kind::kDate, int64_t{1}}}}));
}

TEST(EncodeDeleteBlock, RefusesValuesOfAnotherKind) {
  const auto code = [](OrderingValue value) {
    return GetErrorCode(EncodeDeleteBlock({{"k", "p", std::move(value)}}).status());
  };
  EXPECT_EQ(code({Kind::kInt, std::string("1")}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code({Kind::kInt, int64_t{1} << 31}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code({Kind::kNull, int64_t{1}}), ErrorCode::kInvalidArgument);
  const OrderingValue array{Kind::kArray, std::vector<OrderingValue>{}};
  EXPECT_EQ(code({Kind::kArray, std::vector<OrderingValue>{array}}), ErrorCode::kInvalidArgument);
}

TEST(DecodeDeleteBlock, RefusesKryoByName) {
  for (const std::string_view version : {"00000001", "00000002"}) {
    const Status status = DecodeDeleteBlock(FromHex(std::string(version) + "00000000")).status();
    EXPECT_EQ(GetErrorCode(status), ErrorCode::kUnsupported);
    EXPECT_THAT(status.message(), HasSubstr("Kryo"));
  }
  EXPECT_EQ(GetErrorCode(DecodeDeleteBlock(FromHex("00000004 00000001 00")).status()),
            ErrorCode::kUnsupported);
}

TEST(DecodeDeleteBlock, RejectsWhatIsNoDeleteList) {
  const auto code = [](std::string_view hex) {
    return GetErrorCode(DecodeDeleteBlock(FromHex(hex)).status());
  };
  EXPECT_EQ(code(""), ErrorCode::kCorrupt);
  EXPECT_EQ(code("00000003 ffffffff 00"), ErrorCode::kCorrupt);    // negative payload length
  EXPECT_EQ(code("00000003 00000002 00"), ErrorCode::kCorrupt);    // payload beyond the end
  EXPECT_EQ(code("00000003 00000001 0000"), ErrorCode::kCorrupt);  // bytes after the payload
  EXPECT_EQ(code("00000003 00000002 0000"), ErrorCode::kCorrupt);  // bytes after the list
  const auto payload = [](std::string_view hex) {
    return GetErrorCode(DecodeDeleteBlock(BlockOf(hex)).status());
  };
  EXPECT_EQ(payload("02 02 02 6b 02 00 04 00"), ErrorCode::kCorrupt);     // no end of the list
  EXPECT_EQ(payload("02 00 02 00 04 00 00"), ErrorCode::kCorrupt);        // no key
  EXPECT_EQ(payload("02 04 02 6b 02 00 04 00 00"), ErrorCode::kCorrupt);  // no such branch
  EXPECT_EQ(payload("fe ff ff ff ff ff ff ff ff 01 00"), ErrorCode::kCorrupt);  // count too large
  EXPECT_EQ(payload("ff ff ff ff ff ff ff ff ff 01 00 00"), ErrorCode::kCorrupt);  // of -2^63
  EXPECT_EQ(GetErrorCode(Decode("1c 00").status()), ErrorCode::kCorrupt);          // branch 14
  EXPECT_EQ(GetErrorCode(Decode("01").status()), ErrorCode::kCorrupt);             // branch -1
  EXPECT_EQ(GetErrorCode(Decode("02 02").status()), ErrorCode::kCorrupt);          // boolean 2
  EXPECT_EQ(GetErrorCode(Decode("12 00").status()), ErrorCode::kCorrupt);          // empty decimal
  EXPECT_EQ(GetErrorCode(Decode("04 80 80 80 80 10").status()), ErrorCode::kCorrupt);  // 2^31
  EXPECT_EQ(GetErrorCode(Decode("18 02 02 1a 02 00").status()), ErrorCode::kCorrupt);  // inner 13
  EXPECT_EQ(GetErrorCode(Decode("18 02 f0 7f 00").status()), ErrorCode::kCorrupt);
}

TEST(OrderingValue, DefaultIsNullOrIntZero) {
  EXPECT_TRUE(OrderingValue{}.IsDefault());
  EXPECT_TRUE((OrderingValue{Kind::kInt, int64_t{0}}.IsDefault()));
  EXPECT_FALSE((OrderingValue{Kind::kInt, int64_t{1}}.IsDefault()));
  EXPECT_FALSE((OrderingValue{Kind::kLong, int64_t{0}}.IsDefault()));
  EXPECT_FALSE((OrderingValue{Kind::kInt, std::string()}.IsDefault()));
}

}  // namespace
}  // namespace firth
