// SPDX-License-Identifier: Apache-2.0
// From a listing and a timeline to file slices: which files hold the rows of one snapshot.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "firth/io/storage.h"
#include "firth/table/file_slice.h"
#include "firth/table/table_config.h"
#include "firth/timeline/timeline.h"

namespace firth {

/// Parsing of data file names; nullopt for anything else. `path` is relative to the table. Base
/// files of every format that Hudi has are recognised: .parquet, .hfile, .orc, .lance.
std::optional<BaseFile> ParseBaseFileName(std::string_view path, int64_t size);
std::optional<LogFile> ParseLogFileName(std::string_view path, int64_t size);

/// Orders (partition, file id); either part may be a view.
struct FileGroupLess {
  using is_transparent = void;
  using Key = std::pair<std::string_view, std::string_view>;
  bool operator()(const Key& a, const Key& b) const { return a < b; }
};

/// File groups, (partition, file id), to the requested time of what happened to them.
using FileGroupInstants = std::map<std::pair<std::string, std::string>, std::string, FileGroupLess>;

/// What the timeline says about files, gathered once per snapshot.
struct ViewContext {
  /// The completed replacecommit that hides the group; the first one, should there be several.
  FileGroupInstants replaced;
  /// The pending compaction that the group takes part in.
  FileGroupInstants pending_compactions;
};
/// Reads the metadata of completed replace commits and the plans of pending compactions.
Result<ViewContext> LoadViewContext(const Timeline& timeline);

/// Slices of one partition as a snapshot at `as_of` reads them (requested time, inclusive; empty
/// means latest): the newest slice of each file group that is not replaced, with a pending
/// compaction folded into the slice before it. `files` are all files of the partition. Files of
/// writes that are not committed, or later than `as_of`, are left out; in version 6, where a log
/// file holds blocks of several writes, that is up to the reader of the blocks. By file id.
/// Errors: kUnsupported when a base file is of another format than the table's, naming it.
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
