// SPDX-License-Identifier: Apache-2.0
// The winners' rows: a search ranks by few columns, then reads the wanted ones of few rows.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "firth/common/status.h"
#include "firth/scan/planned_scan.h"

namespace firth {

/// A row of a planned scan.
struct RowPosition {
  int64_t slice = 0;  ///< index in PlannedScan::slices
  int64_t row = 0;    ///< position in the stream that the plan gives for the slice
  std::string key;    ///< record key, to check that it is that row; empty: not checked
};

/// Reads rows again, with other columns.
///
/// @param plan     the plan whose streams the positions count; its filter applies here, too
/// @param schema   wanted columns, a subset of the table's full schema
/// @param rows     [n] any order, duplicates allowed
/// @return         [n] rows in the order of `rows`
/// Errors: kInternal when a row is not where it was; those of reading.
/// Cost: the slices that hold rows, up to the last of them; the rows themselves in memory.
Result<std::shared_ptr<arrow::Table>> FetchRows(const PlannedScan& plan,
                                                const std::shared_ptr<arrow::Schema>& schema,
                                                const std::vector<RowPosition>& rows, int threads);

}  // namespace firth
