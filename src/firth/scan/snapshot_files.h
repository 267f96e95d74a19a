// SPDX-License-Identifier: Apache-2.0
// The data files of a pinned snapshot, and what happened to the table until they were listed.
#pragma once

#include <memory>
#include <mutex>
#include <string_view>

#include "firth/table/listing.h"
#include "firth/timeline/timeline.h"

namespace firth {

struct ExpectedFiles;

/// Files of the wanted partitions, and the table's timeline as it was after they were listed: what
/// it knows and the pinned one doesn't may have removed files before the listing.
struct SnapshotListing {
  PartitionFilesView partitions;  // live as long as the SnapshotFiles
  std::shared_ptr<const Timeline> timeline;
  std::shared_ptr<const ExpectedFiles> expected;  // what commits say that must be listed
};

/// Lists when first asked, and only what was not listed before. Safe from several threads.
class SnapshotFiles {
 public:
  /// `pinned` is the timeline of the snapshot, which sees its writes up to `as_of` (empty: all).
  /// Errors: kNotFound when a write of the snapshot was rolled back meanwhile; kCorrupt when there
  /// are data files and no instant at all.
  /// Cost: that of DataFileListing::List, with LoadExpectedFiles at the same time, and one listing
  /// of the timeline; nothing when all is known.
  Result<SnapshotListing> List(const std::shared_ptr<const Storage>& storage,
                               const Timeline& pinned, std::string_view as_of, int threads,
                               const FolderFilter& wanted);

 private:
  std::mutex mutex_;
  DataFileListing listing_;
  std::shared_ptr<const Timeline> timeline_;  // after the last listing
  std::shared_ptr<const ExpectedFiles> expected_;
};

}  // namespace firth
