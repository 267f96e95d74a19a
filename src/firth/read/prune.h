// SPDX-License-Identifier: Apache-2.0
// Whether rows of which only value ranges are known can match a filter.
#pragma once

#include <arrow/compute/expression.h>
#include <arrow/type_fwd.h>

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "firth/common/status.h"

namespace firth {

/// What is known of a column over a set of rows.
struct ColumnRange {
  std::shared_ptr<arrow::Scalar> min, max;  // of the values that are neither null nor NaN; or null
  int64_t null_count = -1;                  // -1: unknown
  int64_t rows = 0;
  bool has_nan = true;  // false: none of the values is NaN
};

/// How two values order; unordered when they can't be compared: nulls, NaN, values of two types or
/// of one without an order. Strings and binary order by unsigned bytes.
std::partial_ordering CompareScalars(const arrow::Scalar& a, const arrow::Scalar& b);

/// The range of a column, nullopt when nothing is known.
using RangeOf = std::function<std::optional<ColumnRange>(const std::string& column)>;

/// `value` is in `set`, of which the order and duplicates do not matter; null elements make what
/// equals no other null. Of types that have an order but for floats, CanMatch searches such sets.
Result<arrow::compute::Expression> IsIn(arrow::compute::Expression value,
                                        const std::shared_ptr<arrow::DataType>& type,
                                        arrow::ScalarVector set);

/// False only when no row can make `filter` true. `filter` is bound to the schema of the rows;
/// parts that are not understood count as possible. NaN lies in no range and -0.0 equals 0.0.
bool CanMatch(const arrow::compute::Expression& filter, const RangeOf& range_of);

/// The columns whose ranges can make a difference to CanMatch: those that are compared themselves,
/// not functions of them. Each once, in order of first use.
std::vector<std::string> BoundableColumns(const arrow::compute::Expression& filter);

}  // namespace firth
