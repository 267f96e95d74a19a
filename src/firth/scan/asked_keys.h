// SPDX-License-Identifier: Apache-2.0
// Record keys, or values of another column, that a predicate asks for: `id = 7`, `id IN (...) AND
// ...`.
#pragma once

#include <arrow/compute/expression.h>

#include <cstddef>
#include <optional>
#include <set>
#include <string>

#include "firth/table/table_config.h"

namespace firth {

/// Rows for which `filter` is true have one of the keys returned, as writers store them; nullopt:
/// any key, or more than `max_values` values. A value is there once for each way in which key
/// generators write it. `filter` is bound to the full schema of the table.
std::optional<std::set<std::string>> AskedKeys(const TableConfig& config,
                                               const arrow::compute::Expression& filter,
                                               size_t max_values);

/// The same of the values of any column that holds strings or integers, as text.
std::optional<std::set<std::string>> AskedValues(const std::string& column,
                                                 const arrow::compute::Expression& filter,
                                                 size_t max_values);

}  // namespace firth
