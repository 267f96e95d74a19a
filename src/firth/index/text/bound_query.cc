// SPDX-License-Identifier: Apache-2.0
#include "firth/index/text/bound_query.h"

#include <algorithm>
#include <set>
#include <utility>

#include "firth/index/text/fts_error.h"

namespace firth {
namespace {

/// A distinct term and how often it occurs.
struct CountedTerm {
  std::string term;
  uint32_t count = 0;
};

std::vector<CountedTerm> CountTerms(const std::vector<Token>& tokens) {
  std::vector<CountedTerm> out;
  for (const Token& token : tokens) {
    const auto at = std::ranges::find(out, token.term, &CountedTerm::term);
    if (at == out.end()) {
      out.push_back({token.term, 1});
    } else {
      ++at->count;
    }
  }
  return out;
}

class Binder {
 public:
  Binder(const ColumnResolver& resolver, BoundQuery* out) : resolver_(resolver), out_(out) {}

  Result<BoundNode> Bind(const TextQuery& query) {
    return std::visit([this](const auto& node) { return Visit(node); }, query.node);
  }

 private:
  Result<uint32_t> Column(const std::string& name) {
    ARROW_ASSIGN_OR_RAISE(AnalyzedColumn column, resolver_(name));
    const auto at = std::ranges::find(out_->columns, column.name, &BoundColumn::name);
    if (at != out_->columns.end()) return static_cast<uint32_t>(at - out_->columns.begin());
    out_->columns.push_back({.name = std::move(column.name),
                             .analyzer = std::move(column.analyzer),
                             .terms = {},
                             .phrases = {},
                             .prefixes = {},
                             .fuzzies = {}});
    return static_cast<uint32_t>(out_->columns.size() - 1);
  }

  Result<std::vector<Token>> Analyze(uint32_t column, const std::string& text) const {
    return out_->columns[column].analyzer->Analyze(text);
  }

  Status CountClauses(size_t more) {
    terms_ += more;
    if (terms_ <= kMaxTextQueryClauses) return Status::OK();
    return FtsError(kFtsTooManyClauses, "query has more than {} terms", kMaxTextQueryClauses);
  }

  uint32_t TermIndex(uint32_t column, const std::string& term) {
    std::vector<std::string>& terms = out_->columns[column].terms;
    const auto at = std::ranges::find(terms, term);
    if (at != terms.end()) return static_cast<uint32_t>(at - terms.begin());
    terms.push_back(term);
    return static_cast<uint32_t>(terms.size() - 1);
  }

  BoundClause Clause(uint32_t column, const CountedTerm& term, const FuzzyOptions& options) {
    const int edits = options.fuzziness.EditsFor(CountCodePoints(term.term));
    BoundClause clause{.multiplicity = term.count, .id = out_->clauses++};
    if (edits == 0) {
      clause.index = TermIndex(column, term.term);
      return clause;
    }
    std::vector<BoundFuzzy>& fuzzies = out_->columns[column].fuzzies;
    clause.is_fuzzy = true;
    clause.index = static_cast<uint32_t>(fuzzies.size());
    fuzzies.push_back(
        {FuzzyPattern(term.term, edits, options.prefix_length), options.max_expansions});
    out_->negates_fuzzy |= negations_ > 0;
    return clause;
  }

  Result<BoundMatch> Match(const std::string& column, const std::string& text, TextOperator op,
                           const FuzzyOptions& options, double boost) {
    BoundMatch match{.op = op, .clauses = {}, .boost = boost};
    ARROW_ASSIGN_OR_RAISE(match.column, Column(column));
    ARROW_ASSIGN_OR_RAISE(const std::vector<Token> tokens, Analyze(match.column, text));
    const std::vector<CountedTerm> terms = CountTerms(tokens);
    ARROW_RETURN_NOT_OK(CountClauses(terms.size()));
    for (const CountedTerm& term : terms) {
      match.clauses.push_back(Clause(match.column, term, options));
    }
    return match;
  }

  Result<BoundNode> Visit(const MatchQuery& q) {
    ARROW_ASSIGN_OR_RAISE(BoundMatch match, Match(q.column, q.query, q.op, q.fuzzy, q.boost));
    return BoundNode{std::move(match)};
  }

  Result<BoundNode> Visit(const PhraseQuery& q) {
    ARROW_ASSIGN_OR_RAISE(const uint32_t column, Column(q.column));
    ARROW_ASSIGN_OR_RAISE(const std::vector<Token> tokens, Analyze(column, q.query));
    ARROW_RETURN_NOT_OK(CountClauses(tokens.size()));
    if (tokens.size() < 2) {  // a phrase of one term is that term
      BoundMatch match{.column = column, .clauses = {}, .boost = q.boost};
      for (const CountedTerm& term : CountTerms(tokens)) {
        match.clauses.push_back(Clause(column, term, {}));
      }
      return BoundNode{std::move(match)};
    }
    BoundPhrase phrase{.terms = {}, .slop = q.slop};
    for (const Token& token : tokens) {
      phrase.terms.push_back(
          {TermIndex(column, token.term), token.position - tokens.front().position});
    }
    std::vector<BoundPhrase>& phrases = out_->columns[column].phrases;
    phrases.push_back(std::move(phrase));
    return BoundNode{BoundPhraseLeaf{.column = column,
                                     .phrase = static_cast<uint32_t>(phrases.size() - 1),
                                     .id = out_->clauses++,
                                     .boost = q.boost}};
  }

