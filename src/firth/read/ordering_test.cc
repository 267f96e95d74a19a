// SPDX-License-Identifier: Apache-2.0
#include "firth/read/ordering.h"

#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_decimal.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace firth {
namespace {

using Kind = OrderingValue::Kind;

std::shared_ptr<arrow::RecordBatch> OneColumn(const std::shared_ptr<arrow::Array>& column) {
  return arrow::RecordBatch::Make(arrow::schema({arrow::field("o", column->type())}),
                                  column->length(), {column});
}

// Values as strings that compare as the column compares.
std::vector<std::string> Encoded(const OrderingCodec& codec, const OrderingColumn& column) {
  std::vector<std::string> out;
  for (int64_t i = 0; i < column.values->length(); ++i) {
    if (codec.wide()) {
      out.push_back(static_cast<const arrow::BinaryArray&>(*column.values)
                        .GetString(i)
                        .substr(codec.class_bytes()));
      continue;
    }
    const uint64_t biased =
        static_cast<uint64_t>(static_cast<const arrow::Int64Array&>(*column.values).Value(i)) ^
        (uint64_t{1} << 63);
    std::string bytes;
    for (int shift = 56; shift >= 0; shift -= 8) {
      bytes.push_back(static_cast<char>(biased >> shift));
    }
    out.push_back(bytes);
  }
  return out;
}

void ExpectAscending(const std::shared_ptr<arrow::Array>& column) {
  const auto rows = OneColumn(column);
  const OrderingCodec codec = OrderingCodec::Make(*rows->schema(), {"o"}).ValueOrDie();
  const auto encoded = Encoded(codec, codec.FromRows(*rows).ValueOrDie());
  for (size_t i = 1; i < encoded.size(); ++i) {
    EXPECT_LT(encoded[i - 1], encoded[i]) << column->type()->ToString() << " row " << i;
  }
}

TEST(OrderingCodec, DoublesHaveTheOrderOfJava) {
  arrow::DoubleBuilder builder;
  const double infinity = std::numeric_limits<double>::infinity();
  ASSERT_TRUE(builder
                  .AppendValues({-infinity, -1e300, -1.5, -1e-300, -0.0, 0.0, 1e-300, 1.5, 1e300,
                                 infinity, std::nan("")})
                  .ok());
  ExpectAscending(builder.Finish().ValueOrDie());
}

TEST(OrderingCodec, TextsCompareByBytesAndPrefixesComeFirst) {
  arrow::StringBuilder builder;
  const std::string zero("\0", 1);
  ASSERT_TRUE(builder.AppendNull().ok());
  ASSERT_TRUE(
      builder
          .AppendValues({"", zero, zero + zero, zero + "a", "a", "a" + zero, "aa", "b", "\xc3\xa9"})
          .ok());
  ExpectAscending(builder.Finish().ValueOrDie());
}

TEST(OrderingCodec, DecimalsCompareByValueWithThoseOfDeleteBlocks) {
  arrow::Decimal128Builder builder(arrow::decimal128(10, 2));
  for (const int64_t unscaled :
       std::vector<int64_t>{-9999999999, -375, -1, 0, 1, 374, 375, 376, 9999999999}) {
    ASSERT_TRUE(builder.Append(arrow::Decimal128(unscaled)).ok());
  }
  const auto column = builder.Finish().ValueOrDie();
  ExpectAscending(column);
  const auto rows = OneColumn(column);
  const OrderingCodec codec = OrderingCodec::Make(*rows->schema(), {"o"}).ValueOrDie();
  const auto encoded = Encoded(codec, codec.FromRows(*rows).ValueOrDie());
  // 3.75 as Hudi 1.2 writes it: value * 10^15, minimal big-endian.
  const DeleteRecord entry{
      "k", "", {Kind::kDecimal, std::string("\x0d\x52\x9a\xe9\xe8\x60\x00", 7)}};
  const auto deleted = Encoded(codec, codec.FromDeletes({entry}).ValueOrDie());
  EXPECT_EQ(deleted[0], encoded[6]);
}

TEST(OrderingCodec, MillisecondColumnsMeetMicrosecondWrappers) {
  arrow::TimestampBuilder builder(arrow::timestamp(arrow::TimeUnit::MILLI, "UTC"),
                                  arrow::default_memory_pool());
  ASSERT_TRUE(builder.AppendValues({1'700'000'000'123, -2}).ok());
  const auto rows = OneColumn(builder.Finish().ValueOrDie());
  const OrderingCodec codec = OrderingCodec::Make(*rows->schema(), {"o"}).ValueOrDie();
  const auto values = codec.FromRows(*rows).ValueOrDie();
  const std::vector<DeleteRecord> deletes = {
      {"k", "", {Kind::kTimestampMicros, int64_t{1'700'000'000'123'999}}},
      {"k", "", {Kind::kTimestampMicros, int64_t{-1'001}}},
      {"k", "", {Kind::kLong, int64_t{-2}}}};
  const auto deleted = codec.FromDeletes(deletes).ValueOrDie();
  EXPECT_EQ(Encoded(codec, deleted)[0], Encoded(codec, values)[0]);
  EXPECT_EQ(Encoded(codec, deleted)[1], Encoded(codec, values)[1]);
  EXPECT_EQ(Encoded(codec, deleted)[2], Encoded(codec, values)[1]);
}

TEST(OrderingCodec, SeveralFieldsCompareFieldByField) {
  arrow::StringBuilder texts;
  arrow::Int64Builder longs;
  ASSERT_TRUE(texts.AppendValues({"a", "a", "aa", "b"}).ok());
  ASSERT_TRUE(longs.AppendValues({5, 6, -1, -9}).ok());
  const auto schema =
      arrow::schema({arrow::field("t", arrow::utf8()), arrow::field("n", arrow::int64())});
  const auto rows = arrow::RecordBatch::Make(
      schema, 4, {texts.Finish().ValueOrDie(), longs.Finish().ValueOrDie()});
  const OrderingCodec codec = OrderingCodec::Make(*schema, {"t", "n"}).ValueOrDie();
  const auto encoded = Encoded(codec, codec.FromRows(*rows).ValueOrDie());
  EXPECT_TRUE(std::is_sorted(encoded.begin(), encoded.end()));
  const OrderingValue array{
      Kind::kArray,
      std::vector<OrderingValue>{{Kind::kString, std::string("aa")}, {Kind::kLong, int64_t{-1}}}};
  EXPECT_EQ(Encoded(codec, codec.FromDeletes({{"k", "", array}}).ValueOrDie())[0], encoded[2]);
}

TEST(OrderingCodec, MissingFieldsAreNaturalOrder) {
  arrow::Int64Builder longs;
  ASSERT_TRUE(longs.AppendValues({5, 6}).ok());
  const auto rows = OneColumn(longs.Finish().ValueOrDie());
  const OrderingCodec codec = OrderingCodec::Make(*rows->schema(), {"gone"}).ValueOrDie();
  const OrderingColumn column = codec.FromRows(*rows).ValueOrDie();
  EXPECT_EQ(column.flags[0] & row_flag::kNatural, row_flag::kNatural);
}

TEST(OrderingCodec, ValuesOfAForeignTypeAreMarked) {
  arrow::Int64Builder longs;
  ASSERT_TRUE(longs.Append(5).ok());
  const auto rows = OneColumn(longs.Finish().ValueOrDie());
  const OrderingCodec codec = OrderingCodec::Make(*rows->schema(), {"o"}).ValueOrDie();
  const auto column =
      codec.FromDeletes({{"k", "", {Kind::kString, std::string("x")}}}).ValueOrDie();
  EXPECT_NE(column.flags[0] & row_flag::kIncomparable, 0);
}

}  // namespace
}  // namespace firth
