// SPDX-License-Identifier: Apache-2.0
#include "firth/timeline/clean_metadata.h"

#include <nlohmann/json.hpp>

#include "firth/io/storage.h"
#include "firth/timeline/commit_metadata.h"

namespace firth {
namespace {

using Json = nlohmann::json;

const Json* Find(const Json& object, const char* name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  return found == object.end() ? nullptr : &*found;
}

// Cleaners write names, or absolute paths of their own host: only the name counts.
void Add(const Json* path, std::vector<std::string>* names) {
  if (path == nullptr || !path->is_string()) return;
  names->emplace_back(LastSegment(path->get_ref<const std::string&>()));
}

// A map of partitions, in which `files_of` finds the array of the deleted files.
template <typename FilesOf>
void AddPartitions(const Json* partitions, FilesOf&& files_of, DeletedFiles* deleted) {
  if (partitions == nullptr || !partitions->is_object()) return;
  for (const auto& [partition, content] : partitions->items()) {
    const Json* files = files_of(content);
    if (files == nullptr || !files->is_array()) continue;
    std::vector<std::string>& names = (*deleted)[partition];
    for (const Json& file : *files) Add(file.is_object() ? Find(file, "filePath") : &file, &names);
  }
}

}  // namespace

DeletedFiles DeletedFilesFromJson(const Json& clean) {
  DeletedFiles deleted;
  AddPartitions(
      Find(clean, "partitionMetadata"),
      [](const Json& content) { return Find(content, "successDeleteFiles"); }, &deleted);
  const auto itself = [](const Json& content) { return &content; };
  AddPartitions(Find(clean, "filePathsToBeDeletedPerPartition"), itself, &deleted);
  AddPartitions(Find(clean, "filesToBeDeletedPerPartition"), itself, &deleted);  // old plans
  return deleted;
}

Result<DeletedFiles> DecodeDeletedFiles(std::string_view bytes) {
  ARROW_ASSIGN_OR_RAISE(const Json clean, DecodeInstantContent(bytes));
  return DeletedFilesFromJson(clean);
}

}  // namespace firth
