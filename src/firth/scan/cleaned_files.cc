// SPDX-License-Identifier: Apache-2.0
#include "firth/scan/cleaned_files.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "firth/common/parallel.h"

namespace firth {
namespace {

// Cleaner metadata holds names or absolute paths of the writing host: only the name counts.
std::string_view NameOf(std::string_view path) { return path.substr(path.rfind('/') + 1); }

void Add(std::string_view partition, std::string_view path, CleanedFiles* cleaned) {
  const std::string_view name = NameOf(path);
  if (const auto base = ParseBaseFileName(name, -1)) {
    (*cleaned)[{std::string(partition), base->file_id}].push_back(base->instant);
  } else if (const auto log = ParseLogFileName(name, -1); log && !log->cdc) {
    (*cleaned)[{std::string(partition), log->file_id}].push_back(log->instant);
  }
}

void AddAll(const nlohmann::json& metadata, CleanedFiles* cleaned) {
  const auto partitions = metadata.find("partitionMetadata");
  if (partitions == metadata.end() || !partitions->is_object()) return;
  for (const auto& [partition, content] : partitions->items()) {
    const auto files = content.find("successDeleteFiles");
    if (files == content.end() || !files->is_array()) continue;
    for (const auto& file : *files) {
      if (file.is_string()) Add(partition, file.get_ref<const std::string&>(), cleaned);
    }
  }
}

}  // namespace

Result<CleanedFiles> LoadCleanedFiles(const Timeline& timeline) {
  std::vector<const Instant*> cleans;
  for (const Instant& instant : timeline.instants()) {
    if (instant.action == Action::kClean && instant.is_completed()) cleans.push_back(&instant);
  }
  std::vector<CleanedFiles> parts(cleans.size());
  const auto read = [&](size_t i) -> Status {
    ARROW_ASSIGN_OR_RAISE(const std::string bytes, timeline.ReadContent(*cleans[i]));
    const Result<nlohmann::json> metadata = DecodeInstantContent(bytes);
    if (!metadata.ok()) return WithContext(metadata.status(), cleans[i]->file_name);
    AddAll(*metadata, &parts[i]);
    return Status::OK();
  };
  ARROW_RETURN_NOT_OK(RunParallel(cleans.size(), kRequestThreads, read));
  CleanedFiles cleaned;
  for (CleanedFiles& part : parts) {
    for (auto& [group, instants] : part) {
      std::ranges::move(instants, std::back_inserter(cleaned[group]));
    }
  }
  return cleaned;
}

Status CheckNotCleaned(const CleanedFiles& cleaned, const ViewContext& view,
                       std::string_view partition, const std::vector<FileSlice>& slices,
                       std::string_view as_of) {
  std::unordered_map<std::string_view, std::string_view> remaining;
  for (const FileSlice& slice : slices) remaining[slice.file_id] = slice.base_instant;
  const auto begin = cleaned.lower_bound({std::string(partition), ""});
  for (auto it = begin; it != cleaned.end() && it->first.first == partition; ++it) {
    const auto replaced = view.replaced.find(it->first);
    if (replaced != view.replaced.end() && replaced->second <= as_of) continue;
    const auto slice = remaining.find(it->first.second);
    for (const std::string& instant : it->second) {
      if (instant > as_of || (slice != remaining.end() && instant <= slice->second)) continue;
      return MakeError(
          ErrorCode::kNotFound,
          fmt::format("snapshot {} needs file group {} of partition \"{}\" at instant {}, which a "
                      "cleaner removed",
                      as_of, it->first.second, partition, instant),
          "read a later snapshot, or keep more commits (hoodie.clean.commits.retained)");
    }
  }
  return Status::OK();
}

}  // namespace firth
