// SPDX-License-Identifier: Apache-2.0
// A query tree bound to the analyzers of its columns: texts are cut into terms, and terms, phrases,
// prefixes and fuzzy terms have numbers within their column. What scans and indexes execute.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "firth/index/text/analyzer.h"
#include "firth/index/text/edit_distance.h"
#include "firth/index/text/text_query.h"

namespace firth {

struct BoundPhrase {
  struct Term {
    uint32_t term = 0;    ///< in BoundColumn::terms
    uint32_t offset = 0;  ///< positions behind the first term
  };
  std::vector<Term> terms;  ///< at least two
  uint32_t slop = 0;
};

struct BoundFuzzy {
  FuzzyPattern pattern;
  int64_t max_expansions = 0;
};

/// All that a query looks for in one column.
struct BoundColumn {
  std::string name;
  std::shared_ptr<const Analyzer> analyzer;
  std::vector<std::string> terms;  ///< distinct
  std::vector<BoundPhrase> phrases;
  std::vector<std::string> prefixes;
  std::vector<BoundFuzzy> fuzzies;
};

/// One term of a match, or one fuzzy term and everything it expands to.
struct BoundClause {
  bool is_fuzzy = false;
  uint32_t index = 0;         ///< in the column's `terms` or `fuzzies`
  uint32_t multiplicity = 1;  ///< how often the query text holds it
  uint32_t id = 0;            ///< number of the clause within the query
};

struct BoundMatch {
  uint32_t column = 0;
  TextOperator op = TextOperator::kOr;
  std::vector<BoundClause> clauses;  ///< empty: the text has no tokens; matches nothing
  double boost = 1;
};
struct BoundPhraseLeaf {
  uint32_t column = 0;
  uint32_t phrase = 0;
  uint32_t id = 0;
  double boost = 1;
};
struct BoundPrefixLeaf {
  uint32_t column = 0;
  uint32_t prefix = 0;
  double boost = 1;
};
/// One match per column; the best counts (`tie_breaker` of the others), or with `sum` all do.
struct BoundFields {
  std::vector<BoundMatch> fields;
  bool sum = false;
  double tie_breaker = 0;
};
/// Every term (or some) in any of the columns.
struct BoundCrossFields {
  struct Term {
    std::vector<BoundClause> in_column;  ///< [columns]
  };
  std::vector<uint32_t> columns;
  std::vector<double> boosts;  ///< [columns]
  std::vector<Term> terms;
  TextOperator op = TextOperator::kOr;
};

struct BoundNode;
struct BoundAnd {
  std::vector<BoundNode> children;
};
struct BoundOr {
  std::vector<BoundNode> children;
};
struct BoundNot {
  std::vector<BoundNode> child;  ///< exactly one
};
struct BoundConstant {
  std::vector<BoundNode> child;  ///< exactly one
  double score = 1;
};
struct BoundNode {
  std::variant<BoundMatch, BoundPhraseLeaf, BoundPrefixLeaf, BoundFields, BoundCrossFields,
               BoundAnd, BoundOr, BoundNot, BoundConstant>
      node;
};

/// A column that can be searched.
struct AnalyzedColumn {
  std::string name;  ///< as the table has it
  std::shared_ptr<const Analyzer> analyzer;
};

/// The column that a query means by a name. Errors: FTS_UNKNOWN_COLUMN, FTS_NOT_STRING_COLUMN.
using ColumnResolver = std::function<Result<AnalyzedColumn>(const std::string& name)>;

/// Immutable; safe from several threads.
struct BoundQuery {
  std::vector<BoundColumn> columns;  ///< distinct, in order of first use
  BoundNode root;
  uint32_t clauses = 0;        ///< clause and phrase ids are below this
  bool negates_fuzzy = false;  ///< a fuzzy clause stands below a `not`

  /// Errors: those of the resolver; FTS_TOO_MANY_CLAUSES by the number of analyzed terms;
  /// FTS_BAD_QUERY for a multi_match that means one column by two names, and for cross_fields over
  /// columns with different analyzers.
  static Result<std::shared_ptr<const BoundQuery>> Bind(const TextQuery& canonical,
                                                        const ColumnResolver& resolver);
};

}  // namespace firth
