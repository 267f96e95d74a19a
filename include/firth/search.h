// SPDX-License-Identifier: Apache-2.0
// Text and vector search over a pinned snapshot. Answers are complete: every matching row of the
// snapshot is considered, whatever indexes exist.
#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firth/table.h"

namespace firth {

/// What search results have in common.
struct SearchOptions {
  int64_t k = 10;                    ///< rows wanted; 0 gives an empty result
  std::string where;                 ///< filter before top-k, as ScanOptions::where
  std::vector<std::string> columns;  ///< columns of the result; empty means all data columns
  bool with_meta = false;
  int threads = 0;
  int64_t memory_budget = int64_t{1} << 30;
};

/// Ranked full-text search by exact BM25 with statistics of the whole snapshot.
/// `query_json` is the query tree (docs/guide/search-text.md), e.g.
/// {"match":{"column":"body","query":"payment declined","operator":"and"}}.
/// @return rows best first, the wanted columns and `_score` (float32)
/// Errors: kInvalidArgument whose message begins with a stable name such as FTS_UNKNOWN_OPTION.
/// Cost: one scan of the text columns of the snapshot, then a read of the winners' rows.
arrow::Result<std::shared_ptr<arrow::Table>> SearchText(const Snapshot& snapshot,
                                                        std::string_view query_json,
                                                        const SearchOptions& options);

enum class VectorMetric : uint8_t {
  kCosine,  ///< 1 - cos
  kL2,      ///< Euclidean distance
  kDot,     ///< negative inner product
};

struct VectorSearchOptions : SearchOptions {
  std::string column;
  VectorMetric metric = VectorMetric::kCosine;
  /// Radius search: all rows at this distance or nearer instead of the k nearest.
  std::optional<double> radius;
};

/// Exact nearest neighbours of each query.
/// @param queries [n * dim] row-major float32, n >= 1
/// @param dim     must equal the column's dimension; rows of another length are reported, not
/// matched
/// @return rows nearest first: the wanted columns, `_distance` (float64) and, when n > 1, `_query`
/// Errors: kInvalidArgument for a wrong column, dimension or a NaN in a query.
arrow::Result<std::shared_ptr<arrow::Table>> SearchVector(const Snapshot& snapshot,
                                                          const std::vector<float>& queries,
                                                          int64_t dim,
                                                          const VectorSearchOptions& options);

}  // namespace firth
