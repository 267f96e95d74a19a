// SPDX-License-Identifier: Apache-2.0
#include "firth/index/text/edit_distance.h"

#include <gtest/gtest.h>

#include <random>

#include "firth/testing/reference_text_search.h"

namespace firth {
namespace {

TEST(FuzzyPattern, CountsOneSwapOfNeighboursAsOneEdit) {
  EXPECT_EQ(FuzzyPattern("payment", 2, 0).Distance("paymetn"), 1);
  EXPECT_EQ(FuzzyPattern("payment", 2, 0).Distance("payment"), 0);
  EXPECT_EQ(FuzzyPattern("payment", 1, 0).Distance("paymnt"), 1);
  EXPECT_EQ(FuzzyPattern("payment", 1, 0).Distance("pamnt"), std::nullopt);
  // Optimal string alignment: no piece is edited twice ("ca" -> "abc" is 2 in full Damerau).
  EXPECT_EQ(FuzzyPattern("ca", 2, 0).Distance("abc"), std::nullopt);
}

TEST(FuzzyPattern, CountsCodePointsNotBytes) {
  EXPECT_EQ(FuzzyPattern("größe", 1, 0).Distance("grösse"), std::nullopt);
  EXPECT_EQ(FuzzyPattern("größe", 2, 0).Distance("grösse"), 2);
  EXPECT_EQ(FuzzyPattern("日本語", 1, 0).Distance("日本"), 1);
}

TEST(FuzzyPattern, PrefixMustBeEqual) {
  EXPECT_EQ(FuzzyPattern("abcd", 1, 2).Distance("abxd"), 1);
  EXPECT_EQ(FuzzyPattern("abcd", 1, 2).Distance("axcd"), std::nullopt);
  EXPECT_EQ(FuzzyPattern("ab", 1, 9).Distance("abc"), 1);  // the prefix is the whole term
  EXPECT_EQ(FuzzyPattern("ab", 1, 9).Distance("a"), std::nullopt);
}

TEST(FuzzyPattern, EqualsTheFullTableOnRandomWords) {
  std::mt19937 random(7);
  const auto word = [&] {
    std::string out;
    for (size_t n = random() % 9; n > 0; --n) {
      constexpr const char* kLetters[] = {"a", "b", "c", "é"};
      out += kLetters[random() % 4];
    }
    return out;
  };
  for (int round = 0; round < 60'000; ++round) {
    const std::string a = word();
    const std::string b = word();
    const int limit = 1 + round % 2;
    const int expected = testing::EditDistance(testing::CodePoints(a), testing::CodePoints(b));
    const auto actual = FuzzyPattern(a, limit, 0).Distance(b);
    ASSERT_EQ(actual, expected <= limit ? std::optional(expected) : std::nullopt)
        << '"' << a << "\" and \"" << b << '"';
  }
}

TEST(FuzzyPattern, SimilarityComparesAsFractions) {
  using Similarity = FuzzyPattern::Similarity;
  EXPECT_EQ((Similarity{0, 5}.value()), 1);
  EXPECT_EQ((Similarity{1, 4}.value()), 0.75);
  EXPECT_EQ((Similarity{2, 1}.value()), 0);
  EXPECT_TRUE((Similarity{1, 7}.MoreThan({1, 6})));
  EXPECT_FALSE((Similarity{2, 6}.MoreThan({1, 3})));
  EXPECT_FALSE((Similarity{1, 3}.MoreThan({2, 6})));
}

}  // namespace
}  // namespace firth
