// SPDX-License-Identifier: Apache-2.0
// The winners' rows: a search ranks by few columns, then reads the wanted ones of few rows.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "firth/common/status.h"
#include "firth/read/record_key.h"
#include "firth/scan/planned_scan.h"

namespace firth {

/// A row of a planned scan.
struct RowPosition {
  int64_t slice = 0;  ///< index in PlannedScan::slices
  int64_t row = 0;    ///< its number in the slice (read/row_number.h)
  std::string key;    ///< record key, to check that it is that row; empty where there are no keys
};

struct RowFetchOptions {
  int threads = 1;
  int64_t memory_budget = 0;  ///< as ScanOptions::memory_budget
};

/// What tells the keys of rows with RecordKeys::Columns; nullopt where a table has no record keys.
Result<std::optional<RecordKeys>> KeysOfRows(const TableConfig& config, const arrow::Schema& rows);

/// Reads rows again, with other columns.
///
/// @param plan     of the scan that found the rows; its filter applies here, too
/// @param schema   wanted columns, a subset of the table's full schema
/// @param rows     [n] any order, duplicates allowed
/// @param metrics  counts what is read
/// @return         [n] rows in the order of `rows`
/// Errors: kInternal when a row is gone or has another key; kResourceExhausted when the rows take
/// more than a quarter of the budget, of which 16 MiB are always granted; those of reading.
/// Cost: the slices that hold rows, up to the last of them; the rows themselves in memory, some
/// three times while they are put in order.
Result<std::shared_ptr<arrow::Table>> FetchRows(const PlannedScan& plan,
                                                const std::shared_ptr<arrow::Schema>& schema,
                                                const std::vector<RowPosition>& rows,
                                                const RowFetchOptions& options,
                                                const std::shared_ptr<SliceReadMetrics>& metrics);

}  // namespace firth
