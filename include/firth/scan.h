// SPDX-License-Identifier: Apache-2.0
// Reading a pinned snapshot: options, plans, splits.
#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firth/table.h"

namespace firth {

enum class QueryType : uint8_t {
  kSnapshot,       ///< base files merged with their logs
  kReadOptimized,  ///< base files only
  kIncremental,    ///< rows changed in (begin, end], latest version of each
};

/// How a snapshot is read. Defaults are safe for a table of any size.
struct ScanOptions {
  QueryType query = QueryType::kSnapshot;  ///< what is read
  /// Columns to return, in this order; empty means all data columns. Of each name the exact one
  /// wins, else the only one that differs in case or in blanks around it.
  std::vector<std::string> columns{};
  /// With no `columns`: also return the five _hoodie_* columns, first.
  bool with_meta = false;
  /// Predicate text, `price < 3 AND city IN ('a','b')`; empty means all rows. docs/guide/read.md.
  std::string where{};
  /// kIncremental: range (begin, end] of completion times (version 8 and 9) or instant times
  /// (version 6). "000" or "earliest" starts at the beginning, an empty text is an error; no end
  /// means the snapshot's own.
  std::string begin{};
  std::optional<std::string> end{};  ///< see `begin`
  /// Stop after this many rows; negative means all.
  int64_t limit = -1;
  /// Rows per batch at most, 1 to 16,777,216; batches of wide rows have fewer. Larger batches
  /// amortise a little more; above some 30,000 rows their buffers are so large that the allocator
  /// returns them to the system after each use.
  int64_t batch_rows = 16'384;
  /// Threads that read splits; 0 means one per core. At most 3 and one more per 32 MiB of
  /// memory_budget run: each needs some of it.
  int threads = 0;
  /// Bytes of log records and queued batches held in memory; more spills to disk. At least 16 MiB.
  int64_t memory_budget = int64_t{1} << 30;
  /// Where to spill; empty means the system's temporary folder.
  std::string spill_dir{};
  /// Skip partitions, file slices, row groups and pages that cannot match. Results are the same
  /// without.
  bool prune = true;
  /// Ask the table's metadata table, where it may be believed: its files instead of listing
  /// folders, and with `prune` its statistics, bloom filters and record index. Results are the same
  /// without.
  bool use_metadata = true;
  /// A promise: no record key is or was in the table twice, as is so when all writers upsert by a
  /// global index, one at a time, and no delete arrives late by its ordering value. The record
  /// index then rules out file slices also where log files keep it from being shown by counting.
  /// Rows are missing where the promise isn't true.
  bool unique_keys = false;

  /// Ranges and combinations. Called once, by Snapshot::Plan. Errors: kInvalidArgument.
  arrow::Status Validate() const;
};

/// Work that one reader does alone: one file slice. A value; `Serialize` gives bytes that another
/// process of the same firth version opens with ScanPlan::ReadSplit after pinning the same instant.
struct Split {
  FileSliceEntry slice;  ///< what is read

  std::string Serialize() const;                                    ///< bytes for Deserialize
  static arrow::Result<Split> Deserialize(std::string_view bytes);  ///< kCorrupt for other bytes
};

/// What each stage of planning left out, and what a scan cost so far.
struct ScanReport {
  int64_t partitions = 0;          ///< listed
  int64_t partitions_pruned = 0;   ///< of these, left out
  int64_t slices = 0;              ///< in the partitions that are left
  int64_t slices_pruned = 0;       ///< of these, left out by indexes of the metadata table
  int64_t row_groups = 0;          ///< in the base files that were opened
  int64_t row_groups_pruned = 0;   ///< of these, left out
  int64_t pages = 0;               ///< of the columns read, where their page index was looked at
  int64_t pages_pruned = 0;        ///< of these, left out
  int64_t base_rows = 0;           ///< read from base files
  int64_t log_records = 0;         ///< read from log files
  int64_t spilled_bytes = 0;       ///< written to the spill folder
  int64_t corrupt_blocks = 0;      ///< blocks of writers that died, left out
  int64_t list_calls = 0;          ///< folders listed
  int64_t read_calls = 0;          ///< ranges read
  int64_t bytes_read = 0;          ///< in these
  std::vector<std::string> notes;  ///< sentences for --explain: what was used, and what was not
};

/// A planned read. Cheap to copy; safe from several threads.
class ScanPlan {
 public:
  std::shared_ptr<arrow::Schema> schema() const;  ///< columns of the batches
  const std::vector<Split>& splits() const;       ///< one per file slice that is read

  /// Streams one split. Batches have schema(); `limit` is not applied here.
  arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> ReadSplit(const Split& split) const;

  /// Streams all splits with ScanOptions::threads; order of batches is that of the splits.
  arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> ReadAll() const;

  /// Counters of planning, and of all reads made through this plan so far.
  ScanReport Report() const;

 private:
  friend class Snapshot;
  struct Impl;
  explicit ScanPlan(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace firth
