// SPDX-License-Identifier: Apache-2.0
// Partition columns that data files leave out, read back from the partition path.
#pragma once

#include <string_view>

#include "firth/read/schema_reconcile.h"
#include "firth/table/table_config.h"

namespace firth {

/// One value per partition field of the table, typed by `schema`; empty for a table that is not
/// partitioned. Timestamp generators cannot be inverted: their columns must be in the files.
/// Errors: kCorrupt when the path has another number of segments or a value is not of its type.
Result<ColumnConstants> PartitionConstants(const TableConfig& config, const arrow::Schema& schema,
                                           std::string_view partition);

}  // namespace firth
