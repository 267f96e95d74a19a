// SPDX-License-Identifier: Apache-2.0
#include "firth/table/file_system_view.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <tuple>

#include "firth/common/parallel.h"

namespace firth {
namespace {

using Json = nlohmann::json;

// Files of one group, uncommitted and later ones left out already.
struct Group {
  std::vector<BaseFile> bases;  // by instant
  std::vector<LogFile> logs;
};

struct Slice {
  std::optional<BaseFile> base;
  std::vector<LogFile> logs;
};
using Slices = std::map<std::string, Slice, std::less<>>;  // by base instant

// Keeps the smaller time, so that a group hidden twice is hidden from the first time on.
void Merge(FileGroupInstants from, FileGroupInstants* to) {
  for (auto& [group, instant] : from) {
    std::string& stored = to->try_emplace(group, instant).first->second;
    stored = std::min(stored, instant);
  }
}

Status AddReplaced(const Timeline& timeline, const Instant& instant, ViewContext* context) {
  ARROW_ASSIGN_OR_RAISE(CommitMetadata metadata, timeline.ReadCommitMetadata(instant));
  for (auto& [partition, file_ids] : metadata.replaced_file_ids) {
    for (std::string& file_id : file_ids) {
      context->replaced[{partition, std::move(file_id)}] = instant.requested;
    }
  }
  return Status::OK();
}

// Operations of a HoodieCompactionPlan.
Status AddCompaction(const Timeline& timeline, const Instant& instant, ViewContext* context) {
  ARROW_ASSIGN_OR_RAISE(const std::string bytes, timeline.ReadPlan(instant));
  ARROW_ASSIGN_OR_RAISE(const Json plan, DecodeInstantContent(bytes));
  const auto operations = plan.is_object() ? plan.find("operations") : plan.end();
  if (operations == plan.end() || operations->is_null()) return Status::OK();
  if (!operations->is_array()) return CorruptError("operations of the plan are not an array");
  for (const Json& operation : *operations) {
    const auto text = [&](const char* name) -> std::string {
      const auto found = operation.is_object() ? operation.find(name) : operation.end();
      return found != operation.end() && found->is_string() ? found->get<std::string>()
                                                            : std::string();
    };
    std::string file_id = text("fileId");
    if (file_id.empty()) return CorruptError("an operation of the plan has no fileId");
    context->pending_compactions[{text("partitionPath"), std::move(file_id)}] = instant.requested;
  }
  return Status::OK();
}

std::string_view Find(const FileGroupInstants& map, std::string_view partition,
                      std::string_view file_id) {
  const auto found = map.find(FileGroupLess::Key(partition, file_id));
  return found == map.end() ? std::string_view() : std::string_view(found->second);
}

// Builds the slices of one partition: docs/format/timeline.md, "File slices".
class SliceBuilder {
 public:
  SliceBuilder(const TableConfig& config, const Timeline& timeline, const ViewContext& context,
               std::string_view partition, std::string_view as_of)
      : config_(config),
        timeline_(timeline),
        context_(context),
        partition_(partition),
        as_of_(as_of) {}

  // Groups that are visible at the snapshot, by file id.
  Result<std::map<std::string, Group>> GroupFiles(const std::vector<FileInfo>& files,
                                                  bool with_logs) const;

  // The merged newest slice; nullopt when the group has nothing to read.
  Result<std::optional<FileSlice>> NewestSlice(const std::string& file_id, Group group) const;

 private:
  bool InSnapshot(std::string_view requested) const {
    return as_of_.empty() || requested <= as_of_;
  }
  bool IsReplaced(std::string_view file_id) const {
    const std::string_view instant = Find(context_.replaced, partition_, file_id);
    return !instant.empty() && InSnapshot(instant);
  }
  Status CheckFormat(const BaseFile& base) const;
  Status DropRetries(std::vector<BaseFile>* bases) const;
  Result<std::string> CommittedPath(const BaseFile& base) const;
  Status AddLog(LogFile log, Slices* slices) const;
  Result<std::string> SliceOfLog(const LogFile& log, const Slices& slices) const;

