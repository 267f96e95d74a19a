// SPDX-License-Identifier: Apache-2.0
// Collects the nearest rows of a stream of batches, exactly.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "firth/common/status.h"
#include "firth/index/vector/distance_kernels.h"
#include "firth/search.h"
#include "firth/search/vector_column.h"
#include "firth/search/vector_query.h"

namespace firth {

/// Consecutive rows of one slice.
struct VectorBatch {
  std::shared_ptr<arrow::Array> vectors;
  /// Record keys, utf8; nullptr where the table has none. Null entries count as empty.
  std::shared_ptr<arrow::Array> keys;
  /// Which rows take part: true entries. nullptr: all.
  std::shared_ptr<arrow::BooleanArray> selection;
  /// The number of the slice. Slices are numbered in the order of (partition, file id).
  int64_t slice = 0;
  /// Row numbers, int64 (read/row_number.h). Null: positions in the batch.
  std::shared_ptr<arrow::Array> numbers;
};

/// One result. The order of results is that of the members, nearest first: equal distances by
/// record key (bytes), then partition and file id, then row number.
struct VectorHit {
  double distance = 0;
  std::string key;
  int64_t slice = 0;
  int64_t row = 0;

  auto operator<=>(const VectorHit&) const = default;
};

/// Not safe from several threads: one per thread, merged at the end. The result depends neither on
/// the order of batches nor on how rows are spread over collectors.
class VectorTopK {
 public:
  /// @param column    name for messages
  /// @param max_hits  most hits held over all queries; more is kResourceExhausted
  VectorTopK(std::shared_ptr<const VectorQuerySet> queries, std::string column, int64_t max_hits,
             const DistanceKernels& kernels = BestDistanceKernels());

  /// Errors: kInvalidArgument for a column without vectors, and for a distance beyond the range of
  /// a double; kResourceExhausted.
  Status Add(const VectorBatch& batch);
  /// Takes over what another collector of the same queries found.
  Status Merge(VectorTopK other);

  const VectorSearchReport& report() const { return report_; }
  /// A length that rows had instead of the query's; -1 when all lengths were right.
  int64_t other_length() const { return other_length_; }

  /// The hits of each query, nearest first. The collector is empty afterwards.
  std::vector<std::vector<VectorHit>> Take();

 private:
  /// A max-heap of the nearest so far (the farthest on top), or all within the radius.
  struct Found {
    std::vector<VectorHit> hits;
    VectorQuerySet::ScoreBound bound;
  };
  struct Tile;  // consecutive comparable rows

  bool Comparable(const VectorColumn& column, const VectorBatch& batch, int64_t row);
  Status ScanTile(const Tile& tile);
  const float* FloatRows(const Tile& tile);
  void Score(const Tile& tile, const float* rows, size_t first_query);
  Status Sift(const Tile& tile, size_t query, const float* scores);
  template <typename RuledOut>
  Status OfferUnless(const Tile& tile, size_t query, const RuledOut& ruled_out);
  Status Offer(const Tile& tile, size_t query, int64_t row);
  Status Insert(size_t query, VectorHit hit);
  bool Rejects(size_t query, double distance) const;
  Status OutOfRange(const Tile& tile, size_t query, int64_t row) const;
  Status TooManyHits() const;

  std::shared_ptr<const VectorQuerySet> queries_;
  std::string column_;
  int64_t max_hits_;
  const DistanceKernels& kernels_;
  int64_t tile_rows_;
  VectorSearchReport report_;
  int64_t other_length_ = -1;
  int64_t num_hits_ = 0;
  std::vector<Found> found_;
  std::vector<float> converted_;  // rows of a tile in float32
  std::vector<float> scores_;     // [kQueryBlock * tile_rows_]
  std::vector<float> norms_;      // [tile_rows_]
};

}  // namespace firth
