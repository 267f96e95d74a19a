// SPDX-License-Identifier: Apache-2.0
#include "firth/scan/snapshot_files.h"

#include <algorithm>
#include <string>
#include <utility>

#include "firth/common/parallel.h"
#include "firth/scan/expected_files.h"
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

Result<SnapshotListing> SnapshotFiles::List(const std::shared_ptr<const Storage>& storage,
                                            const Timeline& pinned, std::string_view as_of,
                                            int threads, const FolderFilter& wanted) {
  const std::lock_guard lock(mutex_);
  SnapshotListing result;
  bool listed = false;
  const auto job = [&](size_t i) -> Status {
    if (i == 0) return listing_.List(*storage, threads, wanted, &listed).Value(&result.partitions);
    return expected_ ? Status::OK() : LoadExpectedFiles(pinned, as_of).Value(&expected_);
  };
  ARROW_RETURN_NOT_OK(RunParallel(2, 2, job));
  if (listed) {
    ARROW_ASSIGN_OR_RAISE(Timeline now, Timeline::Load(storage, pinned.config()));
    timeline_ = std::make_shared<const Timeline>(std::move(now));
  }
  ARROW_RETURN_NOT_OK(CheckWritesRemain(pinned, as_of, *timeline_));
  ARROW_RETURN_NOT_OK(CheckTimelineIsThere(*timeline_, result.partitions));
  result.timeline = timeline_;
  result.expected = expected_;
  return result;
}

}  // namespace firth
