// SPDX-License-Identifier: Apache-2.0
// File slices that bloom filters of the metadata table rule out.
#pragma once

#include <arrow/compute/expression.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "firth/scan.h"
#include "firth/scan/pinned_snapshot.h"

namespace firth {

/// Takes the slices out of `slices` that have none of the record keys that `filter` asks for, and
/// says in `report` what it used. Slices with logs stay: filters are of base files.
///
/// @param filter bound to the full schema of the snapshot
/// Errors: kIo. Whatever else is wrong with the metadata table leaves the slices, and a note.
/// Cost: a filter per slice without logs, some at a time; none unless the filter asks for at most a
/// thousand keys.
Status SkipByBloomFilters(const PinnedSnapshot& snapshot, const arrow::compute::Expression& filter,
                          int threads, std::vector<FileSlice>* slices, ScanReport* report);

/// Whether bloom filters can say something of a slice: they are of base files.
bool HasBloomFilter(const FileSlice& slice);

/// Key of the filter of such a slice in a partition of the metadata table.
std::string BloomFilterKeyOf(const FileSlice& slice);

/// Of the filters of `slices` in a partition, the keys of those that have none of `values`; none,
/// and the `reason`, when the partition is not to be believed. Errors: kIo.
Result<std::set<std::string>> FiltersWithout(const MetadataTable& table, std::string_view partition,
                                             const std::set<std::string>& values,
                                             const std::vector<FileSlice>& slices,
                                             std::string* reason);

}  // namespace firth
