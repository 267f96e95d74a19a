// SPDX-License-Identifier: Apache-2.0
#include "firth/scan/cleaned_files.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>

#include "firth/common/parallel.h"
#include "firth/timeline/history.h"

namespace firth {
namespace {

void Add(const DeletedFiles& deleted, const Instant& clean, CleanedFiles* cleaned) {
  for (const auto& [partition, names] : deleted) {
    for (const std::string& name : names) {
      if (const auto base = ParseBaseFileName(name, -1)) {
        (*cleaned)[{partition, base->file_id}].push_back({base->instant, clean.requested});
      } else if (const auto log = ParseLogFileName(name, -1); log && !log->cdc) {
        (*cleaned)[{partition, log->file_id}].push_back({log->instant, clean.requested});
      }
    }
  }
}

void Merge(CleanedFiles from, CleanedFiles* to) {
  for (auto& [group, files] : from) std::ranges::move(files, std::back_inserter((*to)[group]));
}

Result<CleanedFiles> Load(const Timeline& timeline, const std::vector<const Instant*>& cleans) {
  std::vector<CleanedFiles> parts(cleans.size());
  const auto read = [&](size_t i) -> Status {
    const Instant& clean = *cleans[i];
    ARROW_ASSIGN_OR_RAISE(const std::string bytes, clean.is_completed()
                                                       ? timeline.ReadContent(clean)
                                                       : timeline.ReadPlan(clean));
    const Result<DeletedFiles> deleted = DecodeDeletedFiles(bytes);
    if (!deleted.ok()) return WithContext(deleted.status(), clean.file_name);
    Add(*deleted, clean, &parts[i]);
    return Status::OK();
  };
  ARROW_RETURN_NOT_OK(RunParallel(cleans.size(), kRequestThreads, read));
  CleanedFiles cleaned;
  for (CleanedFiles& part : parts) Merge(std::move(part), &cleaned);
  return cleaned;
}

Status AddArchived(const Timeline& timeline, std::string_view after, CleanedFiles* cleaned) {
  ARROW_ASSIGN_OR_RAISE(const std::vector<ArchivedInstant> cleans,
                        timeline.LoadArchivedCleans(after));
  for (const ArchivedInstant& clean : cleans) Add(clean.deleted, clean.instant, cleaned);
  return Status::OK();
}

std::tuple<std::string_view, Action> IdentityOf(const Instant& instant) {
  return {instant.requested, CompletedAction(instant.action)};
}

// Instants leave the active timeline oldest first, the cleans among themselves: one that `pinned`
// does not know can be archived only after all that it knows, or when it knows none.
bool MayHaveArchived(const Timeline& pinned, const Timeline& now) {
  std::set<std::tuple<std::string_view, Action>> active;
  for (const Instant& instant : now.instants()) active.insert(IdentityOf(instant));
  const auto is_clean = [](const Instant& instant) { return instant.action == Action::kClean; };
  return std::ranges::any_of(
             pinned.instants(),
             [&](const Instant& instant) { return !active.contains(IdentityOf(instant)); }) ||
         (std::ranges::none_of(pinned.instants(), is_clean) &&
          std::ranges::any_of(now.instants(), is_clean));
}

// A file that the snapshot needs, or nullptr.
const CleanedFile* FindNeeded(const std::vector<CleanedFile>& files, const PinnedSnapshot& snapshot,
                              const FileSlice* remaining) {
  for (const CleanedFile& file : files) {
    if (!snapshot.as_of.empty() && file.instant > snapshot.as_of) continue;
    if (remaining != nullptr && file.instant <= remaining->base_instant) continue;
    if (snapshot.context->timeline.IsCommitted(file.instant)) return &file;
  }
  return nullptr;
}

const FileSlice* FindSlice(const SlicesByPartition& slices, std::string_view partition,
                           std::string_view file_id) {
  const auto own = slices.find(partition);
  if (own == slices.end()) return nullptr;
  const auto slice = std::ranges::lower_bound(own->second, file_id, {}, &FileSlice::file_id);
  return slice == own->second.end() || slice->file_id != file_id ? nullptr : &*slice;
}

Status CleanedError(const PinnedSnapshot& snapshot, std::string_view partition,
                    std::string_view file_id, const CleanedFile& file) {
  const bool latest = snapshot.as_of.empty();
  return MakeError(
      ErrorCode::kNotFound,
      fmt::format("snapshot {} needs file group {} of partition \"{}\" at instant {}, which "
                  "clean {} removed",
                  latest ? snapshot.instant : snapshot.as_of, file_id, partition, file.instant,
                  file.clean),
      latest ? "refresh the table and pin a new snapshot"
             : "read a later snapshot, or keep more commits (hoodie.clean.commits.retained)");
}

}  // namespace

Result<CleanedFiles> LoadCleanedFiles(const Timeline& timeline, bool archived) {
  std::vector<const Instant*> cleans;
  for (const Instant& instant : timeline.instants()) {
    if (instant.action == Action::kClean) cleans.push_back(&instant);
  }
  ARROW_ASSIGN_OR_RAISE(CleanedFiles cleaned, Load(timeline, cleans));
  if (archived) ARROW_RETURN_NOT_OK(AddArchived(timeline, {}, &cleaned));
  return cleaned;
}

Result<CleanedFiles> LoadCleanedSince(const Timeline& pinned, const Timeline& now) {
  if (pinned.instants().empty()) return CleanedFiles();
  std::set<std::string_view> known;
  for (const Instant& instant : pinned.instants()) {
    if (instant.action == Action::kClean) known.insert(instant.requested);
  }
  std::vector<const Instant*> cleans;
  for (const Instant& instant : now.instants()) {
    if (instant.action == Action::kClean && !known.contains(instant.requested)) {
      cleans.push_back(&instant);
    }
  }
  ARROW_ASSIGN_OR_RAISE(CleanedFiles cleaned, Load(now, cleans));
  if (MayHaveArchived(pinned, now)) {
    ARROW_RETURN_NOT_OK(AddArchived(now, pinned.instants().back().requested, &cleaned));
  }
  return cleaned;
}

Status CheckNotCleaned(const CleanedFiles& cleaned, const PinnedSnapshot& snapshot,
                       const SlicesByPartition& slices,
                       const std::function<bool(std::string_view)>& wanted) {
  for (const auto& [group, files] : cleaned) {
    const auto& [partition, file_id] = group;
    const auto replaced = snapshot.view.replaced.find(group);
    if (replaced != snapshot.view.replaced.end() &&
        (snapshot.as_of.empty() || replaced->second <= snapshot.as_of)) {
      continue;
    }
    const FileSlice* remaining = FindSlice(slices, partition, file_id);
    const CleanedFile* needed = FindNeeded(files, snapshot, remaining);
    if (needed != nullptr && wanted(partition)) {
      return CleanedError(snapshot, partition, file_id, *needed);
    }
  }
  return Status::OK();
}

}  // namespace firth
