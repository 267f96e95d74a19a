// SPDX-License-Identifier: Apache-2.0
// How near exact search comes to the memory it must read. BM_StreamingRead is the limit, measured
// in the same run over the same bytes; each one-query kernel reports `of_limit`, its time divided
// by that of the limit (1.0 is memory bound). Best of all repetitions, so that a busy machine
// disturbs both sides less.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "firth/index/vector/distance_kernels.h"

namespace firth {
namespace {

constexpr size_t kRows = 200'000;
constexpr size_t kDim = 384;

/// Aligned to a cache line, as Arrow's buffers are.
std::span<const float> Rows() {
  static const std::span<const float> rows = [] {
    std::mt19937 engine(1);
    std::uniform_real_distribution<float> range(-1, 1);
    constexpr size_t kCount = kRows * kDim;
    auto* values = static_cast<float*>(std::aligned_alloc(64, kCount * sizeof(float)));
    for (size_t i = 0; i < kCount; ++i) values[i] = range(engine);
    return std::span<const float>(values, kCount);
  }();
  return rows;
}

std::vector<float> Queries() { return {Rows().begin(), Rows().begin() + kQueryBlock * kDim}; }

/// Reads `bytes` once with the widest loads there are and does next to nothing with them.
#if defined(__x86_64__)
template <size_t kWidth>
using Wide __attribute__((vector_size(kWidth), aligned(4))) = uint64_t;

template <size_t kWidth>
inline __attribute__((always_inline)) uint64_t ReadLoop(const char* data, size_t bytes) {
  Wide<kWidth> sum[4] = {};
  for (size_t i = 0; i + 4 * kWidth <= bytes; i += 4 * kWidth) {
    __builtin_prefetch(data + i + 4096);
    __builtin_prefetch(data + i + 4096 + 2 * kWidth);
    for (size_t j = 0; j < 4; ++j) {
      sum[j] ^= *reinterpret_cast<const Wide<kWidth>*>(data + i + j * kWidth);
    }
  }
  const Wide<kWidth> total = sum[0] ^ sum[1] ^ sum[2] ^ sum[3];
  return total[0] ^ total[kWidth / 8 - 1];
}
__attribute__((target("avx512f"))) uint64_t Read64(const char* data, size_t bytes) {
  return ReadLoop<64>(data, bytes);
}
__attribute__((target("avx2"))) uint64_t Read32(const char* data, size_t bytes) {
  return ReadLoop<32>(data, bytes);
}
uint64_t Read(const char* data, size_t bytes) {
  if (MaxSimdLevel() >= SimdLevel::kAvx512) return Read64(data, bytes);
  if (MaxSimdLevel() >= SimdLevel::kAvx2) return Read32(data, bytes);
  return ReadLoop<16>(data, bytes);
}
#else
uint64_t Read(const char* data, size_t bytes) {
  uint64_t sum[4] = {};
  for (size_t i = 0; i + 32 <= bytes; i += 32) {
    for (size_t j = 0; j < 4; ++j) {
      uint64_t word;
      std::memcpy(&word, data + i + 8 * j, 8);
      sum[j] ^= word;
    }
  }
  return sum[0] ^ sum[1] ^ sum[2] ^ sum[3];
}
#endif

template <typename Body>
double Seconds(const Body& body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double ReadSeconds() {
  return Seconds([] {
    benchmark::DoNotOptimize(
        Read(reinterpret_cast<const char*>(Rows().data()), Rows().size() * sizeof(float)));
  });
}

/// Runs `body` and the streaming read alternately; reports the ratio of their best times.
template <typename Body>
void CompareWithLimit(benchmark::State& state, const Body& body) {
  double limit = std::numeric_limits<double>::infinity(), best = limit;
  for (auto _ : state) {
    limit = std::min(limit, ReadSeconds());
    const double seconds = Seconds(body);
    best = std::min(best, seconds);
    state.SetIterationTime(seconds);
  }
  const double bytes = static_cast<double>(Rows().size() * sizeof(float));
  state.counters["of_limit"] = best / limit;
  state.counters["GB/s"] = bytes / best / 1e9;
  state.counters["limit GB/s"] = bytes / limit / 1e9;
  state.counters["ns/row"] = best / kRows * 1e9;
}

void BM_StreamingRead(benchmark::State& state) {
  for (auto _ : state) state.SetIterationTime(ReadSeconds());
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(Rows().size() * sizeof(float)));
}
BENCHMARK(BM_StreamingRead)->UseManualTime()->Unit(benchmark::kMillisecond);

void BM_L2Squared(benchmark::State& state) {
  const DistanceKernels& kernels = AvailableDistanceKernels()[state.range(0)];
  state.SetLabel(std::string(SimdLevelName(kernels.level)));
  const std::vector<float> query = Queries();
  std::vector<float> out(kRows);
  CompareWithLimit(state, [&] {
    kernels.l2_squared(query.data(), Rows().data(), kRows, kDim, out.data());
    benchmark::DoNotOptimize(out.data());
  });
}

void BM_DotAndNorm(benchmark::State& state) {
  const DistanceKernels& kernels = AvailableDistanceKernels()[state.range(0)];
  state.SetLabel(std::string(SimdLevelName(kernels.level)));
  const std::vector<float> query = Queries();
  std::vector<float> dots(kRows), norms(kRows);
  CompareWithLimit(state, [&] {
    kernels.dot_and_norm(query.data(), Rows().data(), kRows, kDim, dots.data(), norms.data());
    benchmark::DoNotOptimize(dots.data());
  });
}

/// kQueryBlock queries over rows that stay in the second-level cache; `GFLOPS` counts multiply and
/// add (and, for l2, the subtraction).
void BM_Block(benchmark::State& state) {
  const DistanceKernels& kernels = AvailableDistanceKernels()[state.range(0)];
  const bool l2 = state.range(1) != 0;
  state.SetLabel(std::string(SimdLevelName(kernels.level)) + (l2 ? " l2" : " dot"));
  constexpr size_t kTileRows = 64;
  const std::vector<float> queries = Queries();
  std::vector<float> out(kQueryBlock * kTileRows);
  const auto kernel = l2 ? kernels.l2_squared_block : kernels.dot_block;
  for (auto _ : state) {
    kernel(queries.data(), Rows().data(), kTileRows, kDim, out.data());
    benchmark::DoNotOptimize(out.data());
  }
  state.counters["GFLOPS"] =
      benchmark::Counter(static_cast<double>(kQueryBlock * kTileRows * kDim * (l2 ? 3 : 2)) / 1e9,
                         benchmark::Counter::kIsIterationInvariantRate);
}

void Levels(benchmark::internal::Benchmark* b) {
  const auto levels = static_cast<int64_t>(AvailableDistanceKernels().size());
  for (int64_t i = 0; i < levels; ++i) b->Arg(i);
}
BENCHMARK(BM_L2Squared)->Apply(Levels)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(BM_DotAndNorm)->Apply(Levels)->UseManualTime()->Unit(benchmark::kMillisecond);

void BlockArguments(benchmark::internal::Benchmark* b) {
  const auto levels = static_cast<int64_t>(AvailableDistanceKernels().size());
  for (int64_t i = 0; i < levels; ++i) b->Args({i, 0})->Args({i, 1});
}
BENCHMARK(BM_Block)->Apply(BlockArguments);

}  // namespace
}  // namespace firth
