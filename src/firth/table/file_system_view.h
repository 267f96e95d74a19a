// SPDX-License-Identifier: Apache-2.0
// From a listing and a timeline to file slices: which files hold the rows of one snapshot.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "firth/io/storage.h"
#include "firth/table/file_slice.h"
#include "firth/table/table_config.h"
#include "firth/timeline/timeline.h"

namespace firth {

/// Parsing of data file names; nullopt for anything else. `path` is relative to the table.
std::optional<BaseFile> ParseBaseFileName(std::string_view path, int64_t size);
std::optional<LogFile> ParseLogFileName(std::string_view path, int64_t size);

/// What the timeline says about files, gathered once per snapshot.
struct ViewContext {
  /// (partition, file id) -> requested time of the replacecommit that hid it; largest wins.
  std::map<std::pair<std::string, std::string>, std::string> replaced;
  /// (partition, file id) -> requested time of a pending compaction.
  std::map<std::pair<std::string, std::string>, std::string> pending_compactions;
};
Result<ViewContext> LoadViewContext(const Timeline& timeline);

/// All partition paths, by listing: folders that hold a .hoodie_partition_metadata* file ("" for a
/// table that is not partitioned), sorted.
Result<std::vector<std::string>> ListPartitions(const Storage& storage);

/// Slices of one partition as a snapshot at `as_of` reads them (requested time, inclusive; empty
/// means latest): the newest slice of each file group that is not replaced, with a pending
/// compaction folded into the slice before it. `files` are all files of the partition.
/// Errors: kUnsupported when a base file is not Parquet, naming it.
Result<std::vector<FileSlice>> SnapshotSlices(const TableConfig& config, const Timeline& timeline,
                                              const ViewContext& context,
                                              std::string_view partition,
                                              const std::vector<FileInfo>& files,
                                              std::string_view as_of);

/// The same for a read-optimized query: newest committed base file of each group, no logs.
Result<std::vector<FileSlice>> ReadOptimizedSlices(
    const TableConfig& config, const Timeline& timeline, const ViewContext& context,
    std::string_view partition, const std::vector<FileInfo>& files, std::string_view as_of);

}  // namespace firth
