// SPDX-License-Identifier: Apache-2.0
#include "firth/search/vector_search.h"

#include <arrow/array/array_base.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "firth/common/log.h"
#include "firth/common/parallel.h"
#include "firth/scan/planned_scan.h"
#include "firth/scan/predicate_names.h"
#include "firth/scan/scan_meter.h"
#include "firth/search/row_fetch.h"
#include "firth/search/vector_column.h"
#include "firth/search/vector_query.h"
#include "firth/search/vector_topk.h"

namespace firth {
namespace {

constexpr char kDistance[] = "_distance";
constexpr char kQuery[] = "_query";

/// Vectors of one batch fit the last-level cache, so that scoring finds them there.
constexpr int64_t kBatchBytes = int64_t{8} << 20;
constexpr int64_t kMinBatchRows = 1024, kMaxBatchRows = 65'536;

/// What a hit takes in memory, with a short key, in two copies while threads are merged.
constexpr int64_t kHitBytes = 256;

Status WrongDimension(const std::string& column, int64_t found, int64_t wanted) {
  return InvalidError("queries have {} dimensions, the vectors of column '{}' have {}", wanted,
                      column, found);
}

Result<PlannedScan> PlanVectorScan(const std::shared_ptr<const PinnedSnapshot>& snapshot,
                                   const VectorQueries& queries, const arrow::Field& column,
                                   const VectorSearchOptions& options) {
  ARROW_ASSIGN_OR_RAISE(const std::optional<int64_t> dimension,
                        VectorDimension(*column.type(), column.name()));
  if (dimension && *dimension != queries.dim) {
    return WrongDimension(column.name(), *dimension, queries.dim);
  }
  ScanOptions scan;
  scan.columns = {column.name()};
  scan.where = options.where;
  scan.prune = options.prune;
  scan.threads = options.threads;
  scan.memory_budget = options.memory_budget;
  scan.batch_rows = std::clamp(kBatchBytes / (queries.dim * static_cast<int64_t>(sizeof(float))),
                               kMinBatchRows, kMaxBatchRows);
  ARROW_ASSIGN_OR_RAISE(PlannedScan plan, PlanScan(snapshot, scan));
  for (std::string& name : RecordKeys::Columns(plan.context->config)) {
    if (name != column.name()) plan.read.columns.push_back(std::move(name));
  }
  plan.read.row_numbers = true;
  return plan;
}

Status ScanSlice(const PlannedScan& plan, size_t slice,
                 const std::shared_ptr<SliceReadMetrics>& metrics, VectorTopK* topk) {
  ARROW_ASSIGN_OR_RAISE(const auto stream,
                        OpenSlice(plan.context, plan.slices[slice], plan.read, metrics));
  ARROW_ASSIGN_OR_RAISE(const std::optional<RecordKeys> keys,
                        KeysOfRows(plan.context->config, *stream->schema()));
  VectorBatch batch;
  batch.slice = static_cast<int64_t>(slice);
  while (true) {
    ARROW_ASSIGN_OR_RAISE(const auto rows, stream->Next());
    if (rows == nullptr) return Status::OK();
    batch.vectors = rows->column(0);
    if (keys) {
      ARROW_ASSIGN_OR_RAISE(batch.keys, keys->Of(*rows));
    }
    batch.numbers = rows->columns().back();
    ARROW_RETURN_NOT_OK(topk->Add(batch));
  }
}

/// Scans all slices, each by one thread; every thread has its own collector.
Result<VectorTopK> ScanAll(const PlannedScan& plan, int threads,
                           const std::shared_ptr<SliceReadMetrics>& metrics,
                           const VectorTopK& empty) {
  const auto workers = std::clamp<size_t>(plan.slices.size(), 1, static_cast<size_t>(threads));
  std::deque<VectorTopK> collectors(workers, empty);
  std::atomic<size_t> next{0};
  ARROW_RETURN_NOT_OK(RunParallel(workers, static_cast<int>(workers), [&](size_t w) -> Status {
    for (size_t i = next++; i < plan.slices.size(); i = next++) {
      ARROW_RETURN_NOT_OK(ScanSlice(plan, i, metrics, &collectors[w]));
    }
    return Status::OK();
  }));
  for (size_t w = 1; w < workers; ++w) {
    ARROW_RETURN_NOT_OK(collectors[0].Merge(std::move(collectors[w])));
  }
  return std::move(collectors[0]);
}

/// A search that could compare nothing at all asked with the wrong dimension.
Status CheckReport(const VectorTopK& topk, const std::string& column, int64_t dim) {
  const VectorSearchReport& seen = topk.report();
  if (seen.wrong_length > 0 && seen.wrong_length + seen.null_vectors == seen.rows) {
    return WrongDimension(column, topk.other_length(), dim);
  }
  if (seen.wrong_length > 0 || seen.not_finite > 0) {
    FIRTH_LOG(warn, "vectors not compared column={} rows={} wrong_length={} not_finite={}", column,
              seen.rows, seen.wrong_length, seen.not_finite);
  }
  return Status::OK();
}

template <typename Builder, typename T>
Result<std::shared_ptr<arrow::Table>> Append(const std::shared_ptr<arrow::Table>& table,
                                             const char* name, const std::vector<T>& values) {
  Builder builder;
  ARROW_RETURN_NOT_OK(builder.AppendValues(values));
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Array> array, builder.Finish());
  return table->AddColumn(table->num_columns(),
                          arrow::field(name, array->type(), /*nullable=*/false),
                          std::make_shared<arrow::ChunkedArray>(array));
}

}  // namespace

