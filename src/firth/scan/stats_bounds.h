// SPDX-License-Identifier: Apache-2.0
// What statistics of a column in several files are good for.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "firth/metadata/metadata_record.h"
#include "firth/read/prune.h"

namespace firth {

/// Larger counts of values are damage. Sums of two do not overflow.
inline constexpr int64_t kMaxCountedValues = int64_t{1} << 40;

/// The values that a column may have in several files, joined: a superset of what is there.
class StatsBounds {
 public:
  /// @param type of the column in the table, one that HasReliableBounds
  explicit StatsBounds(std::shared_ptr<arrow::DataType> type) : type_(std::move(type)) {}

  /// False when the file's values are not known, after which nothing is.
  bool Add(const ColumnStatsPayload& stats);

  ColumnRange Range() const;

 private:
  std::shared_ptr<arrow::DataType> type_;
  std::shared_ptr<arrow::Scalar> min_, max_;
  int64_t nulls_ = 0, rows_ = 0;
};

}  // namespace firth
