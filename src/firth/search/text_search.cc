// SPDX-License-Identifier: Apache-2.0
#include "firth/search/text_search.h"

#include <arrow/array/array_base.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/util.h>
#include <arrow/compute/expression.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/table.h>
#include <arrow/type.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "firth/common/parallel.h"
#include "firth/index/text/fts_error.h"
#include "firth/index/text/text_predicate.h"
#include "firth/read/record_key.h"
#include "firth/scan/planned_scan.h"
#include "firth/scan/predicate.h"
#include "firth/scan/predicate_names.h"
#include "firth/scan/scan_meter.h"
#include "firth/search/row_fetch.h"
#include "firth/search/text_scan.h"

namespace firth {
namespace {

namespace cp = arrow::compute;

constexpr char kScore[] = "_score";

/// What a hit takes in memory, with a short key.
constexpr int64_t kHitBytes = 256;

/// Everything that the threads of one search share. The scan reads the rows that the statistics
/// count; the filter becomes a mask over them.
struct TextSearchPlan {
  PlannedScan scan;
  std::shared_ptr<const BoundQuery> query;
  cp::Expression filter;
  int threads = 1;
  std::shared_ptr<SliceReadMetrics> metrics;
};

/// A column of the table, with the default analyzer: no index defines another one.
Result<AnalyzedColumn> ResolveColumn(const TableSchema& schema, const std::string& name) {
  const auto found = predicate::FindColumn(*schema.full, name);
  if (!found.ok()) return FtsError(kFtsUnknownColumn, "{}", found.status().message());
  const arrow::Field& field = **found;
  ARROW_RETURN_NOT_OK(CheckTextColumn(field.name(), *field.type()));
  return AnalyzedColumn{field.name(), Analyzer::Default()};
}

/// The rows that the statistics count: those that pass the conditions on partition columns alone,
/// of all that AND joins. That is a property of the filter and the rows, so it matters to the cost
/// only which partitions a plan can tell from their paths. Rows of one partition can differ in the
/// column of a formatted time: such a column bounds nothing.
cp::Expression StatisticsScope(const cp::Expression& filter, const TableConfig& config) {
  std::vector<std::string> fields;
  for (size_t i = 0; i < config.partition_fields.size(); ++i) {
    const bool formatted =
        config.key_generator == KeyGenerator::kTimestamp ||
        (i < config.partition_is_timestamp.size() && config.partition_is_timestamp[i]);
    if (!formatted) fields.push_back(config.partition_fields[i]);
  }
  std::vector<cp::Expression> bounds;
  for (cp::Expression& conjunct : SplitConjuncts(filter)) {
    const std::vector<std::string> columns = ReferencedColumns(conjunct);
    const bool bounds_partitions =
        !columns.empty() && std::ranges::all_of(columns, [&](const std::string& column) {
          return std::ranges::find(fields, column) != fields.end();
        });
    if (bounds_partitions) bounds.push_back(std::move(conjunct));
  }
  return cp::and_(std::move(bounds));
}

void AddColumn(const std::string& name, std::vector<std::string>* columns) {
  if (std::ranges::find(*columns, name) == columns->end()) columns->push_back(name);
}

Result<TextSearchPlan> PlanTextSearch(const std::shared_ptr<const PinnedSnapshot>& snapshot,
                                      std::string_view query_json, const SearchOptions& options,
                                      const ScanMeter& meter) {
  if (options.k < 0) return InvalidError("k is {}; must be 0 or more", options.k);
  TextSearchPlan plan;
  plan.metrics = meter.metrics();
  ARROW_ASSIGN_OR_RAISE(const TextQuery query, ParseTextQuery(query_json));
  ARROW_RETURN_NOT_OK(CheckRankedTextQuery(query));
  const ReadContext& context = *snapshot->context;
  ARROW_ASSIGN_OR_RAISE(plan.query, BoundQuery::Bind(query, [&](const std::string& name) {
                          return ResolveColumn(context.schema, name);
                        }));
  ARROW_ASSIGN_OR_RAISE(plan.filter, ParsePredicate(options.where, *context.schema.full));
  ScanOptions scan;
  scan.threads = options.threads;
  scan.memory_budget = options.memory_budget;
  scan.prune = options.prune;
  plan.threads = ScanThreads(scan);
  ARROW_ASSIGN_OR_RAISE(plan.scan,
                        PlanScan(snapshot, scan, StatisticsScope(plan.filter, context.config)));

  std::vector<std::string>& columns = plan.scan.read.columns;
  columns.clear();
  for (const BoundColumn& column : plan.query->columns) columns.push_back(column.name);
  for (const std::string& name : RecordKeys::Columns(context.config)) AddColumn(name, &columns);
  for (const std::string& name : ReferencedColumns(plan.filter)) AddColumn(name, &columns);
  plan.scan.read.row_numbers = true;
  return plan;
}

/// The rows that pass the filter; nullptr: all.
Result<std::shared_ptr<arrow::Array>> Selected(const cp::Expression& bound_filter,
                                               const std::shared_ptr<arrow::RecordBatch>& rows) {
  if (bound_filter.Equals(cp::literal(true))) return nullptr;
  ARROW_ASSIGN_OR_RAISE(
      const arrow::Datum mask,
      cp::ExecuteScalarExpression(bound_filter, *rows->schema(), arrow::Datum(rows)));
  if (!mask.is_scalar()) return mask.make_array();
  ARROW_ASSIGN_OR_RAISE(const auto boolean, mask.scalar()->CastTo(arrow::boolean()));
  return arrow::MakeArrayFromScalar(*boolean, rows->num_rows());
}

/// Feeds one slice to a TextScan or a TextSecondPass.
template <typename Pass>
Status ScanSlice(const TextSearchPlan& plan, const FileSlice& slice, Pass* pass) {
  const ReadContext& context = *plan.scan.context;
  ARROW_ASSIGN_OR_RAISE(const auto stream,
                        OpenSlice(plan.scan.context, slice, plan.scan.read, plan.metrics));
  const std::shared_ptr<arrow::Schema> schema = stream->schema();
  const Result<RecordKeys> keys = RecordKeys::Make(context.config, *schema);
  if (!keys.ok()) {
    return FtsError(ErrorCode::kUnsupported, kFtsNoRecordKey,
                    "text search ranks ties by record key: {}", keys.status().message());
  }
  ARROW_ASSIGN_OR_RAISE(const cp::Expression filter, plan.filter.Bind(*schema));
  const SliceName name{slice.partition, slice.file_id};
  TextBatch batch;
  while (true) {
    ARROW_ASSIGN_OR_RAISE(const auto rows, stream->Next());
    if (rows == nullptr) return Status::OK();
    batch.columns.assign(
        rows->columns().begin(),
        rows->columns().begin() + static_cast<int64_t>(plan.query->columns.size()));
    ARROW_ASSIGN_OR_RAISE(batch.keys, keys->Of(*rows));
    ARROW_ASSIGN_OR_RAISE(batch.selected, Selected(filter, rows));
    batch.numbers = rows->columns().back();
    ARROW_RETURN_NOT_OK(pass->Add(name, batch));
  }
}

/// Feeds all slices, each to one of the passes; the first pass takes over what the others have.
template <typename Pass>
Status ScanAll(const TextSearchPlan& plan, std::vector<Pass>* passes) {
  std::atomic<size_t> next{0};
  ARROW_RETURN_NOT_OK(
      RunParallel(passes->size(), static_cast<int>(passes->size()), [&](size_t w) -> Status {
        for (size_t i = next++; i < plan.scan.slices.size(); i = next++) {
          ARROW_RETURN_NOT_OK(ScanSlice(plan, plan.scan.slices[i], &(*passes)[w]));
        }
        return Status::OK();
      }));
  for (size_t w = 1; w < passes->size(); ++w) passes->front().Merge(std::move((*passes)[w]));
  return Status::OK();
}

Result<TextHits> Rank(const TextSearchPlan& plan, const SearchOptions& options,
                      TextSearchReport* report) {
  const auto workers =
      std::clamp<size_t>(plan.scan.slices.size(), 1, static_cast<size_t>(plan.threads));
  const int64_t budget = options.memory_budget / 4 / static_cast<int64_t>(workers);
  std::vector<TextScan> scans(workers, TextScan(plan.query, budget));
  ARROW_RETURN_NOT_OK(ScanAll(plan, &scans));
  const TextScan& scan = scans.front();
  report->passes = scan.needs_second_pass() ? 2 : 1;
  for (size_t c = 0; c < plan.query->columns.size(); ++c) {
    const ColumnStatistics& statistics = scan.statistics()[c];
    report->columns.push_back({plan.query->columns[c].name, statistics.records, statistics.tokens});
  }
  if (!scan.needs_second_pass()) return scan.Rank(options.k);
  if (options.k > options.memory_budget / kHitBytes / static_cast<int64_t>(workers)) {
    return Error(ErrorCode::kResourceExhausted,
                 "k is {}: that many of the matching rows do not fit into memory_budget, {} bytes",
                 options.k, options.memory_budget);
  }
  const TextSecondPass::Plan second(scan);
  std::vector<TextSecondPass> passes;
  for (size_t w = 0; w < workers; ++w) passes.emplace_back(second, options.k);
  ARROW_RETURN_NOT_OK(ScanAll(plan, &passes));
  return std::move(passes.front()).Finish();
}

std::vector<RowPosition> PositionsOf(const TextSearchPlan& plan, const TextHits& hits) {
  std::map<std::pair<std::string_view, std::string_view>, int64_t> number;
  for (size_t i = 0; i < plan.scan.slices.size(); ++i) {
    const FileSlice& slice = plan.scan.slices[i];
    number[{slice.partition, slice.file_id}] = static_cast<int64_t>(i);
  }
  std::vector<RowPosition> rows;
  for (const TextHit& hit : hits.best) {
    rows.push_back({number[{hit.slice.partition, hit.slice.file_id}], hit.row, hit.key});
  }
  return rows;
}

}  // namespace

Result<std::shared_ptr<arrow::Table>> SearchText(
    const std::shared_ptr<const PinnedSnapshot>& snapshot, std::string_view query_json,
    const SearchOptions& options, TextSearchReport* report) {
  ARROW_ASSIGN_OR_RAISE(
      const std::shared_ptr<arrow::Schema> schema,
      ResultSchema(snapshot->context->schema, options.columns, options.with_meta));
  if (schema->GetFieldIndex(kScore) >= 0) {
    return InvalidError("the table has a column '{}' of its own; name the wanted columns", kScore);
  }
  const ScanMeter meter(snapshot->context->storage);
  ARROW_ASSIGN_OR_RAISE(const TextSearchPlan plan,
                        PlanTextSearch(snapshot, query_json, options, meter));
  TextSearchReport own_report;
  if (report == nullptr) report = &own_report;
  *report = {};
  ARROW_ASSIGN_OR_RAISE(const TextHits hits, Rank(plan, options, report));
  report->matches = hits.total;
  report->expansions_capped = hits.expansions_capped;

  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Table> rows,
                        FetchRows(plan.scan, schema, PositionsOf(plan, hits),
                                  {plan.threads, options.memory_budget}, plan.metrics));
  report->scan = meter.Report(plan.scan.report);
  arrow::FloatBuilder scores;
  for (const TextHit& hit : hits.best) ARROW_RETURN_NOT_OK(scores.Append(hit.score));
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Array> score, scores.Finish());
  return rows->AddColumn(rows->num_columns(),
                         arrow::field(kScore, arrow::float32(), /*nullable=*/false),
                         std::make_shared<arrow::ChunkedArray>(score));
}

}  // namespace firth
