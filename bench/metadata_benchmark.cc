// SPDX-License-Identifier: Apache-2.0
// What the metadata table is for: lookups of keys, plans without listings, reads of one row. Each
// table is written once, into the temporary folder, and removed at the end; files are in the page
// cache of the system.
//   LookupKeys  100 and 1,000 random keys of 1 and of 10 million, in a record index of ten file
//               groups with firth's own writer profile. warm: other keys each time; again: the same
//   Plan        opening and planning a table of 100,000 files
//   PointQuery  WHERE id = x, among 10 million rows in 20 files: on a snapshot that is pinned, and
//               from opening the table on
//   KeyQuery    WHERE id = 'x', keys like UUIDs in no order, among 10 million rows in 100 files: by
//               the record index. scan: without
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <set>

#include "bench_table.h"
#include "firth/api/table_impl.h"
#include "firth/index.h"
#include "firth/scan.h"
#include "firth/testing/metadata_files.h"
#include "firth/testing/uuid_keys.h"

namespace firth::bench {
namespace {

namespace fs = std::filesystem;
using testing::FileGroup;
using testing::MetadataFiles;
using testing::Mix;
using testing::TableFiles;
using testing::UuidKey;

constexpr const char* kMetadataTime = "20260102000000000";

template <typename T>
T Check(Result<T> result) {
  if (!result.ok()) result.status().Abort();
  return *std::move(result);
}
void Check(const Status& status) {
  if (!status.ok()) status.Abort();
}

/// Folders of tables, by name, made when first asked for.
class Tables {
 public:
  ~Tables() { fs::remove_all(root_); }

  template <typename Make>
  std::string Get(const std::string& name, const Make& make) {
    const std::string dir = (root_ / name).string();
    if (!fs::exists(dir)) Check(make(dir));
    return dir;
  }

