// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "firth/common/parallel.h"
#include "firth/table/file_system_view.h"

namespace firth {
namespace {

constexpr std::string_view kMetaFilePrefix = ".hoodie_partition_metadata";
constexpr std::string_view kMetaFolder = ".hoodie";
constexpr int kListThreads = 16;

struct Folder {
  bool is_partition = false;
  std::vector<std::string> children;  // of folders that are no partition: partitions do not nest
};

Result<Folder> ReadFolder(const Storage& storage, const std::string& path) {
  ARROW_ASSIGN_OR_RAISE(FolderContent content, storage.ListFolder(path));
  Folder folder;
  folder.is_partition = std::ranges::any_of(
      content.files, [](const FileInfo& file) { return file.name().starts_with(kMetaFilePrefix); });
  if (!folder.is_partition) {
    folder.children = std::move(content.folders);
    std::erase(folder.children, kMetaFolder);
  }
  return folder;
}

}  // namespace

Result<std::vector<std::string>> ListPartitions(const Storage& storage) {
  std::vector<std::string> partitions;
  std::vector<std::string> level = {""};
  while (!level.empty()) {
    std::vector<Folder> folders(level.size());
    ARROW_RETURN_NOT_OK(RunParallel(level.size(), kListThreads, [&](size_t i) -> Status {
      ARROW_ASSIGN_OR_RAISE(folders[i], ReadFolder(storage, level[i]));
      return Status::OK();
    }));
    std::vector<std::string> next;
    for (size_t i = 0; i < level.size(); ++i) {
      if (folders[i].is_partition) partitions.push_back(std::move(level[i]));
      std::ranges::move(folders[i].children, std::back_inserter(next));
    }
    level = std::move(next);
  }
  std::ranges::sort(partitions);
  return partitions;
}

}  // namespace firth
