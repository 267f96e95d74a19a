// SPDX-License-Identifier: Apache-2.0
// Which commits an incremental read covers, and the snapshot that holds their rows.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "firth/scan/pinned_snapshot.h"

namespace firth {

/// (partition, file id) of file groups.
using FileGroupSet = std::set<std::pair<std::string, std::string>>;

struct IncrementalRange {
  InstantFilter commits;                     // completed writes in (begin, end]
  std::shared_ptr<const PinnedSnapshot> at;  // the table as the last of them left it
  std::string last;                          // largest requested time among `commits`
  /// The file groups that these commits wrote; nullopt when some of them are archived, so that any
  /// group may hold their rows.
  std::optional<FileGroupSet> touched;
};

/// Writes whose completion time (timeline layout 2) or instant time (layout 1) lies in
/// (begin, end]. `begin` "", "earliest" or any text of zeros starts at the beginning; without `end`
/// the range ends at the snapshot. Cost: one read a commit, several at once, and the history
/// when the range begins before the active timeline.
Result<IncrementalRange> ResolveIncremental(const std::shared_ptr<const PinnedSnapshot>& snapshot,
                                            const std::string& begin,
                                            const std::optional<std::string>& end);

}  // namespace firth
