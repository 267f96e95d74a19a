// SPDX-License-Identifier: Apache-2.0
#include "firth/scan/snapshot_metadata.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "firth/metadata/metadata_listing.h"
#include "firth/scan/pinned_snapshot.h"

namespace firth {
namespace {

bool RemovesFiles(Action action) {
  return action == Action::kClean || action == Action::kRollback || action == Action::kRestore;
}

}  // namespace

Result<std::shared_ptr<const MetadataTable>> SnapshotMetadata::Get(const PinnedSnapshot& snapshot,
                                                                   int threads) {
  const std::lock_guard lock(mutex_);
  if (table_ == nullptr) {
    const ReadContext& context = *snapshot.context;
    ARROW_ASSIGN_OR_RAISE(table_,
                          MetadataTable::Open(context.storage, context.config, context.timeline,
                                              {.as_of = snapshot.as_of,
                                               .threads = threads,
                                               .partitions = {"files", "column_stats"},
                                               .cache = {}}));
  }
  return table_;
}

Result<std::shared_ptr<const IndexDefinitions>> SnapshotMetadata::Definitions(
    const PinnedSnapshot& snapshot) {
  const std::lock_guard lock(mutex_);
  if (definitions_ == nullptr) {
    const ReadContext& context = *snapshot.context;
    ARROW_ASSIGN_OR_RAISE(IndexDefinitions definitions,
                          LoadIndexDefinitions(*context.storage, context.config));
    definitions_ = std::make_shared<const IndexDefinitions>(std::move(definitions));
  }
  return definitions_;
}

Status DistrustOnError(const Status& status, std::string* reason) {
  const ErrorCode code = GetErrorCode(status);
  if (status.ok() || code == ErrorCode::kIo || code == ErrorCode::kCancelled) return status;
  *reason = status.message();
  return Status::OK();
}

Result<PartitionFiles> ListTrustedFiles(const MetadataTable& table, std::string* reason) {
  ARROW_ASSIGN_OR_RAISE(*reason, table.Distrust("files"));
  if (!reason->empty()) return PartitionFiles();
  Result<PartitionFiles> files = ListMetadataFiles(table, /*cost=*/nullptr);
  if (files.ok()) return files;
  ARROW_RETURN_NOT_OK(DistrustOnError(files.status(), reason));
  return PartitionFiles();
}

// What `pinned` has seen complete is in the metadata table. A clean that was going on then keeps
// what the latest snapshot needs, and a rollback what any does; a restore keeps neither.
std::string ReasonFilesMayBeGone(const Timeline& pinned, std::string_view as_of,
                                 const Timeline& now) {
  std::set<std::tuple<std::string_view, Action>> harmless;
  for (const Instant& instant : pinned.instants()) {
    const bool keeps =
        instant.action == Action::kRollback || (instant.action == Action::kClean && as_of.empty());
    if (instant.is_completed() || keeps) harmless.emplace(instant.requested, instant.action);
  }
  const auto found = std::ranges::find_if(now.instants(), [&](const Instant& instant) {
    return RemovesFiles(instant.action) && !harmless.contains({instant.requested, instant.action});
  });
  if (found == now.instants().end()) return std::string();
  return fmt::format("{} {} may be removing files that it lists", ActionName(found->action),
                     found->requested);
}

}  // namespace firth
