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

#include "firth/scan.h"
#include "firth/table.h"

namespace firth {

/// What search results have in common.
struct SearchOptions {
  int64_t k = 10;                      ///< rows wanted; 0 gives an empty result
  std::string where{};                 ///< filter before top-k, as ScanOptions::where
  std::vector<std::string> columns{};  ///< columns of the result; empty means all data columns
  bool with_meta = false;              ///< as ScanOptions::with_meta
  int threads = 0;                     ///< as ScanOptions::threads
  int64_t memory_budget = int64_t{1} << 30;  ///< as ScanOptions::memory_budget
  bool prune = true;                         ///< as ScanOptions::prune
};

/// What a text search saw.
struct TextSearchReport {
  /// A searched column over the rows that the statistics count.
  struct Column {
    std::string name;     ///< as the table has it
    int64_t records = 0;  ///< rows with a value
    int64_t tokens = 0;   ///< sum of their lengths
  };
  std::vector<Column> columns{};   ///< each column of the query
  int64_t matches = 0;             ///< rows that match and pass the filter
  bool expansions_capped = false;  ///< a fuzzy term reached more terms than its max_expansions
  int passes = 1;                  ///< 2 when the matches outgrew the memory budget
  ScanReport scan{};               ///< what reading took, all passes together
};

/// Ranked full-text search by exact BM25; equal scores by record key (bytes), partition, file and
/// position. The statistics are those of the whole snapshot, or, where AND joins conditions on
/// partition columns alone to the filter, of the rows that pass these. The result does not depend
/// on threads, batches, memory or pruning.
/// `query_json` is the query tree (docs/guide/search-text.md), e.g.
/// {"match":{"column":"body","query":"payment declined","operator":"and"}}.
/// @param report  filled when given
/// @return rows best first, the wanted columns and `_score` (float32)
/// Errors: kInvalidArgument whose message begins with a stable name such as FTS_UNKNOWN_OPTION;
/// kCorrupt (FTS_INVALID_UTF8_VALUE) for a text that is not well-formed UTF-8; kResourceExhausted
/// for an answer whose rows take more than a quarter of memory_budget, or 16 MiB if that is more.
/// Cost: one scan of the text, key and filter columns of the rows that the statistics count (two
/// when the matches outgrow memory_budget), then a read of the winners' rows.
arrow::Result<std::shared_ptr<arrow::Table>> SearchText(const Snapshot& snapshot,
                                                        std::string_view query_json,
                                                        const SearchOptions& options,
                                                        TextSearchReport* report = nullptr);

enum class VectorMetric : uint8_t {
  kCosine,  ///< 1 - cos
  kL2,      ///< Euclidean distance
  kDot,     ///< negative inner product
};

/// Query vectors, one after the other. Kept in double precision: each is compared with the column's
/// values as they are, never rounded to the column's element type.
struct VectorQueries {
  std::vector<double> values;  ///< [count() * dim] row-major
  int64_t dim = 0;             ///< elements of each

  /// How many queries there are.
  int64_t count() const { return dim == 0 ? 0 : static_cast<int64_t>(values.size()) / dim; }
};

/// Reads queries from a NumPy file: one vector, or a matrix with one query a row; float16, float32
/// or float64 of either byte order, C order.
/// Errors: kNotFound, kIo; kInvalidArgument for other contents, kCorrupt for a damaged file.
arrow::Result<VectorQueries> ReadVectorQueries(const std::string& path);

/// How vectors are searched.
struct VectorSearchOptions : SearchOptions {
  std::string column;                           ///< the column with the vectors
  VectorMetric metric = VectorMetric::kCosine;  ///< how near is measured
  /// Radius search: all rows at this distance or nearer instead of the k nearest.
  std::optional<double> radius;
  /// Return `_query` for a single query as well.
  bool number_queries = false;
};

/// What a vector search saw. Rows that could not be compared are never among its results; they are
/// counted here, and a warning is logged.
struct VectorSearchReport {
  int64_t rows = 0;          ///< rows that passed the filter
  int64_t null_vectors = 0;  ///< of these: no vector
  int64_t wrong_length = 0;  ///< another length than the queries
  int64_t not_finite = 0;    ///< a NaN, infinite or null element
  ScanReport scan{};         ///< what reading took, all passes together
};

/// Exact nearest neighbours of each query: ranked by the distance in double precision, equal
/// distances by record key (bytes), partition, file and position. The result does not depend on
/// threads, batches or the CPU.
/// @param queries  at least one; their dimension must be that of the column
/// @param report   filled when given
/// @return rows nearest first: the wanted columns, `_distance` (float64) and, when there are
/// several
///         queries, `_query` (int64), the number of its query; results of query 0 come first
/// A zero vector in the table has cosine distance 1 from everything.
/// Errors: kInvalidArgument for a column that holds no vectors, another dimension (both are named),
/// a NaN or infinity in a query, a zero query under cosine or dot, and an l2 distance or a dot
/// product that a double cannot hold; kResourceExhausted for more hits than a quarter of
/// memory_budget holds (256 bytes each), and for rows of the answer as SearchText has it.
/// Cost: one scan of the vector, key and filter columns, then a read of the winners' rows.
arrow::Result<std::shared_ptr<arrow::Table>> SearchVector(const Snapshot& snapshot,
                                                          const VectorQueries& queries,
                                                          const VectorSearchOptions& options,
                                                          VectorSearchReport* report = nullptr);

}  // namespace firth
