// SPDX-License-Identifier: Apache-2.0
// File slices that expression indexes of the metadata table rule out.
#pragma once

#include <arrow/compute/expression.h>

#include <vector>

#include "firth/scan.h"
#include "firth/scan/pinned_snapshot.h"

namespace firth {

/// Takes the slices out of `slices` in which no row can match, because of what functions of columns
/// give there: by bounds (kind column_stats), or, for slices without logs, by bloom filters of the
/// values. Says in `report` which indexes it used, and why not others.
///
/// An index is of a call when function, column and options are the same. docs/guide/indexes.md says
/// for which functions its contents hold.
///
/// @param filter bound to the full schema of the snapshot
/// Errors: kIo. Whatever else is wrong with an index leaves all slices, and a note.
/// Cost: one batched lookup for each index of a call in the filter; the index definitions, once for
/// a snapshot; nothing when the filter has no call.
Status SkipByExpressionIndexes(const PinnedSnapshot& snapshot,
                               const arrow::compute::Expression& filter, int threads,
                               std::vector<FileSlice>* slices, ScanReport* report);

}  // namespace firth
