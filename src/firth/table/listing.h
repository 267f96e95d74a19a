// SPDX-License-Identifier: Apache-2.0
// All data files of a table, by partition, from storage itself.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firth/io/storage.h"

namespace firth {

/// Partition path to the files directly inside it. Only folders that hold a
/// .hoodie_partition_metadata* file are partitions; the root is "".
using PartitionFiles = std::map<std::string, std::vector<FileInfo>, std::less<>>;
/// The same without owning the files.
using PartitionFilesView = std::map<std::string_view, const std::vector<FileInfo>*>;

/// Accepts a folder, or leaves it out with all below it. Sees partial partition paths: "2026", then
/// "2026/01".
using FolderFilter = std::function<bool(std::string_view folder)>;

/// The data files of a table as they were when first asked for: a top-level folder is listed once,
/// and everybody who asks again gets the same files. Safe from several threads.
class DataFileListing {
 public:
  /// Lists the wanted folders below the table except .hoodie, as far as they were not, in parallel;
  /// without a filter, all. The view lives as long as the listing. `listed` gets whether storage
  /// was asked.
  /// Cost: one listing of the root and one recursive listing a top-level folder, over `threads`.
  Result<PartitionFilesView> List(const Storage& storage, int threads, const FolderFilter& wanted,
                                  bool* listed);

 private:
  Status ListRoot(const Storage& storage);

  std::mutex mutex_;
  bool root_listed_ = false;
  PartitionFiles root_;                                           // the files of the root itself
  std::map<std::string, std::optional<PartitionFiles>> folders_;  // top-level ones
};

/// The wanted data files at this moment.
Result<PartitionFiles> ListDataFiles(const Storage& storage, int threads = 1,
                                     const FolderFilter& wanted = nullptr);

}  // namespace firth
