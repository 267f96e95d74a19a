// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <ctime>

#include "firth/api/index_access.h"
#include "firth/api/table_impl.h"
#include "firth/metadata/bloom_filter.h"
#include "firth/metadata/metadata_keys.h"

namespace firth {
namespace {

constexpr std::string_view kRecordIndex = "record_index";
constexpr std::string_view kBloomFilters = "bloom_filters";

// An instant's digits for milliseconds since the epoch; "" for what no instant can be.
std::string InstantOf(int64_t millis, bool utc) {
  constexpr int64_t kYear10000 = int64_t{253'402'300'800'000};
  if (millis < 0 || millis >= kYear10000) return std::string();
  const auto seconds = static_cast<std::time_t>(millis / 1000);
  std::tm parts{};
  if ((utc ? gmtime_r(&seconds, &parts) : localtime_r(&seconds, &parts)) == nullptr) return "";
  return fmt::format("{:04}{:02}{:02}{:02}{:02}{:02}{:03}", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, millis % 1000);
}

// The secondary index of a column; the first by name when there are several. One that is still
// being built only when no other is ready.
Result<std::string> SecondaryIndexOf(const PinnedSnapshot& snapshot, std::string_view column) {
  const TableConfig& config = snapshot.context->config;
  ARROW_ASSIGN_OR_RAISE(const IndexedColumn wanted, FindIndexedColumn(snapshot, column));
  ARROW_ASSIGN_OR_RAISE(const auto definitions, snapshot.metadata->Definitions(snapshot));
  for (const auto& names : {config.metadata_partitions, PartitionsBeingBuilt(config)}) {
    if (auto index = FindSecondaryIndex(*definitions, wanted.name, names)) return *std::move(index);
  }
  return NoSuchIndex(config, fmt::format("secondary index of column \"{}\"", wanted.name));
}

Status WrongRecord(std::string_view partition, const MetadataRecord& record) {
  return CorruptError("metadata table, partition {}: record \"{}\" is of type {}", partition,
                      record.key, record.type);
}

}  // namespace

Result<KeyLookup> LookupKeys(const Snapshot& snapshot, std::span<const std::string> keys,
                             const KeyLookupOptions& options) {
  const PinnedSnapshot& pinned = *PinnedOf(snapshot);
  ARROW_ASSIGN_OR_RAISE(const auto table, OpenIndex(pinned, kRecordIndex));
  ARROW_ASSIGN_OR_RAISE(const auto definitions, pinned.metadata->Definitions(pinned));
  if (IsPartitionedRecordIndex(*definitions) && !options.partition) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "the record index is partitioned: a key may live in several data partitions",
                     "name the partition");
  }
  MetadataCost cost;
  ARROW_ASSIGN_OR_RAISE(std::vector<MetadataRecord> records,
                        options.partition
                            ? table->LookupIn(*options.partition, kRecordIndex, keys, &cost)
                            : table->Lookup(kRecordIndex, keys, &cost));
  KeyLookup found;
  found.cost = ToLookupCost(cost);
  for (MetadataRecord& record : records) {
    auto* location = std::get_if<RecordLocation>(&record.payload);
    if (location == nullptr) return WrongRecord(kRecordIndex, record);
    if (options.partition && location->partition != *options.partition) continue;
    found.locations.push_back(
        {.key = std::move(record.key),
         .partition = std::move(location->partition),
         .file_id = std::move(location->file_id),
         .instant = InstantOf(location->instant_millis, pinned.context->config.timeline_is_utc)});
  }
  return found;
}

Result<ValueLookup> LookupValues(const Snapshot& snapshot, std::string_view column,
                                 std::span<const std::optional<std::string>> values) {
  const PinnedSnapshot& pinned = *PinnedOf(snapshot);
  ValueLookup found;
  ARROW_ASSIGN_OR_RAISE(found.index, SecondaryIndexOf(pinned, column));
  ARROW_ASSIGN_OR_RAISE(const auto table, OpenIndex(pinned, found.index));
  std::vector<std::string> prefixes;
  for (const auto& value : values) prefixes.push_back(SecondaryKeyPrefix(value));
  MetadataCost cost;
  ARROW_ASSIGN_OR_RAISE(const std::vector<MetadataRecord> records,
                        table->LookupPrefixes(found.index, prefixes, kAnyNumberOfRecords, &cost));
  found.cost = ToLookupCost(cost);
  for (const MetadataRecord& record : records) {
    ARROW_ASSIGN_OR_RAISE(SecondaryKey key, ParseSecondaryKey(record.key));
    found.matches.push_back({.value = std::move(key.value), .key = std::move(key.record_key)});
  }
  std::ranges::sort(found.matches, {},
                    [](const ValueMatch& match) { return std::tie(match.value, match.key); });
  return found;
}

Result<BloomLookup> LookupBloomFilter(const Snapshot& snapshot, std::string_view file,
                                      std::span<const std::string> keys) {
  const PinnedSnapshot& pinned = *PinnedOf(snapshot);
  ARROW_ASSIGN_OR_RAISE(const auto table, OpenIndex(pinned, kBloomFilters));
  const std::vector<std::string> wanted = {BloomFilterKey(FolderOf(file), LastSegment(file))};
  MetadataCost cost;
  ARROW_ASSIGN_OR_RAISE(const std::vector<MetadataRecord> records,
                        table->Lookup(kBloomFilters, wanted, &cost));
  if (records.empty()) return NotFoundError("index {} has no filter of {}", kBloomFilters, file);
  const auto* payload = std::get_if<BloomFilterPayload>(&records.front().payload);
  if (payload == nullptr) return WrongRecord(kBloomFilters, records.front());
  Result<BloomFilter> filter = BloomFilter::Parse(payload->type, payload->filter);
  if (!filter.ok()) return WithContext(filter.status(), fmt::format("bloom filter of {}", file));
  BloomLookup found;
  found.cost = ToLookupCost(cost);
  for (const std::string& key : keys) found.possible.push_back(filter->MightContain(key));
  return found;
}

}  // namespace firth
