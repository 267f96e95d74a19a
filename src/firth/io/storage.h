// SPDX-License-Identifier: Apache-2.0
// A table's folder on any Arrow file system, addressed by paths relative to it. Modification times
// are never asked for: copied tables have wrong ones.
#pragma once

#include <arrow/buffer.h>
#include <arrow/filesystem/type_fwd.h>
#include <arrow/io/type_fwd.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "firth/common/status.h"

namespace firth {

/// The last segment of a path: the name of a file.
std::string_view LastSegment(std::string_view path);

/// A file found by listing. `path` is relative to the storage root, '/' between segments.
struct FileInfo {
  std::string path;
  int64_t size = 0;

  /// The last segment of `path`.
  std::string_view name() const { return LastSegment(path); }
};

/// What lies directly inside a folder. Paths are relative to the storage root, sorted.
struct FolderContent {
  std::vector<FileInfo> files;
  std::vector<std::string> folders;
};

/// Requests and bytes since the storage was opened. Shared by all copies; safe from any thread.
struct IoCounters {
  std::atomic<int64_t> list_calls{0};
  std::atomic<int64_t> read_calls{0};
  std::atomic<int64_t> bytes_read{0};
};

/// `storage_options` of the public interface: "access_key_id", "endpoint_override", ... Values may
/// be secrets and are never printed.
using StorageOptions = std::map<std::string, std::string, std::less<>>;

/// Immutable handle, cheap to copy through shared_ptr, safe to use from several threads.
class Storage {
 public:
  /// Opens a local path ("/data/t", "file:///data/t") or an object store URI ("s3://bucket/t"), as
  /// io/address.h reads them. Does not check that the folder exists.
  static Result<std::shared_ptr<Storage>> Open(std::string_view uri, const StorageOptions& options);

  /// The folder `root` of a given Arrow file system; for tests and embedders.
  Storage(std::shared_ptr<arrow::fs::FileSystem> file_system, std::string root);

  /// The folder `dir` of this storage as one of its own. It shares the counters; messages name
  /// whole paths.
  std::shared_ptr<const Storage> Sub(std::string_view dir) const;

  /// Files directly inside `dir` ("" is the root), sorted by path. A missing folder is empty.
  Result<std::vector<FileInfo>> List(std::string_view dir) const;

  /// Files and folders directly inside `dir`, in one request. A missing folder is empty.
  Result<FolderContent> ListFolder(std::string_view dir) const;

  /// All files at or below `dir`, sorted by path, in one call where the store can do that.
  Result<std::vector<FileInfo>> ListRecursive(std::string_view dir) const;

  /// The whole file. `size` as known from a listing saves a request; -1 asks the store.
  /// Errors: kNotFound, kIo, kResourceExhausted above `max_bytes`.
  Result<std::shared_ptr<arrow::Buffer>> ReadFile(std::string_view path,
                                                  int64_t max_bytes = int64_t{1} << 30,
                                                  int64_t size = -1) const;

  /// Random access. `size` as known from a listing saves a request; -1 asks the store.
  Result<std::shared_ptr<arrow::io::RandomAccessFile>> OpenFile(std::string_view path,
                                                                int64_t size = -1) const;

  /// Whether a file of that name exists.
  Result<bool> Exists(std::string_view path) const;

  /// For messages and `show`: the URI or path as the user wrote it, without credentials.
  const std::string& display_root() const { return display_root_; }
  /// Whether requests are cheap: no latency worth hiding by reading ahead.
  bool is_local() const { return scheme_ == "file"; }
  const IoCounters& counters() const { return *counters_; }
  const std::shared_ptr<arrow::fs::FileSystem>& file_system() const { return file_system_; }
  /// `path` for messages: as it is on a local disk, a whole address elsewhere.
  std::string DisplayPath(std::string_view path) const;
  /// `path` as the Arrow file system knows it.
  std::string FullPath(std::string_view path) const;

 private:
  Result<std::vector<arrow::fs::FileInfo>> Select(std::string_view dir, bool recursive) const;

  std::shared_ptr<arrow::fs::FileSystem> file_system_;
  std::string root_;
  std::string display_root_;
  std::string display_prefix_;  // of local paths, with a slash at the end; "" but for Sub
  std::string scheme_ = "file";
  std::shared_ptr<IoCounters> counters_ = std::make_shared<IoCounters>();
};

}  // namespace firth
