// SPDX-License-Identifier: Apache-2.0
// File slices that column statistics of the metadata table rule out.
#pragma once

#include <arrow/compute/expression.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "firth/metadata/metadata_record.h"
#include "firth/scan.h"
#include "firth/scan/pinned_snapshot.h"

namespace firth {

/// Takes the slices out of `slices` in which no row can match, and says in `report` what it used.
///
/// A slice goes only when no version of a row in any of its files can match, for which version wins
/// a merge is not known here. Columns without statistics in one of the files may hold anything.
///
/// @param filter bound to the full schema of the snapshot
/// Errors: kIo. Whatever else is wrong with the metadata table leaves all slices, and a note.
/// Cost: one batched lookup in partition `column_stats`; none when the filter has no column of a
/// usable type.
Status SkipByColumnStats(const PinnedSnapshot& snapshot, const arrow::compute::Expression& filter,
                         int threads, std::vector<FileSlice>* slices, ScanReport* report);

/// Statistics of files, by their key in the metadata table.
using StatsByKey = std::map<std::string, ColumnStatsPayload, std::less<>>;

/// Whether files have the column: the values of partition columns may be in paths alone.
bool IsStored(const ReadContext& context, const std::string& column);

/// Whether all versions of a slice's rows are in files that may have statistics.
bool IsSkippable(const ReadContext& context, const FileSlice& slice);

/// Of the base file and the logs.
std::vector<std::string_view> FileNames(const FileSlice& slice);

/// Keys of the statistics of `columns` in all files of those slices that are skippable.
std::vector<std::string> StatsKeysOf(const ReadContext& context,
                                     const std::vector<FileSlice>& slices,
                                     const std::vector<std::string>& columns);

/// Statistics under `keys` in a partition of the metadata table; none, and the `reason`, when it is
/// not to be believed. Errors: kIo.
Result<StatsByKey> LoadStats(const MetadataTable& table, std::string_view partition,
                             const std::vector<std::string>& keys, std::string* reason);

}  // namespace firth
