// SPDX-License-Identifier: Apache-2.0
// What --explain prints.
#pragma once

#include <arrow/status.h>

#include <cstdint>
#include <string>
#include <vector>

#include "firth/scan.h"

namespace firth::cli {

/// A counter with a name for JSON and one for people.
struct Counter {
  std::string key;
  std::string label;
  int64_t value;
};

/// Prints the counters given, then those of the report.
arrow::Status PrintExplanation(std::vector<Counter> counters, const ScanReport& report, bool json);

}  // namespace firth::cli
