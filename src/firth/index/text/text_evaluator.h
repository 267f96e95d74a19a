// SPDX-License-Identifier: Apache-2.0
// Whether a row matches a query, and how well.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "firth/index/text/bm25.h"
#include "firth/index/text/bound_query.h"
#include "firth/index/text/column_scanner.h"

namespace firth {

/// Three-valued logic in its order: `and` is the minimum, `or` the maximum.
enum class Truth : uint8_t { kFalse, kNull, kTrue };

/// The query as a predicate over one row: fuzzy terms reach everything within their distance.
/// @param row  [columns of the query]
Truth EvaluateTextQuery(const BoundQuery& query, std::span<const ColumnFeatures> row);

/// Scores rows under fixed statistics. Immutable; safe from several threads.
class TextScorer {
 public:
  /// @param statistics    [columns] over the whole statistics scope
  /// @param vocabularies  [columns] whose term numbers `statistics` and the rows use; only needed
  ///                      here
  TextScorer(const BoundQuery& query, std::span<const ColumnStatistics> statistics,
             std::span<const ColumnVocabulary> vocabularies);

  /// Like EvaluateTextQuery, but fuzzy terms stand only for the expansions chosen.
  bool Matches(std::span<const ColumnFeatures> row) const;

  /// The BM25 score of a row that matches.
  float Score(std::span<const ColumnFeatures> row) const;

  /// Some fuzzy term reaches more terms than its max_expansions.
  bool expansions_capped() const { return expansions_capped_; }

 private:
  /// A term that takes part in a clause, and its factor in the score.
  struct WeightedTerm {
    uint32_t term = 0;
    float weight = 0;
  };
  struct Weigher;
  struct Walker;

  const BoundQuery& query_;
  std::vector<Bm25Column> columns_;
  std::vector<std::vector<WeightedTerm>> clauses_;  // [clause ids]; phrases have only a weight
  bool expansions_capped_ = false;
};

}  // namespace firth
