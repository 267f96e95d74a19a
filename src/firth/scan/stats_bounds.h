// SPDX-License-Identifier: Apache-2.0
// What statistics of a column in files are good for: docs/format/metadata-table.md, section 3.
#pragma once

#include <arrow/type_fwd.h>
#include <arrow/util/decimal.h>

#include <memory>
#include <optional>

#include "firth/metadata/metadata_record.h"
#include "firth/read/prune.h"

namespace firth {

/// Whether bounds of a column of that type can be used: of booleans, integers, dates, timestamps
/// and decimals. Writers leave out bounds of long strings and of floats with NaN row group by row
/// group, so that those of the rest stand for the file, and order the strings of log files by
/// UTF-16.
bool HasReliableBounds(const arrow::DataType& type);

/// The scale at which bounds of a decimal column are stored: in version V1 always the same, later
/// the file's. Nothing when it isn't known.
std::optional<int32_t> DecimalScaleOf(const ColumnStatsPayload& stats);

/// The values that a column may have in several files, joined: a superset of what is there.
class StatsBounds {
 public:
  /// @param type of the column in the table, one that HasReliableBounds
  explicit StatsBounds(std::shared_ptr<arrow::DataType> type) : type_(std::move(type)) {}

  /// False when the file's values are not known, after which nothing is.
  bool Add(const ColumnStatsPayload& stats);

  ColumnRange Range() const;

 private:
  // Numbers in the table's unit or scale: days, microseconds, unscaled decimals.
  struct Interval {
    arrow::Decimal128 min, max;
  };
  std::optional<Interval> IntervalOf(const ColumnStatsPayload& stats) const;
  std::optional<Interval> Integers(const ColumnStatsPayload& stats) const;
  std::optional<Interval> Dates(const ColumnStatsPayload& stats) const;
  std::optional<Interval> Timestamps(const ColumnStatsPayload& stats) const;
  std::optional<Interval> Decimals(const ColumnStatsPayload& stats) const;
  std::shared_ptr<arrow::Scalar> ScalarOf(const arrow::Decimal128& value) const;

  std::shared_ptr<arrow::DataType> type_;
  std::optional<Interval> joined_;
  int64_t nulls_ = 0, rows_ = 0;
};

}  // namespace firth
