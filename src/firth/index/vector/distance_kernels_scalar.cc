// SPDX-License-Identifier: Apache-2.0
// The reference: plain loops with eight partial sums, which the compiler may keep in whatever
// registers its baseline has.
#include "firth/index/vector/distance_kernels_levels.h"

namespace firth {
namespace {

constexpr size_t kLanes = 8;

struct L2Term {
  static float Of(float a, float b) { return (a - b) * (a - b); }
};
struct DotTerm {
  static float Of(float a, float b) { return a * b; }
};

template <typename Term>
float Sum(const float* a, const float* b, size_t dim) {
  float lanes[kLanes] = {};
  size_t i = 0;
  for (; i + kLanes <= dim; i += kLanes) {
    for (size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += Term::Of(a[i + lane], b[i + lane]);
  }
  for (size_t lane = 0; i < dim; ++i, ++lane) lanes[lane] += Term::Of(a[i], b[i]);
  float total = 0;
  for (const float lane : lanes) total += lane;
  return total;
}

template <typename Term>
void Many(const float* query, const float* rows, size_t num_rows, size_t dim, float* out) {
  for (size_t r = 0; r < num_rows; ++r) out[r] = Sum<Term>(query, rows + r * dim, dim);
}

template <typename Term>
void Block(const float* queries, const float* rows, size_t num_rows, size_t dim, float* out) {
  for (size_t r = 0; r < num_rows; ++r) {
    for (size_t q = 0; q < kQueryBlock; ++q) {
      out[q * num_rows + r] = Sum<Term>(queries + q * dim, rows + r * dim, dim);
    }
  }
}

void NormSquared(const float* rows, size_t num_rows, size_t dim, float* out) {
  for (size_t r = 0; r < num_rows; ++r) {
    out[r] = Sum<DotTerm>(rows + r * dim, rows + r * dim, dim);
  }
}

void DotAndNorm(const float* query, const float* rows, size_t num_rows, size_t dim, float* dots,
                float* norms) {
  Many<DotTerm>(query, rows, num_rows, dim, dots);
  NormSquared(rows, num_rows, dim, norms);
}

template <typename T>
void ToFloat(const T* in, size_t count, float* out) {
  for (size_t i = 0; i < count; ++i) out[i] = static_cast<float>(in[i]);
}

}  // namespace

const DistanceKernels kDistanceKernelsScalar = {SimdLevel::kScalar, Many<L2Term>,   DotAndNorm,
                                                NormSquared,        Block<L2Term>,  Block<DotTerm>,
                                                ToFloat<int8_t>,    ToFloat<double>};

}  // namespace firth
