// SPDX-License-Identifier: Apache-2.0
// One file slice to one stream of merged batches.
#pragma once

#include <arrow/compute/expression.h>
#include <arrow/type_fwd.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "firth/io/storage.h"
#include "firth/read/commit_schemas.h"
#include "firth/table/file_slice.h"
#include "firth/table/table_config.h"
#include "firth/table/table_schema.h"

namespace firth {

/// What every slice of a snapshot has in common, shared by all readers of the snapshot. Immutable,
/// but for what is read when first needed.
struct ReadContext {
  std::shared_ptr<const Storage> storage;
  TableConfig config;
  TableSchema schema;
  Timeline timeline;
  std::shared_ptr<CommitSchemas> commit_schemas = std::make_shared<CommitSchemas>();
};

/// Which commits' rows and blocks an incremental read keeps. Values of _hoodie_commit_time.
struct InstantFilter {
  std::set<std::string, std::less<>> instants;
};

struct SliceReadOptions {
  /// Columns to return, a subset of ReadContext::schema.full in any order.
  std::vector<std::string> columns;
  /// Return kRowNumberColumn (row_number.h) too, as the last column.
  bool row_numbers = false;
  /// Over columns of the full schema, not bound; applied after merging. literal(true): none.
  arrow::compute::Expression filter = arrow::compute::literal(true);
  /// Blocks written later than this instant are invisible; empty: no bound.
  std::string latest_instant;
  /// Incremental reads: rows whose _hoodie_commit_time is not in the set are dropped.
  std::optional<InstantFilter> instants;
  /// Skip row groups and pages that statistics exclude. Off only in tests that compare.
  bool prune = true;
  int64_t batch_rows = 16'384;
  /// Bytes of log records held in memory before they spill to `spill_dir`.
  int64_t memory_budget = int64_t{1} << 30;
  std::string spill_dir;  // empty: the system's temporary folder
  /// Matches log records by RECORD_POSITIONS where blocks carry them. The rows are the same, so
  /// that no public option leads here: tests hold positions against keys.
  bool position_merge = false;
};

/// Counters of one read, added up by the caller. Safe from several threads.
struct SliceReadMetrics {
  std::atomic<int64_t> base_rows{0}, log_records{0}, delete_records{0}, spilled_bytes{0};
  std::atomic<int64_t> row_groups{0}, row_groups_pruned{0}, corrupt_blocks{0};
  std::atomic<int64_t> pages{0}, pages_pruned{0};
};

/// Opens a stream over one slice. Batches have exactly the schema of `options.columns`
/// (and the row numbers). Rows of one
/// base file come in file order; updated and inserted rows may follow at the end.
/// Errors come from the stream as well: kCorrupt, kIo, kUnsupported.
Result<std::shared_ptr<arrow::RecordBatchReader>> OpenSlice(
    std::shared_ptr<const ReadContext> context, FileSlice slice, SliceReadOptions options,
    std::shared_ptr<SliceReadMetrics> metrics);

}  // namespace firth
