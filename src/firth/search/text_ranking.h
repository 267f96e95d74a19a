// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "firth/index/text/text_evaluator.h"
#include "firth/search/candidate_store.h"

namespace firth {

/// A row found.
struct TextHit {
  float score = 0;
  std::string key;
  SliceName slice;
  int64_t row = 0;  ///< its number in the slice

  bool operator==(const TextHit&) const = default;
};

struct TextHits {
  std::vector<TextHit> best;       ///< at most k, best first
  int64_t total = 0;               ///< rows that match and pass the filters
  bool expansions_capped = false;  ///< a fuzzy term stood for its best expansions only
};

/// The k best of the rows offered, in the total order: score descending, then record key, partition
/// and file id by bytes, then position. Which rows come first does not matter.
class TextRanking {
 public:
  /// @param scorer  must outlive the ranking
  TextRanking(const TextScorer& scorer, int64_t k) : scorer_(scorer), k_(static_cast<size_t>(k)) {}

  /// Takes the row if it matches and belongs to the best.
  void Offer(std::span<const ColumnFeatures> row, const RowAddress& address);

  void Merge(TextRanking&& other);

  TextHits Finish() &&;

 private:
  void Push(TextHit hit);

  const TextScorer& scorer_;
  size_t k_;
  std::vector<TextHit> heap_;  // the worst at the front
  int64_t total_ = 0;
};

}  // namespace firth
