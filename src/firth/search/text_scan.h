// SPDX-License-Identifier: Apache-2.0
// Ranked full-text search by reading every row: the answer that an index must reproduce.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "firth/index/text/text_evaluator.h"
#include "firth/search/candidate_store.h"
#include "firth/search/text_ranking.h"

namespace firth {

/// Some consecutive rows of one slice.
struct TextBatch {
  /// [columns of the query] string arrays
  std::vector<std::shared_ptr<arrow::Array>> columns;
  /// Record keys, a string array without NULL.
  std::shared_ptr<arrow::Array> keys;
  /// Booleans: rows that may be results; the others count in the statistics only. Null: all rows.
  std::shared_ptr<arrow::Array> selected;
  /// Row numbers, int64 (read/row_number.h). Null: positions in the batch.
  std::shared_ptr<arrow::Array> numbers;
};

/// The statistics of all rows, and the rows that match.
///
///   each thread: TextScan scan(query, budget);  scan.Add(slice, batch) ...
///   first.Merge(std::move(others)) ...
///   if (!first.needs_second_pass()) return first.Rank(k);
///   const TextSecondPass::Plan plan(first);
///   each thread: TextSecondPass pass(plan, k);  pass.Add(slice, batch) ... and Merge, Finish
///
/// One pass is enough unless the candidates outgrow the memory budget. Then their features are let
/// go, the statistics are still completed, and a second pass scores the rows directly.
class TextScan {
 public:
  /// @param memory_budget  bytes of candidates that this scan may hold
  TextScan(std::shared_ptr<const BoundQuery> query, int64_t memory_budget);

  /// Errors: FTS_NOT_STRING_COLUMN, FTS_INVALID_UTF8_VALUE.
  Status Add(const SliceName& slice, const TextBatch& batch);

  /// Takes over what another scan of the same query has seen.
  void Merge(TextScan&& other);

  const BoundQuery& query() const { return *query_; }
  const std::vector<ColumnStatistics>& statistics() const { return statistics_; }
  std::vector<ColumnVocabulary> Vocabularies() const;

  /// The candidates were let go: only a TextSecondPass can rank.
  bool needs_second_pass() const { return overflowed_; }

  /// The k best rows. Must not be called when a second pass is needed.
  TextHits Rank(int64_t k) const;

 private:
  /// The candidates of one thread, and what its term numbers became in this scan's vocabulary.
  struct Part {
    CandidateStore candidates;
    std::vector<std::vector<uint32_t>> terms;  // [columns]; empty: unchanged
  };

  void CountStatistics();
  void KeepCandidate(const RowAddress& address);

  std::shared_ptr<const BoundQuery> query_;
  size_t memory_budget_;
  std::vector<ColumnScanner> scanners_;
  std::vector<ColumnFeatures> row_;
  std::vector<ColumnStatistics> statistics_;
  CandidateStore candidates_;
  std::vector<Part> merged_;
  bool overflowed_ = false;
};

/// Ranks rows whose statistics a TextScan has completed, in memory for k rows.
class TextSecondPass {
 public:
  /// What all threads share. Immutable.
  struct Plan {
    explicit Plan(const TextScan& scan);

    std::vector<ColumnVocabulary> vocabularies;
    const BoundQuery* query;
    TextScorer scorer;
  };

  /// @param plan  must outlive the pass, and the TextScan's query both
  TextSecondPass(const Plan& plan, int64_t k);

  Status Add(const SliceName& slice, const TextBatch& batch);
  void Merge(TextSecondPass&& other) { ranking_.Merge(std::move(other.ranking_)); }
  TextHits Finish() && { return std::move(ranking_).Finish(); }

 private:
  const BoundQuery& query_;
  std::vector<ColumnScanner> scanners_;
  std::vector<ColumnFeatures> row_;
  TextRanking ranking_;
};

}  // namespace firth
