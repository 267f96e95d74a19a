// SPDX-License-Identifier: Apache-2.0
// What the tests of reads with and without metadata tables share.
#pragma once

#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "firth/scan.h"
#include "firth/testing/golden.h"

namespace firth::testing {

/// Golden tables whose properties name partitions of a metadata table.
inline std::vector<std::string> GoldenNamesWithMetadata() {
  std::vector<std::string> names;
  for (const std::string& name : ReadableGoldenNames()) {
    const std::string text = ReadFileBytes(GoldenDir() / (name + ".expected.json"));
    if (text.find("\"hoodie.table.metadata.partitions\"") != std::string::npos) {
      names.push_back(name);
    }
  }
  return names;
}

/// The rows that a plan gives as text, sorted; or the error.
inline std::vector<std::string> SortedRows(const ScanPlan& plan) {
  const auto reader = plan.ReadAll();
  if (!reader.ok()) return {reader.status().ToString()};
  const auto table = (*reader)->ToTable();
  if (!table.ok()) return {table.status().ToString()};
  std::vector<std::string> rows;
  for (int64_t row = 0; row < (*table)->num_rows(); ++row) {
    std::string text;
    for (const auto& column : (*table)->columns()) {
      text += (*column->GetScalar(row))->ToString() + "\x1f";
    }
    rows.push_back(std::move(text));
  }
  std::ranges::sort(rows);
  return rows;
}

inline std::vector<std::string> SortedRows(const Snapshot& snapshot, const ScanOptions& options) {
  const auto plan = snapshot.Plan(options);
  return plan.ok() ? SortedRows(*plan) : std::vector<std::string>{plan.status().ToString()};
}

}  // namespace firth::testing
