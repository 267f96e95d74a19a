// SPDX-License-Identifier: Apache-2.0
// Compiled without contraction of a * b + c: Distance must give the same bits everywhere.
#include "firth/search/vector_query.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "firth/index/vector/distance_kernels.h"

namespace firth {
namespace {

constexpr int64_t kMaxDimension = int64_t{1} << 20;
constexpr double kUnit = 0x1p-24;  // largest relative error of one float32 rounding
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Query norms outside this range could overflow or underflow in float32: nothing is ruled out.
constexpr double kSmallestNorm = 1e-12;
constexpr double kLargestNorm = 1e15;

template <typename T>
double L2(const double* query, const T* row, size_t dim) {
  double sum = 0;
  for (size_t i = 0; i < dim; ++i) {
    const double d = query[i] - row[i];
    sum += d * d;
  }
  return std::sqrt(sum);
}

template <typename T>
double Dot(const double* query, const T* row, size_t dim) {
  double sum = 0;
  for (size_t i = 0; i < dim; ++i) sum += query[i] * row[i];
  return sum;
}

template <typename T>
double Cosine(const double* query, double query_norm, const T* row, size_t dim) {
  double dot = 0, norm = 0;
  for (size_t i = 0; i < dim; ++i) {
    const double x = row[i];
    dot += query[i] * x;
    norm += x * x;
  }
  const double scale = query_norm * std::sqrt(norm);
  if (scale == 0) return 1;  // a zero vector is at right angles to everything
  const double distance = 1 - dot / scale;
  return std::isnan(distance) ? distance : std::clamp(distance, 0.0, 2.0);
}

template <typename T>
double DistanceOf(VectorMetric metric, const double* query, double query_norm, const T* row,
                  size_t dim) {
  switch (metric) {
    case VectorMetric::kL2:
      return L2(query, row, dim);
    case VectorMetric::kDot:
      return -Dot(query, row, dim);
    case VectorMetric::kCosine:
      break;
  }
  return Cosine(query, query_norm, row, dim);
}

float RoundUp(double value) {
  const auto rounded = static_cast<float>(value);
  return std::nextafter(rounded, std::numeric_limits<float>::infinity());
}
float RoundDown(double value) {
  const auto rounded = static_cast<float>(value);
  return std::nextafter(rounded, -std::numeric_limits<float>::infinity());
}

}  // namespace

Result<std::shared_ptr<const VectorQuerySet>> VectorQuerySet::Make(const VectorQueries& queries,
                                                                   const Options& options) {
  if (queries.dim < 1 || queries.dim > kMaxDimension) {
    return InvalidError("queries have {} dimensions, allowed are 1 to {}", queries.dim,
                        kMaxDimension);
  }
  const auto dim = static_cast<size_t>(queries.dim);
  if (queries.values.empty() || queries.values.size() % dim != 0) {
    return InvalidError("{} query values do not make whole vectors of {} dimensions",
                        queries.values.size(), dim);
  }
  if (options.k < 0) return InvalidError("k is {}, it must be 0 or more", options.k);
  if (options.radius && std::isnan(*options.radius)) return InvalidError("the radius is NaN");

  std::shared_ptr<VectorQuerySet> set(new VectorQuerySet());
  set->options_ = options;
  set->dim_ = dim;
  set->count_ = queries.values.size() / dim;
  set->values_ = queries.values;
  set->norms_.resize(set->count_);
  const size_t padded = (set->count_ + kQueryBlock - 1) / kQueryBlock * kQueryBlock;
  set->floats_.resize(padded * dim);
  std::ranges::transform(set->values_, set->floats_.begin(),
                         [](double v) { return static_cast<float>(v); });
  for (size_t q = 0; q < set->count_; ++q) {
    const double* values = set->values_.data() + q * dim;
    set->norms_[q] = std::sqrt(Dot(values, values, dim));
    ARROW_RETURN_NOT_OK(set->CheckQuery(q));
  }
  return set;
}

Status VectorQuerySet::CheckQuery(size_t q) const {
  bool zero = true;
  for (size_t i = 0; i < dim_; ++i) {
    const double value = values_[q * dim_ + i];
    if (!std::isfinite(value)) {
      return InvalidError("query {} has {} as element {}; every element must be finite", q, value,
                          i);
    }
    zero = zero && value == 0;
  }
  if (zero && options_.metric != VectorMetric::kL2) {
    return InvalidError(
        "query {} is the zero vector, which has no direction: {} distance needs one", q,
        options_.metric == VectorMetric::kDot ? "dot" : "cosine");
  }
  return Status::OK();
}

double VectorQuerySet::Distance(size_t q, VectorColumn::Element element, const void* row) const {
  const double* query = values_.data() + q * dim_;
  switch (element) {
    case VectorColumn::Element::kDouble:
      return DistanceOf(options_.metric, query, norms_[q], static_cast<const double*>(row), dim_);
    case VectorColumn::Element::kInt8:
      return DistanceOf(options_.metric, query, norms_[q], static_cast<const int8_t*>(row), dim_);
    case VectorColumn::Element::kFloat:
      break;
  }
  return DistanceOf(options_.metric, query, norms_[q], static_cast<const float*>(row), dim_);
}

// Let u = 2^-24 and q', x' be query and row rounded to float32. The kernels promise a relative
// error of (dim + 3) u for sums of squares and (dim + 3) u |q'| |x'| for dot products; rounding
// adds at most u per factor, the root of the norm half of its error. `slack` is more than all of
// these together, and more than the rounding of the comparison itself.
VectorQuerySet::ScoreBound VectorQuerySet::BoundFor(size_t q, double distance) const {
  const double norm = norms_[q], dim = static_cast<double>(dim_);
  const double slack = (2 * dim + 32) * kUnit;
  if (options_.metric == VectorMetric::kL2) {
    if (!(norm <= kLargestNorm)) return {std::numeric_limits<float>::infinity(), 0};
    // |q' - x'| <= |q - x| + u (|q| + |x|), and |x| <= |q| + |q - x|.
    const double rounded = distance * (1 + 2 * kUnit) + 4 * kUnit * norm;
    return {RoundUp(rounded * rounded * (1 + slack) + dim * 0x1p-148), 0};
  }
  if (!(norm >= kSmallestNorm && norm <= kLargestNorm) || distance == kInfinity) {
    return {-std::numeric_limits<float>::infinity(), 0};
  }
  if (options_.metric == VectorMetric::kDot) {
    // -dot <= distance needs score + slack |q| |x| >= -distance.
    return {RoundDown(-distance - std::abs(distance) * 8 * kUnit), RoundUp(slack * norm)};
  }
  // 1 - dot / (|q| |x|) <= distance needs score >= (1 - distance - slack) |q| |x|.
  const double cosine = 1 - distance;
  return {0, RoundUp(-(cosine - slack * (1 + std::abs(cosine))) * norm)};
}

}  // namespace firth
