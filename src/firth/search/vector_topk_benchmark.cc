// SPDX-License-Identifier: Apache-2.0
// Exact search over batches in memory: 200,000 vectors of 384 float32, one thread. `of_limit` is
// the time divided by that of just reading the vectors; the target is 1.3.
#include "firth/search/vector_topk.h"

#include <arrow/array/array_nested.h>
#include <arrow/array/array_primitive.h>
#include <arrow/array/builder_binary.h>
#include <arrow/buffer.h>
#include <arrow/type.h>
#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "firth/testing/memory_limit.h"

namespace firth {
namespace {

constexpr int64_t kRows = 200'000;
constexpr int64_t kDim = 384;
constexpr int64_t kBatchRows = 5'000;

struct Column {
  std::shared_ptr<arrow::FloatArray> values;
  std::vector<VectorBatch> batches;
};

const Column& Data() {
  static const Column column = [] {
    std::mt19937 engine(1);
    std::normal_distribution<float> normal;
    std::shared_ptr<arrow::Buffer> buffer =
        arrow::AllocateBuffer(kRows * kDim * static_cast<int64_t>(sizeof(float))).ValueOrDie();
    auto* floats = reinterpret_cast<float*>(buffer->mutable_data());
    std::generate_n(floats, kRows * kDim, [&] { return normal(engine); });
    Column made;
    made.values = std::make_shared<arrow::FloatArray>(kRows * kDim, buffer);
    const auto vectors = arrow::FixedSizeListArray::FromArrays(made.values, kDim).ValueOrDie();
    arrow::StringBuilder keys;
    for (int64_t r = 0; r < kRows; ++r) (void)keys.Append("key-" + std::to_string(r));
    const auto key_array = keys.Finish().ValueOrDie();
    for (int64_t at = 0; at < kRows; at += kBatchRows) {
      VectorBatch batch;
      batch.vectors = vectors->Slice(at, kBatchRows);
      batch.keys = key_array->Slice(at, kBatchRows);
      made.batches.push_back(batch);
    }
    return made;
  }();
  return column;
}

std::shared_ptr<const VectorQuerySet> Queries(int64_t count, VectorMetric metric, int64_t k) {
  std::mt19937 engine(2);
  std::normal_distribution<double> normal;
  VectorQueries queries;
  queries.dim = kDim;
  for (int64_t i = 0; i < count * kDim; ++i) queries.values.push_back(normal(engine));
  return VectorQuerySet::Make(queries, {.metric = metric, .k = k}).ValueOrDie();
}

void Search(const std::shared_ptr<const VectorQuerySet>& queries) {
  VectorTopK topk(queries, "v", int64_t{1} << 30);
  for (const VectorBatch& batch : Data().batches) {
    if (const Status status = topk.Add(batch); !status.ok()) status.Abort();
  }
  benchmark::DoNotOptimize(topk.Take());
}

constexpr const char* kMetricNames[] = {"cosine", "l2", "dot"};

void BM_ExactTopK(benchmark::State& state) {
  const auto metric = static_cast<VectorMetric>(state.range(0));
  state.SetLabel(kMetricNames[state.range(0)]);
  const auto queries = Queries(1, metric, state.range(1));
  const std::span<const float> floats(Data().values->raw_values(),
                                      static_cast<size_t>(kRows * kDim));
  testing::CompareWithMemory(state, floats, [&] { Search(queries); });
}
BENCHMARK(BM_ExactTopK)
    ->ArgsProduct({{0, 1, 2}, {10, 100}})
    ->ArgNames({"metric", "k"})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

/// Time per query of a batch of queries.
void BM_ExactTopKBatch(benchmark::State& state) {
  const auto metric = static_cast<VectorMetric>(state.range(0));
  state.SetLabel(kMetricNames[state.range(0)]);
  const auto queries = Queries(state.range(1), metric, 10);
  for (auto _ : state) {
    state.SetIterationTime(testing::ThreadSeconds([&] { Search(queries); }));
  }
  state.counters["per query"] = benchmark::Counter(
      static_cast<double>(state.range(1)),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(BM_ExactTopKBatch)
    ->ArgsProduct({{0, 1, 2}, {4, 64}})
    ->ArgNames({"metric", "queries"})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace firth
