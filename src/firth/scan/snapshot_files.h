// SPDX-License-Identifier: Apache-2.0
// The data files of a pinned snapshot, and what happened to the table until they were listed.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "firth/table/listing.h"
#include "firth/timeline/timeline.h"

namespace firth {

struct ExpectedFiles;
struct PinnedSnapshot;

/// Files of the wanted partitions, and the table's timeline as it was after they were listed: what
/// it knows and the pinned one doesn't may have removed files before the listing.
struct SnapshotListing {
  PartitionFilesView partitions;  // live as long as the SnapshotFiles
  std::shared_ptr<const Timeline> timeline;
  std::shared_ptr<const ExpectedFiles> expected;  // what commits say that must be listed
  bool from_metadata = false;                     // else from storage,
  std::string distrust;  // because of this; empty: the metadata table was not to be used
};

/// How SnapshotFiles lists.
struct SnapshotListOptions {
  int threads = 1;
  bool use_metadata = true;  // where it may be believed
};

/// Lists when first asked, and only what was not listed before. Safe from several threads.
class SnapshotFiles {
 public:
  /// `snapshot` is the one that this belongs to. With the metadata table's help, the listing has
  /// the partitions that are not wanted too.
  /// Errors: kNotFound when a write of the snapshot was rolled back meanwhile; kCorrupt when there
  /// are data files and no instant at all.
  /// Cost: partition `files` of the metadata table or that of DataFileListing::List, with
  /// LoadExpectedFiles at the same time, and one listing of the timeline; nothing when all is
  /// known. A metadata table that is not believed has cost what it took to find that out.
  Result<SnapshotListing> List(const PinnedSnapshot& snapshot, const SnapshotListOptions& options,
                               const FolderFilter& wanted);

  /// The files of all partitions where List takes them from the metadata table. They live
  /// as long as this.
  std::optional<PartitionFilesView> ListedFromMetadata();

 private:
  Status ListMetadata(const PinnedSnapshot& snapshot, int threads);
  Result<PartitionFilesView> ListStorage(const PinnedSnapshot& snapshot, int threads,
                                         const FolderFilter& wanted);
  Status LoadNow(const PinnedSnapshot& snapshot);

  std::mutex mutex_;
  std::optional<std::string> distrust_;  // of the metadata table, once it was asked; empty: none
  PartitionFiles metadata_files_;
  DataFileListing listing_;
  std::shared_ptr<const Timeline> timeline_;  // after the last listing
  std::shared_ptr<const ExpectedFiles> expected_;
};

}  // namespace firth
