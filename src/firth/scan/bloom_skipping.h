// SPDX-License-Identifier: Apache-2.0
// File slices that bloom filters of the metadata table rule out.
#pragma once

#include <arrow/compute/expression.h>

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

}  // namespace firth
