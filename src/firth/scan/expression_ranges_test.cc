// SPDX-License-Identifier: Apache-2.0
// Ranges of functions hold whatever zone the writer had.
#include "firth/scan/expression_ranges.h"

#include <arrow/scalar.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>

#include "firth/scan/date_pattern.h"

namespace firth {
namespace {

using predicate::ColumnCall;
using predicate::DatePattern;
using Kind = StatsValue::Kind;

ColumnStatsPayload Texts(std::string min, std::string max, int64_t values = 2, int64_t nulls = 0) {
  ColumnStatsPayload stats;
  stats.min = {.kind = Kind::kString, .value = std::move(min)};
  stats.max = {.kind = Kind::kString, .value = std::move(max)};
  stats.value_count = values;
  stats.null_count = nulls;
  return stats;
}

ColumnStatsPayload Integers(int64_t min, int64_t max) {
  ColumnStatsPayload stats;
  stats.min = {.kind = Kind::kInt, .value = min};
  stats.max = {.kind = Kind::kInt, .value = max};
  stats.value_count = 2;
  stats.null_count = 0;
  return stats;
}

ColumnCall Formatted(std::string pattern) {
  return {
      .function = "from_unixtime", .column = "n", .parameters = {{"format", std::move(pattern)}}};
}

ColumnCall Plain(std::string_view function) {
  return {.function = function, .column = "c", .parameters = {}};
}

// "min..max", or "-" when nothing is known.
std::string Range(const ColumnCall& call, const ColumnStatsPayload& stats,
                  const std::shared_ptr<arrow::DataType>& type = arrow::int64()) {
  const auto range = RangeInFile(call, stats, *type);
  if (!range) return "-";
  if (range->min == nullptr) return fmt::format("{} nulls of {}", range->null_count, range->rows);
  return range->min->ToString() + ".." + range->max->ToString();
}

TEST(RangeInFile, DamagedCountsAreNotBelieved) {
  EXPECT_EQ(Range(Plain("trim"), Texts("a", "b")), "a..b");
  for (const int64_t damaged : {INT64_MAX, (int64_t{1} << 40) + 1, int64_t{-1}}) {
    EXPECT_EQ(Range(Plain("trim"), Texts("a", "b", damaged, 1)), "-");
    EXPECT_EQ(Range(Plain("trim"), Texts("a", "b", 1, damaged)), "-");
  }
}

TEST(RangeInFile, WidensTextsOfTime) {
  EXPECT_EQ(Range(Formatted("yyyy-MM-dd"), Texts("2024-01-01", "2024-02-28")),
            "2023-12-31..2024-02-29");
  EXPECT_EQ(Range(Formatted("yyyy"), Texts("2024", "2024")), "2023..2025");
  EXPECT_EQ(Range(Formatted("yyyy/MM"), Texts("2024/01", "2024/12")), "2023/12..2025/01");
  EXPECT_EQ(
      Range(Formatted("yyyy-MM-dd HH:mm:ss"), Texts("2024-03-01 00:00:00", "2024-03-01 12:30:00")),
      "2024-02-29 00:00:00..2024-03-02 12:30:00");
  // Years of more digits order below those of four.
  EXPECT_EQ(Range(Formatted("yyyy-MM-dd"), Texts("9999-12-30", "9999-12-31")),
            "9999-12-29..9999-12-31");
}

TEST(RangeInFile, KnowsNothingOfTextsThatNeedNotBeTheSameMoments) {
  const ColumnCall day = Formatted("yyyy-MM-dd");
  EXPECT_EQ(Range(day, Texts("1582-12-31", "2024-01-01")), "-");  // another calendar
  EXPECT_EQ(Range(day, Texts("0001-01-01", "2024-01-01")), "-");
  EXPECT_EQ(Range(day, Texts("+12345-01-01", "2024-01-01")), "-");
  EXPECT_EQ(Range(day, Texts("2024-01-01", "20240-01-01")), "-");
  EXPECT_EQ(Range(day, Texts("2024-01-02", "2024-01-01")), "-");
  EXPECT_EQ(Range(day, Texts("2024-1-1", "2024-1-2")), "-");
  EXPECT_EQ(Range(day, Integers(1, 2)), "-");
  EXPECT_EQ(DoubtOfBounds(day), "");
  EXPECT_NE(DoubtOfBounds(Formatted("dd.MM.yyyy")), "");
}

TEST(RangeInFile, CountsNullsApart) {
  const auto range = RangeInFile(Plain("trim"), Texts("a", "b", 3, 7), *arrow::utf8());
  ASSERT_TRUE(range.has_value());
  EXPECT_EQ(range->null_count, 7);
  EXPECT_EQ(range->rows, 10);
  ColumnStatsPayload nulls;
  nulls.value_count = 0;
  nulls.null_count = 4;
  EXPECT_EQ(Range(Plain("trim"), nulls), "4 nulls of 4");
  EXPECT_EQ(Range(Plain("trim"), ColumnStatsPayload()), "-");  // no counts
  ColumnStatsPayload unbounded;
  unbounded.value_count = 2;
  unbounded.null_count = 0;
  EXPECT_EQ(Range(Plain("trim"), unbounded), "-");
}

TEST(RangeInFile, TakesOtherFunctionsAsFarAsTheyAreCertain) {
  EXPECT_EQ(Range(Plain("length"), Integers(0, 7)), "0..7");
  EXPECT_EQ(Range(Plain("length"), Integers(7, 0)), "-");
  EXPECT_EQ(Range(Plain("length"), Texts("a", "b")), "-");
  EXPECT_EQ(Range(Plain("year"), Integers(2020, 2024), arrow::date32()), "2020..2024");
  EXPECT_EQ(Range(Plain("year"), Integers(2020, 2024), arrow::timestamp(arrow::TimeUnit::MICRO)),
            "2019..2025");
  EXPECT_EQ(Range(Plain("year"), Integers(1582, 2024), arrow::date32()), "-");
  EXPECT_EQ(
      Range(Plain("year"), Integers(2020, 2147483647), arrow::timestamp(arrow::TimeUnit::MICRO)),
      "-");
  EXPECT_EQ(Range(Plain("substring"), Texts("a", "zoë")), "a..zoë");
  EXPECT_EQ(Range(Plain("substring"), Texts("é", "z")), "-");  // may be of texts that are no UTF-8
  EXPECT_EQ(Range(Plain("substring"), Texts("a", "😀")), "-");
  for (const char* doubtful : {"lower", "upper", "hour", "day", "month"}) {
    EXPECT_NE(DoubtOfBounds(Plain(doubtful)), "") << doubtful;
  }
  for (const char* certain : {"length", "substring", "trim", "year"}) {
    EXPECT_EQ(DoubtOfBounds(Plain(certain)), "") << certain;
  }
}

// What is stored is of moments in some zone, what is asked for of the same in UTC.
TEST(RangeInFile, HoldsForEveryZone) {
  std::mt19937_64 random(8);
  for (const char* text : {"yyyy", "yyyy-MM", "yyyyMMdd", "yyyy-MM-dd HH", "yyyy-MM-dd HH:mm:ss"}) {
    const DatePattern pattern = *DatePattern::Parse(text);
    const auto format = [&](int64_t seconds) {
      std::string formatted;
      pattern.Append(seconds, &formatted);
      return formatted;
    };
    for (int i = 0; i < 3000; ++i) {
      const int64_t zone = static_cast<int64_t>(random() % (2 * 18 * 3600 + 1)) - 18 * 3600;
      const int64_t start = static_cast<int64_t>(random() % 280'000'000'000) - 20'000'000'000;
      std::vector<std::string> stored, asked;
      for (int row = 0; row < 3; ++row) {
        const int64_t moment = start + static_cast<int64_t>(random() % 200'000);
        stored.push_back(format(moment + zone));
        asked.push_back(format(moment));
      }
      const auto [min, max] = std::ranges::minmax(stored);
      const ColumnStatsPayload stats = Texts(min, max, 3);
      const auto range = RangeInFile(Formatted(text), stats, *arrow::int64());
      if (!range) continue;
      const auto other = RangeOfSignedYears(Formatted(text), *range);
      const auto holds = [](const ColumnRange& values, const std::string& value) {
        return values.min->ToString() <= value && value <= values.max->ToString();
      };
      for (const std::string& value : asked) {
        EXPECT_TRUE(holds(*range, value) || holds(*other, value))
            << value << " in " << min << ".." << max;
      }
    }
  }
}

TEST(RangeOfSignedYears, IsOfTextsOfTimeAlone) {
  const ColumnRange range{.min = nullptr, .max = nullptr, .null_count = 1, .rows = 3};
  EXPECT_FALSE(RangeOfSignedYears(Plain("trim"), range).has_value());
  const auto signed_years = RangeOfSignedYears(Formatted("yyyy"), range);
  ASSERT_TRUE(signed_years.has_value());
  EXPECT_EQ(signed_years->null_count, 1);
  for (const char* text : {"+12345", "-0044", "-290308-12-21"}) {
    EXPECT_LE(signed_years->min->ToString(), text);
    EXPECT_GE(signed_years->max->ToString(), text);
  }
}

}  // namespace
}  // namespace firth
