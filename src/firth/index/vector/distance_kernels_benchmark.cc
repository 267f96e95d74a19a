// SPDX-License-Identifier: Apache-2.0
// How near the kernels come to the memory they must read (testing/memory_limit.h).
#include "firth/index/vector/distance_kernels.h"

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "firth/testing/memory_limit.h"

namespace firth {
namespace {

constexpr size_t kRows = 200'000;
constexpr size_t kDim = 384;

/// @param shift  elements in front of the first row: 0 is aligned to a cache line, as Arrow's
///               buffers are
std::span<const float> Rows(size_t shift = 0) {
  constexpr size_t kCount = kRows * kDim;
  static float* const values = [] {
    std::mt19937 engine(1);
    std::uniform_real_distribution<float> range(-1, 1);
    auto* memory = static_cast<float*>(std::aligned_alloc(64, (kCount + 16) * sizeof(float)));
    for (size_t i = 0; i < kCount + 16; ++i) memory[i] = range(engine);
    return memory;
  }();
  return {values + shift, kCount};
}

std::vector<float> Queries() { return {Rows().begin(), Rows().begin() + kQueryBlock * kDim}; }

const DistanceKernels& KernelsOf(const benchmark::State& state) {
  return AvailableDistanceKernels()[static_cast<size_t>(state.range(0))];
}

void BM_L2Squared(benchmark::State& state) {
  const DistanceKernels& kernels = KernelsOf(state);
  const auto shift = static_cast<size_t>(state.range(1));
  state.SetLabel(std::string(SimdLevelName(kernels.level)) + (shift == 0 ? "" : " unaligned"));
  const std::vector<float> query = Queries();
  std::vector<float> out(kRows);
  testing::CompareWithMemory(state, Rows(shift), [&] {
    kernels.l2_squared(query.data(), Rows(shift).data(), kRows, kDim, out.data());
    benchmark::DoNotOptimize(out.data());
  });
}

void BM_DotAndNorm(benchmark::State& state) {
  const DistanceKernels& kernels = KernelsOf(state);
  const auto shift = static_cast<size_t>(state.range(1));
  state.SetLabel(std::string(SimdLevelName(kernels.level)) + (shift == 0 ? "" : " unaligned"));
  const std::vector<float> query = Queries();
  std::vector<float> dots(kRows), norms(kRows);
  testing::CompareWithMemory(state, Rows(shift), [&] {
    kernels.dot_and_norm(query.data(), Rows(shift).data(), kRows, kDim, dots.data(), norms.data());
    benchmark::DoNotOptimize(dots.data());
  });
}

/// kQueryBlock queries over rows that stay in the second-level cache. GFLOPS counts multiply and
/// add, and the subtraction of l2.
void BM_Block(benchmark::State& state) {
  const DistanceKernels& kernels = KernelsOf(state);
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

/// Every level with each of two second arguments.
template <int64_t kFirst, int64_t kSecond>
void Levels(benchmark::internal::Benchmark* b) {
  const auto levels = static_cast<int64_t>(AvailableDistanceKernels().size());
  for (int64_t i = 0; i < levels; ++i) b->Args({i, kFirst})->Args({i, kSecond});
}
BENCHMARK(BM_L2Squared)->Apply(Levels<0, 5>)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(BM_DotAndNorm)->Apply(Levels<0, 5>)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Block)->Apply(Levels<0, 1>);

}  // namespace
}  // namespace firth
