// SPDX-License-Identifier: Apache-2.0
#include "firth/scan/planned_scan.h"

#include <arrow/type.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <thread>
#include <unordered_set>
#include <utility>

#include "firth/scan/bloom_skipping.h"
#include "firth/scan/cleaned_files.h"
#include "firth/scan/data_skipping.h"
#include "firth/scan/expected_files.h"
#include "firth/scan/expression_skipping.h"
#include "firth/scan/incremental.h"
#include "firth/scan/parallel_reader.h"
#include "firth/scan/partition_pruning.h"
#include "firth/scan/predicate.h"
#include "firth/scan/predicate_names.h"
#include "firth/scan/record_index_skipping.h"

namespace firth {
namespace {

namespace cp = arrow::compute;

// A thread needs that much besides log records: pages of each column as stored and as decoded,
// dictionaries, batches. The budget pays for it, but for the first threads.
constexpr int64_t kThreadBytes = int64_t{32} << 20;
constexpr int64_t kFreeThreads = 3;

// The files that a plan chooses from.
struct Candidates {
  SnapshotListing listing;
  std::function<bool(std::string_view partition)> wanted;  // what the predicate can match
};

std::string ListingNote(const SnapshotListing& listing, int64_t partitions) {
  if (listing.from_metadata) {
    return fmt::format("files listed from the metadata table: {} partitions", partitions);
  }
  std::string note = fmt::format("files listed from storage: {} partitions", partitions);
  if (!listing.distrust.empty()) note += "; metadata table not used: " + listing.distrust;
  return note;
}

// Lists the table and keeps what the predicate can match. `pruner` outlives the result.
Result<Candidates> ListMatching(const PinnedSnapshot& snapshot, const ScanOptions& options,
                                const PartitionPruner& pruner, ScanReport* report) {
  const auto wanted_folder = [&](std::string_view folder) {
    const bool keep = !options.prune || pruner.MayMatchFolder(folder);
    if (!keep) ++report->partitions_pruned;
    return keep;
  };
  Candidates candidates;
  candidates.wanted = [&pruner, prune = options.prune](std::string_view partition) {
    return !prune || pruner.MayMatch(partition);
  };
  ARROW_ASSIGN_OR_RAISE(
      candidates.listing,
      snapshot.files->List(snapshot,
                           {.threads = ScanThreads(options), .use_metadata = options.use_metadata},
                           wanted_folder));
  PartitionFilesView& partitions = candidates.listing.partitions;
  report->partitions = static_cast<int64_t>(partitions.size()) + report->partitions_pruned;
  report->partitions_pruned += static_cast<int64_t>(std::erase_if(
      partitions, [&](const auto& entry) { return !candidates.wanted(entry.first); }));
  report->notes.push_back(ListingNote(candidates.listing, report->partitions));
  return candidates;
}

Result<SlicesByPartition> SlicesOfAll(const PinnedSnapshot& snapshot, const Candidates& candidates,
                                      bool read_optimized) {
  SlicesByPartition all;
  for (const auto& [partition, files] : candidates.listing.partitions) {
    ARROW_ASSIGN_OR_RAISE(all[std::string(partition)],
                          SlicesOf(snapshot, partition, *files, read_optimized));
  }
  return all;
}

// What cleaners took from a snapshot. One of the past may have lost files long ago; the latest one
// only after it was pinned.
Result<CleanedFiles> CleanedFilesOf(const PinnedSnapshot& snapshot, const Timeline& now) {
  if (snapshot.as_of.empty()) return LoadCleanedSince(snapshot.context->timeline, now);
  return LoadCleanedFiles(now, /*archived=*/snapshot.as_of < now.first_active_write());
}

std::vector<FileSlice> Flatten(SlicesByPartition slices) {
  std::vector<FileSlice> flat;
  for (auto& [partition, own] : slices) {
    std::ranges::sort(own, {}, &FileSlice::file_id);
    std::ranges::move(own, std::back_inserter(flat));
  }
  return flat;
}

Status PlanSnapshotRead(const PinnedSnapshot& snapshot, const ScanOptions& options,
                        const Candidates& candidates, PlannedScan* plan) {
  const bool read_optimized = options.query == QueryType::kReadOptimized;
  ARROW_ASSIGN_OR_RAISE(SlicesByPartition slices,
                        SlicesOfAll(snapshot, candidates, read_optimized));
  ARROW_ASSIGN_OR_RAISE(const CleanedFiles cleaned,
                        CleanedFilesOf(snapshot, *candidates.listing.timeline));
  ARROW_RETURN_NOT_OK(CheckNotCleaned(cleaned, snapshot, slices, candidates.wanted));
  ARROW_RETURN_NOT_OK(CheckPresent(*candidates.listing.expected, snapshot,
                                   candidates.listing.partitions, candidates.wanted));
  plan->slices = Flatten(std::move(slices));
  plan->read.latest_instant = snapshot.as_of;
  return Status::OK();
}

// Slices of a range as the snapshot `range.at` has them, the wanted groups alone; nullopt when a
// cleaner was there and the range has an end.
Result<std::optional<SlicesByPartition>> SlicesOfRange(const PinnedSnapshot& snapshot,
                                                       const IncrementalRange& range, bool has_end,
                                                       const Candidates& candidates) {
  ARROW_ASSIGN_OR_RAISE(SlicesByPartition slices, SlicesOfAll(*range.at, candidates, false));
  const auto touched = [&](const auto& group) {
    return !range.touched || range.touched->contains(group);
  };
  for (auto& [partition, own] : slices) {
    std::erase_if(own, [&](const FileSlice& slice) {
      return !touched(std::pair(slice.partition, slice.file_id));
    });
  }
  // Cleans are looked up on the whole timeline: they usually ran after the range ended.
  const Timeline& now = *candidates.listing.timeline;
  Result<CleanedFiles> cleaned =
      has_end ? LoadCleanedFiles(now, /*archived=*/range.last < now.first_active_write())
              : CleanedFilesOf(snapshot, now);
  ARROW_RETURN_NOT_OK(cleaned.status());
  std::erase_if(*cleaned, [&](const auto& entry) { return !touched(entry.first); });
  PinnedSnapshot at = *range.at;
  if (has_end) at.as_of = range.last;
  const Status status = CheckNotCleaned(*cleaned, at, slices, candidates.wanted);
  if (!status.ok() && has_end) return std::nullopt;
  ARROW_RETURN_NOT_OK(status);
  if (!has_end) {
    ARROW_RETURN_NOT_OK(CheckPresent(*candidates.listing.expected, snapshot,
                                     candidates.listing.partitions, candidates.wanted));
  }
  return slices;
}

Status PlanIncrementalRead(const std::shared_ptr<const PinnedSnapshot>& snapshot,
                           const ScanOptions& options, const Candidates& candidates,
                           PlannedScan* plan) {
  ARROW_ASSIGN_OR_RAISE(IncrementalRange range,
                        ResolveIncremental(snapshot, options.begin, options.end));
  if (range.commits.instants.empty()) return Status::OK();
  ARROW_ASSIGN_OR_RAISE(std::optional<SlicesByPartition> slices,
                        SlicesOfRange(*snapshot, range, options.end.has_value(), candidates));
  if (!slices) {
    // As Hudi does: rows of the range that are still current, from the latest files of all groups,
    // for clustering may have moved them.
    range.at = snapshot;
    range.touched.reset();
    ARROW_ASSIGN_OR_RAISE(slices, SlicesOfRange(*snapshot, range, /*has_end=*/false, candidates));
    plan->report.notes.push_back(
        "a cleaner removed files of the range: answered from the latest snapshot, without rows "
        "that later commits changed again");
  }
  plan->context = range.at->context;
  plan->slices = Flatten(*std::move(slices));
  plan->read.latest_instant = range.at->as_of;
  plan->read.instants = std::move(range.commits);
  return Status::OK();
}

// Leaves out slices that indexes of the metadata table rule out. The record index leaves so few
// that statistics of the others need not be looked up, and knows all that bloom filters do.
// The stages below look at indexes that are ready; of others nothing would be told.
void NoteIndexesBeingBuilt(const TableConfig& config, ScanReport* report) {
  std::vector<std::string> building = PartitionsBeingBuilt(config);
  std::erase(building, "files");  // the note on the listing says so
  if (building.empty()) return;
  report->notes.push_back(
      fmt::format("still being built, so not used: {}", fmt::join(building, ", ")));
}

Status SkipSlices(const PinnedSnapshot& snapshot, const ScanOptions& options,
                  const cp::Expression& filter, PlannedScan* plan) {
  const int threads = ScanThreads(options);
  std::vector<FileSlice>* slices = &plan->slices;
  NoteIndexesBeingBuilt(snapshot.context->config, &plan->report);
  ARROW_ASSIGN_OR_RAISE(const bool found, SkipByRecordIndex(snapshot, filter, options, threads,
                                                            slices, &plan->report));
  ARROW_RETURN_NOT_OK(SkipByColumnStats(snapshot, filter, threads, slices, &plan->report));
  if (!found) {
    ARROW_RETURN_NOT_OK(SkipByBloomFilters(snapshot, filter, threads, slices, &plan->report));
  }
  return SkipByExpressionIndexes(snapshot, filter, threads, slices, &plan->report);
}

}  // namespace

int ScanThreads(const ScanOptions& options) {
  const auto wanted = options.threads > 0
                          ? int64_t{options.threads}
                          : std::max(int64_t{1}, int64_t{std::thread::hardware_concurrency()});
  return static_cast<int>(std::min(wanted, kFreeThreads + options.memory_budget / kThreadBytes));
}

std::shared_ptr<arrow::RecordBatchReader> ReadPlannedScan(
    std::shared_ptr<const PlannedScan> plan, const ScanOptions& options,
    std::shared_ptr<SliceReadMetrics> metrics) {
  ParallelReadOptions parallel;
  // A limited read stops early: reading ahead would only cost.
  parallel.threads = options.limit >= 0 ? 1 : ScanThreads(options);
  parallel.queued_bytes = options.memory_budget / 4;
  parallel.limit = options.limit;
  const auto count = static_cast<int64_t>(plan->slices.size());
  const auto schema = plan->schema;
  const auto open = [plan = std::move(plan), metrics = std::move(metrics)](int64_t i) {
    return OpenSlice(plan->context, plan->slices[static_cast<size_t>(i)], plan->read, metrics);
  };
  return ReadInParallel(schema, count, open, parallel);
}

Result<std::shared_ptr<arrow::Schema>> ResultSchema(const TableSchema& schema,
                                                    const std::vector<std::string>& columns,
                                                    bool with_meta) {
  if (columns.empty()) return with_meta ? schema.full : schema.data;
  arrow::FieldVector fields;
  std::unordered_set<std::string_view> seen;
  for (const std::string& column : columns) {
    ARROW_ASSIGN_OR_RAISE(auto field, predicate::FindColumn(*schema.full, column));
    if (!seen.insert(field->name()).second) {
      return InvalidError("column \"{}\" is asked for twice", field->name());
    }
    fields.push_back(std::move(field));
  }
  return arrow::schema(std::move(fields));
}

Result<PlannedScan> PlanScan(const std::shared_ptr<const PinnedSnapshot>& snapshot,
                             const ScanOptions& options) {
  ARROW_ASSIGN_OR_RAISE(cp::Expression filter,
                        ParsePredicate(options.where, *snapshot->context->schema.full));
  return PlanScan(snapshot, options, std::move(filter));
}

Result<PlannedScan> PlanScan(const std::shared_ptr<const PinnedSnapshot>& snapshot,
                             const ScanOptions& options, cp::Expression filter) {
  ARROW_RETURN_NOT_OK(options.Validate());
  PlannedScan plan;
  plan.context = snapshot->context;
  const TableSchema& schema = snapshot->context->schema;
  ARROW_ASSIGN_OR_RAISE(plan.schema, ResultSchema(schema, options.columns, options.with_meta));
  plan.read.filter = std::move(filter);
  ARROW_ASSIGN_OR_RAISE(const cp::Expression bound, plan.read.filter.Bind(*schema.full));
  plan.read.columns = plan.schema->field_names();
  plan.read.prune = options.prune;
  plan.read.batch_rows = options.batch_rows;
  // A quarter is for queued batches, or for what a search collects.
  plan.read.memory_budget = options.memory_budget / 4 * 3 / ScanThreads(options);
  plan.read.spill_dir = options.spill_dir;

  const PartitionPruner pruner(snapshot->context->config, schema.full, bound);
  ARROW_ASSIGN_OR_RAISE(const Candidates candidates,
                        ListMatching(*snapshot, options, pruner, &plan.report));
  if (options.query == QueryType::kIncremental) {
    ARROW_RETURN_NOT_OK(PlanIncrementalRead(snapshot, options, candidates, &plan));
  } else {
    ARROW_RETURN_NOT_OK(PlanSnapshotRead(*snapshot, options, candidates, &plan));
  }
  plan.report.slices = static_cast<int64_t>(plan.slices.size());
  if (options.prune && options.use_metadata && !plan.read.filter.Equals(cp::literal(true))) {
    ARROW_RETURN_NOT_OK(SkipSlices(*snapshot, options, bound, &plan));
  }
  return plan;
}

}  // namespace firth
