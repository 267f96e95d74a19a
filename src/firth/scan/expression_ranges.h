// SPDX-License-Identifier: Apache-2.0
// What an expression index of kind column_stats says of a function's values in a file.
#pragma once

#include <arrow/type_fwd.h>

#include <optional>
#include <string_view>

#include "firth/metadata/metadata_record.h"
#include "firth/read/prune.h"
#include "firth/scan/predicate_functions.h"

namespace firth {

/// Why bounds of such a call do not hold for certain; empty when they do.
std::string_view DoubtOfBounds(const predicate::ColumnCall& call);

/// Where the values of `call` lie in the rows of a file for which its index has `stats`; nothing
/// when it isn't certain. Values that depend on a time zone are those of the writer's, which no
/// table tells: bounds are widened by what zones can differ.
/// @param type of the column
std::optional<ColumnRange> RangeInFile(const predicate::ColumnCall& call,
                                       const ColumnStatsPayload& stats,
                                       const arrow::DataType& type);

/// Where else they may lie: in texts with a signed year, which writers with the formatter of Spark
/// 2 give as years of four digits. Nothing for calls that give no such texts.
/// @param range of other texts
std::optional<ColumnRange> RangeOfSignedYears(const predicate::ColumnCall& call,
                                              const ColumnRange& range);

}  // namespace firth
