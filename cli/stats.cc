// SPDX-License-Identifier: Apache-2.0
// firth stats.
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/type_traits.h>
#include <fmt/format.h>

#include <CLI/Option.hpp>
#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "cli/column_stats.h"
#include "cli/command.h"
#include "cli/errors.h"
#include "cli/json_output.h"
#include "cli/numbers.h"
#include "cli/progress.h"
#include "cli/text_table.h"
#include "firth/scan.h"

namespace firth::cli {
namespace {

struct StatsArguments {
  TableArguments table;
  AsOf as_of;
  Resources resources;
  std::vector<std::string> columns;  // --column
};

// Of one partition, or of the table.
struct Statistics {
  int64_t rows = 0, slices = 0, base_files = 0, base_bytes = 0, log_files = 0, log_bytes = 0;

  void Add(const FileSliceEntry& slice, int64_t slice_rows) {
    rows += slice_rows;
    ++slices;
    base_files += slice.base_file ? 1 : 0;
    base_bytes += slice.base_bytes;
    log_files += static_cast<int64_t>(slice.log_files.size());
    log_bytes += slice.log_bytes;
  }
  int64_t bytes() const { return base_bytes + log_bytes; }
  // Share of the bytes that are logs: what a compaction would fold.
  double log_share() const {
    return bytes() == 0 ? 0 : static_cast<double>(log_bytes) / static_cast<double>(bytes());
  }
};

// The column that costs least to read: rows are counted through it.
std::vector<std::string> CheapestColumn(const arrow::Schema& schema) {
  const auto cost = [](const std::shared_ptr<arrow::Field>& field) {
    const auto& type = *field->type();
    return arrow::is_fixed_width(type.id()) ? type.bit_width()
           : arrow::is_nested(type.id())    ? 1 << 20
                                            : 1 << 10;
  };
  const auto cheapest = std::ranges::min_element(schema.fields(), {}, cost);
  if (cheapest == schema.fields().end()) return {};
  return {(*cheapest)->name()};
}

arrow::Result<int64_t> CountRows(const ScanPlan& plan, const Split& split) {
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::RecordBatchReader> reader,
                        plan.ReadSplit(split));
  int64_t rows = 0;
  while (true) {
    ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::RecordBatch> batch, reader->Next());
    if (batch == nullptr) return rows;
    rows += batch->num_rows();
  }
}

// Rows of every split, counted by `threads` threads.
class RowCounter {
 public:
  explicit RowCounter(const ScanPlan& plan) : plan_(plan), rows_(plan.splits().size()) {}

  arrow::Result<std::vector<int64_t>> Count(int threads) {
    if (threads == 0) threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    Progress progress("counting", "file slices", static_cast<int64_t>(rows_.size()));
    std::vector<std::thread> helpers;
    const size_t useful = std::min(static_cast<size_t>(threads), rows_.size());
    for (size_t i = 1; i < useful; ++i) helpers.emplace_back([this] { Work(nullptr); });
    Work(&progress);
    for (std::thread& helper : helpers) helper.join();
    ARROW_RETURN_NOT_OK(error_);
    return std::move(rows_);
  }

 private:
  void Work(Progress* progress) {
    while (true) {
      const size_t i = next_.fetch_add(1);
      if (i >= rows_.size()) return;
      const arrow::Result<int64_t> rows = CountRows(plan_, plan_.splits()[i]);
      if (!rows.ok()) {
        next_ = rows_.size();  // the others stop after what they are at
        const std::lock_guard lock(mutex_);
        if (error_.ok()) error_ = rows.status();
        return;
      }
      rows_[i] = *rows;
      if (progress != nullptr) progress->Update(static_cast<int64_t>(i));
    }
  }

  const ScanPlan& plan_;
  std::vector<int64_t> rows_;
  std::atomic<size_t> next_ = 0;
  std::mutex mutex_;
  arrow::Status error_;
};

Json ToJson(const Statistics& statistics) {
  return {{"rows", statistics.rows},
          {"file_slices", statistics.slices},
          {"base_files", statistics.base_files},
          {"base_bytes", statistics.base_bytes},
          {"log_files", statistics.log_files},
          {"log_bytes", statistics.log_bytes},
          {"bytes", statistics.bytes()},
          {"log_share", statistics.log_share()}};
}

// First and last completed write still on the timeline.
struct Span {
  std::string oldest, newest;
};

