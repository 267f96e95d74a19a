// SPDX-License-Identifier: Apache-2.0
// One file group of the metadata table: a base HFile, and the records of its log files over it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "firth/format/hfile/hfile_reader.h"
#include "firth/format/log/log_reader.h"
#include "firth/metadata/metadata_record.h"
#include "firth/metadata/metadata_view.h"
#include "firth/table/file_slice.h"

namespace firth {

/// Decoders by schema: all files of a table share a few. Safe from several threads.
class MetadataDecoders {
 public:
  Result<std::shared_ptr<const MetadataDecoder>> Get(std::string_view schema);

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const MetadataDecoder>, std::less<>> decoders_;
};

/// What all groups of a partition have in common. The references outlive the groups.
struct MetadataPartitionContext {
  const Storage& storage;
  const MetadataView& view;
  MetadataDecoders& decoders;
  std::shared_ptr<HFileBlockCache> cache;
  MetadataIndex index = MetadataIndex::kFiles;
  bool hashes_value_only = false;  // see HashedPartOfKey
  int threads = 1;                 // that read the files of one group
};

using MetadataVisitor = std::function<Status(MetadataRecord)>;

/// Log files are read at the first call and kept. Safe from several threads.
class MetadataFileGroup {
 public:
  /// @param number which of the partition's `groups` this is
  MetadataFileGroup(MetadataPartitionContext context, FileSlice slice, int32_t number,
                    int32_t groups);
  ~MetadataFileGroup();

  /// Live records of some keys, ascending. `keys` ascend and differ.
  Status Lookup(std::span<const std::string_view> keys, const MetadataVisitor& visit,
                HFileCost* cost);
  /// Live records whose key begins with a prefix, ascending. `prefixes` ascend, and none begins
  /// with another.
  Status LookupPrefixes(std::span<const std::string_view> prefixes, const MetadataVisitor& visit,
                        HFileCost* cost);
  /// Number of live records; nullopt when log files have more than `max_changes` keys.
  Result<std::optional<int64_t>> Count(size_t max_changes, HFileCost* cost);
  /// All live records, ascending.
  Status Scan(const MetadataVisitor& visit, HFileCost* cost);

 private:
  struct Loaded;
  struct OpenLog;
  class Join;

  Result<const Loaded*> Load(HFileCost* cost);
  Status LoadBase(Loaded* loaded, HFileCost* cost) const;
  Status ReadLog(const LogFile& log, OpenLog* open) const;
  Status AddLogs(std::vector<OpenLog> logs, Loaded* loaded) const;
  Status LoadBlock(const LogReader& reader, const LogBlock& block, Loaded* loaded) const;
  Status CheckHash(std::string_view key) const;

  const MetadataPartitionContext context_;
  const FileSlice slice_;
  const int32_t number_;
  const int32_t groups_;
  std::mutex mutex_;
  std::unique_ptr<const Loaded> loaded_;
};

}  // namespace firth
