// SPDX-License-Identifier: Apache-2.0
#include "firth/scan/incremental.h"

#include <algorithm>
#include <mutex>
#include <vector>

#include "firth/common/parallel.h"
#include "firth/scan/time_point.h"

namespace firth {
namespace {

bool IsBeginning(std::string_view text) {
  return text == "earliest" || text.find_first_not_of('0') == std::string_view::npos;
}

// Bounds are compared as text: instants as written, other forms through ParseTimePoint.
Result<std::string> ParseBound(const std::string& text, const TableConfig& config) {
  if (std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c); })) return text;
  return ParseTimePoint(text, config.timeline_is_utc);
}

struct Bounds {
  std::string begin;  // exclusive; empty: none
  std::string end;    // inclusive; empty: none

  bool Contains(std::string_view time) const {
    return time > begin && (end.empty() || time <= end);
  }
};

Result<Bounds> ParseBounds(const TableConfig& config, const std::string& begin,
                           const std::optional<std::string>& end) {
  Bounds bounds;
  if (!IsBeginning(begin)) {
    ARROW_ASSIGN_OR_RAISE(bounds.begin, ParseBound(begin, config));
  }
  if (end) {
    ARROW_ASSIGN_OR_RAISE(bounds.end, ParseBound(*end, config));
    if (bounds.end < bounds.begin) {
      return InvalidError("incremental range ends at {} before it begins at {}", *end, begin);
    }
  }
  return bounds;
}

// File groups that `writes`, all of them active, wrote.
Result<FileGroupSet> GroupsOf(const Timeline& timeline, const std::vector<Instant>& writes) {
  FileGroupSet groups;
  std::mutex mutex;
  const auto read = [&](size_t i) -> Status {
    ARROW_ASSIGN_OR_RAISE(const CommitMetadata metadata, timeline.ReadCommitMetadata(writes[i]));
    const std::lock_guard lock(mutex);
    for (const auto& [partition, stats] : metadata.write_stats) {
      for (const WriteStat& stat : stats) groups.emplace(partition, stat.file_id);
    }
    return Status::OK();
  };
  ARROW_RETURN_NOT_OK(RunParallel(writes.size(), kRequestThreads, read));
  return groups;
}

// The snapshot in which only writes completed at or before `end` exist.
Result<std::shared_ptr<const PinnedSnapshot>> SnapshotAtEnd(
    const std::shared_ptr<const PinnedSnapshot>& snapshot, const std::string& end) {
  if (end.empty()) return snapshot;
  const ReadContext& context = *snapshot->context;
  auto at = std::make_shared<PinnedSnapshot>(*snapshot);
  if (context.config.timeline.layout == TimelineLayout::kV1) {
    at->as_of = snapshot->as_of.empty() ? end : std::min(snapshot->as_of, end);
    return at;
  }
  Timeline timeline = context.timeline.CompletedAtOrBefore(end);
  ARROW_ASSIGN_OR_RAISE(at->view, LoadViewContext(timeline));
  at->context =
      std::make_shared<ReadContext>(ReadContext{context.storage, context.config, context.schema,
                                                std::move(timeline), context.commit_schemas});
  return at;
}

}  // namespace

Result<IncrementalRange> ResolveIncremental(const std::shared_ptr<const PinnedSnapshot>& snapshot,
                                            const std::string& begin,
                                            const std::optional<std::string>& end) {
  const ReadContext& context = *snapshot->context;
  if (!context.config.has_meta_fields) {
    return UnsupportedError(
        "table {} has no meta columns (hoodie.populate.meta.fields=false), so its rows do not say "
        "which commit wrote them: no incremental reads",
        context.config.name);
  }
  ARROW_ASSIGN_OR_RAISE(const Bounds bounds, ParseBounds(context.config, begin, end));
  IncrementalRange range;
  ARROW_ASSIGN_OR_RAISE(range.at, SnapshotAtEnd(snapshot, bounds.end));

  const std::vector<Instant> active = context.timeline.CompletedWrites();
  std::vector<Instant> writes;
  const auto add = [&](const Instant& write) {
    const bool visible = snapshot->as_of.empty() || write.requested <= snapshot->as_of;
    if (write.is_write() && visible && bounds.Contains(write.completed)) writes.push_back(write);
  };
  std::ranges::for_each(active, add);
  const size_t active_writes = writes.size();
  // Archived writes come before all active ones in either order of time, clock skew aside.
  if (active.empty() || bounds.begin < active.front().requested) {
    ARROW_ASSIGN_OR_RAISE(const std::vector<Instant> history, context.timeline.LoadHistory());
    std::ranges::for_each(history, add);
  }
  for (const Instant& write : writes) {
    range.commits.instants.insert(write.requested);
    range.last = std::max(range.last, write.requested);
  }
  if (writes.size() == active_writes) {
    ARROW_ASSIGN_OR_RAISE(range.touched, GroupsOf(context.timeline, writes));
  }
  return range;
}

}  // namespace firth
