// SPDX-License-Identifier: Apache-2.0
#include "firth/scan/stats_bounds.h"

#include <arrow/scalar.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "firth/scan/stats_interval.h"

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
  EXPECT_EQ(RangeOf(arrow::int32(), {file(Kind::kLong, 5, 9000000000, Type::kLong)}), "?");
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
  EXPECT_EQ(RangeOf(type, {stats(1000, 2000, Type::kTimestampNanos)}), "?");
  // More than 64 bits in microseconds.
  EXPECT_EQ(RangeOf(type, {stats(1000, int64_t{1} << 62, Type::kTimestampMillis)}), "?");
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

// Recorded: 2024-01-01 in milliseconds, in microseconds, and a moment before 1970 in either.
TEST(StatsBounds, TimestampsOfUnknownUnitAreBoundedByBothReadings) {
  const auto type = arrow::timestamp(arrow::TimeUnit::MICRO);
  const auto range = [&](int64_t low, int64_t high) {
    return RangeOf(type,
                   {Stats(Number(Kind::kLong, low), Number(Kind::kLong, high), Type::kByWrapper)});
  };
  EXPECT_EQ(range(1704067200000, 1704067200000),
            "1970-01-20 17:21:07.199000..2024-01-01 00:00:00.001000");
  EXPECT_EQ(range(1704067200000000, 1704067200000000).substr(0, 26), "2023-12-31 23:59:59.999000");
  EXPECT_EQ(range(-86400000, 86400000), "1969-12-30 23:59:59.999000..1970-01-02 00:00:00.001000");
  EXPECT_EQ(range(0, int64_t{1} << 62), "?");
}

ColumnStatsPayload InLog(ColumnStatsPayload stats) {
  stats.file_name = ".a-0_20260101000000000.log.1_0-1-1";
  return stats;
}

ColumnStatsPayload Texts(std::string min, std::string max, int64_t nulls = 0,
                         Type type = Type::kString) {
  return Stats(Bytes(Kind::kString, std::move(min)), Bytes(Kind::kString, std::move(max)), type,
               nulls);
}

TEST(StatsBounds, StringsOfFilesWithoutNullsAreBounded) {
  const auto type = arrow::utf8();
  EXPECT_EQ(RangeOf(type, {Texts("b", "d"), Texts("", "c", 0, Type::kByWrapper)}), "..d");
  EXPECT_EQ(RangeOf(type, {Texts("b", "d", 1)}),
            "?");  // or values that the footer has no bounds of
  EXPECT_EQ(RangeOf(type, {InLog(Texts("b", "d", 1))}), "b..d");
  EXPECT_EQ(RangeOf(type, {Texts("b", "a")}), "?");
  EXPECT_EQ(RangeOf(type, {Texts("b", "d", 0, Type::kBytes)}), "?");
  EXPECT_EQ(
      RangeOf(type, {Stats(Bytes(Kind::kBytes, "b"), Bytes(Kind::kBytes, "d"), Type::kByWrapper)}),
      "?");
}

// A log file of version V1 with enums looks like that.
TEST(StatsBounds, StringsOfLogsAreKnownToBeNullWhereTheirTypeIs) {
  const auto some = Texts("b", "d");
  EXPECT_EQ(RangeOf(arrow::utf8(), {some, InLog(Stats({}, {}, Type::kString, 6))}), "b..d");
  EXPECT_EQ(RangeOf(arrow::utf8(), {some, InLog(Stats({}, {}, Type::kByWrapper, 6))}), "?");
  EXPECT_EQ(RangeOf(arrow::utf8(), {some, Stats({}, {}, Type::kString, 6)}), "?");
}

std::string Utf8(char32_t c) {
  const auto byte = [](uint32_t bits) { return static_cast<char>(bits); };
  const uint32_t u = c;
  if (u < 0x80) return {byte(u)};
  if (u < 0x800) return {byte(0xC0 | u >> 6), byte(0x80 | (u & 63))};
  if (u < 0x10000) return {byte(0xE0 | u >> 12), byte(0x80 | (u >> 6 & 63)), byte(0x80 | (u & 63))};
  return {byte(0xF0 | u >> 18), byte(0x80 | (u >> 12 & 63)), byte(0x80 | (u >> 6 & 63)),
          byte(0x80 | (u & 63))};
}

