// SPDX-License-Identifier: Apache-2.0
// What cleaners removed, so that a read of a snapshot whose files are gone is an error and never a
// result with fewer rows.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "firth/scan/pinned_snapshot.h"
#include "firth/table/file_slice.h"
#include "firth/timeline/timeline.h"

namespace firth {

/// A file that a clean deleted.
struct CleanedFile {
  std::string instant;  // in the file's name
  std::string clean;    // requested time of the clean
};

/// By (partition, file id). Cleans that are under way may have deleted what they plan to: they
/// count as well.
using CleanedFiles = std::map<std::pair<std::string, std::string>, std::vector<CleanedFile>>;

/// From the cleans of the active timeline, and the archived ones too when asked for. Cost: one read
/// a clean, several at once, and the history.
Result<CleanedFiles> LoadCleanedFiles(const Timeline& timeline, bool archived);

/// From the cleans of `now` that `pinned`, an earlier state of the same timeline, does not know.
Result<CleanedFiles> LoadCleanedSince(const Timeline& pinned, const Timeline& now);

/// Slices of a snapshot by partition; in each by file id.
using SlicesByPartition = std::map<std::string, std::vector<FileSlice>, std::less<>>;

/// Errors with kNotFound when a cleaned file of a wanted partition belonged to the snapshot: the
/// snapshot sees its write, and what remains of its group is older.
Status CheckNotCleaned(const CleanedFiles& cleaned, const PinnedSnapshot& snapshot,
                       const SlicesByPartition& slices,
                       const std::function<bool(std::string_view partition)>& wanted);

}  // namespace firth
