// SPDX-License-Identifier: Apache-2.0
#include "firth/metadata/metadata_listing.h"

#include <optional>
#include <utility>

#include "firth/metadata/metadata_keys.h"

namespace firth {
namespace {

constexpr std::string_view kPartition = "files";

std::string PartitionOfKey(std::string_view key) {
  return key == kRootPartition ? std::string() : std::string(key);
}

std::vector<FileInfo> FilesOf(std::string_view partition, const FilesPayload& payload) {
  std::vector<FileInfo> files;
  files.reserve(payload.files.size());
  for (const ListedFile& file : payload.files) {
    std::string path;
    path.reserve(partition.size() + 1 + file.name.size());
    if (!partition.empty()) path.append(partition).push_back('/');
    files.push_back({.path = path.append(file.name), .size = file.size});
  }
  return files;
}

}  // namespace

Result<PartitionFiles> ListMetadataFiles(const MetadataTable& table, MetadataCost* cost) {
  PartitionFiles partitions;
  std::optional<FilesPayload> all;
  const auto visit = [&](MetadataRecord record) -> Status {
    FilesPayload* files = std::get_if<FilesPayload>(&record.payload);
    if (files == nullptr) {
      return CorruptError("key \"{}\" of partition {} has a record of type {}", record.key,
                          kPartition, record.type);
    }
    if (record.key == kAllPartitionsKey) {
      all = std::move(*files);
      return Status::OK();
    }
    std::string partition = PartitionOfKey(record.key);
    std::vector<FileInfo> listed = FilesOf(partition, *files);
    partitions.emplace(std::move(partition), std::move(listed));
    return Status::OK();
  };
  ARROW_RETURN_NOT_OK(table.Scan(kPartition, visit, cost));
  if (!all) return CorruptError("partition {} has no record {}", kPartition, kAllPartitionsKey);
  // A partition may be known and hold nothing yet; files of an unknown one are a lost record.
  PartitionFiles listed;
  for (const ListedFile& partition : all->files) {
    std::string path = PartitionOfKey(partition.name);
    auto node = partitions.extract(path);
    if (node.empty()) {
      listed.emplace(std::move(path), std::vector<FileInfo>());
    } else {
      listed.insert(std::move(node));
    }
  }
  for (const auto& [path, files] : partitions) {
    if (files.empty()) continue;
    return CorruptError("partition \"{}\" has files but is not in {}", path, kAllPartitionsKey);
  }
  return listed;
}

}  // namespace firth
