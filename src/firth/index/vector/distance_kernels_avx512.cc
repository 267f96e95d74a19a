// SPDX-License-Identifier: Apache-2.0
// Built with AVX-512 F, BW, DQ, VL. See distance_kernels_levels.h for what must not be used here.
#include <immintrin.h>

#include "firth/index/vector/distance_kernels_levels.h"

namespace firth {
namespace {

constexpr size_t kLanes = 16;
/// Bytes ahead of a sequential pass: far enough to cover DRAM, and past the end of a page, where
/// the hardware prefetcher stops.
constexpr size_t kPrefetchBytes = 4096;

inline __mmask16 TailMask(size_t left) { return static_cast<__mmask16>((1u << left) - 1); }

/// Elements in front of the first cache line that begins inside the row. Loads that straddle two
/// lines cost a third of the memory bandwidth.
inline size_t HeadOf(const float* row, size_t dim) {
  const size_t head = (0 - reinterpret_cast<uintptr_t>(row)) % 64 / sizeof(float);
  return head < dim ? head : dim;
}

struct L2Step {
  static __m512 Add(__m512 sum, __m512 a, __m512 b) {
    const __m512 d = _mm512_sub_ps(a, b);
    return _mm512_fmadd_ps(d, d, sum);
  }
};
struct DotStep {
  static __m512 Add(__m512 sum, __m512 a, __m512 b) { return _mm512_fmadd_ps(a, b, sum); }
};

inline void PrefetchAhead(const float* p, size_t bytes) {
  _mm_prefetch(reinterpret_cast<const char*>(p) + bytes, _MM_HINT_T0);
}
inline void Prefetch(const float* p) { PrefetchAhead(p, kPrefetchBytes); }

inline float Total(const __m512 (&sum)[4]) {
  return _mm512_reduce_add_ps(
      _mm512_add_ps(_mm512_add_ps(sum[0], sum[1]), _mm512_add_ps(sum[2], sum[3])));
}

// The rest of a row goes to the first sum: an index that varies would put all sums into memory.
template <typename Step>
void Many(const float* query, const float* rows, size_t num_rows, size_t dim, float* out) {
  for (size_t r = 0; r < num_rows; ++r) {
    const float* row = rows + r * dim;
    __m512 sum[4] = {};
    size_t i = HeadOf(row, dim);
    const __mmask16 head = TailMask(i);
    sum[0] =
        Step::Add(sum[0], _mm512_maskz_loadu_ps(head, query), _mm512_maskz_loadu_ps(head, row));
    for (; i + 4 * kLanes <= dim; i += 4 * kLanes) {
      for (size_t j = 0; j < 4; ++j) {
        const size_t at = i + j * kLanes;
        Prefetch(row + at);
        sum[j] = Step::Add(sum[j], _mm512_loadu_ps(query + at), _mm512_loadu_ps(row + at));
      }
    }
    for (; i < dim; i += kLanes) {
      const __mmask16 mask = TailMask(dim - i < kLanes ? dim - i : kLanes);
      sum[0] = Step::Add(sum[0], _mm512_maskz_loadu_ps(mask, query + i),
                         _mm512_maskz_loadu_ps(mask, row + i));
    }
    out[r] = Total(sum);
  }
}

void DotAndNorm(const float* query, const float* rows, size_t num_rows, size_t dim, float* dots,
                float* norms) {
  for (size_t r = 0; r < num_rows; ++r) {
    const float* row = rows + r * dim;
    __m512 dot[4] = {}, norm[4] = {};
    size_t i = HeadOf(row, dim);
    const __mmask16 head = TailMask(i);
    const __m512 first = _mm512_maskz_loadu_ps(head, row);
    dot[0] = DotStep::Add(dot[0], _mm512_maskz_loadu_ps(head, query), first);
    norm[0] = DotStep::Add(norm[0], first, first);
    for (; i + 4 * kLanes <= dim; i += 4 * kLanes) {
      for (size_t j = 0; j < 4; ++j) {
        const size_t at = i + j * kLanes;
        Prefetch(row + at);
        const __m512 x = _mm512_loadu_ps(row + at);
        dot[j] = DotStep::Add(dot[j], _mm512_loadu_ps(query + at), x);
        norm[j] = DotStep::Add(norm[j], x, x);
      }
    }
    for (; i < dim; i += kLanes) {
      const __mmask16 mask = TailMask(dim - i < kLanes ? dim - i : kLanes);
      const __m512 x = _mm512_maskz_loadu_ps(mask, row + i);
      dot[0] = DotStep::Add(dot[0], _mm512_maskz_loadu_ps(mask, query + i), x);
      norm[0] = DotStep::Add(norm[0], x, x);
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
  __m512 sum[kQueryBlock][kRows] = {};
  for (size_t i = 0; i < dim; i += kLanes) {
    const __mmask16 mask = TailMask(dim - i < kLanes ? dim - i : kLanes);
    __m512 row[kRows];
#pragma GCC unroll 4
    for (size_t r = 0; r < kRows; ++r) {
      const float* at = rows + r * dim + i;
      row[r] = _mm512_maskz_loadu_ps(mask, at);
      PrefetchAhead(at, kRows * dim * sizeof(float));  // the same place of the next tile
    }
#pragma GCC unroll 4
    for (size_t q = 0; q < kQueryBlock; ++q) {
      const __m512 query = _mm512_maskz_loadu_ps(mask, queries + q * dim + i);
#pragma GCC unroll 4
      for (size_t r = 0; r < kRows; ++r) sum[q][r] = Step::Add(sum[q][r], query, row[r]);
    }
  }
  for (size_t q = 0; q < kQueryBlock; ++q) {
    for (size_t r = 0; r < kRows; ++r) out[q * num_rows + r] = _mm512_reduce_add_ps(sum[q][r]);
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

const DistanceKernels kDistanceKernelsAvx512 = {SimdLevel::kAvx512, Many<L2Step>,  DotAndNorm,
                                                NormSquared,        Block<L2Step>, Block<DotStep>,
                                                FromInt8,           FromDouble};

}  // namespace firth
