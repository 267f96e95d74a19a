// SPDX-License-Identifier: Apache-2.0
// What the public handles of include/firth/table.h and scan.h hold.
#pragma once

#include <memory>

#include "firth/scan.h"
#include "firth/scan/pinned_snapshot.h"
#include "firth/scan/planned_scan.h"
#include "firth/table.h"

namespace firth {

struct Table::Impl {
  std::shared_ptr<const Storage> storage;
  TableConfig config;
  firth::Timeline timeline;
  TableInfo info;
};

struct Snapshot::Impl {
  std::shared_ptr<const PinnedSnapshot> pinned;
};

struct ScanPlan::Impl {
  std::shared_ptr<const PlannedScan> plan;
  ScanOptions options;
  std::vector<Split> splits;
  // Of the storage before planning: the report counts from there.
  int64_t list_calls_before = 0, read_calls_before = 0, bytes_read_before = 0;
  std::shared_ptr<SliceReadMetrics> metrics = std::make_shared<SliceReadMetrics>();
};

/// The value behind a snapshot, for the search functions.
const std::shared_ptr<const PinnedSnapshot>& PinnedOf(const Snapshot& snapshot);

}  // namespace firth
