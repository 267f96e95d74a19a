// SPDX-License-Identifier: Apache-2.0
// The archived part of a timeline: the LSM history of layout 2, the archive logs of layout 1.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firth/io/storage.h"
#include "firth/timeline/clean_metadata.h"
#include "firth/timeline/commit_metadata.h"
#include "firth/timeline/instant.h"

namespace firth {

struct TimelineConfig;

/// An instant that left the active timeline, with its content when that was asked for.
struct ArchivedInstant {
  Instant instant;
  CommitMetadata metadata;  // of writes
  DeletedFiles deleted;     // of cleans
};

/// Reads archived instants when asked for; opening costs nothing. Safe to use from several threads.
class TimelineHistory {
 public:
  enum class Detail : uint8_t { kTimes, kCommitMetadata, kDeletedFiles };

  TimelineHistory(std::shared_ptr<const Storage> storage, const TimelineConfig& config);

  /// Completed actions with first <= requested time <= last (empty: no bound), by requested time.
  /// Layout 2 reads only the history files whose range overlaps.
  Result<std::vector<ArchivedInstant>> Read(std::string_view first, std::string_view last,
                                            Detail detail) const;

  /// Completion time of an archived write; nullopt when the history does not have it. The first
  /// call reads the times of the whole history, later ones answer from memory.
  Result<std::optional<std::string>> CompletionTime(std::string_view requested) const;
  /// Whether an archived write is `requested`; true for one before the first that the history has,
  /// which may have lost its beginning.
  Result<bool> HasWrite(std::string_view requested) const;

 private:
  Status LoadCompletionTimes() const;  // the lock is held
  Result<std::vector<ArchivedInstant>> ReadLsm(std::string_view first, std::string_view last,
                                               Detail detail) const;
  Result<std::vector<ArchivedInstant>> ReadArchiveLogs(std::string_view first,
                                                       std::string_view last, Detail detail) const;

  std::shared_ptr<const Storage> storage_;
  TimelineLayout layout_;
  std::string dir_;
  mutable std::mutex mutex_;
  mutable std::optional<std::map<std::string, std::string, std::less<>>> completion_;
};

/// Names of the history files that the current manifest lists.
Result<std::vector<std::string>> ParseLsmManifest(std::string_view json);

/// Requested times of the first and last instant in an LSM history file, from its name
/// `<first>_<last>_<level>.parquet`; nullopt for another name.
struct LsmFileRange {
  std::string first;
  std::string last;
  int level = 0;
};
std::optional<LsmFileRange> ParseLsmFileName(std::string_view name);

}  // namespace firth
