// SPDX-License-Identifier: Apache-2.0
#include "firth/metadata/bloom_filter.h"

#include <arrow/util/base64.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firth/common/bytes.h"

namespace firth {
namespace {

std::string Row(int32_t hashes, int32_t bits, std::string_view bytes, uint8_t hash_type = 1,
                int32_t version = -1) {
  ByteWriter out;
  out.PutI32Be(version);
  out.PutI32Be(hashes);
  out.PutU8(hash_type);
  out.PutI32Be(bits);
  out.PutBytes(bytes);
  return out.Finish();
}

std::string Dynamic(int32_t rows, std::string_view content) {
  ByteWriter out;
  out.PutBytes(Row(1, 8, ""));
  for (const int32_t number : {10, 1, rows}) out.PutI32Be(number);
  out.PutBytes(content);
  return out.Finish();
}

Result<BloomFilter> Parse(std::string_view type, std::string_view bytes) {
  return BloomFilter::Parse(type, arrow::util::base64_encode(bytes));
}

TEST(BloomFilter, FullAndEmptyOnesAnswerForEveryKey) {
  EXPECT_TRUE(Parse("SIMPLE", Row(3, 16, "\xFF\xFF"))->MightContain("any"));
  EXPECT_FALSE(Parse("SIMPLE", Row(3, 16, std::string(2, '\0')))->MightContain("any"));
  const std::string rows = Row(3, 16, std::string(2, '\0')) + Row(2, 8, "\xFF");
  EXPECT_TRUE(Parse("DYNAMIC_V0", Dynamic(2, rows))->MightContain("any"));
  EXPECT_FALSE(Parse("DYNAMIC_V0", Dynamic(1, rows))->MightContain("any"));
}

TEST(BloomFilter, EveryTruncationIsCorrupt) {
  const std::string whole = Dynamic(2, Row(3, 16, "ab") + Row(2, 8, "c"));
  ASSERT_TRUE(Parse("DYNAMIC_V0", whole).ok());
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(GetErrorCode(Parse("DYNAMIC_V0", whole.substr(0, size)).status()),
              ErrorCode::kCorrupt)
        << size;
  }
}

// They would hide every key.
TEST(BloomFilter, DynamicOnesWithoutRowsAreCorrupt) {
  for (const int32_t rows : {0, -1}) {
    EXPECT_EQ(GetErrorCode(Parse("DYNAMIC_V0", Dynamic(rows, "")).status()), ErrorCode::kCorrupt);
  }
}

TEST(BloomFilter, OddHeadersAreRefused) {
  const auto code = [](const std::string& bytes) {
    return GetErrorCode(Parse("SIMPLE", bytes).status());
  };
  EXPECT_EQ(code(Row(0, 8, "a")), ErrorCode::kCorrupt);
  EXPECT_EQ(code(Row(3, 0, "a")), ErrorCode::kCorrupt);
  EXPECT_EQ(code(Row(3, -8, "a")), ErrorCode::kCorrupt);
  EXPECT_EQ(code(Row(1 << 30, 8, "a")), ErrorCode::kCorrupt);
  EXPECT_EQ(code(Row(3, 8, "a", 0)), ErrorCode::kUnsupported);
  EXPECT_EQ(code(Row(3, 8, "a", 1, 3)), ErrorCode::kUnsupported);
  EXPECT_EQ(GetErrorCode(BloomFilter::Parse("LIST", "").status()), ErrorCode::kUnsupported);
  EXPECT_EQ(GetErrorCode(BloomFilter::Parse("SIMPLE", "?!").status()), ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace firth
