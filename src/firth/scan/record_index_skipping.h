// SPDX-License-Identifier: Apache-2.0
// File slices that the record index of the metadata table rules out.
#pragma once

#include <arrow/compute/expression.h>

#include <vector>

#include "firth/scan.h"
#include "firth/scan/pinned_snapshot.h"

namespace firth {

/// Takes the slices out of `slices` that have none of the record keys that `filter` asks for, and
/// says in `report` what it used. Returns whether the index was used.
///
/// The index has one place of a key, so that it is used only where no key is twice in the table:
/// IndexCounts shows it, or ScanOptions::unique_keys promises it.
///
/// @param filter bound to the full schema of the snapshot
/// @param slices all of the partitions that are read, by partition and file id
/// Errors: kIo. Whatever else is wrong with the metadata table leaves all slices, and a note.
/// Cost: IndexCounts::Doubt once a snapshot, one batched lookup of the keys; none unless the filter
/// asks for keys.
Result<bool> SkipByRecordIndex(const PinnedSnapshot& snapshot,
                               const arrow::compute::Expression& filter, const ScanOptions& options,
                               int threads, std::vector<FileSlice>* slices, ScanReport* report);

}  // namespace firth
