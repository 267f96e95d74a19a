// SPDX-License-Identifier: Apache-2.0
// aarch64 only. See distance_kernels_levels.h for what must not be used here.
#include <arm_neon.h>

#include "firth/index/vector/distance_kernels_levels.h"

namespace firth {
namespace {

constexpr size_t kLanes = 4;

struct L2Step {
  static float32x4_t Add(float32x4_t sum, float32x4_t a, float32x4_t b) {
    const float32x4_t d = vsubq_f32(a, b);
    return vfmaq_f32(sum, d, d);
  }
  static float Term(float a, float b) { return (a - b) * (a - b); }
};
struct DotStep {
  static float32x4_t Add(float32x4_t sum, float32x4_t a, float32x4_t b) {
    return vfmaq_f32(sum, a, b);
  }
  static float Term(float a, float b) { return a * b; }
};

inline float Total(const float32x4_t (&sum)[4]) {
  return vaddvq_f32(vaddq_f32(vaddq_f32(sum[0], sum[1]), vaddq_f32(sum[2], sum[3])));
}

template <typename Step>
float One(const float* query, const float* row, size_t dim) {
  float32x4_t sum[4] = {};
  size_t i = 0;
  for (; i + 4 * kLanes <= dim; i += 4 * kLanes) {
    for (size_t j = 0; j < 4; ++j) {
      const size_t at = i + j * kLanes;
      sum[j] = Step::Add(sum[j], vld1q_f32(query + at), vld1q_f32(row + at));
    }
  }
  for (; i + kLanes <= dim; i += kLanes) {
    sum[0] = Step::Add(sum[0], vld1q_f32(query + i), vld1q_f32(row + i));
  }
  float total = Total(sum);
  for (; i < dim; ++i) total += Step::Term(query[i], row[i]);
  return total;
}

template <typename Step>
void Many(const float* query, const float* rows, size_t num_rows, size_t dim, float* out) {
  for (size_t r = 0; r < num_rows; ++r) out[r] = One<Step>(query, rows + r * dim, dim);
}

void NormSquared(const float* rows, size_t num_rows, size_t dim, float* out) {
  for (size_t r = 0; r < num_rows; ++r) {
    out[r] = One<DotStep>(rows + r * dim, rows + r * dim, dim);
  }
}

/// The second pass over a row finds it in the first-level cache.
void DotAndNorm(const float* query, const float* rows, size_t num_rows, size_t dim, float* dots,
                float* norms) {
  for (size_t r = 0; r < num_rows; ++r) {
    const float* row = rows + r * dim;
    dots[r] = One<DotStep>(query, row, dim);
    norms[r] = One<DotStep>(row, row, dim);
  }
}

/// kQueryBlock queries against kRows rows: each vector loaded serves kRows or kQueryBlock sums.
template <typename Step, size_t kRows>
void Tile(const float* queries, const float* rows, size_t dim, size_t num_rows, float* out) {
  float32x4_t sum[kQueryBlock][kRows] = {};
  size_t i = 0;
  for (; i + kLanes <= dim; i += kLanes) {
    float32x4_t row[kRows];
#pragma GCC unroll 4
    for (size_t r = 0; r < kRows; ++r) row[r] = vld1q_f32(rows + r * dim + i);
#pragma GCC unroll 4
    for (size_t q = 0; q < kQueryBlock; ++q) {
      const float32x4_t query = vld1q_f32(queries + q * dim + i);
#pragma GCC unroll 4
      for (size_t r = 0; r < kRows; ++r) sum[q][r] = Step::Add(sum[q][r], query, row[r]);
    }
  }
  for (size_t q = 0; q < kQueryBlock; ++q) {
    for (size_t r = 0; r < kRows; ++r) {
      float total = vaddvq_f32(sum[q][r]);
      for (size_t t = i; t < dim; ++t) total += Step::Term(queries[q * dim + t], rows[r * dim + t]);
      out[q * num_rows + r] = total;
    }
  }
}

template <typename Step>
void Block(const float* queries, const float* rows, size_t num_rows, size_t dim, float* out) {
  size_t r = 0;
  for (; r + 4 <= num_rows; r += 4) {
    Tile<Step, 4>(queries, rows + r * dim, dim, num_rows, out + r);
  }
  for (; r < num_rows; ++r) Tile<Step, 1>(queries, rows + r * dim, dim, num_rows, out + r);
}

void FromInt8(const int8_t* in, size_t count, float* out) {
  for (size_t i = 0; i < count; ++i) out[i] = in[i];
}

void FromDouble(const double* in, size_t count, float* out) {
  for (size_t i = 0; i < count; ++i) out[i] = static_cast<float>(in[i]);
}

}  // namespace

const DistanceKernels kDistanceKernelsNeon = {SimdLevel::kNeon, Many<L2Step>,  DotAndNorm,
                                              NormSquared,      Block<L2Step>, Block<DotStep>,
                                              FromInt8,         FromDouble};

}  // namespace firth