  const TableConfig& config_;
  const Timeline& timeline_;
  const ViewContext& context_;
  std::string_view partition_;
  std::string_view as_of_;
};

Status SliceBuilder::CheckFormat(const BaseFile& base) const {
  const std::string_view extension = config_.is_metadata_table ? ".hfile" : ".parquet";
  if (base.path.ends_with(extension)) return Status::OK();
  return WithRemedy(UnsupportedError("base file {} is not a {} file", base.path, extension),
                    "rewrite the partition with base files of one format");
}

// Path of the base file that its write committed for the group; "" when the metadata is gone.
Result<std::string> SliceBuilder::CommittedPath(const BaseFile& base) const {
  for (const Instant& instant : timeline_.instants()) {
    if (instant.requested != base.instant || !instant.is_write()) continue;
    ARROW_ASSIGN_OR_RAISE(const CommitMetadata metadata, timeline_.ReadCommitMetadata(instant));
    const auto stats = metadata.write_stats.find(std::string(partition_));
    if (stats == metadata.write_stats.end()) break;
    for (const WriteStat& stat : stats->second) {
      if (stat.file_id == base.file_id) return stat.path;
    }
  }
  return std::string();
}

// Sorts by instant. Of several base files of one write, which retried tasks may leave behind, only
// the committed one stays.
Status SliceBuilder::DropRetries(std::vector<BaseFile>* bases) const {
  std::ranges::sort(*bases, {}, [](const BaseFile& base) {
    return std::tuple(std::string_view(base.instant), std::string_view(base.path));
  });
  const auto same_write = [](const BaseFile& a, const BaseFile& b) {
    return a.instant == b.instant;
  };
  auto found = std::ranges::adjacent_find(*bases, same_write);
  while (found != bases->end()) {
    ARROW_ASSIGN_OR_RAISE(const std::string committed, CommittedPath(*found));
    bases->erase(found->path == committed ? std::next(found) : found);
    found = std::ranges::adjacent_find(*bases, same_write);
  }
  return Status::OK();
}

Result<std::map<std::string, Group>> SliceBuilder::GroupFiles(const std::vector<FileInfo>& files,
                                                              bool with_logs) const {
  std::map<std::string, Group> groups;
  for (const FileInfo& file : files) {
    if (std::optional<BaseFile> base = ParseBaseFileName(file.path, file.size)) {
      if (!timeline_.IsCommitted(base->instant) || !InSnapshot(base->instant)) continue;
      if (IsReplaced(base->file_id)) continue;
      ARROW_RETURN_NOT_OK(CheckFormat(*base));
      Group& group = groups[base->file_id];
      group.bases.push_back(*std::move(base));
      continue;
    }
    if (!with_logs) continue;
    std::optional<LogFile> log = ParseLogFileName(file.path, file.size);
    if (!log || log->cdc || !InSnapshot(log->instant) || IsReplaced(log->file_id)) continue;
    // In version 6 the name tells the slice, not the write.
    if (config_.version >= 8 && !timeline_.IsCommitted(log->instant)) continue;
    Group& group = groups[log->file_id];
    group.logs.push_back(*std::move(log));
  }
  for (auto& [file_id, group] : groups) ARROW_RETURN_NOT_OK(DropRetries(&group.bases));
  return groups;
}

// Base instant of the slice that the log belongs to, for tables of version 8 and later: the newest
// that was requested before the log's write completed. Completion counts, because a compaction
// leaves out what was not completed when it was planned.
Result<std::string> SliceBuilder::SliceOfLog(const LogFile& log, const Slices& slices) const {
  std::string completed(timeline_.CompletionTime(log.instant));
  if (timeline_.IsArchived(log.instant) && slices.upper_bound(log.instant) != slices.end()) {
    ARROW_ASSIGN_OR_RAISE(completed, timeline_.ExactCompletionTime(log.instant));
  }
  const auto after = slices.upper_bound(completed);
  return after == slices.begin() ? log.instant : std::prev(after)->first;
}

Status SliceBuilder::AddLog(LogFile log, Slices* slices) const {
  std::string key = log.instant;
  if (config_.version >= 8) {
    ARROW_ASSIGN_OR_RAISE(key, SliceOfLog(log, *slices));
  } else if (!slices->contains(key) && !timeline_.IsCommitted(key)) {
    return Status::OK();  // the slice itself was never committed
  }
  (*slices)[key].logs.push_back(std::move(log));
  return Status::OK();
}

bool LogBefore(const LogFile& a, const LogFile& b) {
  return std::tie(a.instant, a.version, a.write_token) <
         std::tie(b.instant, b.version, b.write_token);
}

Result<std::optional<FileSlice>> SliceBuilder::NewestSlice(const std::string& file_id,
                                                           Group group) const {
  Slices slices;
  for (BaseFile& base : group.bases) {
    std::string key = base.instant;
    slices[std::move(key)].base = std::move(base);
  }
  std::string_view compaction = Find(context_.pending_compactions, partition_, file_id);
  if (!InSnapshot(compaction)) compaction = {};
  if (!compaction.empty()) slices.try_emplace(std::string(compaction));
  std::ranges::sort(group.logs, LogBefore);
  for (LogFile& log : group.logs) {
    ARROW_RETURN_NOT_OK(AddLog(std::move(log), &slices));
  }
  if (slices.empty()) return std::nullopt;

  auto newest = std::prev(slices.end());
  std::vector<LogFile> newer_logs;
  if (newest->first == compaction && newest != slices.begin()) {
    newer_logs = std::move(newest->second.logs);
    --newest;
  }
  FileSlice slice{.partition = std::string(partition_),
                  .file_id = file_id,
                  .base_instant = newest->first,
                  .base = std::move(newest->second.base),
                  .logs = std::move(newest->second.logs)};
  std::ranges::move(newer_logs, std::back_inserter(slice.logs));
  std::ranges::sort(slice.logs, LogBefore);
  if (!slice.base && slice.logs.empty()) return std::nullopt;
  return slice;
}

}  // namespace

Result<ViewContext> LoadViewContext(const Timeline& timeline) {
  std::vector<const Instant*> wanted;
  for (const Instant& instant : timeline.instants()) {
    const bool replaces = instant.action == Action::kReplaceCommit && instant.is_completed();
    if (replaces || instant.action == Action::kCompaction) wanted.push_back(&instant);
  }
  ViewContext context;
  std::mutex mutex;
  const auto read = [&](size_t i) -> Status {
    ViewContext part;
    if (wanted[i]->action == Action::kReplaceCommit) {
      ARROW_RETURN_NOT_OK(AddReplaced(timeline, *wanted[i], &part));
    } else {
      ARROW_RETURN_NOT_OK(
          WithContext(AddCompaction(timeline, *wanted[i], &part), wanted[i]->file_name));
    }
    const std::lock_guard lock(mutex);
    Merge(std::move(part.replaced), &context.replaced);
    Merge(std::move(part.pending_compactions), &context.pending_compactions);
    return Status::OK();
  };
  ARROW_RETURN_NOT_OK(RunParallel(wanted.size(), kRequestThreads, read));
  return context;
}

Result<std::vector<FileSlice>> SnapshotSlices(const TableConfig& config, const Timeline& timeline,
                                              const ViewContext& context,
                                              std::string_view partition,
                                              const std::vector<FileInfo>& files,
                                              std::string_view as_of) {
  const SliceBuilder builder(config, timeline, context, partition, as_of);
  ARROW_ASSIGN_OR_RAISE(auto groups, builder.GroupFiles(files, /*with_logs=*/true));
  std::vector<FileSlice> slices;
  slices.reserve(groups.size());
  for (auto& [file_id, group] : groups) {
    ARROW_ASSIGN_OR_RAISE(std::optional<FileSlice> slice,
                          builder.NewestSlice(file_id, std::move(group)));
    if (slice) slices.push_back(*std::move(slice));
  }
  return slices;
}

Result<std::vector<FileSlice>> ReadOptimizedSlices(
    const TableConfig& config, const Timeline& timeline, const ViewContext& context,
    std::string_view partition, const std::vector<FileInfo>& files, std::string_view as_of) {
  const SliceBuilder builder(config, timeline, context, partition, as_of);
  ARROW_ASSIGN_OR_RAISE(auto groups, builder.GroupFiles(files, /*with_logs=*/false));
  std::vector<FileSlice> slices;
  slices.reserve(groups.size());
  for (auto& [file_id, group] : groups) {
    BaseFile& newest = group.bases.back();
    std::string instant = newest.instant;
    slices.push_back({.partition = std::string(partition),
                      .file_id = file_id,
                      .base_instant = std::move(instant),
                      .base = std::move(newest),
                      .logs = {}});
  }
  return slices;
}

}  // namespace firth
