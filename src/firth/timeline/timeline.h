// SPDX-License-Identifier: Apache-2.0
// An immutable, ordered view of a table's instants: active ones, and archived ones on demand.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "firth/io/storage.h"
#include "firth/timeline/commit_metadata.h"
#include "firth/timeline/instant.h"

namespace firth {

/// Where a table keeps its timeline, from hoodie.properties.
struct TimelineConfig {
  TimelineLayout layout = TimelineLayout::kV2;
  std::string active_dir = ".hoodie/timeline";           // v1: ".hoodie"
  std::string history_dir = ".hoodie/timeline/history";  // v1: ".hoodie/archived"
};

struct ArchivedInstant;
class TimelineHistory;

/// Immutable value; copies share nothing that a caller could notice. Safe from several threads.
class Timeline {
 public:
  /// Lists the active timeline; keeps the highest state of each action. One request.
  static Result<Timeline> Load(std::shared_ptr<const Storage> storage, TimelineConfig config);

  /// The same timeline as it was at the completion time `time`: later completions are pending.
  /// Only actions that change rows are affected. Layout 2.
  Timeline CompletedAtOrBefore(std::string_view time) const;

  /// All active instants, by requested time.
  const std::vector<Instant>& instants() const { return instants_; }
  /// Completed commit, deltacommit and replacecommit, by requested time.
  std::vector<Instant> CompletedWrites() const;
  /// Instants of any action that are not completed.
  std::vector<Instant> Pending() const;

  /// Whether data written by the instant `requested` counts: completed on the active timeline, or
  /// older than the first write instant still active (then it was archived, so completed).
  bool IsCommitted(std::string_view requested) const;
  /// Completion time of a write, empty when pending or unknown. No request: an archived write
  /// seems to complete at its requested time, and the view returned is then the argument's.
  std::string_view CompletionTime(std::string_view requested) const;
  /// The same with archived writes looked up in the history. Only needed where a write may have
  /// overlapped a table service; the first call that meets an archived write reads the history.
  Result<std::string> ExactCompletionTime(std::string_view requested) const;
  /// Whether the instant is a log compaction that is on the active timeline with its plan.
  bool IsLogCompaction(std::string_view requested) const;
  /// Whether the history tells of a completed write at `requested`; also when it doesn't reach back
  /// that far. The first call reads the times of the whole history.
  Result<bool> HistoryHasWrite(std::string_view requested) const;
  /// Whether an instant that is not on the active timeline is older than its first write.
  bool IsArchived(std::string_view requested) const;
  /// Requested time of the first write instant on the active timeline, savepointed ones excluded;
  /// empty when there is none.
  const std::string& first_active_write() const { return first_active_write_; }

  /// All archived instants, by requested time: completed actions only. Read anew by every call.
  Result<std::vector<Instant>> LoadHistory() const;
  /// Archived writes with first <= requested time <= last (empty: no bound), with their metadata.
  Result<std::vector<ArchivedInstant>> LoadArchivedWrites(std::string_view first,
                                                          std::string_view last) const;
  /// Archived cleans requested later than `after` (empty: all), with what they deleted.
  Result<std::vector<ArchivedInstant>> LoadArchivedCleans(std::string_view after) const;

  /// Raw content of an active instant's file, that of its highest state.
  Result<std::string> ReadContent(const Instant& instant) const;
  /// Bytes of that file, as listed; 0 when not known.
  int64_t ContentSize(const Instant& instant) const;
  /// Content of the requested file: the plan of a compaction, clustering, clean, rollback, ...,
  /// pending or completed.
  Result<std::string> ReadPlan(const Instant& instant) const;
  /// Of a completed write, active or archived. Many archived ones: LoadArchivedWrites.
  Result<CommitMetadata> ReadCommitMetadata(const Instant& instant) const;

  const TimelineConfig& config() const { return config_; }

 private:
  struct StringHash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  using StringMap = std::unordered_map<std::string, std::string, StringHash, std::equal_to<>>;

  void IndexWrites();
  Result<std::string> ReadFile(std::string_view file_name) const;

  std::shared_ptr<const Storage> storage_;
  TimelineConfig config_;
  std::vector<Instant> instants_;
  StringMap writes_;  // requested -> completed, empty while pending; services included
  StringMap plans_;   // requested time and action -> name of the requested file
  std::unordered_map<std::string, int64_t, StringHash, std::equal_to<>> file_sizes_;  // by name
  std::string first_active_write_;
  std::shared_ptr<const TimelineHistory> history_;
};

}  // namespace firth
