// SPDX-License-Identifier: Apache-2.0
// All data files of a table, by partition, from storage itself.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "firth/io/storage.h"

namespace firth {

/// Partition path to the files directly inside it. Only folders that hold a
/// .hoodie_partition_metadata* file are partitions; the root is "".
using PartitionFiles = std::map<std::string, std::vector<FileInfo>, std::less<>>;

/// Lists every folder below the table except .hoodie, top-level folders in parallel.
/// `wanted(folder)` false leaves out a folder at any depth, with all below it; it sees partial
/// partition paths ("2026", then "2026/01"); without it, all are listed.
/// Cost: one listing of the root and one recursive listing a top-level folder, over `threads`.
Result<PartitionFiles> ListDataFiles(
    const Storage& storage, int threads = 1,
    const std::function<bool(std::string_view folder)>& wanted = nullptr);

}  // namespace firth
