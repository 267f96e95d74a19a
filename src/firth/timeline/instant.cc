// SPDX-License-Identifier: Apache-2.0
#include "firth/timeline/instant.h"

#include <algorithm>
#include <array>
#include <utility>

namespace firth {
namespace {

constexpr std::array<std::pair<std::string_view, Action>, 12> kActions = {{
    {"commit", Action::kCommit},
    {"deltacommit", Action::kDeltaCommit},
    {"replacecommit", Action::kReplaceCommit},
    {"clustering", Action::kClustering},
    {"compaction", Action::kCompaction},
    {"logcompaction", Action::kLogCompaction},
    {"clean", Action::kClean},
    {"rollback", Action::kRollback},
    {"restore", Action::kRestore},
    {"savepoint", Action::kSavepoint},
    {"indexing", Action::kIndexing},
    {"schemacommit", Action::kSchemaCommit},
}};

// Longer than any time that Hudi has ever made, suffixes of old metadata tables included.
constexpr size_t kMaxTimeDigits = 32;

// Takes the leading digits off `text`; empty when there are none or too many.
std::string_view TakeTime(std::string_view* text) {
  size_t count = 0;
  while (count < text->size() && (*text)[count] >= '0' && (*text)[count] <= '9') ++count;
  if (count == 0 || count > kMaxTimeDigits) return {};
  const std::string_view time = text->substr(0, count);
  text->remove_prefix(count);
  return time;
}

// What follows the times: `.action`, `.action.requested`, `.action.inflight` or `.inflight`.
bool ParseSuffix(std::string_view suffix, Instant* instant) {
  if (!suffix.starts_with('.')) return false;
  suffix.remove_prefix(1);
  if (suffix == "inflight") {  // a commit in flight has no action in its name
    instant->action = Action::kCommit;
    instant->state = InstantState::kInflight;
    return true;
  }
  const size_t dot = suffix.find('.');
  const std::optional<Action> action = ParseAction(suffix.substr(0, dot));
  if (!action) return false;
  instant->action = *action;
  if (dot == std::string_view::npos) {
    instant->state = InstantState::kCompleted;
  } else if (suffix.substr(dot + 1) == "inflight") {
    instant->state = InstantState::kInflight;
  } else if (suffix.substr(dot + 1) == "requested") {
    instant->state = InstantState::kRequested;
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::string_view ActionName(Action action) { return kActions[static_cast<size_t>(action)].first; }

std::optional<Action> ParseAction(std::string_view name) {
  const auto found =
      std::ranges::find(kActions, name, [](const auto& entry) { return entry.first; });
  if (found == kActions.end()) return std::nullopt;
  return found->second;
}

Action CompletedAction(Action action) {
  switch (action) {
    case Action::kCompaction:
      return Action::kCommit;
    case Action::kLogCompaction:
      return Action::kDeltaCommit;
    case Action::kClustering:
      return Action::kReplaceCommit;
    default:
      return action;
  }
}

std::optional<Instant> ParseInstantFileName(std::string_view name, TimelineLayout layout) {
  Instant instant;
  std::string_view rest = name;
  instant.requested = TakeTime(&rest);
  if (instant.requested.empty()) return std::nullopt;
  if (rest.starts_with('_')) {
    if (layout == TimelineLayout::kV1) return std::nullopt;
    rest.remove_prefix(1);
    instant.completed = TakeTime(&rest);
    if (instant.completed.empty()) return std::nullopt;
  }
  if (!ParseSuffix(rest, &instant)) return std::nullopt;
  const bool has_completion_time = !instant.completed.empty();
  if (has_completion_time && !instant.is_completed()) return std::nullopt;
  if (instant.is_completed() && !has_completion_time) instant.completed = instant.requested;
  instant.file_name = name;
  return instant;
}

}  // namespace firth