Result<std::shared_ptr<arrow::Table>> SearchVector(
    const std::shared_ptr<const PinnedSnapshot>& snapshot, const VectorQueries& queries,
    const VectorSearchOptions& options, VectorSearchReport* report) {
  ARROW_ASSIGN_OR_RAISE(
      const std::shared_ptr<const VectorQuerySet> set,
      VectorQuerySet::Make(queries,
                           {.metric = options.metric, .k = options.k, .radius = options.radius}));
  ARROW_ASSIGN_OR_RAISE(
      const std::shared_ptr<arrow::Schema> schema,
      ResultSchema(snapshot->context->schema, options.columns, options.with_meta));
  for (const char* name : {kDistance, kQuery}) {
    if (schema->GetFieldIndex(name) >= 0) {
      return InvalidError("the table has a column '{}' of its own; name the wanted columns", name);
    }
  }
  const ScanMeter meter(snapshot->context->storage);
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Field> column,
                        predicate::FindColumn(*snapshot->context->schema.full, options.column));
  ARROW_ASSIGN_OR_RAISE(const PlannedScan plan,
                        PlanVectorScan(snapshot, queries, *column, options));
  ScanOptions effort;
  effort.threads = options.threads;
  effort.memory_budget = options.memory_budget;
  const int threads = ScanThreads(effort);
  // Reading has the other three quarters.
  const int64_t max_hits = options.memory_budget / 4 / kHitBytes;
  ARROW_ASSIGN_OR_RAISE(VectorTopK topk, ScanAll(plan, threads, meter.metrics(),
                                                 VectorTopK(set, column->name(), max_hits)));
  ARROW_RETURN_NOT_OK(CheckReport(topk, column->name(), queries.dim));
  std::vector<RowPosition> rows;
  std::vector<double> distances;
  std::vector<int64_t> numbers;
  const auto results = topk.Take();
  for (size_t q = 0; q < results.size(); ++q) {
    for (const VectorHit& hit : results[q]) {
      rows.push_back({hit.slice, hit.row, hit.key});
      distances.push_back(hit.distance);
      numbers.push_back(static_cast<int64_t>(q));
    }
  }
  ARROW_ASSIGN_OR_RAISE(
      std::shared_ptr<arrow::Table> table,
      FetchRows(plan, schema, rows, {threads, options.memory_budget}, meter.metrics()));
  if (report != nullptr) {
    *report = topk.report();
    report->scan = meter.Report(plan.report);
  }
  ARROW_ASSIGN_OR_RAISE(table, Append<arrow::DoubleBuilder>(table, kDistance, distances));
  if (set->count() == 1 && !options.number_queries) return table;
  return Append<arrow::Int64Builder>(table, kQuery, numbers);
}

}  // namespace firth
