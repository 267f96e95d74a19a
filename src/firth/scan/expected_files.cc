// SPDX-License-Identifier: Apache-2.0
#include "firth/scan/expected_files.h"

#include <algorithm>

#include "firth/common/parallel.h"
#include "firth/scan/pinned_snapshot.h"

namespace firth {
namespace {

constexpr int64_t kMaxMetadataBytes = int64_t{256} << 10;
constexpr size_t kMaxWrites = kRequestThreads;  // one round of requests

// The newest writes that the limits allow, oldest first; one in any case.
std::vector<Instant> NewestWrites(const Timeline& timeline, std::string_view as_of) {
  std::vector<Instant> newest;
  int64_t bytes = 0;
  const std::vector<Instant> writes = timeline.CompletedWrites();
  for (auto write = writes.rbegin(); write != writes.rend(); ++write) {
    if (!as_of.empty() && write->requested > as_of) continue;
    bytes += timeline.ContentSize(*write);
    if (!newest.empty() && (bytes > kMaxMetadataBytes || newest.size() == kMaxWrites)) break;
    newest.push_back(*write);
  }
  std::ranges::reverse(newest);
  return newest;
}

// In version 6 a log names its base file's instant, later its own.
void Add(const std::string& partition, const WriteStat& stat, ExpectedFiles* expected) {
  if (stat.file_size == 0) return;  // nothing was written
  const std::string_view name = LastSegment(stat.path);
  if (auto base = ParseBaseFileName(name, -1)) {
    ExpectedFiles::Group& group = expected->groups[{partition, base->file_id}];
    if (base->instant < group.base.instant) return;
    group.base = *std::move(base);
    std::erase_if(group.logs, [&](const LogFile& log) { return log.instant < group.base.instant; });
  } else if (auto log = ParseLogFileName(name, -1); log && !log->cdc) {
    ExpectedFiles::Group& group = expected->groups[{partition, log->file_id}];
    if (log->instant >= group.base.instant) group.logs.push_back(*std::move(log));
  }
}

bool IsReplaced(const PinnedSnapshot& snapshot, const std::pair<std::string, std::string>& group) {
  const auto replaced = snapshot.view.replaced.find(group);
  return replaced != snapshot.view.replaced.end() &&
         (snapshot.as_of.empty() || replaced->second <= snapshot.as_of);
}

// Listings are sorted.
bool Holds(const std::vector<FileInfo>* files, std::string_view name) {
  return files != nullptr && std::ranges::binary_search(*files, name, {}, &FileInfo::name);
}

// Whether a write of the snapshot whose metadata was not read made a newer base file.
bool HasNewerBase(const PinnedSnapshot& snapshot, const std::vector<FileInfo>* files,
                  const BaseFile& expected) {
  if (files == nullptr) return false;
  return std::ranges::any_of(*files, [&](const FileInfo& file) {
    const auto base = ParseBaseFileName(file.path, file.size);
    return base && base->file_id == expected.file_id && base->instant > expected.instant &&
           (snapshot.as_of.empty() || base->instant <= snapshot.as_of) &&
           snapshot.context->timeline.IsCommitted(base->instant);
  });
}

Status MissingError(const PinnedSnapshot& snapshot, std::string_view partition,
                    std::string_view name) {
  const std::string what = fmt::format(
      "data file {} of partition \"{}\" is missing; a commit of "
      "snapshot {} wrote it",
      name, partition, snapshot.instant);
  if (!snapshot.as_of.empty()) {
    return MakeError(ErrorCode::kNotFound, what, "read a later snapshot, or restore the file");
  }
  return MakeError(ErrorCode::kCorrupt, what,
                   "restore the file, or restore the table to a commit before it");
}

// The name of a file of the group that is missing, or "".
std::string FindMissing(const PinnedSnapshot& snapshot, const ExpectedFiles::Group& group,
                        const std::vector<FileInfo>* files) {
  std::string missing;
  if (!group.base.path.empty() && !Holds(files, group.base.path)) missing = group.base.path;
  for (const LogFile& log : group.logs) {
    if (missing.empty() && !Holds(files, log.path)) missing = log.path;
  }
  return missing.empty() || HasNewerBase(snapshot, files, group.base) ? std::string() : missing;
}

}  // namespace

Result<std::shared_ptr<const ExpectedFiles>> LoadExpectedFiles(const Timeline& timeline,
                                                               std::string_view as_of) {
  const std::vector<Instant> writes = NewestWrites(timeline, as_of);
  std::vector<CommitMetadata> metadata(writes.size());
  const auto read = [&](size_t i) -> Status {
    const Status status = timeline.ReadCommitMetadata(writes[i]).Value(&metadata[i]);
    // Archived since the timeline was loaded: a snapshot may live long.
    return GetErrorCode(status) == ErrorCode::kNotFound ? Status::OK() : status;
  };
  ARROW_RETURN_NOT_OK(RunParallel(writes.size(), kRequestThreads, read));
  auto expected = std::make_shared<ExpectedFiles>();
  for (const CommitMetadata& commit : metadata) {
    for (const auto& [partition, stats] : commit.write_stats) {
      for (const WriteStat& stat : stats) Add(partition, stat, expected.get());
    }
  }
  return expected;
}

Status CheckPresent(const ExpectedFiles& expected, const PinnedSnapshot& snapshot,
                    const PartitionFilesView& partitions,
                    const std::function<bool(std::string_view)>& wanted) {
  for (const auto& [id, group] : expected.groups) {
    const auto found = partitions.find(id.first);
    if (found == partitions.end() && !wanted(id.first)) continue;
    const std::string missing =
        FindMissing(snapshot, group, found == partitions.end() ? nullptr : found->second);
    if (!missing.empty() && !IsReplaced(snapshot, id)) {
      return MissingError(snapshot, id.first, missing);
    }
  }
  return Status::OK();
}

}  // namespace firth
