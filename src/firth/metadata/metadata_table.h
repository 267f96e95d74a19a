// SPDX-License-Identifier: Apache-2.0
// The metadata table of a table: what it says, as of one snapshot, and whether it may be believed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "firth/common/status.h"
#include "firth/io/storage.h"
#include "firth/metadata/metadata_record.h"
#include "firth/table/table_config.h"
#include "firth/timeline/timeline.h"

namespace firth {

class HFileBlockCache;
struct HFileCost;

/// For LookupPrefixes.
inline constexpr size_t kAnyNumberOfRecords = std::numeric_limits<size_t>::max();

/// Partitions of the metadata table that a writer is building: nobody may use them yet.
std::vector<std::string> PartitionsBeingBuilt(const TableConfig& config);

struct MetadataTableOptions {
  /// Requested time of the data table's instant to look at; empty: the latest of the timeline.
  std::string as_of;
  /// On local disks, unless keys are few; a store far away is asked by kRequestThreads.
  int threads = 1;
  /// Partitions that will be asked for, if the table has them: it saves a round of requests.
  std::vector<std::string> partitions{};
  /// Blocks of base files stay here between calls; nullptr: a cache of the table's own.
  std::shared_ptr<HFileBlockCache> cache{};
};

/// What calls touched.
struct MetadataCost {
  int64_t file_groups = 0;
  int64_t blocks = 0;      // of base files, those that a cache held included
  int64_t cache_hits = 0;  // blocks that were not read
  int64_t bytes = 0;       // read from storage, log files included
  int64_t requests = 0;

  /// One more file group, and what it took.
  void Add(const HFileCost& group);
};

/// Pinned to one snapshot of the data table: writes of the metadata table count when the data
/// table's timeline has them. Immutable but for what it has cached; safe from several threads.
///
/// Nothing here lists the data table. A partition that could hide rows or show dead ones is not
/// believed; whoever asks uses another way then, and says why.
class MetadataTable {
 public:
  /// Never fails because of what the metadata table holds: one that is absent or damaged is not
  /// believed. Cost: the active timeline's listing and commits, in three rounds of requests, and
  /// one listing each of the partitions named. Errors: kIo.
  static Result<std::shared_ptr<const MetadataTable>> Open(std::shared_ptr<const Storage> storage,
                                                           const TableConfig& config,
                                                           const Timeline& timeline,
                                                           MetadataTableOptions options = {});
  virtual ~MetadataTable() = default;

  /// Why the partition ("files", "record_index", ...) must not be believed, a clause in plain
  /// English; empty when it may be. The first call lists the partition's folder. Errors: kIo.
  virtual Result<std::string> Distrust(std::string_view partition) const = 0;

  /// Records of the given keys, live ones only, by key (unsigned bytes). An absent key has none; in
  /// a record index that is partitioned, a key may have one for each partition of the data table.
  ///
  /// @param keys any order, duplicates allowed
  /// @param cost added to; may be nullptr
  /// Errors: kUnsupported when the partition isn't believed, with the reason; kCorrupt when its
  /// bytes turn out to be damaged, after which it mustn't be believed either; kIo.
  /// Cost: the log files of the file groups that keys hash to, once; at most one data block a key.
  virtual Result<std::vector<MetadataRecord>> Lookup(std::string_view partition,
                                                     std::span<const std::string> keys,
                                                     MetadataCost* cost) const = 0;

  /// The same where only keys of one data partition are of interest: of a partitioned record index
  /// only that partition's file groups are asked. Records of others may be among those returned.
  virtual Result<std::vector<MetadataRecord>> LookupIn(std::string_view data_partition,
                                                       std::string_view partition,
                                                       std::span<const std::string> keys,
                                                       MetadataCost* cost) const = 0;

  /// Live records whose key begins with one of `prefixes`, by key, each once. Errors as Lookup;
  /// kUnsupported, too, when there are more than `max_records`.
  virtual Result<std::vector<MetadataRecord>> LookupPrefixes(std::string_view partition,
                                                             std::span<const std::string> prefixes,
                                                             size_t max_records,
                                                             MetadataCost* cost) const = 0;

  /// All live records of the partition, file group by file group, by key within each. Memory: the
  /// log files of one group and a block. Stops at the first error of `visit`. Errors as Lookup.
  virtual Status Scan(std::string_view partition,
                      const std::function<Status(MetadataRecord)>& visit,
                      MetadataCost* cost) const = 0;

  /// Number of live records; nullopt where a file group has more than `max_changes` keys in its log
  /// files: each is looked up in the base file. Errors as Lookup.
  /// Cost: the tails of all base files, all log files, a data block for each key in these.
  virtual Result<std::optional<int64_t>> CountRecords(std::string_view partition,
                                                      size_t max_changes,
                                                      MetadataCost* cost) const = 0;

  /// Number of file groups of a partition that is believed. Errors as Lookup.
  virtual Result<int32_t> FileGroups(std::string_view partition) const = 0;

  /// Bytes of the files of a partition that is believed, as listed. Errors as Lookup.
  virtual Result<int64_t> Bytes(std::string_view partition) const = 0;
};

}  // namespace firth
