// SPDX-License-Identifier: Apache-2.0
// What statistics say of a column in one file: docs/format/metadata-table.md, section 3.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <optional>

#include "firth/metadata/metadata_record.h"

namespace firth {

/// Whether bounds of a column of that type can be used: of booleans, integers, floats, dates,
/// timestamps, decimals and strings. Binary values of several row groups are joined as signed
/// bytes, which loses some.
bool HasReliableBounds(const arrow::DataType& type);

/// The scale at which bounds of a decimal column are stored: in version V1 always the same, later
/// the file's. Nothing when it isn't known.
std::optional<int32_t> DecimalScaleOf(const ColumnStatsPayload& stats);

/// Whether a file whose statistics count nulls alone has nothing else. A base file without any
/// statistics looks the same.
bool IsKnownToBeNull(const ColumnStatsPayload& stats, const arrow::DataType& type);

/// Bounds that are values of the column's type, neither null nor NaN.
struct StatsInterval {
  std::shared_ptr<arrow::Scalar> min, max;
};

/// Where the values lie that are not null: none of them is NaN. Nothing when it isn't certain.
/// @param type of the column in the table, one that HasReliableBounds
std::optional<StatsInterval> IntervalOf(const ColumnStatsPayload& stats,
                                        const std::shared_ptr<arrow::DataType>& type);

}  // namespace firth
