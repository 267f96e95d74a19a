// SPDX-License-Identifier: Apache-2.0
#include "firth/scan/snapshot_files.h"

#include <algorithm>
#include <string>
#include <utility>

#include "firth/common/parallel.h"
#include "firth/scan/expected_files.h"
#include "firth/scan/pinned_snapshot.h"
#include "firth/table/file_system_view.h"

namespace firth {
namespace {

// Rolled back and restored writes leave the timeline before their files go.
Status CheckWritesRemain(const Timeline& pinned, std::string_view as_of, const Timeline& now) {
  for (const Instant& write : pinned.instants()) {
    if (!write.is_write() || !write.is_completed()) continue;
    if (!as_of.empty() && write.requested > as_of) continue;
    if (now.IsCommitted(write.requested)) continue;
    return MakeError(ErrorCode::kNotFound,
                     fmt::format("{} {} of the snapshot was rolled back after it was pinned",
                                 ActionName(write.action), write.requested),
                     "refresh the table and pin a new snapshot");
  }
  return Status::OK();
}

PartitionFilesView ViewOf(const PartitionFiles& partitions) {
  PartitionFilesView view;
  for (const auto& [partition, files] : partitions) view.emplace(partition, &files);
  return view;
}

bool IsDataFile(const FileInfo& file) {
  return ParseBaseFileName(file.path, file.size) || ParseLogFileName(file.path, file.size);
}

// Every write is on the timeline before its first file is there.
Status CheckTimelineIsThere(const Timeline& now, const PartitionFilesView& partitions) {
  if (!now.instants().empty()) return Status::OK();
  for (const auto& [partition, files] : partitions) {
    const auto file = std::ranges::find_if(*files, IsDataFile);
    if (file == files->end()) continue;
    return MakeError(ErrorCode::kCorrupt,
                     fmt::format("{} has no instant, though there are data files: {}",
                                 now.config().active_dir, file->path),
                     "restore the timeline of the table; its rows are unknown without");
  }
  return Status::OK();
}

}  // namespace

Status SnapshotFiles::LoadNow(const PinnedSnapshot& snapshot) {
  const ReadContext& context = *snapshot.context;
  ARROW_ASSIGN_OR_RAISE(Timeline now, Timeline::Load(context.storage, context.timeline.config()));
  timeline_ = std::make_shared<const Timeline>(std::move(now));
  return Status::OK();
}

// Sets `distrust_`, and the files when there is none.
Status SnapshotFiles::ListMetadata(const PinnedSnapshot& snapshot, int threads) {
  const ReadContext& context = *snapshot.context;
  std::string reason;
  const auto job = [&](size_t i) -> Status {
    if (i == 0) {
      ARROW_ASSIGN_OR_RAISE(const auto table, snapshot.metadata->Get(snapshot, threads));
      return ListTrustedFiles(*table, &reason).Value(&metadata_files_);
    }
    return LoadExpectedFiles(context.timeline, snapshot.as_of).Value(&expected_);
  };
  ARROW_RETURN_NOT_OK(RunParallel(expected_ ? 1 : 2, 2, job));
  if (reason.empty()) {
    ARROW_RETURN_NOT_OK(LoadNow(snapshot));
    reason = timeline_->instants().empty()
                 ? "the table has no timeline"
                 : ReasonFilesMayBeGone(context.timeline, snapshot.as_of, *timeline_);
  }
  if (reason.empty()) {
    const auto all = [](std::string_view) { return true; };
    reason = CheckPresent(*expected_, snapshot, ViewOf(metadata_files_), all).message();
  }
  if (!reason.empty()) metadata_files_.clear();
  distrust_ = std::move(reason);
  return Status::OK();
}

Result<PartitionFilesView> SnapshotFiles::ListStorage(const PinnedSnapshot& snapshot, int threads,
                                                      const FolderFilter& wanted) {
  const ReadContext& context = *snapshot.context;
  PartitionFilesView partitions;
  bool listed = false;
  const auto job = [&](size_t i) -> Status {
    if (i == 0) {
      return listing_.List(*context.storage, threads, wanted, &listed).Value(&partitions);
    }
    return LoadExpectedFiles(context.timeline, snapshot.as_of).Value(&expected_);
  };
  ARROW_RETURN_NOT_OK(RunParallel(expected_ ? 1 : 2, 2, job));
  if (listed) ARROW_RETURN_NOT_OK(LoadNow(snapshot));
  return partitions;
}

Result<SnapshotListing> SnapshotFiles::List(const PinnedSnapshot& snapshot,
                                            const SnapshotListOptions& options,
                                            const FolderFilter& wanted) {
  const std::lock_guard lock(mutex_);
  SnapshotListing result;
  if (options.use_metadata) {
    if (!distrust_) ARROW_RETURN_NOT_OK(ListMetadata(snapshot, options.threads));
    result.distrust = *distrust_;
    result.from_metadata = distrust_->empty();
  }
  if (result.from_metadata) {
    result.partitions = ViewOf(metadata_files_);
  } else {
    ARROW_ASSIGN_OR_RAISE(result.partitions, ListStorage(snapshot, options.threads, wanted));
  }
  ARROW_RETURN_NOT_OK(CheckWritesRemain(snapshot.context->timeline, snapshot.as_of, *timeline_));
  ARROW_RETURN_NOT_OK(CheckTimelineIsThere(*timeline_, result.partitions));
  result.timeline = timeline_;
  result.expected = expected_;
  return result;
}

std::optional<PartitionFilesView> SnapshotFiles::ListedFromMetadata() {
  const std::lock_guard lock(mutex_);
  if (!distrust_ || !distrust_->empty()) return std::nullopt;
  return ViewOf(metadata_files_);
}

}  // namespace firth
