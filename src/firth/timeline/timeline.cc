// SPDX-License-Identifier: Apache-2.0
#include "firth/timeline/timeline.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "firth/timeline/history.h"

namespace firth {
namespace {

// One plan, one commit or one clean of a very large table stays far below this.
constexpr int64_t kMaxInstantFileBytes = int64_t{1} << 30;

bool CanChangeRows(Action action) {
  const Action completed = CompletedAction(action);
  return completed == Action::kCommit || completed == Action::kDeltaCommit ||
         completed == Action::kReplaceCommit;
}

std::string PlanKey(const Instant& instant) {
  return fmt::format("{}.{}", instant.requested, ActionName(CompletedAction(instant.action)));
}

// Sorts by time and action, and keeps the highest state of each.
void KeepHighestStates(std::vector<Instant>* instants) {
  const auto identity = [](const Instant& instant) {
    return std::tuple(std::string_view(instant.requested), CompletedAction(instant.action));
  };
  std::ranges::sort(*instants, [&](const Instant& a, const Instant& b) {
    const auto left = identity(a), right = identity(b);
    // The longer name of two completed files is the one with a completion time.
    return left != right
               ? left < right
               : std::tuple(a.state, a.file_name.size()) > std::tuple(b.state, b.file_name.size());
  });
  const auto same = [&](const Instant& a, const Instant& b) { return identity(a) == identity(b); };
  instants->erase(std::unique(instants->begin(), instants->end(), same), instants->end());
}

}  // namespace

Result<Timeline> Timeline::Load(std::shared_ptr<const Storage> storage, TimelineConfig config) {
  ARROW_ASSIGN_OR_RAISE(const std::vector<FileInfo> files, storage->List(config.active_dir));
  Timeline timeline;
  timeline.instants_.reserve(files.size());
  for (const FileInfo& file : files) {
    std::optional<Instant> instant = ParseInstantFileName(file.name(), config.layout);
    if (!instant) continue;  // temporary and foreign files are legal in this folder
    if (instant->state == InstantState::kRequested) {
      timeline.plans_.emplace(PlanKey(*instant), instant->file_name);
    }
    timeline.file_sizes_.emplace(instant->file_name, file.size);
    timeline.instants_.push_back(*std::move(instant));
  }
  KeepHighestStates(&timeline.instants_);
  timeline.history_ = std::make_shared<TimelineHistory>(storage, config);
  timeline.storage_ = std::move(storage);
  timeline.config_ = std::move(config);
  timeline.IndexWrites();
  return timeline;
}

void Timeline::IndexWrites() {
  std::unordered_set<std::string_view> savepoints;
  for (const Instant& instant : instants_) {
    if (instant.action == Action::kSavepoint) savepoints.insert(instant.requested);
  }
  for (const Instant& instant : instants_) {
    if (!CanChangeRows(instant.action)) continue;
    writes_.emplace(instant.requested, instant.completed);
    // A savepointed commit stays active when those after it are archived: it starts nothing.
    if (first_active_write_.empty() && !savepoints.contains(instant.requested)) {
      first_active_write_ = instant.requested;
    }
  }
  if (first_active_write_.empty() && !writes_.empty()) {  // all of them are savepointed
    first_active_write_ = std::ranges::min_element(writes_)->first;
  }
}

Timeline Timeline::CompletedAtOrBefore(std::string_view time) const {
  Timeline earlier = *this;
  for (Instant& instant : earlier.instants_) {
    if (!CanChangeRows(instant.action) || instant.completed <= time) continue;
    instant.completed.clear();
    instant.state = InstantState::kInflight;
  }
  earlier.writes_.clear();
  earlier.first_active_write_.clear();
  earlier.IndexWrites();
  return earlier;
}

std::vector<Instant> Timeline::CompletedWrites() const {
  std::vector<Instant> writes;
  std::ranges::copy_if(instants_, std::back_inserter(writes), [](const Instant& instant) {
    return instant.is_write() && instant.is_completed();
  });
  return writes;
}

std::vector<Instant> Timeline::Pending() const {
  std::vector<Instant> pending;
  std::ranges::copy_if(instants_, std::back_inserter(pending),
                       [](const Instant& instant) { return !instant.is_completed(); });
  return pending;
}

bool Timeline::IsCommitted(std::string_view requested) const {
  const auto found = writes_.find(requested);
  if (found != writes_.end()) return !found->second.empty();
  return IsArchived(requested);
}

bool Timeline::IsArchived(std::string_view requested) const {
  return requested < first_active_write_ && !writes_.contains(requested);
}

bool Timeline::IsLogCompaction(std::string_view requested) const {
  const auto plan = plans_.find(fmt::format("{}.{}", requested, ActionName(Action::kDeltaCommit)));
  return plan != plans_.end() &&
         plan->second.find(ActionName(Action::kLogCompaction)) != std::string::npos;
}

Result<bool> Timeline::HistoryHasWrite(std::string_view requested) const {
  return history_->HasWrite(requested);
}

std::string_view Timeline::CompletionTime(std::string_view requested) const {
  const auto found = writes_.find(requested);
  if (found != writes_.end()) return found->second;
  return IsArchived(requested) ? requested : std::string_view();
}

Result<std::string> Timeline::ExactCompletionTime(std::string_view requested) const {
  if (config_.layout == TimelineLayout::kV2 && IsArchived(requested)) {
    ARROW_ASSIGN_OR_RAISE(std::optional<std::string> completed,
                          history_->CompletionTime(requested));
    if (completed) return *std::move(completed);
  }
  return std::string(CompletionTime(requested));
}

Result<std::vector<Instant>> Timeline::LoadHistory() const {
  ARROW_ASSIGN_OR_RAISE(std::vector<ArchivedInstant> archived,
                        history_->Read({}, {}, TimelineHistory::Detail::kTimes));
  std::vector<Instant> instants;
  instants.reserve(archived.size());
  for (ArchivedInstant& entry : archived) instants.push_back(std::move(entry.instant));
  return instants;
}

Result<std::vector<ArchivedInstant>> Timeline::LoadArchivedWrites(std::string_view first,
                                                                  std::string_view last) const {
  ARROW_ASSIGN_OR_RAISE(std::vector<ArchivedInstant> archived,
                        history_->Read(first, last, TimelineHistory::Detail::kCommitMetadata));
  std::erase_if(archived, [](const ArchivedInstant& entry) { return !entry.instant.is_write(); });
  return archived;
}

Result<std::vector<ArchivedInstant>> Timeline::LoadArchivedCleans(std::string_view after) const {
  ARROW_ASSIGN_OR_RAISE(std::vector<ArchivedInstant> archived,
                        history_->Read(after, {}, TimelineHistory::Detail::kDeletedFiles));
  std::erase_if(archived, [&](const ArchivedInstant& entry) {
    return entry.instant.action != Action::kClean || entry.instant.requested <= after;
  });
  return archived;
}

Result<std::string> Timeline::ReadFile(std::string_view file_name) const {
  const auto size = file_sizes_.find(file_name);
  ARROW_ASSIGN_OR_RAISE(
      const std::shared_ptr<arrow::Buffer> buffer,
      storage_->ReadFile(fmt::format("{}/{}", config_.active_dir, file_name), kMaxInstantFileBytes,
                         size == file_sizes_.end() ? -1 : size->second));
  return buffer->ToString();
}

Result<std::string> Timeline::ReadContent(const Instant& instant) const {
  if (instant.file_name.empty()) {
    return NotFoundError("instant {} {} is archived; it has no file on the active timeline",
                         instant.requested, ActionName(instant.action));
  }
  return ReadFile(instant.file_name);
}

int64_t Timeline::ContentSize(const Instant& instant) const {
  const auto size = file_sizes_.find(instant.file_name);
  return size == file_sizes_.end() ? 0 : size->second;
}

Result<std::string> Timeline::ReadPlan(const Instant& instant) const {
  const auto found = plans_.find(PlanKey(instant));
  if (found == plans_.end()) {
    return NotFoundError("instant {} {} has no requested file on the active timeline",
                         instant.requested, ActionName(instant.action));
  }
  return ReadFile(found->second);
}

Result<CommitMetadata> Timeline::ReadCommitMetadata(const Instant& instant) const {
  if (!instant.is_write() || !instant.is_completed()) {
    return InvalidError("instant {} {} is not a completed write", instant.requested,
                        ActionName(instant.action));
  }
  if (instant.archived) {
    ARROW_ASSIGN_OR_RAISE(std::vector<ArchivedInstant> found,
                          LoadArchivedWrites(instant.requested, instant.requested));
    if (!found.empty()) return std::move(found.front().metadata);
    return NotFoundError("instant {} {} is not in the archived timeline", instant.requested,
                         ActionName(instant.action));
  }
  ARROW_ASSIGN_OR_RAISE(const std::string content, ReadContent(instant));
  Result<CommitMetadata> metadata = DecodeCommitMetadata(content);
  if (!metadata.ok()) return WithContext(metadata.status(), instant.file_name);
  return metadata;
}

}  // namespace firth
