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
bool IsWanted(std::string_view folder, const FolderFilter& wanted) {
  if (!wanted) return true;
  for (size_t slash = folder.find('/'); slash != std::string_view::npos;
       slash = folder.find('/', slash + 1)) {
    if (!wanted(folder.substr(0, slash))) return false;
  }
  return folder.empty() || wanted(folder);
}

PartitionFiles ByPartition(std::vector<FileInfo> files) {
  PartitionFiles partitions;
  for (FileInfo& file : files) {
    const std::string_view folder = FolderOf(file);
    auto found = partitions.find(folder);
    if (found == partitions.end()) {
      found = partitions.emplace(std::string(folder), std::vector<FileInfo>()).first;
    }
    found->second.push_back(std::move(file));
  }
  std::erase_if(partitions, [](const auto& entry) {
    return std::ranges::none_of(entry.second, [](const FileInfo& file) {
      return file.name().starts_with(kPartitionMetafile);
    });
  });
  return partitions;
}

}  // namespace

Status DataFileListing::ListRoot(const Storage& storage) {
  ARROW_ASSIGN_OR_RAISE(FolderContent root, storage.ListFolder(""));
  root_ = ByPartition(std::move(root.files));
  for (std::string& folder : root.folders) {
    if (folder != kMetaFolder) folders_.emplace(std::move(folder), std::nullopt);
  }
  root_listed_ = true;
  return Status::OK();
}

Result<PartitionFilesView> DataFileListing::List(const Storage& storage, int threads,
                                                 const FolderFilter& wanted, bool* listed) {
  const std::lock_guard lock(mutex_);
  *listed = !root_listed_;
  if (!root_listed_) ARROW_RETURN_NOT_OK(ListRoot(storage));
  std::vector<std::pair<const std::string, std::optional<PartitionFiles>>*> missing;
  for (auto& folder : folders_) {
    if (!folder.second && IsWanted(folder.first, wanted)) missing.push_back(&folder);
  }
  *listed = *listed || !missing.empty();
  if (!storage.is_local()) threads = std::max(threads, kRequestThreads);
  ARROW_RETURN_NOT_OK(RunParallel(missing.size(), threads, [&](size_t i) -> Status {
    ARROW_ASSIGN_OR_RAISE(std::vector<FileInfo> files, storage.ListRecursive(missing[i]->first));
    missing[i]->second = ByPartition(std::move(files));
    return Status::OK();
  }));

  PartitionFilesView view;
  const auto add = [&](const PartitionFiles& partitions) {
    for (const auto& [partition, files] : partitions) {
      if (IsWanted(partition, wanted)) view.emplace(partition, &files);
    }
  };
  add(root_);
  for (const auto& [folder, partitions] : folders_) {
    if (partitions && IsWanted(folder, wanted)) add(*partitions);
  }
  return view;
}

Result<PartitionFiles> ListDataFiles(const Storage& storage, int threads,
                                     const FolderFilter& wanted) {
  DataFileListing listing;
  bool listed = false;
  ARROW_ASSIGN_OR_RAISE(const PartitionFilesView view,
                        listing.List(storage, threads, wanted, &listed));
  PartitionFiles partitions;
  for (const auto& [partition, files] : view) partitions.emplace(partition, *files);
  return partitions;
}

}  // namespace firth
