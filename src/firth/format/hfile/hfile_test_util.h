// SPDX-License-Identifier: Apache-2.0
// What the tests of this module share.
#pragma once

#include <arrow/buffer.h>
#include <arrow/io/memory.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "firth/format/hfile/hfile_reader.h"

namespace firth {

using HFileEntries = std::vector<std::pair<std::string, std::string>>;

inline Result<std::shared_ptr<const HFileReader>> OpenHFileBytes(std::string bytes,
                                                                 HFileReadOptions options = {}) {
  return HFileReader::Open(
      std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(std::move(bytes))),
      std::move(options));
}

inline Result<HFileEntries> ScanHFile(const HFileReader& reader,
                                      HFileRange range = HFileRange::All()) {
  HFileEntries entries;
  ARROW_ASSIGN_OR_RAISE(HFileScanner scanner, reader.Scan(range));
  while (true) {
    ARROW_ASSIGN_OR_RAISE(const bool more, scanner.Next());
    if (!more) return entries;
    entries.emplace_back(scanner.key(), scanner.value());
  }
}

/// Values by query number, of whatever Lookup... call `run` makes.
template <typename Run>
Result<std::map<size_t, HFileEntries>> CollectHits(const Run& run) {
  std::map<size_t, HFileEntries> hits;
  ARROW_RETURN_NOT_OK(run([&](size_t query, std::string_view key, std::string_view value) {
                        hits[query].emplace_back(key, value);
                        return Status::OK();
                      }).status());
  return hits;
}

/// Keys that are next to `key` and as a rule absent.
inline std::vector<std::string> Neighbours(const std::string& key) {
  std::vector<std::string> keys = {key + '\0'};
  if (!key.empty()) {
    keys.push_back(key.substr(0, key.size() - 1));
    std::string less = key, more = key;
    --less.back();
    ++more.back();
    keys.push_back(less);
    keys.push_back(more);
  }
  return keys;
}

/// HFiles of others, when they lie beside the repository.
inline std::vector<std::filesystem::path> FixtureHFiles() {
  const char* shared = std::getenv("FIRTH_SHARED");
  const auto folder =
      std::filesystem::path(shared != nullptr ? shared : FIRTH_SOURCE_DIR "/../shared") /
      "fixtures/hudi-rs/core/tests/data/hfile";
  std::vector<std::filesystem::path> files;
  if (!std::filesystem::is_directory(folder)) return files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".hfile") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace firth
