// SPDX-License-Identifier: Apache-2.0
// Data files that must be in a listing, because commits of the snapshot say that they wrote them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "firth/scan/snapshot_files.h"
#include "firth/table/file_slice.h"

namespace firth {

struct PinnedSnapshot;

/// By (partition, file id): the newest base file that was named, and the logs on it.
struct ExpectedFiles {
  struct Group {
    BaseFile base;  // path: name; empty: none was named
    std::vector<LogFile> logs;
  };
  std::map<std::pair<std::string, std::string>, Group> groups;
};

/// From the newest completed writes up to `as_of` (empty: all): at most 16 of them and 256 KiB of
/// metadata, so that planning costs hardly more. They are read at the same time.
Result<std::shared_ptr<const ExpectedFiles>> LoadExpectedFiles(const Timeline& timeline,
                                                               std::string_view as_of);

/// Errors with kCorrupt (for a snapshot of the past: kNotFound) naming the file, when one of a
/// wanted partition is missing.
Status CheckPresent(const ExpectedFiles& expected, const PinnedSnapshot& snapshot,
                    const PartitionFilesView& partitions,
                    const std::function<bool(std::string_view partition)>& wanted);

}  // namespace firth
