// SPDX-License-Identifier: Apache-2.0
// Small random tables and queries whose words collide often: plateaus, near words, repeated words.
#pragma once

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "firth/index/text/text_query.h"
#include "firth/testing/reference_text_search.h"

namespace firth::testing {

class RandomTextSearch {
 public:
  explicit RandomTextSearch(uint32_t seed) : random_(seed) {}

  uint32_t Below(uint32_t n) { return random_() % n; }

  std::string Word() {
    constexpr const char* kWords[] = {"pay", "pya",  "pays", "paid", "payment", "the",
                                      "the", "card", "cart", "Café", "cafe",    "größe",
                                      "a",   "ab",   "日本", "x²"};
    return kWords[Below(std::size(kWords))];
  }

  std::string Text(uint32_t max_words) {
    std::string out;
    for (uint32_t left = Below(max_words + 1); left > 0; --left) {
      out += Word();
      constexpr const char* kSeparators[] = {" ", ", ", "—", "\n"};
      out += kSeparators[Below(4)];
    }
    return out;
  }

  ReferenceTextSearch::Row Row() {
    ReferenceTextSearch::Row row;
    for (const char* column : {"title", "body"}) {
      row[column] = Below(6) == 0 ? std::nullopt : std::optional(Text(column[0] == 't' ? 3 : 12));
    }
    return row;
  }

  /// A canonical query; with `ranked`, one that may be ranked.
  TextQuery Query(bool ranked) { return CanonicalTextQuery(Node(ranked, 3)).ValueOrDie(); }

 private:
  std::string Column() { return Below(3) == 0 ? "title" : "body"; }
  double Boost() { return Below(3) == 0 ? 0.5 + Below(4) : 1; }
  TextOperator Operator() { return Below(2) ? TextOperator::kAnd : TextOperator::kOr; }
  FuzzyOptions Fuzzy() {
    FuzzyOptions out;
    out.fuzziness.automatic = Below(2) == 0;
    out.fuzziness.edits = out.fuzziness.automatic ? 0 : static_cast<int>(Below(3));
    out.prefix_length = Below(3);
    out.max_expansions = 1 + Below(4);
    return out;
  }

  std::string Prefix() {
    constexpr const char* kPrefixes[] = {"p", "PA", "pay", "caf", "Ca", "日", "größ"};
    return kPrefixes[Below(std::size(kPrefixes))];
  }

  TextQuery Leaf() {
    switch (Below(6)) {
      case 0:
        return {PhraseQuery{Column(), Text(3), Below(4), Boost()}};
      case 1:
        return {PrefixQuery{Column(), Below(8) ? Prefix() : "", Boost()}};
      case 2:
        return {FuzzyQuery{Column(), Word(), Fuzzy(), Boost()}};
      case 3: {
        MultiMatchQuery q{.query = Text(3), .columns = {}};
        q.columns = {{"title", Boost()}, {"body", Boost()}};
        if (Below(4) == 0) q.columns.pop_back();
        q.op = Operator();
        q.type = static_cast<MultiMatchType>(Below(3));
        q.tie_breaker = Below(2) ? 0.5 : 0;
        q.boost = Boost();
        return {q};
      }
      default: {
        MatchQuery q{.column = Column(), .query = Text(4), .op = Operator(), .fuzzy = {}};
        if (Below(2) == 0) q.fuzzy = Fuzzy();
        q.boost = Boost();
        return {q};
      }
    }
  }

  TextQuery Node(bool ranked, int depth) {
    const uint32_t kind = depth == 0 ? 9 : Below(10);
    if (kind == 0 && !ranked) return {NotQuery{{Node(ranked, depth - 1)}}};
    if (kind == 1) return {BoostQuery{{Node(ranked, depth - 1)}, Boost()}};
    if (kind == 2) return {ConstantQuery{{Node(ranked, depth - 1)}, 1.0 + Below(3)}};
    if (kind > 5) return Leaf();
    std::vector<TextQuery> children;
    for (uint32_t left = 1 + Below(3); left > 0; --left) {
      children.push_back(Node(ranked, depth - 1));
    }
    if (kind == 5) return {OrQuery{std::move(children)}};
    if (Below(3) == 0) children.push_back({NotQuery{{Node(ranked, depth - 1)}}});
    return {AndQuery{std::move(children)}};
  }

  std::mt19937 random_;
};

}  // namespace firth::testing
