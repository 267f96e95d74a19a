// SPDX-License-Identifier: Apache-2.0
// The memory-bandwidth limit: how long one thread needs just to read some bytes. Benchmarks of
// scans measure it in the same run, over the same bytes, and report their time divided by it.
#pragma once

#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>

#include "firth/common/cpu.h"

namespace firth::testing {

typedef uint64_t Wide16 __attribute__((vector_size(16)));
typedef uint64_t Wide32 __attribute__((vector_size(32)));
typedef uint64_t Wide64 __attribute__((vector_size(64)));

/// Reads the bytes once, vector by vector, and does next to nothing with them.
template <typename Wide>
inline __attribute__((always_inline)) uint64_t ReadLoop(const char* data, size_t bytes) {
  constexpr size_t kWidth = sizeof(Wide), kAhead = 4096;
  Wide sum[4] = {};
  for (size_t i = 0; i + 4 * kWidth <= bytes; i += 4 * kWidth) {
    for (size_t at = 0; at < 4 * kWidth; at += 64) __builtin_prefetch(data + i + at + kAhead);
    for (size_t j = 0; j < 4; ++j) {
      Wide value;
      std::memcpy(&value, data + i + j * kWidth, kWidth);
      sum[j] ^= value;
    }
  }
  const Wide total = sum[0] ^ sum[1] ^ sum[2] ^ sum[3];
  uint64_t result = 0;
  for (size_t i = 0; i < kWidth / 8; ++i) result ^= total[i];
  return result;
}

#if defined(__x86_64__)
__attribute__((target("avx512f"))) inline uint64_t Read64(const char* data, size_t bytes) {
  return ReadLoop<Wide64>(data, bytes);
}
__attribute__((target("avx2"))) inline uint64_t Read32(const char* data, size_t bytes) {
  return ReadLoop<Wide32>(data, bytes);
}
#endif

/// The widest reads that the process may use.
inline uint64_t ReadAll(const void* data, size_t bytes) {
  const char* begin = static_cast<const char*>(data);
#if defined(__x86_64__)
  if (MaxSimdLevel() >= SimdLevel::kAvx512) return Read64(begin, bytes);
  if (MaxSimdLevel() >= SimdLevel::kAvx2) return Read32(begin, bytes);
#endif
  return ReadLoop<Wide16>(begin, bytes);
}

/// Processor time of this thread that `body` takes. Waiting for memory counts, other processes on
/// a busy machine do not.
template <typename Body>
double ThreadSeconds(const Body& body) {
  const auto now = [] {
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
  };
  const double start = now();
  body();
  return now() - start;
}

/// Runs `body`, which reads `values`, and the plain read alternately. Counters: of_limit, the ratio
/// of their best times (1.0 is memory bound), and the bandwidth of both.
template <typename Body>
void CompareWithMemory(benchmark::State& state, std::span<const float> values, const Body& body) {
  double limit = std::numeric_limits<double>::infinity(), best = limit;
  for (auto _ : state) {
    limit = std::min(limit, ThreadSeconds([&] {
                       benchmark::DoNotOptimize(ReadAll(values.data(), values.size_bytes()));
                     }));
    const double seconds = ThreadSeconds(body);
    best = std::min(best, seconds);
    state.SetIterationTime(seconds);
  }
  const auto bytes = static_cast<double>(values.size_bytes());
  state.counters["of_limit"] = best / limit;
  state.counters["GB/s"] = bytes / best / 1e9;
  state.counters["limit GB/s"] = bytes / limit / 1e9;
}

}  // namespace firth::testing
