// SPDX-License-Identifier: Apache-2.0
// Instants of a Hudi timeline and the grammar of their file names (both layouts).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace firth {

enum class Action : uint8_t {
  kCommit,
  kDeltaCommit,
  kReplaceCommit,
  kClustering,     // pending only; completes as replacecommit
  kCompaction,     // pending only; completes as commit
  kLogCompaction,  // pending only; completes as deltacommit
  kClean,
  kRollback,
  kRestore,
  kSavepoint,
  kIndexing,
  kSchemaCommit,
};

enum class InstantState : uint8_t { kRequested, kInflight, kCompleted };

/// `commit`, `deltacommit`, ... as file names spell it.
std::string_view ActionName(Action action);
std::optional<Action> ParseAction(std::string_view name);

/// The action under which `action` completes: compaction as commit, log compaction as deltacommit,
/// clustering as replacecommit, any other as itself. Files of one instant time that agree in it are
/// states of one instant.
Action CompletedAction(Action action);

/// How timeline folders are laid out: 1 for table versions 6 and 7, 2 for 8 and 9.
enum class TimelineLayout : uint8_t { kV1 = 1, kV2 = 2 };

/// One action at one moment. Times are opaque strings that order by plain comparison.
struct Instant {
  std::string requested;  // T, the instant time
  std::string completed;  // C; empty while pending. A name without it (layout 1, upgrades): C := T
  Action action = Action::kCommit;
  InstantState state = InstantState::kRequested;
  std::string file_name;  // of the highest state, within the timeline folder; empty when archived
  bool archived = false;

  bool is_completed() const { return state == InstantState::kCompleted; }
  /// commit, deltacommit or replacecommit: an action that can change rows.
  bool is_write() const {
    return action == Action::kCommit || action == Action::kDeltaCommit ||
           action == Action::kReplaceCommit;
  }
  bool operator==(const Instant&) const = default;
};

/// Parses a file name of a timeline folder; nullopt for temporary and foreign files. Both layouts
/// accept a completed name without completion time: tables upgraded to layout 2 keep some.
std::optional<Instant> ParseInstantFileName(std::string_view name, TimelineLayout layout);

}  // namespace firth
