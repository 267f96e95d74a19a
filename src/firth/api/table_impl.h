// SPDX-License-Identifier: Apache-2.0
// What the public handles of include/firth/table.h and scan.h hold.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "firth/scan.h"
#include "firth/scan/pinned_snapshot.h"
#include "firth/scan/planned_scan.h"
#include "firth/scan/scan_meter.h"
#include "firth/table.h"

namespace firth {

/// A table as one refresh found it. Never changes.
struct Table::Impl {
  TableConfig config;
  firth::Timeline timeline;
  TableInfo info;
};

/// What all copies of a table share.
struct Table::State {
  explicit State(std::shared_ptr<const Storage> table_storage)
      : storage(std::move(table_storage)) {}

  /// The latest refresh. Whoever holds it is not affected by the next one.
  std::shared_ptr<const Impl> Current() const;
  void Replace(std::shared_ptr<const Impl> impl);

  const std::shared_ptr<const Storage> storage;
  std::mutex refreshing;  // held for a whole refresh: an older timeline never replaces a newer one

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const Impl> impl_;
};

struct Snapshot::Impl {
  std::shared_ptr<const PinnedSnapshot> pinned;
};

struct ScanPlan::Impl {
  ScanMeter meter;  // counts from before planning
  std::shared_ptr<const PlannedScan> plan;
  ScanOptions options;
  std::vector<Split> splits;

  explicit Impl(std::shared_ptr<const Storage> storage) : meter(std::move(storage)) {}
};

/// The value behind a snapshot, for the search functions.
const std::shared_ptr<const PinnedSnapshot>& PinnedOf(const Snapshot& snapshot);

}  // namespace firth
