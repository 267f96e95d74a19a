// SPDX-License-Identifier: Apache-2.0
#include "firth/index/text/phrase_match.h"

#include <gtest/gtest.h>

#include <random>
#include <sstream>

#include "firth/testing/reference_text_search.h"

namespace firth {
namespace {

/// Phrase and text as words; "*" is a gap of a removed word.
struct Case {
  Case(const std::string& phrase, const std::string& text) {
    std::istringstream words(phrase);
    int offset = 0;
    for (std::string word; words >> word; ++offset) {
      if (word == "*") continue;
      offsets.push_back(offset);
      names.push_back(word);
      std::vector<int>& of_word = positions.emplace_back();
      std::istringstream in(text);
      int at = 0;
      for (std::string w; in >> w; ++at) {
        if (w == word) of_word.push_back(at);
      }
    }
  }

  template <typename Use>
  auto With(Use use) const {
    std::vector<std::vector<uint32_t>> storage;
    std::vector<PhraseTerm> terms;
    for (const auto& p : positions) storage.emplace_back(p.begin(), p.end());
    for (size_t i = 0; i < names.size(); ++i) {
      const auto first = std::ranges::find(names, names[i]) - names.begin();
      terms.push_back(
          {static_cast<uint32_t>(offsets[i]), static_cast<uint32_t>(first), storage[i]});
    }
    return use(terms);
  }
  float Frequency(uint32_t slop) const {
    return With([&](const auto& terms) { return PhraseFrequency(terms, slop); });
  }
  std::optional<int64_t> Cost() const {
    return With([](const auto& terms) { return MinimalPhraseCost(terms); });
  }

  std::vector<int> offsets;
  std::vector<std::string> names;
  testing::ReferencePhrase::Positions positions;
};

TEST(PhraseFrequency, CountsSharedShifts) {
  EXPECT_EQ(Case("a b", "a b x a b").Frequency(0), 2);
  EXPECT_EQ(Case("a b", "b a").Frequency(0), 0);
  EXPECT_EQ(Case("a a", "a a a").Frequency(0), 2);
  EXPECT_EQ(Case("out * memory", "out of memory out memory").Frequency(0), 1);
  EXPECT_EQ(Case("a", "a b a").Frequency(0), 2);
}

// Worked by hand along the sweep of the contract.
TEST(PhraseFrequency, AddsOneOverOnePlusCostForEachAlignmentOfTheSweep) {
  EXPECT_EQ(Case("a b", "a b").Frequency(2), 1.0f);
  EXPECT_EQ(Case("a b", "b a").Frequency(1), 0);  // a swapped pair costs two
  EXPECT_EQ(Case("a b", "b a").Frequency(2), 1.0f / 3);
  EXPECT_EQ(Case("a b", "a x b").Frequency(1), 0.5f);
  EXPECT_EQ(Case("a b", "a b x x a x b").Frequency(1), 1.5f);
  EXPECT_EQ(Case("a b c", "a x b x c").Frequency(1), 0);  // the slop is shared by all terms
  EXPECT_EQ(Case("a b c", "a x b x c").Frequency(2), 1.0f / 3);
  EXPECT_EQ(Case("a a", "a x a").Frequency(1), 0.5f);
  EXPECT_EQ(Case("a a", "a").Frequency(9), 0);  // equal terms need different positions
}

TEST(MinimalPhraseCost, IsTheSpreadOfTheShifts) {
  EXPECT_EQ(Case("a b", "b a").Cost(), 2);
  EXPECT_EQ(Case("a b c", "c b a").Cost(), 4);
  EXPECT_EQ(Case("a b", "a").Cost(), std::nullopt);
  EXPECT_EQ(Case("a * b", "a b").Cost(), 1);
}

TEST(PhraseFrequency, AgreesWithBruteForceOnRandomPhrases) {
  std::mt19937 random(11);
  const auto words = [&](size_t n, bool gaps) {
    std::string out;
    for (size_t i = 0; i < n; ++i) {
      const size_t pick = random() % (gaps && i > 0 && i + 1 < n ? 5 : 4);
      out += pick == 4 ? "*" : std::string(1, static_cast<char>('a' + pick));
      out += ' ';
    }
    return out;
  };
  for (int round = 0; round < 20'000; ++round) {
    const std::string phrase = words(2 + random() % 3, true);
    const std::string text = words(random() % 14, false);
    SCOPED_TRACE(phrase + "| " + text);
    const Case c(phrase, text);
    const testing::ReferencePhrase reference(c.offsets, c.names, c.positions);
    const int cost = reference.MinimalCost();
    ASSERT_EQ(c.Cost(), cost < 0 ? std::nullopt : std::optional<int64_t>(cost));
    for (const uint32_t slop : {0u, 1u, 2u, 5u}) {
      const float frequency = c.Frequency(slop);
      ASSERT_EQ(frequency > 0, cost >= 0 && cost <= static_cast<int>(slop)) << slop;
      ASSERT_EQ(frequency, reference.Frequency(static_cast<int>(slop))) << slop;
    }
  }
}

}  // namespace
}  // namespace firth
