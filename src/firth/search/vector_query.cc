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

/// Sums of this size or more lack nothing that products lost to underflow.
constexpr double kSmallestSum = 0x1p-900;

/// Products of the largest elements must be normal numbers, else the sum has lost digits.
constexpr int kSmallestExponent = -1021;

/// Whether the products of a sum neither overflowed nor got lost.
bool IsSound(double sum) { return std::abs(sum) >= kSmallestSum && std::isfinite(sum); }

/// The largest size of an element; NaN when one is not finite.
template <typename T>
double LargestOf(const T* values, size_t dim) {
  double largest = 0;
  for (size_t i = 0; i < dim; ++i) {
    const double size = std::abs(static_cast<double>(values[i]));
    if (!std::isfinite(size)) return std::numeric_limits<double>::quiet_NaN();
    largest = std::max(largest, size);
  }
  return largest;
}

/// The values times 2^-exponent: exact, but for what is too small beside the largest to matter.
template <typename T>
std::vector<double> Scaled(const T* values, size_t dim, int exponent) {
  std::vector<double> scaled(dim);
  for (size_t i = 0; i < dim; ++i) {
    scaled[i] = std::ldexp(static_cast<double>(values[i]), -exponent);
  }
  return scaled;
}

double SumOfSquares(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v * v;
  return sum;
}

template <typename T>
double L2(const double* query, const T* row, size_t dim) {
  double sum = 0;
  for (size_t i = 0; i < dim; ++i) {
    const double d = query[i] - row[i];
    sum += d * d;
  }
  if (IsSound(sum)) return std::sqrt(sum);
  std::vector<double> differences(dim);
  for (size_t i = 0; i < dim; ++i) differences[i] = query[i] - row[i];
  const double largest = LargestOf(differences.data(), dim);
  if (largest == 0) return 0;
  if (std::isnan(largest)) return kInfinity;
  const int exponent = std::ilogb(largest);
  return std::ldexp(std::sqrt(SumOfSquares(Scaled(differences.data(), dim, exponent))), exponent);
}

template <typename T>
double Dot(const double* query, const T* row, size_t dim) {
  double sum = 0;
  for (size_t i = 0; i < dim; ++i) sum += query[i] * row[i];
  return sum;
}

template <typename T>
double DotDistance(const double* query, const T* row, size_t dim) {
  const double sum = Dot(query, row, dim);
  if (IsSound(sum)) return -sum;
  const double largest = LargestOf(row, dim);
  if (largest == 0 || std::isnan(largest)) return largest;
  const int row_exponent = std::ilogb(largest);
  const int query_exponent = std::ilogb(LargestOf(query, dim));
  const double scaled =
      Dot(Scaled(query, dim, query_exponent).data(), Scaled(row, dim, row_exponent).data(), dim);
  const int exponent = query_exponent + row_exponent;
  if (scaled == 0) return 0;
  return exponent < kSmallestExponent ? kInfinity : -std::ldexp(scaled, exponent);
}

template <typename T>
double Cosine(const double* query, double query_norm, const T* row, size_t dim) {
  double dot = 0, norm = 0;
  for (size_t i = 0; i < dim; ++i) {
    const double x = row[i];
    dot += query[i] * x;
    norm += x * x;
  }
  if (!IsSound(norm)) {
    const double largest = LargestOf(row, dim);
    if (std::isnan(largest)) return largest;
    if (largest == 0) return 1;  // a zero vector is at right angles to everything
    return Cosine(query, query_norm, Scaled(row, dim, std::ilogb(largest)).data(), dim);
  }
  return std::clamp(1 - dot / (query_norm * std::sqrt(norm)), 0.0, 2.0);
}

template <typename T>
double DistanceOf(VectorMetric metric, const double* query, double query_norm, const T* row,
                  size_t dim) {
  switch (metric) {
    case VectorMetric::kL2:
      return L2(query, row, dim);
    case VectorMetric::kDot:
      return DotDistance(query, row, dim);
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
  if (options.radius && *options.radius < 0 && options.metric != VectorMetric::kDot) {
    return InvalidError("the radius is {}; {} distances are 0 or more", *options.radius,
                        options.metric == VectorMetric::kL2 ? "l2" : "cosine");
  }

  std::shared_ptr<VectorQuerySet> set(new VectorQuerySet());
  set->options_ = options;
  set->dim_ = dim;
  set->count_ = queries.values.size() / dim;
  set->values_ = queries.values;
  set->norms_.resize(set->count_);
  for (size_t q = 0; q < set->count_; ++q) {
    ARROW_RETURN_NOT_OK(set->CheckQuery(q));
    double* values = set->values_.data() + q * dim;
    if (options.metric == VectorMetric::kCosine) {
      std::ranges::copy(Scaled(values, dim, std::ilogb(LargestOf(values, dim))), values);
    }
    set->norms_[q] = std::sqrt(Dot(values, values, dim));
  }
  const size_t padded = (set->count_ + kQueryBlock - 1) / kQueryBlock * kQueryBlock;
  set->floats_.resize(padded * dim);
  std::ranges::transform(set->values_, set->floats_.begin(),
                         [](double v) { return static_cast<float>(v); });
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
