// SPDX-License-Identifier: Apache-2.0
// The metadata table as a pinned snapshot uses it, and the reasons for which it does not.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "firth/metadata/index_definitions.h"
#include "firth/metadata/metadata_table.h"
#include "firth/table/listing.h"

namespace firth {

struct PinnedSnapshot;

/// Opened when first needed, once for all reads of a snapshot. Safe from several threads.
class SnapshotMetadata {
 public:
  /// Errors: as MetadataTable::Open.
  Result<std::shared_ptr<const MetadataTable>> Get(const PinnedSnapshot& snapshot, int threads);

  /// What its indexes are of: read once, so that an index that is dropped and made anew with
  /// another meaning is not mistaken for the one that Get knows. Errors: as LoadIndexDefinitions.
  Result<std::shared_ptr<const IndexDefinitions>> Definitions(const PinnedSnapshot& snapshot);

 private:
  std::mutex mutex_;
  std::shared_ptr<const MetadataTable> table_;
  std::shared_ptr<const IndexDefinitions> definitions_;
};

/// Turns an error of the metadata table into the reason not to use it; an error of the storage,
/// which is worth another try, stays one.
Status DistrustOnError(const Status& status, std::string* reason);

/// The files of all partitions as partition `files` has them, or no files and the `reason`.
Result<PartitionFiles> ListTrustedFiles(const MetadataTable& table, std::string* reason);

/// Why files that were listed from the metadata table at `pinned` may be gone from storage, which
/// `now` has heard of; empty when nothing points to it.
std::string ReasonFilesMayBeGone(const Timeline& pinned, std::string_view as_of,
                                 const Timeline& now);

}  // namespace firth
