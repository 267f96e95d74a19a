// SPDX-License-Identifier: Apache-2.0
// firth stats --column: what column statistics say, file by file.
#pragma once

#include <arrow/status.h>

#include <string>
#include <vector>

#include "firth/table.h"

namespace firth::cli {

/// Prints the statistics of columns in every file of the snapshot.
arrow::Status PrintColumnStatistics(const Snapshot& snapshot,
                                    const std::vector<std::string>& columns, bool json);

}  // namespace firth::cli
