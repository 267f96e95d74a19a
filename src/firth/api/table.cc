// SPDX-License-Identifier: Apache-2.0
#include "firth/table.h"

#include <arrow/compute/initialize.h>

#include <algorithm>
#include <utility>

#include "firth/api/table_impl.h"
#include "firth/scan.h"

namespace firth {
namespace {

std::string_view MergeModeName(MergeMode mode) {
  switch (mode) {
    case MergeMode::kCommitTime:
      return "COMMIT_TIME_ORDERING";
    case MergeMode::kEventTime:
      return "EVENT_TIME_ORDERING";
    case MergeMode::kCustom:
      return "CUSTOM";
  }
  return "CUSTOM";
}

std::string_view StateName(InstantState state) {
  switch (state) {
    case InstantState::kRequested:
      return "requested";
    case InstantState::kInflight:
      return "inflight";
    case InstantState::kCompleted:
      return "completed";
  }
  return "completed";
}

TableInfo MakeInfo(const Storage& storage, const TableConfig& config) {
  TableInfo info;
  info.name = config.name;
  info.location = storage.display_root();
  info.version = config.version;
  info.type = config.type == TableType::kMergeOnRead ? "MERGE_ON_READ" : "COPY_ON_WRITE";
  info.record_key_fields = config.record_key_fields;
  info.partition_fields = config.partition_fields;
  info.ordering_fields = config.merge.ordering_fields;
  info.merge_mode = MergeModeName(config.merge.mode);
  info.has_meta_fields = config.has_meta_fields;
  info.properties.insert(config.properties.begin(), config.properties.end());
  return info;
}

TimelineEntry MakeEntry(const Instant& instant) {
  return {instant.requested, instant.completed, std::string(ActionName(instant.action)),
          std::string(StateName(instant.state)), instant.archived};
}

FileSliceEntry MakeEntry(const FileSlice& slice) {
  FileSliceEntry entry;
  entry.partition = slice.partition;
  entry.file_id = slice.file_id;
  entry.base_instant = slice.base_instant;
  if (slice.base) {
    entry.base_file = slice.base->path;
    entry.base_bytes = std::max<int64_t>(slice.base->size, 0);
  }
  for (const LogFile& log : slice.logs) {
    entry.log_files.push_back(log.path);
    entry.log_bytes += std::max<int64_t>(log.size, 0);
  }
  return entry;
}

}  // namespace

std::shared_ptr<const Table::Impl> Table::State::Current() const {
  const std::lock_guard lock(mutex_);
  return impl_;
}

void Table::State::Replace(std::shared_ptr<const Impl> impl) {
  const std::lock_guard lock(mutex_);
  impl_.swap(impl);  // what it was dies outside of the lock, if nobody holds it
}

Result<Table> Table::Open(std::string_view uri, const OpenOptions& options) {
  // Registers the compute functions that predicates use; a second call does nothing.
  ARROW_RETURN_NOT_OK(arrow::compute::Initialize());
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<const Storage> storage,
                        Storage::Open(uri, options.storage_options));
  Table table(std::make_shared<State>(std::move(storage)));
  ARROW_RETURN_NOT_OK(table.Refresh());
  return table;
}

Table::Table(std::shared_ptr<State> state) : state_(std::move(state)) {}

TableInfo Table::info() const { return state_->Current()->info; }

Status Table::Refresh() {
  const std::lock_guard lock(state_->refreshing);
  const std::shared_ptr<const Storage>& storage = state_->storage;
  auto impl = std::make_shared<Impl>();
  ARROW_ASSIGN_OR_RAISE(impl->config, TableConfig::Load(*storage));
  ARROW_ASSIGN_OR_RAISE(impl->timeline, Timeline::Load(storage, impl->config.timeline));
  impl->info = MakeInfo(*storage, impl->config);
  state_->Replace(std::move(impl));
  return Status::OK();
}

Result<Snapshot> Table::Pin(std::optional<std::string_view> as_of) const {
  const std::shared_ptr<const Impl> table = state_->Current();
  if (table->config.is_metadata_table) {
    return MakeError(ErrorCode::kUnsupported,
                     fmt::format("{} is the metadata table of another table and has no rows for "
                                 "users",
                                 table->info.location),
                     "open the table that it belongs to, two folders up");
  }
  auto impl = std::make_shared<Snapshot::Impl>();
  ARROW_ASSIGN_OR_RAISE(impl->pinned,
                        PinSnapshot(state_->storage, table->config, table->timeline, as_of));
  return Snapshot(std::move(impl));
}

Result<ScanPlan> Table::PlanLatest(const ScanOptions& options) {
  constexpr int kRetries = 2;
  for (int retry = 0;; ++retry) {
    ARROW_ASSIGN_OR_RAISE(const Snapshot snapshot, Pin());
    Result<ScanPlan> plan = snapshot.Plan(options);
    if (plan.ok() || GetErrorCode(plan.status()) != ErrorCode::kNotFound || retry == kRetries) {
      return plan;
    }
    ARROW_RETURN_NOT_OK(Refresh());
  }
}

Result<std::vector<TimelineEntry>> Table::Timeline(bool archived) const {
  const std::shared_ptr<const Impl> table = state_->Current();
  std::vector<Instant> instants;
  if (archived) {
    ARROW_ASSIGN_OR_RAISE(instants, table->timeline.LoadHistory());
  }
  std::ranges::copy(table->timeline.instants(), std::back_inserter(instants));
  std::ranges::stable_sort(instants, {}, &Instant::requested);
  std::vector<TimelineEntry> entries;
  for (const Instant& instant : instants) entries.push_back(MakeEntry(instant));
  return entries;
}

Snapshot::Snapshot(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

const std::string& Snapshot::instant() const { return impl_->pinned->instant; }

std::shared_ptr<arrow::Schema> Snapshot::schema(bool with_meta) const {
  const TableSchema& schema = impl_->pinned->context->schema;
  return with_meta ? schema.full : schema.data;
}

Result<std::vector<FileSliceEntry>> Snapshot::Files() const {
  ARROW_ASSIGN_OR_RAISE(const PlannedScan plan, PlanScan(impl_->pinned, ScanOptions{}));
  std::vector<FileSliceEntry> entries;
  for (const FileSlice& slice : plan.slices) entries.push_back(MakeEntry(slice));
  return entries;
}

Result<ScanPlan> Snapshot::Plan(const ScanOptions& options) const {
  auto impl = std::make_shared<ScanPlan::Impl>(impl_->pinned->context->storage);
  ARROW_ASSIGN_OR_RAISE(PlannedScan plan, PlanScan(impl_->pinned, options));
  for (const FileSlice& slice : plan.slices) impl->splits.push_back({MakeEntry(slice)});
  impl->plan = std::make_shared<PlannedScan>(std::move(plan));
  impl->options = options;
  return ScanPlan(std::move(impl));
}

Result<std::shared_ptr<arrow::RecordBatchReader>> Snapshot::Read(const ScanOptions& options) const {
  ARROW_ASSIGN_OR_RAISE(const ScanPlan plan, Plan(options));
  return plan.ReadAll();
}

const std::shared_ptr<const PinnedSnapshot>& PinnedOf(const Snapshot& snapshot) {
  return snapshot.impl_->pinned;
}

}  // namespace firth
