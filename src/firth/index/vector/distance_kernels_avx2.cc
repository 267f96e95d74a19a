// SPDX-License-Identifier: Apache-2.0
// Built with AVX2 and FMA. See distance_kernels_levels.h for what must not be used here.
#include <immintrin.h>

#include "firth/index/vector/distance_kernels_levels.h"

namespace firth {
namespace {

constexpr size_t kLanes = 8;
/// As in the AVX-512 source.
constexpr size_t kPrefetchBytes = 4096;

/// A window of eight masks: lanes below `left` load, the others read nothing and give zero.
alignas(32) constexpr int32_t kMaskWindow[16] = {-1, -1, -1, -1, -1, -1, -1, -1,
                                                 0,  0,  0,  0,  0,  0,  0,  0};
inline __m256i TailMask(size_t left) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(kMaskWindow + kLanes - left));
}

struct L2Step {
  static __m256 Add(__m256 sum, __m256 a, __m256 b) {
    const __m256 d = _mm256_sub_ps(a, b);
    return _mm256_fmadd_ps(d, d, sum);
  }
};
struct DotStep {
  static __m256 Add(__m256 sum, __m256 a, __m256 b) { return _mm256_fmadd_ps(a, b, sum); }
};

inline void PrefetchAhead(const float* p, size_t bytes) {
  _mm_prefetch(reinterpret_cast<const char*>(p) + bytes, _MM_HINT_T0);
}
inline void Prefetch(const float* p) { PrefetchAhead(p, kPrefetchBytes); }

inline float Horizontal(__m256 sum) {
  __m128 half = _mm_add_ps(_mm256_castps256_ps128(sum), _mm256_extractf128_ps(sum, 1));
  half = _mm_add_ps(half, _mm_movehl_ps(half, half));
  return _mm_cvtss_f32(_mm_add_ss(half, _mm_movehdup_ps(half)));
}

inline float Total(const __m256 (&sum)[4]) {
  return Horizontal(_mm256_add_ps(_mm256_add_ps(sum[0], sum[1]), _mm256_add_ps(sum[2], sum[3])));
}

template <typename Step>
void Many(const float* query, const float* rows, size_t num_rows, size_t dim, float* out) {
  for (size_t r = 0; r < num_rows; ++r) {
    const float* row = rows + r * dim;
    __m256 sum[4] = {};
    size_t i = 0;
    for (; i + 4 * kLanes <= dim; i += 4 * kLanes) {
      Prefetch(row + i);
      Prefetch(row + i + 2 * kLanes);
      for (size_t j = 0; j < 4; ++j) {
        const size_t at = i + j * kLanes;
        sum[j] = Step::Add(sum[j], _mm256_loadu_ps(query + at), _mm256_loadu_ps(row + at));
      }
    }
    for (size_t j = 0; i < dim; i += kLanes, ++j) {
      const __m256i mask = TailMask(dim - i < kLanes ? dim - i : kLanes);
      sum[j] =
          Step::Add(sum[j], _mm256_maskload_ps(query + i, mask), _mm256_maskload_ps(row + i, mask));
    }
    out[r] = Total(sum);
  }
}

void DotAndNorm(const float* query, const float* rows, size_t num_rows, size_t dim, float* dots,
                float* norms) {
  for (size_t r = 0; r < num_rows; ++r) {
    const float* row = rows + r * dim;
    __m256 dot[4] = {}, norm[4] = {};
    size_t i = 0;
    for (; i + 4 * kLanes <= dim; i += 4 * kLanes) {
      Prefetch(row + i);
      Prefetch(row + i + 2 * kLanes);
      for (size_t j = 0; j < 4; ++j) {
        const __m256 x = _mm256_loadu_ps(row + i + j * kLanes);
        dot[j] = DotStep::Add(dot[j], _mm256_loadu_ps(query + i + j * kLanes), x);
        norm[j] = DotStep::Add(norm[j], x, x);
      }
    }
    for (size_t j = 0; i < dim; i += kLanes, ++j) {
      const __m256i mask = TailMask(dim - i < kLanes ? dim - i : kLanes);
      const __m256 x = _mm256_maskload_ps(row + i, mask);
      dot[j] = DotStep::Add(dot[j], _mm256_maskload_ps(query + i, mask), x);
      norm[j] = DotStep::Add(norm[j], x, x);
    }
    dots[r] = Total(dot);
    norms[r] = Total(norm);
  }
}

void NormSquared(const float* rows, size_t num_rows, size_t dim, float* out) {
  for (size_t r = 0; r < num_rows; ++r) {
    Many<DotStep>(rows + r * dim, rows + r * dim, 1, dim, out + r);
  }
}

/// kQueryBlock queries against kRows rows: each vector loaded serves kRows or kQueryBlock sums.
template <typename Step, size_t kRows>
void Tile(const float* queries, const float* rows, size_t dim, size_t num_rows, float* out) {
  __m256 sum[kQueryBlock][kRows] = {};
  for (size_t i = 0; i < dim; i += kLanes) {
    const __m256i mask = TailMask(dim - i < kLanes ? dim - i : kLanes);
    __m256 row[kRows];
#pragma GCC unroll 2
    for (size_t r = 0; r < kRows; ++r) {
      const float* at = rows + r * dim + i;
      row[r] = _mm256_maskload_ps(at, mask);
      PrefetchAhead(at, kRows * dim * sizeof(float));  // the same place of the next tile
    }
#pragma GCC unroll 4
    for (size_t q = 0; q < kQueryBlock; ++q) {
      const __m256 query = _mm256_maskload_ps(queries + q * dim + i, mask);
#pragma GCC unroll 2
      for (size_t r = 0; r < kRows; ++r) sum[q][r] = Step::Add(sum[q][r], query, row[r]);
    }
  }
  for (size_t q = 0; q < kQueryBlock; ++q) {
    for (size_t r = 0; r < kRows; ++r) out[q * num_rows + r] = Horizontal(sum[q][r]);
  }
}

template <typename Step>
void Block(const float* queries, const float* rows, size_t num_rows, size_t dim, float* out) {
  size_t r = 0;
  for (; r + 2 <= num_rows; r += 2) {
    Tile<Step, 2>(queries, rows + r * dim, dim, num_rows, out + r);
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

const DistanceKernels kDistanceKernelsAvx2 = {SimdLevel::kAvx2, Many<L2Step>,  DotAndNorm,
                                              NormSquared,      Block<L2Step>, Block<DotStep>,
                                              FromInt8,         FromDouble};

}  // namespace firth
