// SPDX-License-Identifier: Apache-2.0
#include "firth/index/text/text_evaluator.h"

#include <algorithm>
#include <tuple>

namespace firth {
namespace {

Truth FromBool(bool value) { return value ? Truth::kTrue : Truth::kFalse; }

Truth Not(Truth value) {
  return static_cast<Truth>(static_cast<int>(Truth::kTrue) - static_cast<int>(value));
}

/// The truth of every kind of node, given whether a clause occurs in its column.
template <typename ClauseHit>
class Evaluator {
 public:
  Evaluator(std::span<const ColumnFeatures> row, ClauseHit hit) : row_(row), hit_(hit) {}

  Truth Of(const BoundNode& node) const {
    return std::visit([this](const auto& kind) { return this->Of(kind); }, node.node);
  }
  Truth Of(const BoundMatch& match) const {
    const ColumnFeatures& column = row_[match.column];
    if (column.is_null) return Truth::kNull;
    if (match.clauses.empty()) return Truth::kFalse;
    const auto hit = [&](const BoundClause& clause) { return hit_(column, clause); };
    return FromBool(match.op == TextOperator::kAnd ? std::ranges::all_of(match.clauses, hit)
                                                   : std::ranges::any_of(match.clauses, hit));
  }
  Truth Of(const BoundPhraseLeaf& leaf) const {
    const ColumnFeatures& column = row_[leaf.column];
    return column.is_null ? Truth::kNull : FromBool(column.phrase_frequency[leaf.phrase] > 0);
  }
  Truth Of(const BoundPrefixLeaf& leaf) const {
    const ColumnFeatures& column = row_[leaf.column];
    return column.is_null ? Truth::kNull : FromBool(column.prefix_hit[leaf.prefix] != 0);
  }
  Truth Of(const BoundFields& fields) const { return Any(fields.fields); }
  Truth Of(const BoundCrossFields& cross) const {
    if (cross.terms.empty()) return OfCrossTerm(cross, nullptr);
    Truth result = cross.op == TextOperator::kAnd ? Truth::kTrue : Truth::kFalse;
    for (const BoundCrossFields::Term& term : cross.terms) {
      const Truth of_term = OfCrossTerm(cross, &term);
      result =
          cross.op == TextOperator::kAnd ? std::min(result, of_term) : std::max(result, of_term);
    }
    return result;
  }
  Truth Of(const BoundAnd& node) const {
    Truth result = Truth::kTrue;
    for (const BoundNode& child : node.children) result = std::min(result, Of(child));
    return result;
  }
  Truth Of(const BoundOr& node) const { return Any(node.children); }
  Truth Of(const BoundNot& node) const { return Not(Of(node.child.front())); }
  Truth Of(const BoundConstant& node) const { return Of(node.child.front()); }

 private:
  template <typename Nodes>
  Truth Any(const Nodes& nodes) const {
    Truth result = Truth::kFalse;
    for (const auto& node : nodes) result = std::max(result, Of(node));
    return result;
  }

  /// One term in any column; without a term, what remains is whether a column is NULL.
  Truth OfCrossTerm(const BoundCrossFields& cross, const BoundCrossFields::Term* term) const {
    Truth result = Truth::kFalse;
    for (size_t i = 0; i < cross.columns.size(); ++i) {
      const ColumnFeatures& column = row_[cross.columns[i]];
      const bool hit = !column.is_null && term != nullptr && hit_(column, term->in_column[i]);
      result = std::max(result, column.is_null ? Truth::kNull : FromBool(hit));
    }
    return result;
  }

  std::span<const ColumnFeatures> row_;
  ClauseHit hit_;
};

uint32_t TermFrequency(const ColumnFeatures& column, uint32_t term) {
  return term < column.tf.size() ? column.tf[term] : 0;
}

}  // namespace

Truth EvaluateTextQuery(const BoundQuery& query, std::span<const ColumnFeatures> row) {
  const auto hit = [](const ColumnFeatures& column, const BoundClause& clause) {
    return clause.is_fuzzy ? column.fuzzy_hit[clause.index] != 0
                           : TermFrequency(column, clause.index) > 0;
  };
  return Evaluator(row, hit).Of(query.root);
}

/// Fills clauses_: which terms take part, with which weights.
struct TextScorer::Weigher {
  TextScorer& scorer;
  std::span<const ColumnStatistics> statistics;
  std::span<const ColumnVocabulary> vocabularies;

