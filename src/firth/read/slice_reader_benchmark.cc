// SPDX-License-Identifier: Apache-2.0
// Reads the slices of one table on one thread: FIRTH_BENCH_TABLE names it (made by
// firth-bench-table). Columns: all, or the two of the argument.
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <benchmark/benchmark.h>

#include <cstdlib>

#include "firth/read/slice_reader.h"
#include "firth/table/file_system_view.h"
#include "firth/table/listing.h"

namespace firth {
namespace {

struct BenchTable {
  std::shared_ptr<ReadContext> context = std::make_shared<ReadContext>();
  std::vector<FileSlice> slices;
};

Result<BenchTable> OpenBenchTable(const char* path) {
  BenchTable table;
  ReadContext& context = *table.context;
  ARROW_ASSIGN_OR_RAISE(const auto storage, Storage::Open(path, {}));
  context.storage = storage;
  ARROW_ASSIGN_OR_RAISE(context.config, TableConfig::Load(*storage));
  ARROW_ASSIGN_OR_RAISE(context.timeline, Timeline::Load(storage, context.config.timeline));
  ARROW_ASSIGN_OR_RAISE(context.schema,
                        ResolveTableSchema(*storage, context.config, context.timeline, ""));
  ARROW_ASSIGN_OR_RAISE(const ViewContext view, LoadViewContext(context.timeline));
  ARROW_ASSIGN_OR_RAISE(const PartitionFiles partitions, ListDataFiles(*storage));
  for (const auto& [partition, files] : partitions) {
    ARROW_ASSIGN_OR_RAISE(
        auto slices, SnapshotSlices(context.config, context.timeline, view, partition, files, ""));
    for (FileSlice& slice : slices) table.slices.push_back(std::move(slice));
  }
  return table;
}

Result<int64_t> ReadAll(const BenchTable& table, const std::vector<std::string>& columns) {
  int64_t rows = 0;
  SliceReadOptions options;
  options.columns = columns;
  for (const FileSlice& slice : table.slices) {
    ARROW_ASSIGN_OR_RAISE(auto stream, OpenSlice(table.context, slice, options,
                                                 std::make_shared<SliceReadMetrics>()));
    std::shared_ptr<arrow::RecordBatch> batch;
    while (true) {
      ARROW_RETURN_NOT_OK(stream->ReadNext(&batch));
      if (batch == nullptr) break;
      rows += batch->num_rows();
    }
  }
  return rows;
}

void BM_ReadSlices(benchmark::State& state) {
  const char* path = std::getenv("FIRTH_BENCH_TABLE");
  if (path == nullptr) return state.SkipWithError("FIRTH_BENCH_TABLE is not set");
  const auto table = OpenBenchTable(path);
  if (!table.ok()) return state.SkipWithError(table.status().message().c_str());
  std::vector<std::string> columns = table->context->schema.data->field_names();
  if (state.range(0) > 0) columns.resize(static_cast<size_t>(state.range(0)));
  int64_t rows = 0;
  for (auto _ : state) {
    const auto read = ReadAll(*table, columns);
    if (!read.ok()) return state.SkipWithError(read.status().message().c_str());
    rows += *read;
  }
  state.SetItemsProcessed(rows);  // rows per second
}
BENCHMARK(BM_ReadSlices)->ArgName("columns")->Arg(0)->Arg(2)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace firth