 private:
  const fs::path root_ = fs::temp_directory_path() / fmt::format("firth_metadata_{}", getpid());
};

Tables& AllTables() {
  static Tables tables;
  return tables;
}

/// The average of each call, besides the time.
void Count(benchmark::State& state, const char* name, int64_t total) {
  state.counters[name] =
      benchmark::Counter(static_cast<double>(total), benchmark::Counter::kAvgIterations);
}

// --- LookupKeys ----------------------------------------------------------------------------------

constexpr int kIndexGroups = 10;
constexpr size_t kIndexedFiles = 200;

// A table of hollow files, and a record index of keys that they don't have.
Status WriteIndexedTable(const std::string& dir, uint64_t keys) {
  ARROW_ASSIGN_OR_RAISE(const auto table, TableFiles::Create(dir, {.schema = BenchRows({}).schema(),
                                                                   .partition_field = "part"}));
  std::vector<FileGroup> groups;
  ARROW_RETURN_NOT_OK(table->Begin("BULK_INSERT"));
  for (size_t file = 0; file < kIndexedFiles; ++file) {
    FileGroup& group = groups.emplace_back(table->NewGroup("2026-11-30"));
    ARROW_RETURN_NOT_OK(table->AddHollowBase(&group, 1'000'000, 1));
  }
  ARROW_RETURN_NOT_OK(table->Commit());
  MetadataFiles metadata(dir, kMetadataTime);
  ARROW_RETURN_NOT_OK(metadata.WriteFiles(table->written()));
  ARROW_RETURN_NOT_OK(metadata.BeginRecordIndex(kIndexGroups));
  for (uint64_t i = 0; i < keys; ++i) {
    const FileGroup& group = groups[Mix(i) % kIndexedFiles];
    ARROW_RETURN_NOT_OK(metadata.AddKey(UuidKey(i, keys), group.partition, group.file_id));
  }
  return metadata.Finish();
}

std::vector<std::string> RandomKeys(size_t count, uint64_t keys, std::mt19937_64* random) {
  std::set<uint64_t> numbers;
  while (numbers.size() < count) numbers.insert((*random)() % keys);
  std::vector<std::string> wanted;
  for (const uint64_t number : numbers) wanted.push_back(UuidKey(number, keys));
  return wanted;
}

void BM_LookupKeys(benchmark::State& state, bool same_keys) {
  const auto asked = static_cast<size_t>(state.range(0));
  const auto keys = static_cast<uint64_t>(state.range(1));
  const std::string dir = AllTables().Get(
      fmt::format("keys{}", keys), [&](const auto& at) { return WriteIndexedTable(at, keys); });
  const Snapshot snapshot = Check(Check(Table::Open(dir)).Pin());
  std::mt19937_64 random(1);
  std::vector<std::string> wanted = RandomKeys(asked, keys, &random);
  Check(LookupKeys(snapshot, wanted));
  LookupCost cost;
  for (auto _ : state) {
    if (!same_keys) {
      state.PauseTiming();
      wanted = RandomKeys(asked, keys, &random);
      state.ResumeTiming();
    }
    const KeyLookup found = Check(LookupKeys(snapshot, wanted));
    if (found.locations.size() != asked) state.SkipWithError("keys are missing");
    cost.blocks += found.cost.blocks;
    cost.bytes += found.cost.bytes;
    cost.requests += found.cost.requests;
  }
  Count(state, "blocks", cost.blocks);
  Count(state, "bytes_read", cost.bytes);
  Count(state, "requests", cost.requests);
}
BENCHMARK_CAPTURE(BM_LookupKeys, warm, false)
    ->ArgsProduct({{100, 1'000}, {1'000'000, 10'000'000}})
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_LookupKeys, again, true)
    ->ArgsProduct({{100, 1'000}, {1'000'000, 10'000'000}})
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

// --- Plan ----------------------------------------------------------------------------------------

constexpr int kCommits = 100;
constexpr int kPartitionsPerCommit = 10;

Status WriteManyFiles(const std::string& dir) {
  return WriteHollowTable(dir, kCommits, kPartitionsPerCommit);
}

void BM_Plan(benchmark::State& state, bool use_metadata) {
  const std::string dir = AllTables().Get("files", WriteManyFiles);
  ScanOptions options;
  options.use_metadata = use_metadata;
  int64_t listed = 0, reads = 0, bytes = 0;
  for (auto _ : state) {
    const Snapshot snapshot = Check(Check(Table::Open(dir)).Pin());
    const ScanPlan plan = Check(snapshot.Plan(options));
    if (plan.splits().size() !=
        size_t{kCommits} * kPartitionsPerCommit * kHollowFilesPerPartition) {
      state.SkipWithError("files are missing");
    }
    const IoCounters& counters = PinnedOf(snapshot)->context->storage->counters();
    listed += counters.list_calls;
    reads += counters.read_calls;
    bytes += counters.bytes_read;
  }
  Count(state, "list_calls", listed);
  Count(state, "read_calls", reads);
  Count(state, "bytes_read", bytes);
}
BENCHMARK_CAPTURE(BM_Plan, by_metadata, true)
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Plan, by_listing, false)
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

// --- PointQuery ----------------------------------------------------------------------------------

constexpr int64_t kRows = 10'000'000;

Status WriteRows(const std::string& dir) {
  TableOptions options;
  options.shape = {.rows = kRows, .files = 20, .partitions = 0, .rounds = 0};
  options.spec.merge_on_read = false;
  options.spec.page_rows = 20'000;  // as Java's writers
  options.java_dictionaries = true;
  options.metadata = true;
  return WriteTable(dir, options).status();
}

ScanReport ReadOneRow(const Snapshot& snapshot, const ScanOptions& options,
                      benchmark::State* state) {
  const ScanPlan plan = Check(snapshot.Plan(options));
  int64_t rows = 0;
  const auto reader = Check(plan.ReadAll());
  while (const auto batch = Check(reader->Next())) rows += batch->num_rows();
  if (rows != 1) state->SkipWithError("not one row");
  return plan.Report();
}

struct PointCosts {
  int64_t reads = 0, bytes = 0, rows = 0;

  void Add(const ScanReport& report) {
    reads += report.read_calls;
    bytes += report.bytes_read;
    rows += report.base_rows;
  }
  void Report(benchmark::State& state) const {
    Count(state, "read_calls", reads);
    Count(state, "bytes_read", bytes);
    Count(state, "rows_read", rows);
  }
};

void BM_PointQuery(benchmark::State& state, bool pinned) {
  const std::string dir = AllTables().Get("rows", WriteRows);
  std::mt19937_64 random(1);
  const auto ask = [&](const Snapshot& snapshot) {
    ScanOptions options;
    options.where = fmt::format("id = {}", random() % kRows);
    return ReadOneRow(snapshot, options, &state);
  };
  const Snapshot snapshot = Check(Check(Table::Open(dir)).Pin());
  ask(snapshot);
  PointCosts costs;
  for (auto _ : state) {
    costs.Add(ask(pinned ? snapshot : Check(Check(Table::Open(dir)).Pin())));
  }
  costs.Report(state);
}
BENCHMARK_CAPTURE(BM_PointQuery, pinned, true)
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_PointQuery, opened, false)
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

// --- KeyQuery ------------------------------------------------------------------------------------

constexpr size_t kKeyFiles = 100;

Result<std::shared_ptr<arrow::RecordBatch>> KeyRows(std::span<const uint64_t> numbers) {
  arrow::StringBuilder ids, names;
  arrow::Int64Builder quantities;
  for (const uint64_t i : numbers) {
    ARROW_RETURN_NOT_OK(ids.Append(UuidKey(i, kRows)));
    ARROW_RETURN_NOT_OK(names.Append(fmt::format("name {}", Mix(i))));
    ARROW_RETURN_NOT_OK(quantities.Append(static_cast<int64_t>(Mix(i) % 1'000)));
  }
  ARROW_ASSIGN_OR_RAISE(auto id, ids.Finish());
  ARROW_ASSIGN_OR_RAISE(auto name, names.Finish());
  ARROW_ASSIGN_OR_RAISE(auto quantity, quantities.Finish());
  const auto schema =
      arrow::schema({arrow::field("id", arrow::utf8()), arrow::field("name", arrow::utf8()),
                     arrow::field("quantity", arrow::int64())});
  return arrow::RecordBatch::Make(schema, id->length(), {id, name, quantity});
}

Status WriteKeyFile(testing::TableFiles* table, FileGroup* group, std::span<const uint64_t> rows) {
  constexpr size_t kAtOnce = 16'384;
  ARROW_ASSIGN_OR_RAISE(const auto sink, table->OpenBase(group));
  for (auto rest = rows; !rest.empty(); rest = rest.subspan(std::min(kAtOnce, rest.size()))) {
    ARROW_ASSIGN_OR_RAISE(const auto batch, KeyRows(rest.first(std::min(kAtOnce, rest.size()))));
    ARROW_ASSIGN_OR_RAISE(const auto full, table->WithMeta(*batch, group->partition));
    ARROW_RETURN_NOT_OK(sink->Write(*full));
  }
  return sink->Close({.inserts = static_cast<int64_t>(rows.size())});
}

Status WriteKeyTable(const std::string& dir) {
  std::vector<std::vector<uint64_t>> rows(kKeyFiles);
  for (uint64_t i = 0; i < kRows; ++i) rows[Mix(i) % kKeyFiles].push_back(i);
  ARROW_ASSIGN_OR_RAISE(const auto sample, KeyRows({}));
  ARROW_ASSIGN_OR_RAISE(const auto table,
                        TableFiles::Create(dir, {.merge_on_read = false,
                                                 .schema = sample->schema(),
                                                 .page_rows = 20'000,
                                                 .plain_columns = {"id", "name"}}));
  std::vector<FileGroup> groups;
  std::mt19937_64 random(1);
  ARROW_RETURN_NOT_OK(table->Begin("BULK_INSERT"));
  for (std::vector<uint64_t>& of_file : rows) {
    std::ranges::shuffle(of_file, random);
    ARROW_RETURN_NOT_OK(
        WriteKeyFile(table.get(), &groups.emplace_back(table->NewGroup("")), of_file));
  }
  ARROW_RETURN_NOT_OK(table->Commit());
  MetadataFiles metadata(dir, kMetadataTime);
  ARROW_RETURN_NOT_OK(metadata.WriteFiles(table->written()));
  ARROW_RETURN_NOT_OK(metadata.WriteColumnStats(table->written(), 2));
  ARROW_RETURN_NOT_OK(metadata.BeginRecordIndex(kIndexGroups));
  for (uint64_t i = 0; i < kRows; ++i) {
    const FileGroup& group = groups[Mix(i) % kKeyFiles];
    ARROW_RETURN_NOT_OK(metadata.AddKey(UuidKey(i, kRows), group.partition, group.file_id));
  }
  return metadata.Finish();
}

void BM_KeyQuery(benchmark::State& state, bool pinned, bool use_metadata) {
  const std::string dir = AllTables().Get("random_keys", WriteKeyTable);
  std::mt19937_64 random(1);
  const auto ask = [&](const Snapshot& snapshot) {
    ScanOptions options;
    options.where = fmt::format("id = '{}'", UuidKey(random() % kRows, kRows));
    options.use_metadata = use_metadata;
    return ReadOneRow(snapshot, options, &state);
  };
  const Snapshot snapshot = Check(Check(Table::Open(dir)).Pin());
  ask(snapshot);
  PointCosts costs;
  for (auto _ : state) {
    costs.Add(ask(pinned ? snapshot : Check(Check(Table::Open(dir)).Pin())));
  }
  costs.Report(state);
}
BENCHMARK_CAPTURE(BM_KeyQuery, pinned, true, true)
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_KeyQuery, opened, false, true)
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_KeyQuery, scan, true, false)
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace firth::bench
