// SPDX-License-Identifier: Apache-2.0
// A request and a pinned snapshot to the slices that must be read: what the public ScanPlan holds.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <string>
#include <vector>

#include "firth/scan.h"
#include "firth/scan/pinned_snapshot.h"

namespace firth {

struct PlannedScan {
  std::shared_ptr<const ReadContext> context;
  std::shared_ptr<arrow::Schema> schema;  // of the result
  std::vector<FileSlice> slices;          // by partition, then file id
  SliceReadOptions read;                  // for every slice
  ScanReport report;                      // of planning alone; no request counters
};

/// Lists, prunes and checks; touches no data file. Errors: kInvalidArgument for bad options,
/// unknown columns and predicates; kNotFound when a cleaner removed what the snapshot needs.
Result<PlannedScan> PlanScan(const std::shared_ptr<const PinnedSnapshot>& snapshot,
                             const ScanOptions& options);

/// The same with `filter`, over columns of the full schema, in place of `options.where`.
Result<PlannedScan> PlanScan(const std::shared_ptr<const PinnedSnapshot>& snapshot,
                             const ScanOptions& options, arrow::compute::Expression filter);

/// Streams all slices of a plan, in order, with the threads, budget and limit of `options`.
std::shared_ptr<arrow::RecordBatchReader> ReadPlannedScan(
    std::shared_ptr<const PlannedScan> plan, const ScanOptions& options,
    std::shared_ptr<SliceReadMetrics> metrics);

/// ScanOptions::threads, or one per core; fewer where they would not fit into memory_budget.
int ScanThreads(const ScanOptions& options);

/// The schema of a result: `columns` of the table in that order; all of them when empty, with the
/// meta columns in front when `with_meta`.
Result<std::shared_ptr<arrow::Schema>> ResultSchema(const TableSchema& schema,
                                                    const std::vector<std::string>& columns,
                                                    bool with_meta);

}  // namespace firth
