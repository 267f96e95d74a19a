// SPDX-License-Identifier: Apache-2.0
#include "firth/metadata/metadata_view.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "firth/common/parallel.h"

namespace firth {
namespace {

constexpr std::string_view kInitPrefix = "00000000000000";
constexpr size_t kInstantDigits = 17;  // version 6 appends three more for services
constexpr std::string_view kInitWriteToken = "0-0-0";

bool IsInit(std::string_view instant) { return instant.starts_with(kInitPrefix); }

// The data table's instant that an instant of the metadata table belongs to.
std::string_view DataInstant(std::string_view instant) { return instant.substr(0, kInstantDigits); }

// What a partition says of files never changes, and files that it has too many are left out by the
// data table's timeline. The others tell of one moment.
bool TellsOfOneMoment(MetadataIndex index) {
  return index != MetadataIndex::kFiles && index != MetadataIndex::kColumnStats &&
         index != MetadataIndex::kBloomFilters;
}

// Actions that leave the metadata table as it is, or change it in ways of their own.
bool NeedsMetadataCommit(const Instant& instant) {
  return instant.is_write() || instant.action == Action::kClean;
}

bool IsSamePlace(const TimelineConfig& a, const TimelineConfig& b) {
  return a.layout == b.layout && a.active_dir == b.active_dir && a.history_dir == b.history_dir;
}

// Whether a group's first log file, which is written when the group is made, is in the slice.
bool HasBeginning(const FileSlice& slice) {
  return slice.base || std::ranges::any_of(slice.logs, [](const LogFile& log) {
           return log.version == 1 && log.write_token == kInitWriteToken;
         });
}

}  // namespace

Result<std::unique_ptr<const MetadataView>> MetadataView::Load(
    std::shared_ptr<const Storage> storage, const Timeline& data, std::string as_of,
    const std::vector<std::string>& partitions) {
  std::unique_ptr<MetadataView> view(new MetadataView(data));
  view->as_of_ = std::move(as_of);
  view->storage_ = std::move(storage);
  ARROW_RETURN_NOT_OK(view->LoadFiles(partitions));
  view->IndexDataInstants();
  if (view->timeline_.CompletedWrites().empty()) {
    view->distrust_ = "it has no completed commit";
    return view;
  }
  ARROW_ASSIGN_OR_RAISE(view->distrust_, view->CheckCoverage());
  if (view->distrust_.empty()) {
    ARROW_ASSIGN_OR_RAISE(view->distrust_, view->CheckUnknownCommits());
  }
  if (!view->distrust_.empty()) return view;
  ARROW_ASSIGN_OR_RAISE(view->context_, LoadViewContext(view->timeline_));
  return view;
}

// Properties, commits and folders at the same time, as rounds are what a store far away takes its
// time for. Where the timeline is, only the properties can say; the data table's is the usual
// place. A commit that completes between a listing and the timeline names files that the listing
// lacks, which is noticed.
Status MetadataView::LoadFiles(const std::vector<std::string>& partitions) {
  std::vector<std::vector<FileInfo>> listings(partitions.size());
  std::vector<Status> statuses(partitions.size() + 2);
  ARROW_RETURN_NOT_OK(RunParallel(statuses.size(), kRequestThreads, [&](size_t i) -> Status {
    if (i == 0) {
      statuses[i] = TableConfig::Load(*storage_).Value(&config_);
    } else if (i == 1) {
      statuses[i] = LoadTimeline(data_.config());
    } else {
      statuses[i] = storage_->List(partitions[i - 2]).Value(&listings[i - 2]);
    }
    return Status::OK();
  }));
  ARROW_RETURN_NOT_OK(statuses[0]);
  if (!config_.is_metadata_table) {
    return CorruptError("{} is no metadata table", storage_->DisplayPath(".hoodie"));
  }
  if (!IsSamePlace(config_.timeline, data_.config())) {
    statuses[1] = LoadTimeline(config_.timeline);
  }
  for (const Status& status : statuses) ARROW_RETURN_NOT_OK(status);
  for (size_t i = 0; i < partitions.size(); ++i) listed_[partitions[i]] = std::move(listings[i]);
  return Status::OK();
}

void MetadataView::IndexDataInstants() {
  for (const Instant& instant : data_.instants()) {
    (instant.is_completed() ? data_completed_ : data_pending_).insert(instant.requested);
  }
  // A savepoint has the time of its commit.
  std::erase_if(data_pending_,
                [&](const std::string& time) { return data_completed_.contains(time); });
}

// The commits, and what they wrote.
Status MetadataView::LoadTimeline(const TimelineConfig& config) {
  written_.clear();
  ARROW_ASSIGN_OR_RAISE(timeline_, Timeline::Load(storage_, config));
  const std::vector<Instant> writes = timeline_.CompletedWrites();
  std::vector<CommitMetadata> metadata(writes.size());
  ARROW_RETURN_NOT_OK(RunParallel(writes.size(), kRequestThreads, [&](size_t i) -> Status {
    return timeline_.ReadCommitMetadata(writes[i]).Value(&metadata[i]);
  }));
  for (size_t i = 0; i < writes.size(); ++i) {
    for (auto& [partition, stats] : metadata[i].write_stats) {
      for (WriteStat& stat : stats) {
        written_[partition].push_back(
            {.path = std::move(stat.path), .size = stat.file_size, .instant = writes[i].requested});
      }
    }
  }
  return Status::OK();
}

// Whether the metadata table has what the data table did at `instant`. `first_written` is its first
// commit after initialisation, `initialised` when that was complete: it took in all before.
bool MetadataView::IsCovered(const Instant& instant, std::string_view first_written,
                             std::string_view initialised) const {
  const std::string_view requested = instant.requested;
  if (timeline_.IsCommitted(requested)) return true;
  if (config_.version >= 8) return !initialised.empty() && instant.completed <= initialised;
  return requested < first_written;
}

Result<std::string> MetadataView::CheckCoverage() {
  std::string first_written, initialised;
  for (const Instant& write : timeline_.CompletedWrites()) {
    if (IsInit(write.requested)) {
      if (initialised.empty()) initialised = write.completed;
    } else if (write.action == Action::kDeltaCommit && first_written.empty()) {
      first_written = write.requested;
    }
  }
  for (const Instant& instant : data_.instants()) {
    if (!instant.is_completed() || !NeedsMetadataCommit(instant)) continue;
    if (!IsCovered(instant, first_written, initialised)) {
      return fmt::format("it lags behind: {} {} of the table is not in it",
                         ActionName(instant.action), instant.requested);
    }
  }
  return std::string();
}

bool MetadataView::IsInsideRestore(std::string_view instant) const {
  return std::ranges::any_of(data_.instants(), [&](const Instant& other) {
    return other.action == Action::kRestore && other.is_completed() && other.requested <= instant &&
           instant <= other.completed;
  });
}

bool MetadataView::DataHas(std::string_view instant) const {
  return data_completed_.contains(instant) || data_pending_.contains(instant) ||
         data_archived_.contains(instant);
}

// Commits of the metadata table that the data table should know, being no older than what it has,
// and doesn't. Newer ones began after the data table's timeline was read: they are just not seen.
Result<std::string> MetadataView::CheckUnknownCommits() {
  if (data_.instants().empty()) return std::string();
  const std::string& last = data_.instants().back().requested;
  std::vector<std::string> unknown;
  for (const Instant& write : timeline_.CompletedWrites()) {
    const std::string& time = write.requested;
    if (write.action != Action::kDeltaCommit || time.size() != kInstantDigits || IsInit(time) ||
        time < data_.first_active_write() || time > last || DataHas(time) ||
        IsInsideRestore(time)) {
      continue;
    }
    unknown.push_back(time);
  }
  if (unknown.empty()) return std::string();
  ARROW_ASSIGN_OR_RAISE(const std::vector<Instant> history, data_.LoadHistory());
  for (const Instant& instant : history) data_archived_.insert(instant.requested);
  const auto missing = std::ranges::find_if(
      unknown, [&](const std::string& time) { return !data_archived_.contains(time); });
  if (missing == unknown.end()) return std::string();
  return fmt::format("its commit {} is of no instant that the table has", *missing);
}

bool MetadataView::IsVisible(std::string_view instant, MetadataIndex index) const {
  if (!timeline_.IsCommitted(instant)) return false;
  if (TellsOfOneMoment(index) && !as_of_.empty() && instant > as_of_) return false;
  if (IsInit(instant)) return true;
  const std::string_view data = DataInstant(instant);
  if (data_pending_.contains(data)) return false;
  if (data_completed_.contains(data) || data_archived_.contains(data)) return true;
  // Archived on the data table, made by a restore, or a service of version 6.
  return data < data_.first_active_write() || IsInsideRestore(instant) ||
         instant.size() > kInstantDigits;
}

// Whether a base file holds nothing that the snapshot doesn't have. That of a compaction holds what
// was written before.
bool MetadataView::IsUsableBase(std::string_view instant, MetadataIndex index) const {
  if (!timeline_.IsCommitted(instant) || data_pending_.contains(DataInstant(instant))) return false;
  if (!TellsOfOneMoment(index)) return true;
  if (!as_of_.empty() && instant > as_of_) return false;
  if (IsInit(instant)) return true;
  return std::ranges::none_of(timeline_.instants(), [&](const Instant& write) {
    return write.action == Action::kDeltaCommit && write.is_completed() &&
           write.completed < instant && !IsVisible(write.requested, index);
  });
}

std::vector<FileInfo> MetadataView::VisibleFiles(std::vector<FileInfo> files,
                                                 MetadataIndex index) const {
  std::erase_if(files, [&](const FileInfo& file) {
    if (const auto base = ParseBaseFileName(file.path, file.size)) {
      return !IsUsableBase(base->instant, index);
    }
    const auto log = ParseLogFileName(file.path, file.size);
    if (!log) return true;
    // In version 6 the name tells the slice, and blocks are sorted out by their reader.
    return config_.version >= 8 ? !IsVisible(log->instant, index)
                                : !IsUsableBase(log->instant, index);
  });
  return files;
}

Result<MetadataSlices> MetadataView::Slices(std::string_view partition, MetadataIndex index) const {
  std::vector<FileInfo> files;
  if (const auto listed = listed_.find(partition); listed != listed_.end()) {
    files = listed->second;
  } else {
    ARROW_ASSIGN_OR_RAISE(files, storage_->List(partition));
  }
  MetadataSlices result;
  if (files.empty()) {
    result.distrust = "its folder is missing";
    return result;
  }
  ARROW_ASSIGN_OR_RAISE(result.slices, SnapshotSlices(config_, timeline_, context_, partition,
                                                      VisibleFiles(files, index), /*as_of=*/""));
  result.distrust = CheckGroups(partition, result.slices);
  if (result.distrust.empty()) {
    result.distrust = CheckWritten(partition, index, files, result.slices);
  }
  if (result.distrust.empty() && TellsOfOneMoment(index)) {
    result.distrust = CheckServed(partition, result.slices);
  }
  return result;
}

// Groups are numbered without gaps, and none has lost its beginning.
std::string MetadataView::CheckGroups(std::string_view partition,
                                      const std::vector<FileSlice>& slices) const {
  if (slices.empty()) return "it has no file of a completed commit";
  const std::string wanted = FileIdPrefix(partition);
  std::string_view prefix;
  int32_t next = 0;
  for (const FileSlice& slice : slices) {
    const std::optional<MetadataFileId> id = ParseMetadataFileId(slice.file_id);
    if (!id || !id->prefix.starts_with(wanted)) {
      return fmt::format("its file group {} is of another partition", slice.file_id);
    }
    if (id->prefix != prefix) next = 0;  // one for each data partition, if the index has many
    prefix = id->prefix;
    if (id->number != next++) return fmt::format("file group {} is missing", next - 1);
    if (!HasBeginning(slice)) {
      return fmt::format("the first file of its file group {} is missing", slice.file_id);
    }
  }
  return std::string();
}

// What commits of the metadata table wrote, and no compaction replaced since, is there in full.
std::string MetadataView::CheckWritten(std::string_view partition, MetadataIndex index,
                                       const std::vector<FileInfo>& files,
                                       const std::vector<FileSlice>& slices) const {
  const auto written = written_.find(partition);
  if (written == written_.end()) return std::string();
  std::map<std::string_view, int64_t> sizes;
  for (const FileInfo& file : files) sizes[file.name()] = file.size;
  std::map<std::string_view, const FileSlice*> slice_of;
  for (const FileSlice& slice : slices) slice_of[slice.file_id] = &slice;

  for (const Written& file : written->second) {
    std::string file_id, reaches;  // what is older than the slice's base may be gone
    if (const auto base = ParseBaseFileName(file.path, file.size)) {
      if (!IsUsableBase(base->instant, index)) continue;
      file_id = base->file_id;
      reaches = base->instant;
    } else if (const auto log = ParseLogFileName(file.path, file.size)) {
      if (!IsVisible(file.instant, index)) continue;
      file_id = log->file_id;
      reaches =
          config_.version >= 8 ? std::string(timeline_.CompletionTime(log->instant)) : log->instant;
    } else {
      continue;
    }
    const auto slice = slice_of.find(file_id);
    if (slice != slice_of.end() && slice->second->base && reaches < slice->second->base->instant) {
      continue;
    }
    const auto size = sizes.find(LastSegment(file.path));
    if (size == sizes.end()) return fmt::format("its file {} is missing", file.path);
    if (size->second < file.size) {
      return fmt::format("its file {} has {} bytes of {}", file.path, size->second, file.size);
    }
  }
  return std::string();
}

// A partition that was made later than the moment asked for begins with what was there then.
std::string MetadataView::CheckServed(std::string_view partition,
                                      const std::vector<FileSlice>& slices) const {
  for (const FileSlice& slice : slices) {
    std::string_view made = slice.base_instant;
    if (!slice.base && !slice.logs.empty()) made = slice.logs.front().instant;
    if (!IsInit(made) && !data_completed_.contains(made)) continue;
    const std::string_view complete = timeline_.CompletionTime(made);
    for (const Instant& write : data_.instants()) {
      if (!NeedsMetadataCommit(write)) continue;
      const bool before = write.is_completed()
                              ? write.completed <= complete
                              : timeline_.IsCommitted(write.requested) &&
                                    timeline_.CompletionTime(write.requested) < complete;
      const bool later = !write.is_completed() || (!as_of_.empty() && write.requested > as_of_);
      if (config_.version >= 8 && before && later) {
        return fmt::format("it was made after {}, and with what {} wrote",
                           as_of_.empty() ? "the snapshot" : as_of_, write.requested);
      }
    }
    if (config_.version >= 8 || as_of_.empty()) continue;
    // Version 6 has no completion times: what is older than the first commit may be in it.
    const auto written = written_.find(partition);
    std::string_view first = "9";
    if (written != written_.end()) {
      for (const Written& file : written->second) {
        if (!IsInit(file.instant)) first = std::min(first, std::string_view(file.instant));
      }
    }
    for (const Instant& write : data_.CompletedWrites()) {
      if (write.requested > as_of_ && write.requested < first) {
        return fmt::format("it may have been made after {}", as_of_);
      }
    }
  }
  return std::string();
}

}  // namespace firth
