// SPDX-License-Identifier: Apache-2.0
// Full-text search written from its definition, for tables of a few rows: every statistic is
// counted anew from all rows, every distance is a full table, nothing is shared with the engine but
// the query tree and the floating-point formula that the contract prescribes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "firth/index/text/text_query.h"
#include "firth/testing/reference_analyzer.h"

namespace firth::testing {

inline std::u32string CodePoints(std::string_view text) {
  std::u32string out;
  while (!text.empty()) {
    const auto [c, size] = *DecodeFront(text);
    out.push_back(static_cast<char32_t>(c));
    text.remove_prefix(size);
  }
  return out;
}

/// Optimal string alignment, the whole table.
inline int EditDistance(const std::u32string& a, const std::u32string& b) {
  std::vector<std::vector<int>> d(a.size() + 1, std::vector<int>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = static_cast<int>(i + j);
        continue;
      }
      d[i][j] =
          std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

/// A phrase against the positions of its terms; `offsets` ascend from 0, `names` say which are
/// equal.
class ReferencePhrase {
 public:
  using Positions = std::vector<std::vector<int>>;

  ReferencePhrase(std::vector<int> offsets, std::vector<std::string> names, Positions positions)
      : offsets_(std::move(offsets)), names_(std::move(names)), positions_(std::move(positions)) {}

  /// Tries every combination of positions. Negative if no alignment exists.
  int MinimalCost() const {
    best_ = -1;
    std::vector<int> chosen;
    Try(&chosen);
    return best_;
  }

  float Frequency(int slop) const {
    if (names_.empty()) return 0;
    if (names_.size() == 1) return static_cast<float>(positions_[0].size());
    if (slop == 0) {
      int count = 0;
      for (const int p : positions_[0]) {
        bool all = true;
        for (size_t i = 0; i < names_.size(); ++i) {
          all &= std::ranges::count(positions_[i], p - offsets_[0] + offsets_[i]) > 0;
        }
        count += all;
      }
      return static_cast<float>(count);
    }
    const float swept = Sweep(slop);
    if (swept > 0) return swept;
    const int cost = MinimalCost();
    return cost >= 0 && cost <= slop ? 1.0f / (1.0f + static_cast<float>(cost)) : 0;
  }

 private:
  void Try(std::vector<int>* chosen) const {
    const size_t i = chosen->size();
    if (i == names_.size()) {
      int low = INT32_MAX, high = INT32_MIN;
      for (size_t j = 0; j < i; ++j) {
        low = std::min(low, (*chosen)[j] - offsets_[j]);
        high = std::max(high, (*chosen)[j] - offsets_[j]);
      }
      if (best_ < 0 || high - low < best_) best_ = high - low;
      return;
    }
    for (const int p : positions_[i]) {
      bool taken = false;
      for (size_t j = 0; j < i; ++j) taken |= names_[j] == names_[i] && (*chosen)[j] == p;
      if (taken) continue;
      chosen->push_back(p);
      Try(chosen);
      chosen->pop_back();
    }
  }

  /// The sweep of the contract, word for word, with an ordered set as its queue.
  float Sweep(int slop) const {
    const int n = static_cast<int>(names_.size());
    std::vector<size_t> at(names_.size());
    const auto position = [&](int i) { return positions_[i][at[i]]; };
    const auto shift = [&](int i) { return position(i) - offsets_[i]; };
    const auto rank = [&](int i) { return std::tuple(shift(i), offsets_[i], i); };
    int end = INT32_MIN;
    for (int i = 0; i < n; ++i) {
      at[i] = static_cast<size_t>(std::count(names_.begin(), names_.begin() + i, names_[i]));
      if (at[i] >= positions_[i].size()) return 0;
      end = std::max(end, shift(i));
    }
    float frequency = 0;
    const auto advance = [&](int i) {
      if (++at[i] >= positions_[i].size()) return false;
      end = std::max(end, shift(i));
      return true;
    };
    const auto settle = [&](int i) {
      while (true) {
        int other = -1;
        for (int j = 0; j < n && other < 0; ++j) {
          if (j != i && names_[j] == names_[i] && position(j) == position(i)) other = j;
        }
        if (other < 0) return true;
        i = rank(other) < rank(i) ? other : i;
        if (!advance(i)) return false;
      }
    };
    for (bool going = true; going;) {
      std::set<std::tuple<int, int, int>> queue;
      for (int i = 0; i < n; ++i) queue.insert(rank(i));
      const int least = std::get<2>(*queue.begin());
      const int next = std::get<0>(*std::next(queue.begin()));
      int length = end - shift(least);
      while ((going = advance(least) && settle(least)) && shift(least) <= next) {
        length = std::min(length, end - shift(least));
      }
      if (length <= slop) frequency += 1.0f / (1.0f + static_cast<float>(length));
    }
    return frequency;
  }

  std::vector<int> offsets_;
  std::vector<std::string> names_;
  Positions positions_;
  mutable int best_ = -1;
};

/// A table of texts and the answers to queries over it.
class ReferenceTextSearch {
 public:
  using Row = std::map<std::string, std::optional<std::string>>;

  explicit ReferenceTextSearch(std::vector<Row> rows) {
    for (const Row& row : rows) {
      Doc& doc = docs_.emplace_back();
      for (const auto& [column, text] : row) {
        if (text) doc[column] = Tokens(*text);
      }
    }
  }

  /// 1 TRUE, 0 FALSE, nullopt NULL.
  std::optional<bool> Truth(const TextQuery& query, size_t row) {
    ranked_ = false;
    return TruthOf(query, docs_[row]);
  }

  /// The score of each row that matches a ranked query.
  std::map<size_t, float> Scores(const TextQuery& query) {
    ranked_ = true;
    std::map<size_t, float> out;
    for (size_t row = 0; row < docs_.size(); ++row) {
      if (TruthOf(query, docs_[row]) != std::optional(true)) continue;
      double sum = 0;
      AddScore(query, docs_[row], &sum);
      out[row] = static_cast<float>(sum);
    }
    return out;
  }

 private:
  using Doc = std::map<std::string, std::vector<Token>>;  // without the columns that are NULL
  using Kleene = std::optional<bool>;

  static Kleene And(Kleene a, Kleene b) {
    if (a == Kleene(false) || b == Kleene(false)) return false;
    return a && b ? Kleene(true) : std::nullopt;
  }
  static Kleene Not(Kleene a) { return a ? Kleene(!*a) : a; }
  static Kleene Or(Kleene a, Kleene b) { return Not(And(Not(a), Not(b))); }

  static std::vector<Token> Tokens(const std::string& text) {
    return *ReferenceAnalyze(text, AnalyzerOptions{});
  }
  static std::vector<std::pair<std::string, int>> Terms(const std::string& text) {
    std::vector<std::pair<std::string, int>> out;
    for (const Token& token : Tokens(text)) {
      const auto at = std::ranges::find(out, token.term, &std::pair<std::string, int>::first);
      if (at == out.end()) {
        out.emplace_back(token.term, 1);
      } else {
        ++at->second;
      }
    }
    return out;
  }

  static int Tf(const Doc& doc, const std::string& column, const std::string& term) {
    return static_cast<int>(std::ranges::count(doc.at(column), term, &Token::term));
  }
  int64_t Df(const std::string& column, const std::string& term) const {
    const auto [known, added] = df_.try_emplace({column, term});
    if (added) {
      known->second = std::ranges::count_if(
          docs_, [&](const Doc& d) { return d.contains(column) && Tf(d, column, term) > 0; });
    }
    return known->second;
  }
  int64_t N(const std::string& column) const {
    return std::ranges::count_if(docs_, [&](const Doc& d) { return d.contains(column); });
  }
  double Idf(const std::string& column, int64_t df) const {
    return std::log(1 +
                    (static_cast<double>(N(column) - df) + 0.5) / (static_cast<double>(df) + 0.5));
  }
  float Bm25(const Doc& doc, const std::string& column, float w, float tf) const {
    int64_t tokens = 0;
    for (const Doc& d : docs_) tokens += d.contains(column) ? d.at(column).size() : 0;
    if (tokens == 0) return 0;
    const double average = static_cast<double>(tokens) / static_cast<double>(N(column));
    const float a = static_cast<float>(1.2 * (1 - 0.75));
    const float b = static_cast<float>(1.2 * 0.75 / average);
    const volatile float product = b * static_cast<float>(doc.at(column).size());
    return w * (tf / (tf + (a + product)));
  }

  struct Expansion {
    std::string term;
    int distance;
    int shorter;
    double similarity() const {
      return distance == 0 ? 1 : std::max(0.0, shorter == 0 ? 0 : 1 - distance / double(shorter));
    }
  };
  /// E(u); for ranked search the best of what the table holds.
  std::vector<Expansion> Expansions(const std::string& column, const std::string& term,
                                    const FuzzyOptions& options) const {
    const std::u32string u = CodePoints(term);
    const Fuzziness& f = options.fuzziness;
    const auto size = static_cast<int64_t>(u.size());
    const int edits = f.automatic ? (size < f.low ? 0 : size < f.high ? 1 : 2) : f.edits;
    if (edits == 0) return {{term, 0, static_cast<int>(size)}};
    std::set<std::string> vocabulary;
    for (const Doc& doc : docs_) {
      if (!doc.contains(column)) continue;
      for (const Token& token : doc.at(column)) vocabulary.insert(token.term);
    }
    std::vector<Expansion> out;
    const size_t prefix = std::min<size_t>(u.size(), static_cast<size_t>(options.prefix_length));
    for (const std::string& candidate : vocabulary) {
      const std::u32string v = CodePoints(candidate);
      const int distance = EditDistance(u, v);
      if (distance > edits || v.substr(0, prefix) != u.substr(0, prefix)) continue;
      out.push_back({candidate, distance, static_cast<int>(std::min(u.size(), v.size()))});
    }
    if (!ranked_) return out;
    std::ranges::stable_sort(out, [](const Expansion& a, const Expansion& b) {
      return a.distance * b.shorter < b.distance * a.shorter;
    });
    out.resize(std::min<size_t>(out.size(), static_cast<size_t>(options.max_expansions)));
    return out;
  }

  Kleene Match(const Doc& doc, const std::string& column, const std::string& text, TextOperator op,
               const FuzzyOptions& options) const {
    if (!doc.contains(column)) return std::nullopt;
    const auto terms = Terms(text);
    size_t found = 0;
    for (const auto& [term, count] : terms) {
      found += std::ranges::any_of(Expansions(column, term, options),
                                   [&](const Expansion& e) { return Tf(doc, column, e.term) > 0; });
    }
    return !terms.empty() && (op == TextOperator::kAnd ? found == terms.size() : found > 0);
  }
  void AddMatch(const Doc& doc, const std::string& column, const std::string& text,
                const FuzzyOptions& options, double boost, double* sum) const {
    for (const auto& [term, count] : Terms(text))
      AddTerm(doc, column, term, count, options, boost, sum);
  }
  void AddTerm(const Doc& doc, const std::string& column, const std::string& term, int count,
               const FuzzyOptions& options, double boost, double* sum) const {
    const std::vector<Expansion> expansions = Expansions(column, term, options);
    int64_t df = 0;
    for (const Expansion& e : expansions) df = std::max(df, Df(column, e.term));
    for (const Expansion& e : expansions) {
      const int tf = Tf(doc, column, e.term);
      if (tf == 0) continue;
      const auto w =
          static_cast<float>(boost * count * Idf(column, df) * (1.2 + 1) * e.similarity());
      *sum += Bm25(doc, column, w, static_cast<float>(tf));
    }
  }

  static float PhraseTf(const Doc& doc, const PhraseQuery& q) {
    std::vector<int> offsets;
    std::vector<std::string> names;
    ReferencePhrase::Positions positions;
    const std::vector<Token> tokens = Tokens(q.query);
    for (const Token& token : tokens) {
      offsets.push_back(static_cast<int>(token.position - tokens.front().position));
      names.push_back(token.term);
      positions.emplace_back();
      for (const Token& t : doc.at(q.column)) {
        if (t.term == token.term) positions.back().push_back(static_cast<int>(t.position));
      }
      if (positions.back().empty()) return 0;
    }
    return ReferencePhrase(offsets, names, positions).Frequency(static_cast<int>(q.slop));
  }

  static std::string Mapped(const std::string& value) {
    return ReferenceFilters(icu::UnicodeString::fromUTF8(value), AnalyzerOptions{});
  }

  Kleene TruthOf(const TextQuery& query, const Doc& doc) const {
    return std::visit([&](const auto& q) { return TruthOf(q, doc); }, query.node);
  }
  Kleene TruthOf(const MatchQuery& q, const Doc& doc) const {
    return Match(doc, q.column, q.query, q.op, q.fuzzy);
  }
  Kleene TruthOf(const PhraseQuery& q, const Doc& doc) const {
    if (!doc.contains(q.column)) return std::nullopt;
    return PhraseTf(doc, q) > 0;
  }
  Kleene TruthOf(const MultiMatchQuery& q, const Doc& doc) const {
    if (q.type != MultiMatchType::kCrossFields) {
      Kleene result = false;
      for (const auto& c : q.columns) result = Or(result, Match(doc, c.name, q.query, q.op, {}));
      return result;
    }
    Kleene result;
    bool first = true;
    auto terms = Terms(q.query);
    if (terms.empty()) terms.emplace_back("", 1);
    for (const auto& [term, count] : terms) {
      Kleene any = false;
      for (const auto& c : q.columns) {
        any = Or(any, doc.contains(c.name) ? Kleene(Tf(doc, c.name, term) > 0) : std::nullopt);
      }
      result = first ? any : (q.op == TextOperator::kAnd ? And(result, any) : Or(result, any));
      first = false;
    }
    return result;
  }
  Kleene TruthOf(const PrefixQuery& q, const Doc& doc) const {
    if (!doc.contains(q.column)) return std::nullopt;
    return std::ranges::any_of(doc.at(q.column),
                               [&](const Token& t) { return t.term.starts_with(Mapped(q.value)); });
  }
  Kleene TruthOf(const FuzzyQuery& q, const Doc& doc) const {
    if (!doc.contains(q.column)) return std::nullopt;
    return std::ranges::any_of(Expansions(q.column, Mapped(q.value), q.fuzzy),
                               [&](const Expansion& e) { return Tf(doc, q.column, e.term) > 0; });
  }
  Kleene TruthOf(const AndQuery& q, const Doc& doc) const {
    Kleene result = true;
    for (const TextQuery& child : q.children) result = And(result, TruthOf(child, doc));
    return result;
  }
  Kleene TruthOf(const OrQuery& q, const Doc& doc) const {
    Kleene result = false;
    for (const TextQuery& child : q.children) result = Or(result, TruthOf(child, doc));
    return result;
  }
  Kleene TruthOf(const NotQuery& q, const Doc& doc) const { return Not(TruthOf(q.child[0], doc)); }
  Kleene TruthOf(const BoostQuery& q, const Doc& doc) const { return TruthOf(q.child[0], doc); }
  Kleene TruthOf(const ConstantQuery& q, const Doc& doc) const { return TruthOf(q.child[0], doc); }

  void AddScore(const TextQuery& query, const Doc& doc, double* sum) const {
    if (TruthOf(query, doc) != Kleene(true)) return;
    std::visit([&](const auto& q) { AddScore(q, doc, sum); }, query.node);
  }
  void AddScore(const MatchQuery& q, const Doc& doc, double* sum) const {
    AddMatch(doc, q.column, q.query, q.fuzzy, q.boost, sum);
  }
  void AddScore(const PhraseQuery& q, const Doc& doc, double* sum) const {
    double idf = 0;
    for (const Token& token : Tokens(q.query)) {
      idf += Idf(q.column, Df(q.column, token.term));
    }
    const auto w = static_cast<float>(q.boost * idf * (1.2 + 1));
    *sum += Bm25(doc, q.column, w, PhraseTf(doc, q));
  }
  void AddScore(const MultiMatchQuery& q, const Doc& doc, double* sum) const {
    if (q.type == MultiMatchType::kCrossFields) return AddCross(q, doc, sum);
    double best = 0, total = 0;
    for (const auto& c : q.columns) {
      if (Match(doc, c.name, q.query, q.op, {}) != Kleene(true)) continue;
      double score = 0;
      AddMatch(doc, c.name, q.query, {}, q.boost * c.boost, &score);
      best = std::max(best, score);
      total += score;
    }
    *sum += q.type == MultiMatchType::kMostFields ? total : best + q.tie_breaker * (total - best);
  }
  void AddCross(const MultiMatchQuery& q, const Doc& doc, double* sum) const {
    for (const auto& [term, count] : Terms(q.query)) {
      int64_t df = 0;
      for (const auto& c : q.columns) df = std::max(df, Df(c.name, term));
      float best = 0;
      for (const auto& c : q.columns) {
        if (!doc.contains(c.name) || Tf(doc, c.name, term) == 0) continue;
        const auto w = static_cast<float>(q.boost * c.boost * count *
                                          Idf(c.name, std::min(df, N(c.name))) * (1.2 + 1));
        best = std::max(best, Bm25(doc, c.name, w, static_cast<float>(Tf(doc, c.name, term))));
      }
      *sum += best;
    }
  }
  void AddScore(const PrefixQuery& q, const Doc&, double* sum) const { *sum += q.boost; }
  void AddScore(const FuzzyQuery& q, const Doc& doc, double* sum) const {
    AddTerm(doc, q.column, Mapped(q.value), 1, q.fuzzy, q.boost, sum);
  }
  void AddScore(const AndQuery& q, const Doc& doc, double* sum) const {
    for (const TextQuery& child : q.children) AddScore(child, doc, sum);
  }
  void AddScore(const OrQuery& q, const Doc& doc, double* sum) const {
    for (const TextQuery& child : q.children) AddScore(child, doc, sum);
  }
  void AddScore(const NotQuery&, const Doc&, double*) const {}
  void AddScore(const BoostQuery&, const Doc&, double*) const {}
  void AddScore(const ConstantQuery& q, const Doc&, double* sum) const { *sum += q.score; }

  std::vector<Doc> docs_;
  mutable std::map<std::pair<std::string, std::string>, int64_t> df_;
  bool ranked_ = false;
};

}  // namespace firth::testing
