// SPDX-License-Identifier: Apache-2.0
#include "firth/common/bytes.h"

#include <gtest/gtest.h>

#include <limits>

namespace firth {
namespace {

TEST(ByteReader, ReadsWhatTheWriterWrote) {
  ByteWriter out;
  out.PutI32Be(-2);
  out.PutI64Be(std::numeric_limits<int64_t>::min());
  out.PutU32Le(0xDEADBEEF);
  out.PutU64Le(7);
  out.PutLengthPrefixed("abc");
  ByteReader in(out.bytes());
  EXPECT_EQ(*in.ReadI32Be("a"), -2);
  EXPECT_EQ(*in.ReadI64Be("b"), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(*in.ReadU32Le("c"), 0xDEADBEEF);
  EXPECT_EQ(*in.ReadU64Le("d"), 7u);
  EXPECT_EQ(*in.ReadLengthPrefixed("e"), "abc");
  EXPECT_TRUE(in.AtEnd());
}

TEST(ByteReader, ZigZagRoundTripsExtremes) {
  for (const int64_t value :
       {int64_t{0}, int64_t{-1}, int64_t{63}, int64_t{64}, int64_t{-65},
        std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()}) {
    ByteWriter out;
    out.PutZigZag(value);
    ByteReader in(out.bytes());
    EXPECT_EQ(*in.ReadZigZag("v"), value);
    EXPECT_TRUE(in.AtEnd());
  }
}

TEST(ByteReader, ShortInputIsCorruptAndNamesFieldAndOffset) {
  ByteReader in("abc");
  ASSERT_TRUE(in.Skip(1, "head").ok());
  const Status status = in.ReadI32Be("block size").status();
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kCorrupt);
  EXPECT_EQ(status.message(), "block size needs 4 bytes at offset 1, 2 remain");
}

TEST(ByteReader, OverlongVarintIsCorrupt) {
  ByteReader in(std::string_view("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 11));
  EXPECT_EQ(GetErrorCode(in.ReadZigZag("v").status()), ErrorCode::kCorrupt);
}

TEST(ByteReader, LengthBeyondTheEndOrNegativeIsCorrupt) {
  ByteWriter out;
  out.PutZigZag(5);
  out.PutBytes("ab");
  EXPECT_FALSE(ByteReader(out.bytes()).ReadLengthPrefixed("v").ok());
  ByteWriter negative;
  negative.PutZigZag(-1);
  EXPECT_FALSE(ByteReader(negative.bytes()).ReadLengthPrefixed("v").ok());
}

}  // namespace
}  // namespace firth
