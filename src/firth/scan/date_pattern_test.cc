// SPDX-License-Identifier: Apache-2.0
// What texts of a pattern stand for; that they are what Java writes, predicate_functions_test.cc
// says.
#include "firth/scan/date_pattern.h"

#include <gtest/gtest.h>

#include <random>

namespace firth::predicate {
namespace {

std::string Format(const DatePattern& pattern, int64_t seconds) {
  std::string text;
  pattern.Append(seconds, &text);
  return text;
}

TEST(DatePattern, KnowsWhoseTextsOrderAsTimeDoes) {
  for (const char* ordered :
       {"yyyy", "yyyy-MM", "yyyyMMdd", "yyyy-MM-dd HH", "yyyy-MM-dd'T'HH:mm:ss'Z'"}) {
    EXPECT_TRUE(DatePattern::Parse(ordered)->OrdersLikeTime()) << ordered;
  }
  for (const char* other : {"", "-", "MM", "dd.MM.yyyy", "yyyy dd", "yyyy-MM-dd mm", "yyyy MM MM",
                            "yyyyMMddHHmmss yyyy", " yyyy"}) {
    EXPECT_FALSE(DatePattern::Parse(other)->OrdersLikeTime()) << other;
  }
}

TEST(DatePattern, SpansAllMomentsOfAText) {
  std::mt19937_64 random(3);
  for (const char* text : {"yyyy", "yyyy-MM", "yyyyMMdd", "yyyy-MM-dd HH", "yyyy/MM/dd HH:mm",
                           "yyyy-MM-dd HH:mm:ss 'UTC'"}) {
    const auto pattern = DatePattern::Parse(text);
    ASSERT_TRUE(pattern.ok()) << pattern.status();
    for (int i = 0; i < 2000; ++i) {
      const int64_t seconds = static_cast<int64_t>(random() % 300'000'000'000) - 60'000'000'000;
      const std::string formatted = Format(*pattern, seconds);
      const auto span = pattern->SpanOf(formatted);
      if (CivilTimeOf(seconds).year > 9999) {
        EXPECT_FALSE(span.has_value()) << formatted;
        continue;
      }
      ASSERT_TRUE(span.has_value()) << formatted;
      EXPECT_TRUE(span->first <= seconds && seconds <= span->last) << formatted;
      EXPECT_EQ(Format(*pattern, span->first), formatted);
      EXPECT_EQ(Format(*pattern, span->last), formatted);
      EXPECT_NE(Format(*pattern, span->first - 1), formatted);
      EXPECT_NE(Format(*pattern, span->last + 1), formatted);
    }
  }
}

TEST(DatePattern, SpansNothingOfOtherTexts) {
  const auto pattern = DatePattern::Parse("yyyy-MM-dd HH:mm:ss");
  ASSERT_TRUE(pattern.ok());
  EXPECT_TRUE(pattern->SpanOf("2024-02-29 23:59:59").has_value());
  for (const char* text :
       {"", "2024", "2024-02-29", "2023-02-29 00:00:00", "2024-13-01 00:00:00",
        "2024-01-01 24:00:00", "2024-01-01 00:60:00", "2024-01-01 00:00:60", "+2024-01-01 00:00:00",
        "-024-01-01 00:00:00", "2024-01-01 00:00:000", "2024/01-01 00:00:00", "2024-00-01 00:00:00",
        "2024-01-01 00:00: 1", "12024-01-01 00:00:00"}) {
    EXPECT_FALSE(pattern->SpanOf(text).has_value()) << text;
  }
  EXPECT_FALSE(DatePattern::Parse("dd.MM.yyyy")->SpanOf("01.01.2024").has_value());
}

}  // namespace
}  // namespace firth::predicate
