// SPDX-License-Identifier: Apache-2.0
// Planning a large table from its listing: 5,000 instants and 100,000 files.
#include <benchmark/benchmark.h>

#include "firth/table/file_system_view.h"
#include "firth/testing/memory_storage.h"

namespace firth {
namespace {

constexpr int kInstants = 5000;
constexpr int kPartitions = 100;
constexpr int kGroups = 200;  // in a partition; each has a base file and four logs

std::string Time(int i) { return fmt::format("{:017}", 20240101000000000 + int64_t{i} * 1000); }

std::shared_ptr<Storage> MakeTimeline() {
  std::map<std::string, std::string> files;
  for (int i = 0; i < kInstants; ++i) {
    const std::string prefix = ".hoodie/timeline/" + Time(i);
    files[prefix + ".deltacommit.requested"] = "";
    files[prefix + ".deltacommit.inflight"] = "";
    files[fmt::format("{}_{}9.deltacommit", prefix, Time(i).substr(0, 16))] = "";
  }
  return testing::MemoryStorage(files);
}

std::vector<FileInfo> MakePartition(int partition) {
  std::vector<FileInfo> files;
  for (int group = 0; group < kGroups; ++group) {
    const std::string id = fmt::format("4f2685a3-614f-49ca-9b2b-{:06}{:06}-0", partition, group);
    files.push_back({fmt::format("p{}/{}_0-1-2_{}.parquet", partition, id, Time(group)), 1});
    for (int log = 1; log <= 4; ++log) {
      const std::string time = Time(group + log * 1000);
      files.push_back({fmt::format("p{}/.{}_{}.log.1_0-1-2", partition, id, time), 1});
    }
  }
  return files;
}

void BM_LoadTimeline(benchmark::State& state) {
  const std::shared_ptr<Storage> storage = MakeTimeline();
  for (auto _ : state) {
    const Result<Timeline> timeline = Timeline::Load(storage, {});
    benchmark::DoNotOptimize(timeline->instants().size());
  }
  state.SetItemsProcessed(state.iterations() * kInstants);  // instants per second
}
BENCHMARK(BM_LoadTimeline)->Unit(benchmark::kMillisecond);

void BM_SnapshotSlices(benchmark::State& state) {
  const Timeline timeline = *Timeline::Load(MakeTimeline(), {});
  TableConfig config;
  config.version = 9;
  std::vector<std::vector<FileInfo>> partitions;
  for (int i = 0; i < kPartitions; ++i) partitions.push_back(MakePartition(i));
  int64_t files = 0;
  for (auto _ : state) {
    for (int i = 0; i < kPartitions; ++i) {
      const auto slices =
          SnapshotSlices(config, timeline, {}, fmt::format("p{}", i), partitions[i], "");
      benchmark::DoNotOptimize(slices->size());
      files += static_cast<int64_t>(partitions[i].size());
    }
  }
  state.SetItemsProcessed(files);  // files per second
}
BENCHMARK(BM_SnapshotSlices)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace firth
