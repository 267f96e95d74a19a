// SPDX-License-Identifier: Apache-2.0
// Partition columns that data files leave out, read back from the partition path.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "firth/read/schema_reconcile.h"
#include "firth/table/table_config.h"

namespace firth {

/// Whether path segments are `<field>=<value>`.
enum class HiveStyle : uint8_t {
  kAlways,
  kNever,    // a segment that looks so is a value that holds a "="
  kUnknown,  // the table doesn't say; a segment that looks so is taken apart
};
HiveStyle HiveStyleOf(const TableConfig& config);

/// The text of each partition field, decoded and without the field's name. One field may span
/// several segments. Errors: kCorrupt when the path has another number of segments.
Result<std::vector<std::string>> PartitionTexts(const TableConfig& config,
                                                std::string_view partition);

/// Such a text as a value of `type`; null for the default partition.
/// Errors: kCorrupt when it is not one.
Result<std::shared_ptr<arrow::Scalar>> ParsePartitionValue(
    const std::string& text, const std::shared_ptr<arrow::DataType>& type,
    std::string_view partition);

/// One value per partition field of the table, typed by `schema`; empty for a table that is not
/// partitioned. Timestamp generators cannot be inverted: their columns must be in the files.
/// Errors: kCorrupt when the path has another number of segments or a value is not of its type.
Result<ColumnConstants> PartitionConstants(const TableConfig& config, const arrow::Schema& schema,
                                           std::string_view partition);

}  // namespace firth
