// SPDX-License-Identifier: Apache-2.0
// An immutable, ordered view of a table's instants: active ones, and archived ones on demand.
#pragma once

#include <memory>
#include <set>
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

class Timeline {
 public:
  /// Lists the active timeline; keeps the highest state of each action. One request.
  static Result<Timeline> Load(std::shared_ptr<const Storage> storage, TimelineConfig config);

  /// All active instants, by requested time.
  const std::vector<Instant>& instants() const { return instants_; }
  /// Completed commit, deltacommit and replacecommit, by requested time.
  std::vector<Instant> CompletedWrites() const;
  /// Instants of any action that are not completed.
  std::vector<Instant> Pending() const;

  /// Whether data written by the instant `requested` counts: completed on the active timeline, or
  /// older than the first write instant still active (then it was archived, so completed).
  bool IsCommitted(std::string_view requested) const;
  /// Completion time of a write, empty when pending or unknown. Archived writes that the caller
  /// needs are looked up with LoadHistory first; without it, instants older than the active
  /// timeline complete at their requested time.
  std::string_view CompletionTime(std::string_view requested) const;
  /// Requested time of the first instant that IsCommitted counts as active; empty when none.
  const std::string& first_active_write() const { return first_active_write_; }

  /// Archived instants, by requested time (v6 archive logs, or the LSM history), all completed
  /// actions. Cached after the first call would be a hidden state, so the caller keeps the result.
  Result<std::vector<Instant>> LoadHistory() const;

  /// Raw content of an active instant's file (requested content for plans of pending ones).
  Result<std::string> ReadContent(const Instant& instant) const;
  /// Content of `<T>.<action>.requested`: the plan of compaction, clustering, clean, ...
  Result<std::string> ReadPlan(const Instant& instant) const;
  /// Of a completed write, active or archived (archived ones read the history files).
  Result<CommitMetadata> ReadCommitMetadata(const Instant& instant) const;

  const TimelineConfig& config() const { return config_; }

 private:
  std::shared_ptr<const Storage> storage_;
  TimelineConfig config_;
  std::vector<Instant> instants_;
  std::unordered_map<std::string, std::string> completion_;  // requested -> completed
  std::string first_active_write_;
};

}  // namespace firth
