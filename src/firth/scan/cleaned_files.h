// SPDX-License-Identifier: Apache-2.0
// What cleaners removed, so that time travel into the removed past is an error and never a result
// with fewer rows.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "firth/table/file_slice.h"
#include "firth/table/file_system_view.h"
#include "firth/timeline/timeline.h"

namespace firth {

/// (partition, file id) to the instants in the names of files that completed cleans deleted.
using CleanedFiles = std::map<std::pair<std::string, std::string>, std::vector<std::string>>;

/// From the clean instants of the active timeline. Cost: one read a clean, several at once.
Result<CleanedFiles> LoadCleanedFiles(const Timeline& timeline);

/// Errors with kNotFound when a cleaned file of `partition` belonged to the snapshot at `as_of`:
/// it is no newer than `as_of` and newer than the slice that remains of its group.
Status CheckNotCleaned(const CleanedFiles& cleaned, const ViewContext& view,
                       std::string_view partition, const std::vector<FileSlice>& slices,
                       std::string_view as_of);

}  // namespace firth
