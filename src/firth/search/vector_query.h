// SPDX-License-Identifier: Apache-2.0
// Checked query vectors, the distances they define, and which float32 scores rule a row out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "firth/common/status.h"
#include "firth/search.h"
#include "firth/search/vector_column.h"

namespace firth {

/// Immutable; shared by the threads of a search.
///
/// Distances are defined in double precision, summed in index order without contraction, so every
/// machine gives the same bits (stock Hudi's differ in the last one or two). Where squares or
/// products would leave the range of doubles, powers of two are taken out first. The float32
/// kernels only sift: a row is dropped unseen when its score cannot belong to a row within the
/// wanted distance, whatever the rounding of query, row and sum. All others get their exact
/// distance.
class VectorQuerySet {
 public:
  struct Options {
    VectorMetric metric = VectorMetric::kCosine;
    int64_t k = 10;
    /// All rows at this distance or nearer instead of the k nearest.
    std::optional<double> radius = std::nullopt;
  };

  /// Rows beyond are those with `score > limit` (l2: score is the squared distance) or with
  /// `score + slope * norm < limit` (dot, cosine: score is the dot product, norm that of the row).
  struct ScoreBound {
    float limit;
    float slope;
  };

  /// Errors: kInvalidArgument for no queries, a dimension outside [1, 2^20], a NaN or infinity, a
  /// zero query under dot or cosine, a negative k, a NaN radius.
  static Result<std::shared_ptr<const VectorQuerySet>> Make(const VectorQueries& queries,
                                                            const Options& options);

  const Options& options() const { return options_; }
  size_t count() const { return count_; }
  size_t dim() const { return dim_; }
  /// Query q in float32. Rounded up to a multiple of kQueryBlock queries lie behind each other.
  const float* Floats(size_t q) const { return floats_.data() + q * dim_; }

  /// The distance of query q from a row of dim() elements: NaN or infinite when an element is.
  /// Exact for elements of any size. Infinite as well when a double cannot hold it: an l2 distance
  /// or a dot product too large, a dot product too small.
  double Distance(size_t q, VectorColumn::Element element, const void* row) const;

  /// Which scores prove that a row is farther from query q than `distance`. Holds for all levels of
  /// DistanceKernels and all element types, where row norms lie in [kMinNorm, infinity).
  ScoreBound BoundFor(size_t q, double distance) const;

  /// Below this norm squares underflow, and a score proves nothing under cosine and dot.
  static constexpr float kMinNorm = 1e-15f;

 private:
  VectorQuerySet() = default;
  Status CheckQuery(size_t q) const;

  Options options_;
  size_t count_ = 0;
  size_t dim_ = 0;
  std::vector<double> values_;  // under cosine with the largest element of each query in [1, 2)
  std::vector<double> norms_;
  std::vector<float> floats_;
};

}  // namespace firth
