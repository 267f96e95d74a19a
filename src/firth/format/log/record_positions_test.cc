// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "firth/format/log/log_reader.h"
#include "firth/format/log/log_writer.h"

#if FIRTH_TEST_WITH_ROARING
#include <arrow/util/base64.h>

#include <roaring/roaring64map.hh>
#endif

namespace roaring {}

namespace firth {
namespace {

using namespace roaring;  // NOLINT: older releases have their classes in the global namespace

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Positions = std::vector<int64_t>;

constexpr int64_t kMany = int64_t{1} << 40;

/// `count` ascending positions from `first`, `step` apart.
Positions Sequence(int64_t first, int64_t count, int64_t step) {
  Positions positions(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) positions[static_cast<size_t>(i)] = first + i * step;
  return positions;
}

Positions Concat(std::vector<Positions> parts) {
  Positions all;
  for (const Positions& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

/// One set for every kind of container and for both sides of its limits.
std::vector<Positions> Shapes() {
  std::vector<Positions> shapes = {
      {},
      {0},
      {65535, 65536},
      {std::numeric_limits<int64_t>::max()},
      Sequence(0, 4096, 3),     // the largest array
      Sequence(0, 4097, 3),     // the smallest bitmap
      Sequence(0, 65536, 1),    // one run, a whole container
      Sequence(10, 200000, 1),  // runs over several containers, with offsets
      Sequence(0, 200000, 2),   // bitmaps
      Concat({Sequence(0, 70000, 1), Sequence(70000, 5000, 7), Sequence(int64_t{1} << 33, 9, 5)}),
      Concat({{1, 5, 9}, Sequence(100000, 50, 1)}),  // array and run, too few for offsets
  };
  std::mt19937_64 random(7);
  Positions mixed;
  for (int64_t at = 0; mixed.size() < 100000;) {
    at += static_cast<int64_t>(random() % ((random() % 100 == 0) ? 100000 : 3)) + 1;
    mixed.push_back(at);
  }
  shapes.push_back(std::move(mixed));
  return shapes;
}

TEST(RecordPositions, RoundTripInEveryShape) {
  for (const Positions& positions : Shapes()) {
    SCOPED_TRACE(positions.size());
    const std::string text = *EncodeRecordPositions(positions);
    const auto decoded = DecodeRecordPositions(text, static_cast<int64_t>(positions.size()));
    ASSERT_TRUE(decoded.ok()) << decoded.status().ToString();
    EXPECT_TRUE(*decoded == positions);
  }
}

// Written out by hand from the format definition: one bitmap, high word 0, no runs, one container
// of key 0 with the values 1 and 3 at offset 16.
TEST(RecordPositions, MatchTheFormatDefinition) {
  const std::string_view text = "AQAAAAAAAAAAAAAAOjAAAAEAAAAAAAEAEAAAAAEAAwA=";
  EXPECT_THAT(*DecodeRecordPositions(text, 2), ElementsAre(1, 3));
  EXPECT_EQ(*EncodeRecordPositions({1, 3}), text);
}

TEST(DecodeRecordPositions, MoreThanTheBlockHasRecordsIsCorrupt) {
  // 22 bytes that stand for 65536 positions.
  const std::string text = *EncodeRecordPositions(Sequence(0, 65536, 1));
  EXPECT_LT(text.size(), 50u);
  const Status status = DecodeRecordPositions(text, 65535).status();
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kCorrupt);
  EXPECT_THAT(status.message(), HasSubstr("at least 65536 positions, at most 65535"));
}

TEST(DecodeRecordPositions, RejectsWhatIsNotBase64) {
  for (const std::string_view text : {"", "A", "AAA", "====", "A===", "AA=A", "AAA\n", "AA-_"}) {
    EXPECT_EQ(GetErrorCode(DecodeRecordPositions(text, kMany).status()), ErrorCode::kCorrupt)
        << text;
  }
}

TEST(EncodeRecordPositions, RefusesWhatDoesNotAscendFromZero) {
  for (const Positions& positions : {Positions{-1}, Positions{1, 1}, Positions{2, 1}}) {
    EXPECT_EQ(GetErrorCode(EncodeRecordPositions(positions).status()), ErrorCode::kInvalidArgument);
  }
}

#if FIRTH_TEST_WITH_ROARING

TEST(EncodeRecordPositions, IsReadByLibroaring) {
  for (const Positions& positions : Shapes()) {
    SCOPED_TRACE(positions.size());
    const std::string bytes = *arrow::util::base64_decode(*EncodeRecordPositions(positions));
    const auto bitmap = Roaring64Map::readSafe(bytes.data(), bytes.size());
    EXPECT_EQ(bitmap.getSizeInBytes(), bytes.size());
    Positions read;
    for (const uint64_t position : bitmap) read.push_back(static_cast<int64_t>(position));
    EXPECT_TRUE(read == positions);
  }
}

TEST(DecodeRecordPositions, ReadsWhatLibroaringWrites) {
  for (const Positions& positions : Shapes()) {
    for (const bool optimize : {false, true}) {
      SCOPED_TRACE(positions.size());
      Roaring64Map bitmap;
      for (const int64_t position : positions) bitmap.add(static_cast<uint64_t>(position));
      if (optimize) bitmap.runOptimize();
      std::string bytes(bitmap.getSizeInBytes(), '\0');
      bitmap.write(bytes.data());
      const auto decoded = DecodeRecordPositions(arrow::util::base64_encode(bytes), kMany);
      ASSERT_TRUE(decoded.ok()) << decoded.status().ToString();
      EXPECT_TRUE(*decoded == positions);
    }
  }
}

// Whatever a changed byte does, the answer is an error or ascending positions within the bound.
TEST(DecodeRecordPositions, ChangedBytesGiveAnErrorOrAscendingPositions) {
  const Positions positions = Concat({{1, 5, 9},
                                      Sequence(70000, 50, 1),
                                      Sequence(140000, 40, 2),
                                      Sequence(200000, 30, 1),
                                      {int64_t{1} << 32}});
  const std::string bytes = *arrow::util::base64_decode(*EncodeRecordPositions(positions));
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (int change = 1; change < 256; ++change) {
      std::string changed = bytes;
      changed[i] = static_cast<char>(changed[i] ^ change);
      const auto decoded = DecodeRecordPositions(arrow::util::base64_encode(changed), 1000);
      if (!decoded.ok()) continue;
      ASSERT_LE(decoded->size(), 1000u);
      ASSERT_TRUE(std::ranges::is_sorted(*decoded, std::ranges::less_equal()))
          << "byte " << i << " change " << change;
      ASSERT_GE(decoded->front(), 0);
    }
  }
}

#endif  // FIRTH_TEST_WITH_ROARING

}  // namespace
}  // namespace firth
