// SPDX-License-Identifier: Apache-2.0
// LookupKeys: 1,000 random keys among 1 and 10 million, in a record index of ten file groups with
// firth's own writer profile. The metadata table is written once, into the temporary folder, and
// removed at the end.
//   warm:  other keys each time, files in the page cache of the system, snapshot asked before
//   again: the same keys again, so that most blocks are in memory
#include <arrow/io/file.h>
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <set>

#include "firth/format/hfile/hfile_writer.h"
#include "firth/index.h"
#include "firth/metadata/metadata_keys.h"

namespace firth {
namespace {

namespace fs = std::filesystem;

constexpr int32_t kGroups = 10;
constexpr size_t kLookups = 1'000;
constexpr const char* kInitInstant = "00000000000000010";
constexpr const char* kSchema =
    R"({"type":"record","name":"HoodieMetadataRecord","fields":[
{"name":"key","type":"string"},{"name":"type","type":"int"},
{"name":"recordIndexMetadata","type":["null",{"type":"record","name":"HoodieRecordIndexInfo","fields":[
{"name":"partitionName","type":["null","string"]},{"name":"fileIdHighBits","type":["null","long"]},
{"name":"fileIdLowBits","type":["null","long"]},{"name":"fileIndex","type":["null","int"]},
{"name":"instantTime","type":["null","long"]},{"name":"fileIdEncoding","type":"int"}]}]}]})";

template <typename T>
T Check(Result<T> result) {
  if (!result.ok()) result.status().Abort();
  return *std::move(result);
}
void Check(const Status& status) {
  if (!status.ok()) status.Abort();
}

uint64_t Mix(uint64_t x) {
  x = (x ^ (x >> 31)) * 0x9E3779B97F4A7C15U;
  return (x ^ (x >> 29)) * 0xBF58476D1CE4E5B9U;
}

// The i-th of `keys` sorted keys that look like UUIDs.
std::string KeyAt(uint64_t i, uint64_t keys) {
  const uint64_t high = i * (UINT64_MAX / keys) + Mix(i) % 1'000'000, low = Mix(~i);
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32, (high >> 16) & 0xFFFF,
                     high & 0xFFFF, low >> 48, low & 0xFFFF'FFFF'FFFF);
}

