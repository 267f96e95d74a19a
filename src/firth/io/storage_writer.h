// SPDX-License-Identifier: Apache-2.0
// Writing below a table's folder: files that appear whole and at most once.
#pragma once

#include <arrow/io/type_fwd.h>

#include <memory>
#include <string>
#include <string_view>

#include "firth/common/status.h"
#include "firth/io/storage.h"

namespace firth {

/// Paths are relative to the storage's root. Folders above a file are made as needed. What a call
/// wrote is on the disk, its name included, when the call returns. Safe from several threads and
/// processes.
class StorageWriter {
 public:
  /// Errors: kUnsupported for object stores, with a remedy.
  static Result<std::shared_ptr<const StorageWriter>> Open(const Storage& storage);

  /// Creates the file with that content. Nobody ever sees a part of it, and of several that create
  /// one file a single one succeeds. Errors: kAlreadyExists; kIo, after which there is no file;
  /// kCommitUnknown when the file is there but may not survive a loss of power.
  Status Create(std::string_view path, std::string_view content) const;

  /// Creates the file and streams into it. Others see it grow, so that only names that nothing
  /// refers to yet are written this way. It is durable once closed; one that is destroyed without
  /// Close is deleted. Errors: kAlreadyExists, kIo.
  Result<std::shared_ptr<arrow::io::OutputStream>> CreateStream(std::string_view path) const;

  /// The file with that content, whether or not it was there: readers see the old or the new one.
  Status Replace(std::string_view path, std::string_view content) const;

  /// A folder, and those above it. One that is there is fine.
  Status CreateFolder(std::string_view path) const;

  /// Returns whether there was such a file.
  Result<bool> Delete(std::string_view path) const;

  /// The folder and all below it; none is fine.
  Status DeleteFolder(std::string_view path) const;

 private:
  explicit StorageWriter(std::string root) : root_(std::move(root)) {}
  std::string FullPath(std::string_view path) const;

  std::string root_;  // ends in a slash
};

}  // namespace firth