// Hudi's statistics of random strings, some of them not UTF-8: the bounds of row groups by bytes,
// joined by UTF-16, in which what is no UTF-8 has become U+FFFD.
TEST(StatsBounds, StringsLieWithinTheirBoundsInEitherOrder) {
  std::mt19937 random(7);
  const auto pick = [&](size_t count) { return static_cast<size_t>(random() % count); };
  // A character as it is stored, as Java reads it in UTF-8, and in UTF-16.
  struct Char {
    std::string stored, read;
    std::u16string utf16;
  };
  std::vector<Char> alphabet;
  for (const char16_t c : {u'a', u'b', u'\x7f', u'\x80', u'\x7ff', u'\x4e2d', u'\xcfff', u'\xd000',
                           u'\xd7ff', u'\xe000', u'\xff5a', u'\xffff'}) {
    alphabet.push_back({Utf8(c), Utf8(c), {c}});
  }
  alphabet.push_back({Utf8(0x1F600), Utf8(0x1F600), u"\xD83D\xDE00"});
  alphabet.push_back({"\x80", Utf8(0xFFFD), u"\xFFFD"});
  alphabet.push_back({"\xff", Utf8(0xFFFD), u"\xFFFD"});
  const auto text = [&] {
    Char whole = pick(4) == 0 ? Char{} : Char{"k", "k", u"k"};
    for (size_t i = pick(4); i > 0; --i) {
      const Char& c = alphabet[pick(alphabet.size())];
      whole.stored += c.stored;
      whole.read += c.read;
      whole.utf16 += c.utf16;
    }
    return whole;
  };
  int bounded = 0;
  for (int round = 0; round < 3000; ++round) {
    std::vector<Char> all, mins, maxs;
    for (size_t group = 0; group <= pick(3); ++group) {
      std::vector<Char> values;
      for (size_t i = 0; i <= pick(4); ++i) values.push_back(text());
      const auto [min, max] = std::ranges::minmax(values, {}, &Char::stored);
      mins.push_back(min);
      maxs.push_back(max);
      std::ranges::move(values, std::back_inserter(all));
    }
    const auto min = std::ranges::min(mins, {}, &Char::utf16).read;
    const auto max = std::ranges::max(maxs, {}, &Char::utf16).read;
    StatsBounds bounds(arrow::utf8());
    if (!bounds.Add(Texts(min, max))) continue;
    ++bounded;
    const ColumnRange range = bounds.Range();
    for (const Char& value : all) {
      const arrow::StringScalar scalar(value.stored);
      ASSERT_TRUE(CompareScalars(*range.min, scalar) <= 0 &&
                  CompareScalars(scalar, *range.max) <= 0)
          << round;
    }
  }
  EXPECT_GT(bounded, 1000);
}

TEST(StatsBounds, UpperBoundsWithoutALowCharacterAreNone) {
  EXPECT_EQ(RangeOf(arrow::utf8(), {Texts("a\xE4\xB8\xAD", "b\xF0\x9F\x98\x80")}), "a..c");
  EXPECT_EQ(RangeOf(arrow::utf8(), {Texts("a", "\xE4\xB8\xAD")}), "a..\xE4\xB8\xAD");
  EXPECT_EQ(RangeOf(arrow::utf8(), {Texts("a", "\xF0\x9F\x98\x80")}), "?");
}

ColumnStatsPayload Reals(Kind kind, double min, double max, Type type, int64_t nulls = 0) {
  return Stats({.kind = kind, .value = min}, {.kind = kind, .value = max}, type, nulls);
}

// Row groups with NaN, or of nulls, add zeros to what base files have.
TEST(StatsBounds, FloatsOfBaseFilesAreBoundedAwayFromZero) {
  const auto file = [](double min, double max) {
    return Reals(Kind::kDouble, min, max, Type::kDouble, 1);
  };
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto type = arrow::float64();
  EXPECT_EQ(RangeOf(type, {file(1.5, 2.5), file(0.25, kInfinity)}), "0.25..inf");
  EXPECT_EQ(RangeOf(type, {file(-2.5, -1.5)}), "-2.5..-1.5");
  for (const double zero : {0.0, -0.0}) {
    EXPECT_EQ(RangeOf(type, {file(zero, 2.5)}), "?");
    EXPECT_EQ(RangeOf(type, {file(-1, zero)}), "?");
  }
  EXPECT_EQ(RangeOf(type, {file(-1, 1)}), "?");
  EXPECT_EQ(RangeOf(type, {InLog(file(-1, 1)), file(3, 4)}), "-1..4");
  EXPECT_EQ(RangeOf(type, {InLog(file(1, kNan))}), "?");
  EXPECT_EQ(RangeOf(type, {Reals(Kind::kFloat, 1.5, 2.5, Type::kFloat)}), "?");
  EXPECT_EQ(RangeOf(arrow::float32(), {Reals(Kind::kFloat, 1.5, 2.5, Type::kByWrapper)}),
            "1.5..2.5");
  StatsBounds bounds(type);
  ASSERT_TRUE(bounds.Add(file(1, 2)));
  EXPECT_FALSE(bounds.Range().has_nan);
}

TEST(StatsBounds, BoundsOfBinaryAreNotUsed) {
  for (const auto& type : {arrow::binary(), arrow::timestamp(arrow::TimeUnit::MILLI)}) {
    EXPECT_FALSE(HasReliableBounds(*type)) << type->ToString();
  }
}

}  // namespace
}  // namespace firth
