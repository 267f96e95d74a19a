// SPDX-License-Identifier: Apache-2.0
// The rows of benchmark tables: a pure function of seed, id and version, so that any part of a
// table can be made at any time, in any order, without reading anything back.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "firth/common/status.h"

namespace firth::bench {

/// What a table looks like and what happens to it.
struct TableShape {
  int64_t rows = 1'000'000;
  int columns = 10;              // 10 or 20
  int dimension = 0;             // of the vectors in one more column, "emb"; 0: without it
  int files = 8;                 // file groups; each holds a range of ids
  int partitions = 4;            // file groups take turns; 0: not partitioned
  int rounds = 1;                // commits after the first one
  double update_fraction = 0.1;  // of all rows, in each round
  double delete_fraction = 0;    // of all rows, in the last round
  double late_fraction = 0;      // of the updates: older than the row they meet, so they lose
  uint64_t seed = 1;

  Status Validate() const;
};

/// One version of a row: 0 is the insert, v the update of round v.
struct RowVersion {
  int64_t id = 0;
  int version = 0;
};

class BenchRows {
 public:
  explicit BenchRows(const TableShape& shape);

  const TableShape& shape() const { return shape_; }
  /// Data columns; "id" is the key, "ts" orders, "part" is the partition.
  const std::shared_ptr<arrow::Schema>& schema() const { return schema_; }

  /// Columns whose values hardly repeat.
  static std::vector<std::string> UniqueColumns();

  /// Ids of a file group: [first, last).
  std::pair<int64_t, int64_t> IdsOf(int file) const;
  int FileOf(int64_t id) const;
  std::string PartitionOf(int file) const;

  bool IsUpdated(int64_t id, int round) const;
  bool IsDeleted(int64_t id, int round) const;
  /// The version that a snapshot after `round` shows; nullopt when the row is gone.
  std::optional<int> Winner(int64_t id, int round) const;
  /// The value of "ts".
  int64_t Ordering(const RowVersion& row) const;

  /// Rows of one file group.
  Result<std::shared_ptr<arrow::RecordBatch>> Make(std::span<const RowVersion> rows,
                                                   int file) const;

 private:
  uint64_t Hash(const RowVersion& row, int column) const;
  bool Chance(const RowVersion& row, int purpose, double probability) const;
  Result<std::shared_ptr<arrow::Array>> MakeColumn(int column, std::span<const RowVersion> rows,
                                                   int file) const;

  TableShape shape_;
  std::shared_ptr<arrow::Schema> schema_;
};

/// A row as one line of JSON, values in the form of `firth read --format jsonl`.
Result<std::string> RowToJson(const arrow::RecordBatch& rows, int64_t row);

}  // namespace firth::bench
