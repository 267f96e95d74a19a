// SPDX-License-Identifier: Apache-2.0
// A table's folder in memory, for tests of what is read from names and small files.
#pragma once

#include <arrow/filesystem/mockfs.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "firth/io/storage.h"

namespace firth::testing {

/// A storage that holds the given files, path to content.
inline std::shared_ptr<Storage> MemoryStorage(const std::map<std::string, std::string>& files) {
  auto file_system =
      std::make_shared<arrow::fs::internal::MockFileSystem>(arrow::fs::TimePoint::max());
  for (const auto& [path, content] : files) {
    if (!file_system->CreateFile("table/" + path, content).ok()) std::abort();  // two of one path
  }
  return std::make_shared<Storage>(std::move(file_system), "table");
}

}  // namespace firth::testing
