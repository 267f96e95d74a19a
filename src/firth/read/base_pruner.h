// SPDX-License-Identifier: Apache-2.0
// Which rows of a base file can pass a filter, by the statistics of its row groups and pages.
#pragma once

#include <arrow/compute/expression.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "firth/format/parquet/parquet_file.h"
#include "firth/read/prune.h"
#include "firth/read/schema_reconcile.h"
#include "firth/read/slice_reader.h"

namespace firth {

/// Refers to the file and the reconciler, which outlive it.
class BasePruner {
 public:
  /// `filter` is over the reconciler's wanted columns; with `instants` rows of other commits need
  /// not be read either. Reads the page indexes of row groups that are left.
  static Result<BasePruner> Make(ParquetFile* file, const SchemaReconciler* reconciler,
                                 const arrow::compute::Expression& filter,
                                 const std::optional<InstantFilter>& instants);

  /// Ranges of rows that can pass, as ParquetFile::ReadRows takes them; none skips the row group.
  std::vector<RowRange> Rows(int row_group) const;
  /// Whether its statistics as a whole exclude every row.
  bool Excludes(int row_group) const { return excluded_[row_group]; }

 private:
  BasePruner(ParquetFile* file, const SchemaReconciler* reconciler);

  /// Columns of the file whose bounds the filter can use.
  std::vector<int> BoundedColumns() const;
  bool CanPass(const RangeOf& range_of) const;

  ParquetFile* file_;
  const SchemaReconciler* reconciler_;
  arrow::compute::Expression filter_;  // bound
  std::vector<std::string> columns_;   // that CanPass looks at
  std::optional<InstantFilter> instants_;
  std::vector<bool> excluded_;  // per row group
};

}  // namespace firth