  void operator()(const BoundMatch& match) {
    for (const BoundClause& clause : match.clauses) {
      if (clause.is_fuzzy) {
        Fuzzy(match, clause);
      } else {
        const double boost = match.boost * clause.multiplicity;
        Plain(match.column, clause, boost, Df(match.column, clause.index));
      }
    }
  }
  void operator()(const BoundPhraseLeaf& leaf) {
    const ColumnStatistics& column = statistics[leaf.column];
    double idf = 0;
    for (const BoundPhrase::Term& term :
         scorer.query_.columns[leaf.column].phrases[leaf.phrase].terms) {
      idf += Bm25Idf(column.records, Df(leaf.column, term.term));
    }
    scorer.clauses_[leaf.id] = {{0, Bm25Weight(leaf.boost, idf)}};
  }
  void operator()(const BoundPrefixLeaf&) {}
  void operator()(const BoundFields& fields) {
    for (const BoundMatch& match : fields.fields) (*this)(match);
  }
  void operator()(const BoundCrossFields& cross) {
    for (const BoundCrossFields::Term& term : cross.terms) {
      int64_t df = 0;
      for (size_t i = 0; i < cross.columns.size(); ++i) {
        df = std::max(df, Df(cross.columns[i], term.in_column[i].index));
      }
      for (size_t i = 0; i < cross.columns.size(); ++i) {
        const BoundClause& clause = term.in_column[i];
        Plain(cross.columns[i], clause, cross.boosts[i] * clause.multiplicity,
              std::min(df, statistics[cross.columns[i]].records));
      }
    }
  }
  void operator()(const BoundAnd& node) { All(node.children); }
  void operator()(const BoundOr& node) { All(node.children); }
  void operator()(const BoundNot& node) { All(node.child); }
  void operator()(const BoundConstant& node) { All(node.child); }

  void All(const std::vector<BoundNode>& nodes) {
    for (const BoundNode& node : nodes) std::visit(*this, node.node);
  }
  int64_t Df(uint32_t column, uint32_t term) const {
    const std::vector<int64_t>& df = statistics[column].document_frequency;
    return term < df.size() ? df[term] : 0;
  }
  void Plain(uint32_t column, const BoundClause& clause, double boost, int64_t df) {
    const double idf = Bm25Idf(statistics[column].records, df);
    scorer.clauses_[clause.id] = {{clause.index, Bm25Weight(boost, idf)}};
  }
  void Fuzzy(const BoundMatch& match, const BoundClause& clause);
};

/// The best expansions that occur at all: most similar first, then by the bytes of the term. They
/// share the largest document frequency among them.
void TextScorer::Weigher::Fuzzy(const BoundMatch& match, const BoundClause& clause) {
  struct Candidate {
    FuzzyPattern::Similarity similarity;
    const std::string* text;
    uint32_t term;
  };
  const BoundFuzzy& fuzzy = scorer.query_.columns[match.column].fuzzies[clause.index];
  const ColumnVocabulary& vocabulary = vocabularies[match.column];
  std::vector<Candidate> candidates;
  for (const auto& [term, distance] : vocabulary.expansions()[clause.index]) {
    if (Df(match.column, term) == 0) continue;
    const std::string& text = vocabulary.terms()[term];
    candidates.push_back({fuzzy.pattern.SimilarityAt(text, distance), &text, term});
  }
  std::ranges::sort(candidates, [](const Candidate& a, const Candidate& b) {
    if (a.similarity.MoreThan(b.similarity)) return true;
    if (b.similarity.MoreThan(a.similarity)) return false;
    return *a.text < *b.text;
  });
  if (static_cast<int64_t>(candidates.size()) > fuzzy.max_expansions) {
    candidates.resize(static_cast<size_t>(fuzzy.max_expansions));
    scorer.expansions_capped_ = true;
  }
  int64_t df = 0;
  for (const Candidate& c : candidates) df = std::max(df, Df(match.column, c.term));
  const double idf = Bm25Idf(statistics[match.column].records, df);
  for (const Candidate& c : candidates) {
    scorer.clauses_[clause.id].push_back(
        {c.term, Bm25Weight(match.boost * clause.multiplicity, idf, c.similarity.value())});
  }
}

/// Adds up the contributions of the clauses of a row, in the order of the tree.
struct TextScorer::Walker {
  const TextScorer& scorer;
  std::span<const ColumnFeatures> row;

