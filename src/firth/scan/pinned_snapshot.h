// SPDX-License-Identifier: Apache-2.0
// A table at one instant: the immutable value behind the public Snapshot.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "firth/read/slice_reader.h"
#include "firth/scan/index_counts.h"
#include "firth/scan/snapshot_files.h"
#include "firth/scan/snapshot_metadata.h"
#include "firth/table/file_system_view.h"

namespace firth {

struct PinnedSnapshot {
  std::shared_ptr<const ReadContext> context;  // storage, config, schema at `as_of`, timeline
  ViewContext view;
  std::string as_of;    // requested time, inclusive; empty: the latest of the loaded timeline
  std::string instant;  // requested time of the newest visible write; empty: no write yet
  // Of all copies:
  std::shared_ptr<SnapshotMetadata> metadata = std::make_shared<SnapshotMetadata>();
  std::shared_ptr<SnapshotFiles> files = std::make_shared<SnapshotFiles>();
  std::shared_ptr<IndexCounts> counts = std::make_shared<IndexCounts>();
};

/// Pins the latest snapshot of the loaded timeline, or the one at the time `as_of` (any form that
/// ParseTimePoint takes).
Result<std::shared_ptr<const PinnedSnapshot>> PinSnapshot(std::shared_ptr<const Storage> storage,
                                                          const TableConfig& config,
                                                          const Timeline& timeline,
                                                          std::optional<std::string_view> as_of);

/// File slices of one partition, as the snapshot (or its read-optimized form) reads them.
Result<std::vector<FileSlice>> SlicesOf(const PinnedSnapshot& snapshot, std::string_view partition,
                                        const std::vector<FileInfo>& files, bool read_optimized);

}  // namespace firth
