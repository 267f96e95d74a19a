// SPDX-License-Identifier: Apache-2.0
#include "firth/scan/stats_bounds.h"

#include <arrow/scalar.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace firth {
namespace {

using Kind = StatsValue::Kind;
using Type = StatsValueType;

StatsValue Number(Kind kind, int64_t value) { return {.kind = kind, .value = value}; }
StatsValue Bytes(Kind kind, std::string bytes) { return {.kind = kind, .value = std::move(bytes)}; }

ColumnStatsPayload Stats(StatsValue min, StatsValue max, Type type, int64_t nulls = 0,
                         std::string info = "") {
  ColumnStatsPayload stats;
  stats.min = std::move(min);
  stats.max = std::move(max);
  stats.value_count = 6;
  stats.null_count = nulls;
  stats.value_type = type;
  stats.type_info = std::move(info);
  return stats;
}

// "min..max" of files, "?" when they are not known.
std::string RangeOf(const std::shared_ptr<arrow::DataType>& type,
                    const std::vector<ColumnStatsPayload>& files) {
  StatsBounds bounds(type);
  for (const ColumnStatsPayload& file : files) {
    if (!bounds.Add(file)) return "?";
  }
  const ColumnRange range = bounds.Range();
  if (range.min == nullptr || range.max == nullptr) return "none";
  EXPECT_TRUE(range.min->type->Equals(*type));
  return range.min->ToString() + ".." + range.max->ToString();
}

TEST(StatsBounds, IntegersOfSeveralFilesAreJoined) {
  const auto file = [](Kind kind, int64_t low, int64_t high, Type type) {
    return Stats(Number(kind, low), Number(kind, high), type);
  };
  const auto low = file(Kind::kInt, -7, 3, Type::kByWrapper);
  const auto high = file(Kind::kInt, 2, 12, Type::kInt);
  EXPECT_EQ(RangeOf(arrow::int32(), {low, high}), "-7..12");
  // The column was an int when the file was written.
  EXPECT_EQ(RangeOf(arrow::int64(), {low, file(Kind::kLong, 5, 9000000000, Type::kLong)}),
            "-7..9000000000");
  EXPECT_EQ(RangeOf(arrow::int32(), {file(Kind::kLong, 5, 9000000000, Type::kLong)}), "none");
  EXPECT_EQ(RangeOf(arrow::int32(), {file(Kind::kInt, 5, 4, Type::kInt)}), "?");
  EXPECT_EQ(RangeOf(arrow::int32(), {file(Kind::kInt, 5, 9, Type::kDate)}), "?");
  EXPECT_EQ(RangeOf(arrow::int32(), {low, Stats({}, {}, Type::kByWrapper)}), "?");
}

TEST(StatsBounds, LogFilesOfNullsOrDeletesAddNoBounds) {
  const auto some = Stats(Number(Kind::kInt, 5), Number(Kind::kInt, 9), Type::kInt, 1);
  auto nulls = Stats({}, {}, Type::kNull, 6);
  nulls.file_name = ".a-0_20260101000000000.log.1_0-1-1";
  auto deletes = nulls;
  deletes.value_count = deletes.null_count = 0;
  EXPECT_EQ(RangeOf(arrow::int32(), {some, nulls, deletes}), "5..9");
  EXPECT_EQ(RangeOf(arrow::int32(), {nulls, deletes}), "none");
  StatsBounds bounds(arrow::int32());
  ASSERT_TRUE(bounds.Add(some) && bounds.Add(nulls));
  EXPECT_EQ(bounds.Range().null_count, 7);
  EXPECT_EQ(bounds.Range().rows, 12);
}

// So Hudi 1.2 describes a file with six long strings, of which the footer has no statistics.
TEST(StatsBounds, BaseFilesOfNullsMayHaveNoStatistics) {
  const auto zeros = Stats(Number(Kind::kInt, 0), Number(Kind::kInt, 0), Type::kInt, 6);
  EXPECT_EQ(RangeOf(arrow::int32(), {zeros}), "?");
  EXPECT_EQ(RangeOf(arrow::int32(), {Stats({}, {}, Type::kNull, 6)}), "?");
}

TEST(StatsBounds, UnknownCountsMakeAllUnknown) {
  auto stats = Stats(Number(Kind::kInt, 5), Number(Kind::kInt, 9), Type::kInt);
  stats.null_count = -1;
  EXPECT_EQ(RangeOf(arrow::int32(), {stats}), "?");
  stats.null_count = 7;
  EXPECT_EQ(RangeOf(arrow::int32(), {stats}), "?");
}

// Sums of such counts would wrap around.
TEST(StatsBounds, ImpossiblyLargeCountsMakeAllUnknown) {
  auto most = Stats(Number(Kind::kInt, 5), Number(Kind::kInt, 9), Type::kInt, 1);
  most.value_count = int64_t{1} << 40;
  auto larger = most;
  larger.value_count += 1;
  auto largest = most;
  largest.value_count = largest.null_count = std::numeric_limits<int64_t>::max();
  largest.file_name = ".a-0_20260101000000000.log.1_0-1-1";
  EXPECT_EQ(RangeOf(arrow::int32(), {most}), "5..9");
  EXPECT_EQ(RangeOf(arrow::int32(), {most, most}), "?");
  EXPECT_EQ(RangeOf(arrow::int32(), {larger}), "?");
  EXPECT_EQ(RangeOf(arrow::int32(), {largest}), "?");
  EXPECT_EQ(RangeOf(arrow::int32(), {largest, largest}), "?");
}

TEST(StatsBounds, BooleansAreBounded) {
  const StatsValue no{.kind = Kind::kBoolean, .value = false};
  const StatsValue yes{.kind = Kind::kBoolean, .value = true};
  EXPECT_EQ(RangeOf(arrow::boolean(), {Stats(no, no, Type::kBoolean)}), "false..false");
  EXPECT_EQ(RangeOf(arrow::boolean(), {Stats(no, yes, Type::kByWrapper)}), "false..true");
  EXPECT_EQ(RangeOf(arrow::boolean(), {Stats(no, yes, Type::kInt)}), "?");
}

TEST(StatsBounds, DatesGetADayOnEitherSide) {
  const auto stats = [](Kind kind, int64_t low, int64_t high, Type type) {
    return Stats(Number(kind, low), Number(kind, high), type);
  };
  EXPECT_EQ(RangeOf(arrow::date32(), {stats(Kind::kDate, 0, 31, Type::kByWrapper)}),
            "1969-12-31..1970-02-02");
  EXPECT_EQ(RangeOf(arrow::date32(), {stats(Kind::kInt, -1, 47481, Type::kDate)}),
            "1969-12-30..2100-01-01");
  EXPECT_EQ(RangeOf(arrow::date32(), {stats(Kind::kInt, -1, 1, Type::kByWrapper)}), "?");
  // 1582-10-25 and the day before.
  EXPECT_EQ(RangeOf(arrow::date32(), {stats(Kind::kInt, -141417, 1, Type::kDate)}),
            "1582-10-24..1970-01-03");
  EXPECT_EQ(RangeOf(arrow::date32(), {stats(Kind::kInt, -141418, 1, Type::kDate)}), "?");
}

TEST(StatsBounds, TimestampsAreUsedWhereTheirUnitIsKnown) {
  const auto stats = [](int64_t low, int64_t high, Type type) {
    return Stats(Number(Kind::kLong, low), Number(Kind::kLong, high), type);
  };
  const auto type = arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
  const std::string range = "1970-01-01 00:00:00.999000Z..1970-01-01 00:00:02.001000Z";
  EXPECT_EQ(RangeOf(type, {stats(1000000, 2000000, Type::kTimestampMicros)}), range);
  EXPECT_EQ(RangeOf(type, {stats(1000, 2000, Type::kTimestampMillis)}), range);
  EXPECT_EQ(RangeOf(type, {stats(1000, 2000, Type::kByWrapper)}), "?");
  EXPECT_EQ(RangeOf(type, {stats(1000, 2000, Type::kTimestampNanos)}), "?");
  // More than 64 bits in microseconds.
  EXPECT_EQ(RangeOf(type, {stats(1000, int64_t{1} << 62, Type::kTimestampMillis)}), "none");
}

TEST(StatsBounds, DecimalsAreComparedByValue) {
  const auto v2 = [](std::string low, std::string high, std::string info) {
    return Stats(Bytes(Kind::kBytes, std::move(low)), Bytes(Kind::kBytes, std::move(high)),
                 Type::kDecimal, 0, std::move(info));
  };
  const auto type = arrow::decimal128(18, 4);
  EXPECT_EQ(RangeOf(type, {v2("\xff", "\x01\x02", "5,2")}), "-0.0100..2.5800");
  EXPECT_EQ(RangeOf(type, {v2("\xff", "\x01\x02", "18,4")}), "-0.0001..0.0258");
  EXPECT_EQ(RangeOf(type, {v2("\x01", "\x02", "18,9")}),
            "?");  // 1e-9 is none of the column's values
  EXPECT_EQ(RangeOf(type, {v2("", "\x02", "18,4")}), "?");
  EXPECT_EQ(RangeOf(type, {v2("\x01", std::string(17, '\x01'), "18,4")}), "?");
  EXPECT_EQ(RangeOf(type, {v2("\x01", "\x02", "18,-4")}), "?");
  EXPECT_EQ(RangeOf(type, {v2("\x01", "\x02", "18")}), "?");
  // Version V1: 12.25 at scale 15.
  const std::string wrapped("\x2b\x85\x4f\x62\x7f\xa0\x00", 7);
  EXPECT_EQ(RangeOf(type, {Stats(Bytes(Kind::kDecimal, wrapped), Bytes(Kind::kDecimal, wrapped),
                                 Type::kByWrapper)}),
            "12.2500..12.2500");
}

TEST(StatsBounds, BoundsOfStringsAndFloatsAreNotUsed) {
  for (const auto& type : {arrow::utf8(), arrow::binary(), arrow::float32(), arrow::float64(),
                           arrow::timestamp(arrow::TimeUnit::MILLI)}) {
    EXPECT_FALSE(HasReliableBounds(*type)) << type->ToString();
  }
}

}  // namespace
}  // namespace firth