arrow::Result<Span> WritesOf(const Table& table, const Snapshot& snapshot) {
  ARROW_ASSIGN_OR_RAISE(const std::vector<TimelineEntry> timeline, table.Timeline());
  Span span{.oldest = snapshot.instant(), .newest = snapshot.instant()};
  for (const TimelineEntry& entry : timeline) {
    const bool is_write = entry.action == "commit" || entry.action == "deltacommit" ||
                          entry.action == "replacecommit";
    if (!is_write || entry.state != "completed") continue;
    span.oldest = std::min(span.oldest, entry.requested);
  }
  return span;
}

std::vector<std::string> Cells(const std::string& name, const Statistics& statistics) {
  return {name,
          FormatCount(statistics.rows),
          FormatCount(statistics.slices),
          FormatCount(statistics.base_files),
          FormatBytes(statistics.base_bytes),
          FormatCount(statistics.log_files),
          FormatBytes(statistics.log_bytes),
          fmt::format("{:.0f} %", statistics.log_share() * 100)};
}

std::string FormatStatistics(const Statistics& total,
                             const std::map<std::string, Statistics>& partitions,
                             const Span& span) {
  TextTable table({{"partition"},
                   {"rows", true},
                   {"slices", true},
                   {"base files", true},
                   {"base size", true},
                   {"log files", true},
                   {"log size", true},
                   {"log share", true}});
  for (const auto& [name, statistics] : partitions) table.AddRow(Cells(name, statistics));
  table.AddRow(Cells("(table)", total));
  std::string text = table.Format();
  if (!span.newest.empty()) {
    text += fmt::format("\nwrites from {} to {}\n", span.oldest, span.newest);
  }
  return text;
}

arrow::Status RunStats(const StatsArguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(const Table table, arguments.table.Open());
  ARROW_ASSIGN_OR_RAISE(const Snapshot snapshot, arguments.as_of.Pin(table));
  if (!arguments.columns.empty()) {
    return PrintColumnStatistics(snapshot, arguments.columns, arguments.table.json);
  }
  ScanOptions scan;
  scan.columns = CheapestColumn(*snapshot.schema());
  ARROW_ASSIGN_OR_RAISE(scan.memory_budget, arguments.resources.MemoryBudget(scan.memory_budget));
  ARROW_ASSIGN_OR_RAISE(const ScanPlan plan, snapshot.Plan(scan));
  ARROW_ASSIGN_OR_RAISE(const std::vector<int64_t> rows,
                        RowCounter(plan).Count(arguments.resources.threads));
  ARROW_ASSIGN_OR_RAISE(const Span span, WritesOf(table, snapshot));

  Statistics total;
  std::map<std::string, Statistics> partitions;
  for (size_t i = 0; i < rows.size(); ++i) {
    const FileSliceEntry& slice = plan.splits()[i].slice;
    total.Add(slice, rows[i]);
    partitions[slice.partition].Add(slice, rows[i]);
  }
  if (!arguments.table.json) return Print(FormatStatistics(total, partitions, span));
  Json document = ToJson(total);
  document["oldest_write"] = span.oldest.empty() ? Json() : Json(span.oldest);
  document["newest_write"] = span.newest.empty() ? Json() : Json(span.newest);
  document["partitions"] = Json::array();
  for (const auto& [name, statistics] : partitions) {
    Json partition = {{"partition", name}};
    partition.update(ToJson(statistics));
    document["partitions"].push_back(std::move(partition));
  }
  return PrintJson(document);
}

}  // namespace

std::vector<Verb> AddStatsVerb(CLI::App& app) {
  CLI::App* stats =
      app.add_subcommand("stats", "rows, files and bytes, of the table and of each partition");
  auto arguments = std::make_shared<StatsArguments>();
  arguments->table.AddTo(stats);
  arguments->as_of.AddTo(stats);
  arguments->resources.AddTo(stats);
  CLI::Option* column = stats->add_option(
      "--column", arguments->columns,
      "instead: bounds and counts of these columns in each file, as the table's column "
      "statistics have them");
  column->type_name("A,B")->delimiter(',');
  for (const char* of_reads : {"--threads", "--memory-budget"}) {
    column->excludes(stats->get_option(of_reads));
  }
  return {{stats, [arguments] { return RunStats(*arguments); }}};
}

}  // namespace firth::cli
