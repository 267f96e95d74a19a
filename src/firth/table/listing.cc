// SPDX-License-Identifier: Apache-2.0
#include "firth/table/listing.h"

#include <algorithm>
#include <utility>

#include "firth/common/parallel.h"

namespace firth {
namespace {

constexpr std::string_view kMetaFolder = ".hoodie";
constexpr std::string_view kPartitionMetafile = ".hoodie_partition_metadata";

std::string_view FolderOf(const FileInfo& file) {
  const size_t slash = file.path.rfind('/');
  return slash == std::string::npos ? std::string_view()
                                    : std::string_view(file.path).substr(0, slash);
}

// Whether `wanted` accepts `folder` and every folder above it.
bool IsWanted(std::string_view folder, const std::function<bool(std::string_view)>& wanted) {
  if (!wanted) return true;
  for (size_t slash = folder.find('/'); slash != std::string_view::npos;
       slash = folder.find('/', slash + 1)) {
    if (!wanted(folder.substr(0, slash))) return false;
  }
  return folder.empty() || wanted(folder);
}

}  // namespace

Result<PartitionFiles> ListDataFiles(const Storage& storage, int threads,
                                     const std::function<bool(std::string_view)>& wanted) {
  ARROW_ASSIGN_OR_RAISE(FolderContent root, storage.ListFolder(""));
  std::erase_if(root.folders, [&](const std::string& folder) {
    return folder == kMetaFolder || !IsWanted(folder, wanted);
  });
  if (!storage.is_local()) threads = std::max(threads, kRequestThreads);
  std::vector<std::vector<FileInfo>> listings(root.folders.size());
  ARROW_RETURN_NOT_OK(RunParallel(listings.size(), threads, [&](size_t i) -> Status {
    return storage.ListRecursive(root.folders[i]).Value(&listings[i]);
  }));
  listings.push_back(std::move(root.files));

  PartitionFiles partitions;
  std::map<std::string, bool, std::less<>> is_partition;
  for (std::vector<FileInfo>& listing : listings) {
    for (FileInfo& file : listing) {
      const std::string_view folder = FolderOf(file);
      auto found = partitions.find(folder);
      if (found == partitions.end()) {
        found = partitions.emplace(std::string(folder), std::vector<FileInfo>()).first;
      }
      if (file.name().starts_with(kPartitionMetafile)) is_partition[found->first] = true;
      found->second.push_back(std::move(file));
    }
  }
  std::erase_if(partitions, [&](const auto& entry) {
    return !is_partition.contains(entry.first) || !IsWanted(entry.first, wanted);
  });
  return partitions;
}

}  // namespace firth
