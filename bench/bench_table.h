// SPDX-License-Identifier: Apache-2.0
// Whole tables for benchmarks, the same ones for the same options.
#pragma once

#include <cstdint>
#include <string>

#include "bench_rows.h"
#include "firth/testing/table_files.h"

namespace firth::bench {

struct TableOptions {
  TableShape shape{};
  testing::TableSpec spec{};  // name, schema and key are set here
  // Dictionaries only where they pay: Java's writers drop the others after a page, Arrow's don't.
  bool java_dictionaries = false;
  bool metadata = false;  // a metadata table: files, column_stats
  int record_index = 0;   // with it: file groups of a record index; 0: none
};

/// What was written.
struct Totals {
  int64_t updates = 0, deletes = 0;
};

/// A first commit inserts all rows; each round after it updates some of them, by logs
/// (merge-on-read) or by rewriting base files. Memory: some batches, and one log file.
Result<Totals> WriteTable(const std::string& dir, const TableOptions& options);

/// A table of files that say to hold rows and don't, for reads that end with planning: each commit
/// adds partitions of 100 files. With a metadata table: partition `files`.
Status WriteHollowTable(const std::string& dir, int commits, int partitions_per_commit);
constexpr int kHollowFilesPerPartition = 100;

}  // namespace firth::bench
