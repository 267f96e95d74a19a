// SPDX-License-Identifier: Apache-2.0
// File slices that column statistics of the metadata table rule out.
#pragma once

#include <arrow/compute/expression.h>

#include <vector>

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

}  // namespace firth
