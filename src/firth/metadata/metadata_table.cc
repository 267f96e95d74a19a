// SPDX-License-Identifier: Apache-2.0
#include "firth/metadata/metadata_table.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "firth/common/parallel.h"
#include "firth/metadata/index_definitions.h"
#include "firth/metadata/metadata_file_group.h"
#include "firth/metadata/metadata_view.h"
#include "firth/table/merge_spec.h"

namespace firth {
namespace {

constexpr std::string_view kFolder = ".hoodie/metadata";
constexpr std::string_view kInflightProperty = "hoodie.table.metadata.partitions.inflight";
constexpr int64_t kOwnCacheBytes = int64_t{64} << 20;
constexpr size_t kKeysPerThread = 32;  // to start a thread takes as long as to look up some keys

using Records = std::vector<MetadataRecord>;

// Storage that fails is worth another try; whatever else goes wrong lies in the metadata table.
bool IsStorageFailure(const Status& status) {
  const ErrorCode code = GetErrorCode(status);
  return code == ErrorCode::kIo || code == ErrorCode::kCancelled;
}

// Ascending, each once.
std::vector<std::string_view> SortedKeys(std::span<const std::string> keys) {
  std::vector<std::string_view> sorted(keys.begin(), keys.end());
  std::ranges::sort(sorted);
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  return sorted;
}

// Ascending; those that begin with another are left out.
std::vector<std::string_view> SortedPrefixes(std::span<const std::string> prefixes) {
  std::vector<std::string_view> sorted;
  for (const std::string_view prefix : SortedKeys(prefixes)) {
    if (sorted.empty() || !prefix.starts_with(sorted.back())) sorted.push_back(prefix);
  }
  return sorted;
}

int64_t BytesOf(const FileSlice& slice) {
  int64_t bytes = slice.base ? std::max<int64_t>(slice.base->size, 0) : 0;
  for (const LogFile& log : slice.logs) bytes += std::max<int64_t>(log.size, 0);
  return bytes;
}

// File groups among which keys are spread by hash: all of a partition, but for a partitioned record
// index, which has some for each partition of the data table.
struct GroupSet {
  std::string prefix;                                      // of its file ids
  std::vector<std::unique_ptr<MetadataFileGroup>> groups;  // by number
};

struct Partition {
  std::string distrust;
  bool hashes_value_only = false;
  int64_t bytes = 0;
  std::vector<GroupSet> sets;
};

// The set of that prefix; all when there is none, as in an index that isn't partitioned.
std::span<const GroupSet> SetsOf(const Partition& partition, std::string_view prefix) {
  const auto found = std::ranges::find(partition.sets, prefix, &GroupSet::prefix);
  if (found == partition.sets.end()) return partition.sets;
  return {&*found, 1};
}

// A data partition as file ids of a partitioned record index have it.
std::string PartitionInFileId(std::string_view path) {
  std::string escaped;
  for (const char c : path) {
    if (c == '/') {
      escaped += "%2F";
    } else if (c == '-') {
      escaped += "%2D";
    } else if (c == '_') {
      escaped += "%5F";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

// A group and what it is asked for.
struct Request {
  MetadataFileGroup* group = nullptr;
  std::vector<std::string_view> keys;
};

class OpenMetadataTable : public MetadataTable {
 public:
  OpenMetadataTable(std::shared_ptr<const Storage> storage, const TableConfig& config,
                    MetadataTableOptions options)
      : data_storage_(std::move(storage)),
        storage_(data_storage_->Sub(kFolder)),
        config_(config),
        options_(std::move(options)) {
    if (options_.cache == nullptr) {
      options_.cache = std::make_shared<HFileBlockCache>(kOwnCacheBytes);
    }
    if (!storage_->is_local()) options_.threads = kRequestThreads;
  }

  Status Load(const Timeline& timeline);

  Result<std::string> Distrust(std::string_view partition) const override {
    ARROW_ASSIGN_OR_RAISE(const Partition* loaded, GetPartition(partition));
    return loaded->distrust;
  }
  Result<Records> Lookup(std::string_view partition, std::span<const std::string> keys,
                         MetadataCost* cost) const override {
    ARROW_ASSIGN_OR_RAISE(const Partition* found, GetTrusted(partition));
    return LookupInSets(*found, found->sets, keys, cost);
  }
  Result<Records> LookupIn(std::string_view data_partition, std::string_view partition,
                           std::span<const std::string> keys, MetadataCost* cost) const override {
    ARROW_ASSIGN_OR_RAISE(const Partition* found, GetTrusted(partition));
    const std::string prefix = FileIdPrefix(partition) + PartitionInFileId(data_partition) + "-";
    return LookupInSets(*found, SetsOf(*found, prefix), keys, cost);
  }
  Result<Records> LookupPrefixes(std::string_view partition, std::span<const std::string> prefixes,
                                 size_t max_records, MetadataCost* cost) const override;
  Status Scan(std::string_view partition, const std::function<Status(MetadataRecord)>& visit,
              MetadataCost* cost) const override;
  Result<std::optional<int64_t>> CountRecords(std::string_view partition, size_t max_changes,
                                              MetadataCost* cost) const override;
  Result<int32_t> FileGroups(std::string_view partition) const override;
  Result<int64_t> Bytes(std::string_view partition) const override;

 private:
  std::string DistrustOfName(std::string_view partition) const;
  std::vector<std::string> KnownPartitions() const;
  Result<const Partition*> GetPartition(std::string_view name) const;
  Result<const Partition*> GetTrusted(std::string_view name) const;
  Result<std::unique_ptr<Partition>> LoadPartition(std::string_view name) const;
  void AddGroups(std::vector<FileSlice> slices, MetadataIndex index, Partition* partition) const;
  Result<bool> HashesValueOnly(std::string_view name, MetadataIndex index) const;
  Result<Records> LookupInSets(const Partition& partition, std::span<const GroupSet> sets,
                               std::span<const std::string> keys, MetadataCost* cost) const;
  template <typename Ask>
  Result<Records> RunRequests(std::vector<Request> requests, size_t max_records, MetadataCost* cost,
                              const Ask& ask) const;

  const std::shared_ptr<const Storage> data_storage_;
  const std::shared_ptr<const Storage> storage_;
  const TableConfig config_;
  MetadataTableOptions options_;
  std::string distrust_;
  std::unique_ptr<const MetadataView> view_;
  mutable MetadataDecoders decoders_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::unique_ptr<const Partition>, std::less<>> partitions_;
};

// Of the partitions that will be asked for, those that the properties have.
std::vector<std::string> OpenMetadataTable::KnownPartitions() const {
  std::vector<std::string> known;
  for (const std::string& partition : options_.partitions) {
    if (DistrustOfName(partition).empty()) known.push_back(partition);
  }
  return known;
}

Status OpenMetadataTable::Load(const Timeline& timeline) {
  if (config_.metadata_partitions.empty()) {
    distrust_ = "the table has none";
    return Status::OK();
  }
  Result<std::unique_ptr<const MetadataView>> view =
      MetadataView::Load(storage_, timeline, options_.as_of, KnownPartitions());
  if (view.ok()) {
    view_ = *std::move(view);
    distrust_ = view_->distrust();
  } else if (IsStorageFailure(view.status())) {
    return view.status();
  } else {
    distrust_ = view.status().message();
  }
  return Status::OK();
}

std::string OpenMetadataTable::DistrustOfName(std::string_view partition) const {
  if (!distrust_.empty()) return distrust_;
  const std::vector<std::string> building = PartitionsBeingBuilt(config_);
  if (std::ranges::find(building, partition) != building.end()) return "it is still being built";
  if (std::ranges::find(config_.metadata_partitions, partition) ==
      config_.metadata_partitions.end()) {
    return "the table has none";
  }
  if (!ParseMetadataPartition(partition)) return "firth does not know such partitions";
  return std::string();
}

Result<const Partition*> OpenMetadataTable::GetPartition(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  auto found = partitions_.find(name);
  if (found == partitions_.end()) {
    ARROW_ASSIGN_OR_RAISE(std::unique_ptr<const Partition> loaded, LoadPartition(name));
    found = partitions_.emplace(std::string(name), std::move(loaded)).first;
  }
  return found->second.get();
}

Result<const Partition*> OpenMetadataTable::GetTrusted(std::string_view name) const {
  ARROW_ASSIGN_OR_RAISE(const Partition* partition, GetPartition(name));
  if (partition->distrust.empty()) return partition;
  return UnsupportedError("metadata table, partition {}: {}", name, partition->distrust);
}

Result<bool> OpenMetadataTable::HashesValueOnly(std::string_view name, MetadataIndex index) const {
  if (index != MetadataIndex::kSecondaryIndex) return false;
  ARROW_ASSIGN_OR_RAISE(const IndexDefinitions definitions,
                        LoadIndexDefinitions(*data_storage_, config_));
  const auto definition = definitions.find(name);
  if (definition == definitions.end()) {
    return CorruptError("the index definitions do not have it");
  }
  return definition->second.version >= 2;
}

Result<std::unique_ptr<Partition>> OpenMetadataTable::LoadPartition(std::string_view name) const {
  auto partition = std::make_unique<Partition>();
  partition->distrust = DistrustOfName(name);
  if (!partition->distrust.empty()) return partition;
  const MetadataIndex index = *ParseMetadataPartition(name);
  const auto settle = [&](const Status& status) -> Status {
    if (IsStorageFailure(status)) return status;
    partition->distrust = status.message();
    return Status::OK();
  };
  const Result<bool> hashes_value_only = HashesValueOnly(name, index);
  Result<MetadataSlices> slices = view_->Slices(name, index);
  for (const Status& status : {hashes_value_only.status(), slices.status()}) {
    if (status.ok()) continue;
    ARROW_RETURN_NOT_OK(settle(status));
    return partition;
  }
  partition->distrust = std::move(slices->distrust);
  if (!partition->distrust.empty()) return partition;
  partition->hashes_value_only = *hashes_value_only;
  AddGroups(std::move(slices->slices), index, partition.get());
  return partition;
}

void OpenMetadataTable::AddGroups(std::vector<FileSlice> slices, MetadataIndex index,
                                  Partition* partition) const {
  std::map<std::string, std::vector<FileSlice>, std::less<>> by_prefix;
  const int groups_of_all = std::max(1, static_cast<int>(slices.size()));
  for (FileSlice& slice : slices) {
    partition->bytes += BytesOf(slice);
    by_prefix[std::string(ParseMetadataFileId(slice.file_id)->prefix)].push_back(std::move(slice));
  }
  for (auto& [prefix, members] : by_prefix) {
    GroupSet& set = partition->sets.emplace_back();
    set.prefix = prefix;
    const auto groups = static_cast<int32_t>(members.size());
    for (FileSlice& slice : members) {
      const auto number = static_cast<int32_t>(set.groups.size());
      set.groups.push_back(std::make_unique<MetadataFileGroup>(
          MetadataPartitionContext{.storage = *storage_,
                                   .view = *view_,
                                   .decoders = decoders_,
                                   .cache = options_.cache,
                                   .index = index,
                                   .hashes_value_only = partition->hashes_value_only,
                                   .threads = std::max(1, options_.threads / groups_of_all)},
          std::move(slice), number, groups));
    }
  }
}

// Asks all groups, over the threads, and puts their answers in order.
template <typename Ask>
Result<Records> OpenMetadataTable::RunRequests(std::vector<Request> requests, size_t max_records,
                                               MetadataCost* cost, const Ask& ask) const {
  std::vector<Records> answers(requests.size());
  std::atomic<size_t> found = 0;
  std::vector<HFileCost> costs(requests.size());
  int threads = options_.threads;
  if (data_storage_->is_local()) {
    size_t keys = 0;
    for (const Request& request : requests) keys += request.keys.size();
    threads = std::min(threads, 1 + static_cast<int>(keys / kKeysPerThread));
  }
  ARROW_RETURN_NOT_OK(RunParallel(requests.size(), threads, [&](size_t i) -> Status {
    return ask(
        requests[i],
        [&](MetadataRecord record) -> Status {
          if (++found > max_records) {
            return UnsupportedError("more than {} records are asked for", max_records);
          }
          answers[i].push_back(std::move(record));
          return Status::OK();
        },
        &costs[i]);
  }));
  Records all;
  for (size_t i = 0; i < requests.size(); ++i) {
    std::ranges::move(answers[i], std::back_inserter(all));
    if (cost != nullptr) cost->Add(costs[i]);
  }
  if (requests.size() > 1) std::ranges::stable_sort(all, {}, &MetadataRecord::key);
  return all;
}

// Of one request a group, those that ask for something.
void AddAsked(const GroupSet& set, std::vector<Request> of_set, std::vector<Request>* requests) {
  for (size_t i = 0; i < of_set.size(); ++i) {
    if (of_set[i].keys.empty()) continue;
    of_set[i].group = set.groups[i].get();
    requests->push_back(std::move(of_set[i]));
  }
}

Result<Records> OpenMetadataTable::LookupInSets(const Partition& partition,
                                                std::span<const GroupSet> sets,
                                                std::span<const std::string> keys,
                                                MetadataCost* cost) const {
  const std::vector<std::string_view> sorted = SortedKeys(keys);
  std::vector<Request> requests;
  for (const GroupSet& set : sets) {
    std::vector<Request> of_set(set.groups.size());
    for (const std::string_view key : sorted) {
      const int32_t number = FileGroupOf(HashedPartOfKey(key, partition.hashes_value_only),
                                         static_cast<int32_t>(set.groups.size()));
      of_set[static_cast<size_t>(number)].keys.push_back(key);
    }
    AddAsked(set, std::move(of_set), &requests);
  }
  return RunRequests(std::move(requests), kAnyNumberOfRecords, cost,
                     [](const Request& request, const MetadataVisitor& visit, HFileCost* spent) {
                       return request.group->Lookup(request.keys, visit, spent);
                     });
}

Result<Records> OpenMetadataTable::LookupPrefixes(std::string_view name,
                                                  std::span<const std::string> prefixes,
                                                  size_t max_records, MetadataCost* cost) const {
  ARROW_ASSIGN_OR_RAISE(const Partition* partition, GetTrusted(name));
  const std::vector<std::string_view> sorted = SortedPrefixes(prefixes);
  std::vector<Request> requests;
  for (const GroupSet& set : partition->sets) {
    std::vector<Request> of_set(set.groups.size());
    for (const std::string_view prefix : sorted) {
      // A whole secondary value names its group; any other prefix may be anywhere.
      const bool one_group = partition->hashes_value_only && ParseSecondaryKey(prefix).ok();
      const int32_t number = one_group ? FileGroupOf(HashedPartOfKey(prefix, true),
                                                     static_cast<int32_t>(of_set.size()))
                                       : -1;
      for (size_t i = 0; i < of_set.size(); ++i) {
        if (!one_group || static_cast<int32_t>(i) == number) of_set[i].keys.push_back(prefix);
      }
    }
    AddAsked(set, std::move(of_set), &requests);
  }
  return RunRequests(std::move(requests), max_records, cost,
                     [](const Request& request, const MetadataVisitor& visit, HFileCost* spent) {
                       return request.group->LookupPrefixes(request.keys, visit, spent);
                     });
}

Status OpenMetadataTable::Scan(std::string_view name,
                               const std::function<Status(MetadataRecord)>& visit,
                               MetadataCost* cost) const {
  ARROW_ASSIGN_OR_RAISE(const Partition* partition, GetTrusted(name));
  for (const GroupSet& set : partition->sets) {
    for (const std::unique_ptr<MetadataFileGroup>& group : set.groups) {
      HFileCost spent;
      ARROW_RETURN_NOT_OK(group->Scan(visit, &spent));
      if (cost != nullptr) cost->Add(spent);
    }
  }
  return Status::OK();
}

Result<std::optional<int64_t>> OpenMetadataTable::CountRecords(std::string_view name,
                                                               size_t max_changes,
                                                               MetadataCost* cost) const {
  ARROW_ASSIGN_OR_RAISE(const Partition* partition, GetTrusted(name));
  std::vector<MetadataFileGroup*> groups;
  for (const GroupSet& set : partition->sets) {
    for (const std::unique_ptr<MetadataFileGroup>& group : set.groups) {
      groups.push_back(group.get());
    }
  }
  std::vector<std::optional<int64_t>> counts(groups.size());
  std::vector<HFileCost> costs(groups.size());
  ARROW_RETURN_NOT_OK(RunParallel(groups.size(), options_.threads, [&](size_t i) -> Status {
    return groups[i]->Count(max_changes, &costs[i]).Value(&counts[i]);
  }));
  std::optional<int64_t> total = 0;
  for (size_t i = 0; i < groups.size(); ++i) {
    if (cost != nullptr) cost->Add(costs[i]);
    total = total && counts[i] ? std::optional(*total + *counts[i]) : std::nullopt;
  }
  return total;
}

Result<int32_t> OpenMetadataTable::FileGroups(std::string_view name) const {
  ARROW_ASSIGN_OR_RAISE(const Partition* partition, GetTrusted(name));
  size_t groups = 0;
  for (const GroupSet& set : partition->sets) groups += set.groups.size();
  return static_cast<int32_t>(groups);
}

Result<int64_t> OpenMetadataTable::Bytes(std::string_view name) const {
  ARROW_ASSIGN_OR_RAISE(const Partition* partition, GetTrusted(name));
  return partition->bytes;
}

}  // namespace

std::vector<std::string> PartitionsBeingBuilt(const TableConfig& config) {
  return SplitList(config.Get(kInflightProperty));
}

void MetadataCost::Add(const HFileCost& group) {
  ++file_groups;
  blocks += group.blocks + group.cache_hits;
  cache_hits += group.cache_hits;
  bytes += group.bytes;
  requests += group.requests;
}

Result<std::shared_ptr<const MetadataTable>> MetadataTable::Open(
    std::shared_ptr<const Storage> storage, const TableConfig& config, const Timeline& timeline,
    MetadataTableOptions options) {
  auto table = std::make_shared<OpenMetadataTable>(std::move(storage), config, std::move(options));
  ARROW_RETURN_NOT_OK(table->Load(timeline));
  return table;
}

}  // namespace firth
