// SPDX-License-Identifier: Apache-2.0
// Records whose columns come from several versions: partial updates and custom mergers.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "firth/read/merge_plan.h"

namespace firth {

/// Where a version of a record is: a row of a source batch, or a combination made earlier.
struct VersionRef {
  uint32_t batch = 0;  // source number
  uint32_t row = 0;
  uint32_t merged = UINT32_MAX;  // combination number, or none
};

class RecordCombiner {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  /// `plan` outlives the combiner.
  explicit RecordCombiner(const MergePlan& plan);

  /// Adds a source and returns its number. `present` as in LogBatch.
  uint32_t AddSource(std::shared_ptr<arrow::RecordBatch> rows,
                     std::shared_ptr<const std::vector<bool>> present);
  /// Adds a row that a custom merger made of versions of which `winner` is the one that counts.
  uint32_t AddRow(std::shared_ptr<arrow::RecordBatch> row, const VersionRef& winner);
  /// Exchanges the rows of a source of which no combination is left.
  void ReplaceSource(uint32_t source, std::shared_ptr<arrow::RecordBatch> rows);

  /// `high` with the columns that the rules take from `low`, which is a `late` update when it was
  /// written after `high`. Returns `high` itself when there are none.
  VersionRef Combine(const VersionRef& low, const VersionRef& high, bool late);

  /// Rows of the given versions, in their order.
  Result<std::shared_ptr<arrow::RecordBatch>> Build(const std::vector<VersionRef>& versions) const;

  /// The columns of the table; row numbers are none.
  const std::shared_ptr<arrow::RecordBatch>& source(uint32_t number) const {
    return sources_[number].rows;
  }
  size_t combinations() const { return combined_.size() / columns_; }
  /// Forgets combinations from number `count` on.
  void Truncate(size_t count) { combined_.resize(count * columns_); }
  int64_t bytes() const { return static_cast<int64_t>(combined_.capacity() * sizeof(Cell)); }

 private:
  struct Cell {
    uint32_t batch;  // kNone: the version lacks the column
    uint32_t row;
    bool operator==(const Cell&) const = default;
  };
  struct Source {
    std::shared_ptr<arrow::RecordBatch> rows;
    std::vector<std::shared_ptr<arrow::Array>> columns;  // row numbers as well
    std::shared_ptr<const std::vector<bool>> present;
  };

  void SetRows(std::shared_ptr<arrow::RecordBatch> rows, Source* source) const;
  Cell CellOf(const VersionRef& version, size_t column) const;
  bool TakesLow(const Cell& high, size_t column) const;
  bool IsDefault(const arrow::Array& column, int64_t row, const ColumnDefault& value) const;

  const MergePlan& plan_;
  size_t columns_;
  int number_column_;                          // of plan_.rows; -1: has none
  std::shared_ptr<arrow::Schema> unnumbered_;  // plan_.rows without its row numbers; null: has none
  bool has_partial_ = false;                   // then presence alone decides (spec 02, 4.7)
  std::vector<Source> sources_;
  std::vector<Cell> combined_;  // [combination][column]
};

}  // namespace firth
