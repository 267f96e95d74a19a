// SPDX-License-Identifier: Apache-2.0
// Writing below a table's folder: files that appear whole and at most once.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "firth/common/status.h"
#include "firth/io/storage.h"

namespace firth {

/// Paths are relative to the storage's root. Folders above a file are made as needed. What a call
/// wrote is on the disk, its name included, when the call returns. Safe from several threads,
/// processes and machines.
class StorageWriter {
 public:
  /// Errors: kUnsupported for object stores, with a remedy.
  static Result<std::shared_ptr<const StorageWriter>> Open(const Storage& storage);

  /// Creates the file with that content. Nobody ever sees a part of it, and of several that create
  /// one file a single one succeeds. A process that dies meanwhile leaves a hidden file beside it,
  /// whose name ends in ".tmp". Errors: kAlreadyExists; kIo, after which there is no file;
  /// kCommitUnknown when the file is there but may not survive a loss of power.
  Status Create(std::string_view path, std::string_view content) const;

  /// A folder, and those above it. One that is there is fine.
  Status CreateFolder(std::string_view path) const;

 private:
  explicit StorageWriter(std::string root) : root_(std::move(root)) {}
  std::string FullPath(std::string_view path) const;

  std::string root_;  // ends in a slash
};

}  // namespace firth