  Status CheckDistinct(const std::vector<MultiMatchQuery::Column>& columns) {
    std::set<uint32_t> seen;
    for (const MultiMatchQuery::Column& column : columns) {
      ARROW_ASSIGN_OR_RAISE(const uint32_t index, Column(column.name));
      if (!seen.insert(index).second) {
        return FtsError(kFtsBadQuery, "multi_match names column \"{}\" twice",
                        out_->columns[index].name);
      }
    }
    return Status::OK();
  }

  Result<BoundNode> Visit(const MultiMatchQuery& q) {
    ARROW_RETURN_NOT_OK(CheckDistinct(q.columns));
    if (q.type == MultiMatchType::kCrossFields) return CrossFields(q);
    BoundFields out{
        .fields = {}, .sum = q.type == MultiMatchType::kMostFields, .tie_breaker = q.tie_breaker};
    for (const MultiMatchQuery::Column& column : q.columns) {
      ARROW_ASSIGN_OR_RAISE(BoundMatch match,
                            Match(column.name, q.query, q.op, {}, q.boost * column.boost));
      out.fields.push_back(std::move(match));
    }
    return BoundNode{std::move(out)};
  }

  Result<BoundNode> CrossFields(const MultiMatchQuery& q) {
    BoundCrossFields out{.columns = {}, .boosts = {}, .terms = {}, .op = q.op};
    for (const MultiMatchQuery::Column& column : q.columns) {
      ARROW_ASSIGN_OR_RAISE(const uint32_t index, Column(column.name));
      out.columns.push_back(index);
      out.boosts.push_back(q.boost * column.boost);
      if (out_->columns[index].analyzer->fingerprint() !=
          out_->columns[out.columns.front()].analyzer->fingerprint()) {
        return FtsError(kFtsBadQuery,
                        "cross_fields needs one analyzer; columns \"{}\" and \"{}\" differ",
                        q.columns.front().name, column.name);
      }
    }
    ARROW_ASSIGN_OR_RAISE(const std::vector<Token> tokens, Analyze(out.columns.front(), q.query));
    const std::vector<CountedTerm> terms = CountTerms(tokens);
    ARROW_RETURN_NOT_OK(CountClauses(terms.size() * out.columns.size()));
    for (const CountedTerm& term : terms) {
      BoundCrossFields::Term& bound = out.terms.emplace_back();
      for (const uint32_t column : out.columns) {
        bound.in_column.push_back(Clause(column, term, {}));
      }
    }
    return BoundNode{std::move(out)};
  }

  Result<BoundNode> Visit(const PrefixQuery& q) {
    ARROW_ASSIGN_OR_RAISE(const uint32_t column, Column(q.column));
    ARROW_RETURN_NOT_OK(CountClauses(1));
    BoundColumn& bound = out_->columns[column];
    bound.prefixes.push_back(bound.analyzer->MapCharacters(q.value));
    return BoundNode{BoundPrefixLeaf{.column = column,
                                     .prefix = static_cast<uint32_t>(bound.prefixes.size() - 1),
                                     .boost = q.boost}};
  }

  Result<BoundNode> Visit(const FuzzyQuery& q) {
    ARROW_ASSIGN_OR_RAISE(const uint32_t column, Column(q.column));
    ARROW_RETURN_NOT_OK(CountClauses(1));
    BoundMatch match{.column = column, .clauses = {}, .boost = q.boost};
    const std::string term = out_->columns[column].analyzer->MapCharacters(q.value);
    match.clauses.push_back(Clause(column, {term, 1}, q.fuzzy));
    return BoundNode{std::move(match)};
  }

  Result<std::vector<BoundNode>> BindAll(const std::vector<TextQuery>& queries) {
    std::vector<BoundNode> out;
    for (const TextQuery& query : queries) {
      ARROW_ASSIGN_OR_RAISE(BoundNode node, Bind(query));
      out.push_back(std::move(node));
    }
    return out;
  }
  Result<BoundNode> Visit(const AndQuery& q) {
    ARROW_ASSIGN_OR_RAISE(auto children, BindAll(q.children));
    return BoundNode{BoundAnd{std::move(children)}};
  }
  Result<BoundNode> Visit(const OrQuery& q) {
    ARROW_ASSIGN_OR_RAISE(auto children, BindAll(q.children));
    return BoundNode{BoundOr{std::move(children)}};
  }
  Result<BoundNode> Visit(const NotQuery& q) {
    ++negations_;
    ARROW_ASSIGN_OR_RAISE(auto child, BindAll(q.child));
    --negations_;
    return BoundNode{BoundNot{std::move(child)}};
  }
  Result<BoundNode> Visit(const BoostQuery& q) {
    return InternalError("a boost of {} is left in a canonical query", q.factor);
  }
  Result<BoundNode> Visit(const ConstantQuery& q) {
    ARROW_ASSIGN_OR_RAISE(auto child, BindAll(q.child));
    return BoundNode{BoundConstant{std::move(child), q.score}};
  }

  const ColumnResolver& resolver_;
  BoundQuery* out_;
  size_t terms_ = 0;
  int negations_ = 0;
};

}  // namespace

Result<std::shared_ptr<const BoundQuery>> BoundQuery::Bind(const TextQuery& canonical,
                                                           const ColumnResolver& resolver) {
  auto out = std::make_shared<BoundQuery>();
  ARROW_ASSIGN_OR_RAISE(out->root, Binder(resolver, out.get()).Bind(canonical));
  return out;
}

}  // namespace firth
