// SPDX-License-Identifier: Apache-2.0
#include "firth/scan/bloom_skipping.h"

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "firth/metadata/bloom_filter.h"
#include "firth/metadata/metadata_keys.h"
#include "firth/metadata/metadata_table.h"
#include "firth/scan/asked_keys.h"

namespace firth {
namespace {

constexpr std::string_view kPartition = "bloom_filters";
constexpr size_t kMaxKeys = 1000;  // more of them are in most files anyway
constexpr size_t kAtOnce = 64;     // filters in memory: one has some hundred KiB

bool MightHold(const BloomFilterPayload& payload, const std::set<std::string>& keys) {
  const Result<BloomFilter> filter = BloomFilter::Parse(payload.type, payload.filter);
  return !filter.ok() || std::ranges::any_of(keys, [&](const std::string& key) {
    return filter->MightContain(key);
  });
}

// Adds the keys of filters that have none of `keys`.
Status FindRuledOut(const MetadataTable& table, std::string_view partition,
                    const std::set<std::string>& keys, std::span<const std::string> filters,
                    std::set<std::string>* ruled_out) {
  ARROW_ASSIGN_OR_RAISE(const std::vector<MetadataRecord> records,
                        table.Lookup(partition, filters, /*cost=*/nullptr));
  for (const MetadataRecord& record : records) {
    const auto* payload = std::get_if<BloomFilterPayload>(&record.payload);
    if (payload != nullptr && !MightHold(*payload, keys)) ruled_out->insert(record.key);
  }
  return Status::OK();
}

}  // namespace

bool HasBloomFilter(const FileSlice& slice) { return slice.base && slice.logs.empty(); }

std::string BloomFilterKeyOf(const FileSlice& slice) {
  return BloomFilterKey(slice.partition, LastSegment(slice.base->path));
}

Result<std::set<std::string>> FiltersWithout(const MetadataTable& table, std::string_view partition,
                                             const std::set<std::string>& values,
                                             const std::vector<FileSlice>& slices,
                                             std::string* reason) {
  std::vector<std::string> keys;
  for (const FileSlice& slice : slices) {
    if (HasBloomFilter(slice)) keys.push_back(BloomFilterKeyOf(slice));
  }
  std::span<const std::string> filters = keys;
  std::set<std::string> ruled_out;
  ARROW_ASSIGN_OR_RAISE(*reason, table.Distrust(partition));
  while (reason->empty() && !filters.empty()) {
    const auto some = filters.first(std::min(filters.size(), kAtOnce));
    const Status status = FindRuledOut(table, partition, values, some, &ruled_out);
    ARROW_RETURN_NOT_OK(DistrustOnError(status, reason));
    filters = filters.subspan(some.size());
  }
  return ruled_out;
}

Status SkipByBloomFilters(const PinnedSnapshot& snapshot, const arrow::compute::Expression& filter,
                          int threads, std::vector<FileSlice>* slices, ScanReport* report) {
  const ReadContext& context = *snapshot.context;
  const auto& ready = context.config.metadata_partitions;
  if (std::ranges::find(ready, kPartition) == ready.end()) return Status::OK();
  if (!context.schema.history.empty()) return Status::OK();  // a name may have meant another column
  const std::optional<std::set<std::string>> keys = AskedKeys(context.config, filter, kMaxKeys);
  if (!keys) return Status::OK();
  const auto without_logs = std::ranges::count_if(*slices, HasBloomFilter);
  if (without_logs == 0) return Status::OK();
  ARROW_ASSIGN_OR_RAISE(const auto table, snapshot.metadata->Get(snapshot, threads));
  std::string reason;
  ARROW_ASSIGN_OR_RAISE(const std::set<std::string> ruled_out,
                        FiltersWithout(*table, kPartition, *keys, *slices, &reason));
  if (!reason.empty()) {
    report->notes.push_back("bloom filters not used: " + reason);
    return Status::OK();
  }
  const size_t before = slices->size();
  std::erase_if(*slices, [&](const FileSlice& slice) {
    return HasBloomFilter(slice) && ruled_out.contains(BloomFilterKeyOf(slice));
  });
  report->slices_pruned += static_cast<int64_t>(before - slices->size());
  report->notes.push_back(
      fmt::format("bloom filters: {} of {} file slices skipped, {} of them "
                  "without logs",
                  before - slices->size(), before, without_logs));
  return Status::OK();
}

}  // namespace firth