  bool Hit(const ColumnFeatures& column, const BoundClause& clause) const {
    return std::ranges::any_of(scorer.clauses_[clause.id], [&](const WeightedTerm& t) {
      return TermFrequency(column, t.term) > 0;
    });
  }
  template <typename Node>
  bool IsTrue(const Node& node) const {
    const auto hit = [this](const ColumnFeatures& column, const BoundClause& clause) {
      return Hit(column, clause);
    };
    return Evaluator(row, hit).Of(node) == Truth::kTrue;
  }

  /// Adds the score of a node that is TRUE.
  void Add(const BoundNode& node, double* sum) const {
    std::visit([&](const auto& kind) { Add(kind, sum); }, node.node);
  }
  void Add(const BoundMatch& match, double* sum) const {
    for (const BoundClause& clause : match.clauses) {
      for (const WeightedTerm& t : scorer.clauses_[clause.id]) {
        *sum += Contribution(match.column, t);
      }
    }
  }
  void Add(const BoundPhraseLeaf& leaf, double* sum) const {
    const ColumnFeatures& column = row[leaf.column];
    *sum += scorer.columns_[leaf.column].Score(scorer.clauses_[leaf.id].front().weight,
                                               column.phrase_frequency[leaf.phrase], column.length);
  }
  void Add(const BoundPrefixLeaf& leaf, double* sum) const { *sum += leaf.boost; }
  void Add(const BoundFields& fields, double* sum) const {
    double best = 0;
    double total = 0;
    for (const BoundMatch& match : fields.fields) {
      if (!IsTrue(match)) continue;
      double score = 0;
      Add(match, &score);
      best = std::max(best, score);
      total += score;
    }
    *sum += fields.sum ? total : best + fields.tie_breaker * (total - best);
  }
  void Add(const BoundCrossFields& cross, double* sum) const {
    for (const BoundCrossFields::Term& term : cross.terms) {
      float best = 0;
      for (size_t i = 0; i < cross.columns.size(); ++i) {
        best = std::max(
            best, Contribution(cross.columns[i], scorer.clauses_[term.in_column[i].id].front()));
      }
      *sum += best;
    }
  }
  void Add(const BoundAnd& node, double* sum) const { AddTrue(node.children, sum); }
  void Add(const BoundOr& node, double* sum) const { AddTrue(node.children, sum); }
  void Add(const BoundNot&, double*) const {}
  void Add(const BoundConstant& node, double* sum) const { *sum += node.score; }

  void AddTrue(const std::vector<BoundNode>& children, double* sum) const {
    for (const BoundNode& child : children) {
      if (IsTrue(child)) Add(child, sum);
    }
  }
  float Contribution(uint32_t column, const WeightedTerm& t) const {
    const uint32_t tf = TermFrequency(row[column], t.term);
    if (tf == 0) return 0;
    return scorer.columns_[column].Score(t.weight, static_cast<float>(tf), row[column].length);
  }
};

TextScorer::TextScorer(const BoundQuery& query, std::span<const ColumnStatistics> statistics,
                       std::span<const ColumnVocabulary> vocabularies)
    : query_(query), clauses_(query.clauses) {
  for (const ColumnStatistics& column : statistics) columns_.emplace_back(column);
  std::visit(Weigher{*this, statistics, vocabularies}, query.root.node);
}

bool TextScorer::Matches(std::span<const ColumnFeatures> row) const {
  return Walker{*this, row}.IsTrue(query_.root);
}

float TextScorer::Score(std::span<const ColumnFeatures> row) const {
  double sum = 0;
  Walker{*this, row}.Add(query_.root, &sum);
  return static_cast<float>(sum);
}

}  // namespace firth
