// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "firth/table/file_system_view.h"

namespace firth {
namespace {

constexpr std::string_view kMetaFilePrefix = ".hoodie_partition_metadata";
constexpr std::string_view kMetaFolder = ".hoodie";

}  // namespace

Result<std::vector<std::string>> ListPartitions(const Storage& storage) {
  std::vector<std::string> partitions;
  std::vector<std::string> folders = {""};
  while (!folders.empty()) {
    const std::string folder = std::move(folders.back());
    folders.pop_back();
    ARROW_ASSIGN_OR_RAISE(const std::vector<FileInfo> files, storage.List(folder));
    const bool is_partition = std::ranges::any_of(
        files, [](const FileInfo& file) { return file.name().starts_with(kMetaFilePrefix); });
    if (is_partition) {  // partitions do not nest
      partitions.push_back(folder);
      continue;
    }
    ARROW_ASSIGN_OR_RAISE(std::vector<std::string> children, storage.ListFolders(folder));
    for (std::string& child : children) {
      if (child != kMetaFolder) folders.push_back(std::move(child));
    }
  }
  std::ranges::sort(partitions);
  return partitions;
}

}  // namespace firth
