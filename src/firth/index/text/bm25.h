// SPDX-License-Identifier: Apache-2.0
// Exact BM25 (k1 = 1.2, b = 0.75) in a fixed order of operations, so that scores are the same bits
// whatever the plan, the number of threads or the index layout.
#pragma once

#include <cstdint>
#include <vector>

namespace firth {

/// What BM25 knows of one column over the statistics scope.
struct ColumnStatistics {
  int64_t records = 0;                      ///< rows with a value, empty ones included
  int64_t tokens = 0;                       ///< sum of their lengths
  std::vector<int64_t> document_frequency;  ///< [terms] rows that hold the term
};

/// ln(1 + (records - df + 0.5) / (df + 0.5)).
double Bm25Idf(int64_t records, int64_t document_frequency);

/// The factor of a clause: boost * idf * (k1 + 1) * similarity, rounded once. `boost` holds the
/// boosts and the multiplicity of the term.
float Bm25Weight(double boost, double idf, double similarity = 1);

/// The length normalisation of one column.
class Bm25Column {
 public:
  Bm25Column() = default;
  explicit Bm25Column(const ColumnStatistics& statistics);

  /// weight * (tf / (tf + K(length))).
  float Score(float weight, float tf, uint32_t length) const;

 private:
  float base_ = 0;
  float per_token_ = 0;
  bool empty_ = true;  // no tokens at all: every score is 0
};

}  // namespace firth
