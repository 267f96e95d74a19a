// SPDX-License-Identifier: Apache-2.0
// firth read.
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <CLI/Option.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/errors.h"
#include "cli/explain.h"
#include "cli/progress.h"
#include "firth/scan.h"

namespace firth::cli {
namespace {

struct ReadArguments {
  TableArguments table;
  AsOf as_of;
  Resources resources;
  OutputArguments output;
  std::vector<std::string> columns;
  std::string where;
  bool meta = false, read_optimized = false, explain = false;
  bool no_metadata = false, unique_keys = false;
  int64_t limit = -1;
  std::optional<std::string> begin, end;

  arrow::Result<ScanOptions> Scan() const;
};

arrow::Result<ScanOptions> ReadArguments::Scan() const {
  ScanOptions scan;
  scan.columns = columns;
  scan.with_meta = meta;
  scan.where = where;
  scan.limit = limit;
  scan.use_metadata = !no_metadata;
  scan.unique_keys = unique_keys;
  scan.threads = resources.threads;
  ARROW_ASSIGN_OR_RAISE(scan.memory_budget, resources.MemoryBudget(scan.memory_budget));
  if (read_optimized) scan.query = QueryType::kReadOptimized;
  if (begin) {
    scan.query = QueryType::kIncremental;
    scan.begin = *begin;
    scan.end = end;
  }
  return scan;
}

// Reads everything, shows nothing of it, and tells what it took.
arrow::Status Explain(const ScanPlan& plan, arrow::RecordBatchReader* reader, bool json) {
  Progress progress("reading", "rows", 0);
  int64_t rows = 0;
  while (true) {
    ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::RecordBatch> batch, reader->Next());
    if (batch == nullptr) break;
    rows += batch->num_rows();
    progress.Update(rows);
  }
  return PrintExplanation({{"rows", "rows returned", rows}}, plan.Report(), json);
}

arrow::Result<ScanPlan> PlanRead(Table* table, const AsOf& as_of, const ScanOptions& scan) {
  if (!as_of.time) return table->PlanLatest(scan);
  ARROW_ASSIGN_OR_RAISE(const Snapshot snapshot, as_of.Pin(*table));
  return snapshot.Plan(scan);
}

arrow::Status RunRead(const ReadArguments& arguments) {
  if (arguments.end && !arguments.begin) {
    return UsageError("--end needs --incremental BEGIN", "add it, or use --as-of");
  }
  ARROW_ASSIGN_OR_RAISE(const OutputOptions output, arguments.output.Options(arguments.table.json));
  ARROW_RETURN_NOT_OK(ResolveFormat(output).status());
  ARROW_ASSIGN_OR_RAISE(const ScanOptions scan, arguments.Scan());
  ARROW_ASSIGN_OR_RAISE(Table table, arguments.table.Open());
  ARROW_ASSIGN_OR_RAISE(const ScanPlan plan, PlanRead(&table, arguments.as_of, scan));
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::RecordBatchReader> reader, plan.ReadAll());
  if (arguments.explain) return Explain(plan, reader.get(), arguments.table.json);
  // Rows that scroll by are progress enough.
  if (output.file.empty() && StandardOutputIsTerminal()) return WriteRows(reader.get(), output);
  Progress progress("reading", "rows", arguments.limit > 0 ? arguments.limit : 0);
  return WriteRows(reader.get(), output, [&](int64_t rows) { progress.Update(rows); });
}

}  // namespace

std::vector<Verb> AddReadVerb(CLI::App& app) {
  CLI::App* read = app.add_subcommand("read", "print or save the rows of a table");
  read->footer(
      "Examples:\n"
      "  firth read ./trips --columns id,fare --where \"fare > 10 AND city IN ('sf','la')\"\n"
      "  firth read s3://lake/trips --as-of 2026-01-31 -o trips.parquet\n"
      "  firth read ./trips --incremental earliest --format jsonl");
  auto arguments = std::make_shared<ReadArguments>();
  arguments->table.AddTo(read);
  AddColumns(read, &arguments->columns);
  read->add_option("--where", arguments->where,
                   "only rows for which this holds: comparisons, IN, BETWEEN, LIKE, IS NULL, "
                   "joined by AND, OR, NOT, of columns or functions such as lower(c), year(c), "
                   "from_unixtime(c, 'yyyy-MM-dd')")
      ->type_name("TEXT");
  arguments->as_of.AddTo(read);
  CLI::Option* optimized =
      read->add_flag("--read-optimized", arguments->read_optimized, "base files only, logs unread");
  read->add_option("--incremental", arguments->begin,
                   "rows changed after this time, in their latest version; \"earliest\" for all")
      ->type_name("BEGIN")
      ->excludes(optimized);
  read->add_option("--end", arguments->end, "with --incremental: up to this time, inclusive")
      ->type_name("END");
  AddCount(read, "--limit", &arguments->limit, "stop after N rows");
  read->add_flag("--meta", arguments->meta, "the five _hoodie_* columns too, first");
  arguments->output.AddTo(read);
  AddExplain(read, &arguments->explain,
             "read, but print what was skipped and what it cost instead of the rows");
  read->add_flag("--no-metadata", arguments->no_metadata,
                 "list folders and read all files: do not use the table's metadata table");
  read->add_flag("--unique-keys", arguments->unique_keys,
                 "promise that no record key is or was in the table twice: predicates on keys take "
                 "the record index, also where log files keep it from being shown by counting");
  arguments->resources.AddTo(read);
  return {{read, [arguments] { return RunRead(*arguments); }}};
}

}  // namespace firth::cli
