// SPDX-License-Identifier: Apache-2.0
#include "firth/scan/stats_bounds.h"

#include <arrow/scalar.h>

#include <optional>

#include "firth/scan/stats_interval.h"

namespace firth {
bool StatsBounds::Add(const ColumnStatsPayload& stats) {
  if (stats.value_count < 0 || stats.null_count < 0 || stats.null_count > stats.value_count) {
    return false;
  }
  if (stats.value_count > kMaxCountedValues - rows_) return false;
  nulls_ += stats.null_count;
  rows_ += stats.value_count;
  if (stats.value_count == 0) return true;
  if (stats.null_count == stats.value_count) return IsKnownToBeNull(stats, *type_);
  const std::optional<StatsInterval> own = IntervalOf(stats, type_);
  if (!own || !(CompareScalars(*own->min, *own->max) <= 0)) return false;
  if (min_ == nullptr || CompareScalars(*own->min, *min_) < 0) min_ = own->min;
  if (max_ == nullptr || CompareScalars(*own->max, *max_) > 0) max_ = own->max;
  return true;
}

ColumnRange StatsBounds::Range() const {
  return {.min = min_, .max = max_, .null_count = nulls_, .rows = rows_, .has_nan = false};
}

}  // namespace firth