void AppendLong(int64_t value, std::string* out) {
  uint64_t zigzag = (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
  for (; zigzag >= 0x80; zigzag >>= 7) out->push_back(static_cast<char>(zigzag | 0x80));
  out->push_back(static_cast<char>(zigzag));
}

// A record of one of 200 file groups. A union's second branch is the long 1.
std::string ValueAt(uint64_t i) {
  const uint64_t file = Mix(i) % 200;
  std::string value;
  for (const int64_t part : {0, 5, 1, 1, 10}) AppendLong(part, &value);
  value += "2026-11-30";
  for (const uint64_t part :
       {Mix(file), Mix(file + 1'000), uint64_t{0}, uint64_t{1'795'000'000'000}}) {
    AppendLong(1, &value);
    AppendLong(static_cast<int64_t>(part), &value);
  }
  AppendLong(0, &value);
  return value;
}

void WriteFile(const fs::path& path, std::string_view text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

// A table of version 6 without commits, whose metadata table is just initialised.
class IndexedTable {
 public:
  explicit IndexedTable(uint64_t keys)
      : root_(fs::temp_directory_path() / fmt::format("firth_index_{}_{}", getpid(), keys)) {
    const fs::path metadata = root_ / ".hoodie/metadata";
    WriteFile(root_ / ".hoodie/hoodie.properties",
              "hoodie.table.name=t\nhoodie.table.version=6\nhoodie.table.type=MERGE_ON_READ\n"
              "hoodie.table.recordkey.fields=id\nhoodie.timeline.layout.version=1\n"
              "hoodie.table.metadata.partitions=record_index\n"
              "hoodie.table.create.schema={\"type\":\"record\",\"name\":\"t\",\"fields\":["
              "{\"name\":\"id\",\"type\":\"string\"}]}\n");
    WriteFile(metadata / ".hoodie/hoodie.properties",
              "hoodie.table.name=t_metadata\nhoodie.table.version=6\n"
              "hoodie.table.type=MERGE_ON_READ\nhoodie.table.base.file.format=HFILE\n"
              "hoodie.timeline.layout.version=1\nhoodie.table.recordkey.fields=key\n"
              "hoodie.populate.meta.fields=false\n"
              "hoodie.compaction.payload.class=org.apache.hudi.metadata.HoodieMetadataPayload\n");
    for (const char* state : {"", ".requested", ".inflight"}) {
      WriteFile(metadata / fmt::format(".hoodie/{}.deltacommit{}", kInitInstant, state),
                R"({"partitionToWriteStats":{}})");
    }
    fs::create_directories(metadata / "record_index");
    WriteIndex(metadata / "record_index", keys);
  }
  ~IndexedTable() { fs::remove_all(root_); }
  IndexedTable(const IndexedTable&) = delete;
  IndexedTable& operator=(const IndexedTable&) = delete;

  Snapshot Pin() const { return Check(Check(Table::Open(root_.string())).Pin()); }

 private:
  static void WriteIndex(const fs::path& folder, uint64_t keys) {
    std::vector<std::shared_ptr<arrow::io::FileOutputStream>> sinks;
    std::vector<std::unique_ptr<HFileWriter>> writers;
    for (int group = 0; group < kGroups; ++group) {
      const fs::path path =
          folder / fmt::format("record-index-{:04}-0_0-0-0_{}.hfile", group, kInitInstant);
      sinks.push_back(Check(arrow::io::FileOutputStream::Open(path.string())));
      writers.push_back(Check(HFileWriter::Make(sinks.back())));
      writers.back()->AddInfo("schema", kSchema);
    }
    for (uint64_t i = 0; i < keys; ++i) {
      const std::string key = KeyAt(i, keys);
      const auto group = static_cast<size_t>(FileGroupOf(key, kGroups));
      Check(writers[group]->Append(key, ValueAt(i)));
    }
    for (size_t group = 0; group < writers.size(); ++group) {
      Check(writers[group]->Finish());
      Check(sinks[group]->Close());
    }
  }

  fs::path root_;
};

std::vector<std::string> RandomKeys(uint64_t keys, std::mt19937_64* random) {
  std::set<uint64_t> numbers;
  while (numbers.size() < kLookups) numbers.insert((*random)() % keys);
  std::vector<std::string> wanted;
  for (const uint64_t number : numbers) wanted.push_back(KeyAt(number, keys));
  return wanted;
}

void BM_LookupKeys(benchmark::State& state, bool same_keys) {
  static std::map<uint64_t, std::unique_ptr<IndexedTable>> tables;
  const auto keys = static_cast<uint64_t>(state.range(0));
  std::unique_ptr<IndexedTable>& table = tables[keys];
  if (table == nullptr) table = std::make_unique<IndexedTable>(keys);
  const Snapshot snapshot = table->Pin();
  std::mt19937_64 random(1);
  std::vector<std::string> wanted = RandomKeys(keys, &random);
  Check(LookupKeys(snapshot, wanted));
  LookupCost cost;
  for (auto _ : state) {
    if (!same_keys) {
      state.PauseTiming();
      wanted = RandomKeys(keys, &random);
      state.ResumeTiming();
    }
    const KeyLookup found = Check(LookupKeys(snapshot, wanted));
    if (found.locations.size() != kLookups) state.SkipWithError("keys are missing");
    cost.blocks += found.cost.blocks;
    cost.bytes += found.cost.bytes;
    cost.requests += found.cost.requests;
  }
  const auto each = benchmark::Counter::kAvgIterations;
  state.counters["blocks"] = benchmark::Counter(static_cast<double>(cost.blocks), each);
  state.counters["bytes_read"] = benchmark::Counter(static_cast<double>(cost.bytes), each);
  state.counters["requests"] = benchmark::Counter(static_cast<double>(cost.requests), each);
}
BENCHMARK_CAPTURE(BM_LookupKeys, warm, false)
    ->Arg(1'000'000)
    ->Arg(10'000'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_LookupKeys, again, true)
    ->Arg(1'000'000)
    ->Arg(10'000'000)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace firth
