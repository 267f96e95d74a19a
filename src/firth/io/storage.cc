// SPDX-License-Identifier: Apache-2.0
#include "firth/io/storage.h"

#include <arrow/filesystem/filesystem.h>
#include <arrow/filesystem/localfs.h>
#include <arrow/io/interfaces.h>
#include <arrow/util/future.h>

#include <algorithm>
#include <filesystem>

namespace firth {
namespace {

namespace fs = arrow::fs;

// Counts requests and bytes on their way to the real file.
class CountingFile : public arrow::io::RandomAccessFile {
 public:
  CountingFile(std::shared_ptr<arrow::io::RandomAccessFile> file,
               std::shared_ptr<IoCounters> counters)
      : file_(std::move(file)), counters_(std::move(counters)) {}
  ~CountingFile() override { ARROW_UNUSED(file_->Close()); }

  Status Close() override { return file_->Close(); }
  bool closed() const override { return file_->closed(); }
  Result<int64_t> Tell() const override { return file_->Tell(); }
  Status Seek(int64_t position) override { return file_->Seek(position); }
  Result<int64_t> GetSize() override { return file_->GetSize(); }
  bool supports_zero_copy() const override { return file_->supports_zero_copy(); }

  Result<int64_t> Read(int64_t count, void* out) override {
    Count(count);
    return file_->Read(count, out);
  }
  Result<std::shared_ptr<arrow::Buffer>> Read(int64_t count) override {
    Count(count);
    return file_->Read(count);
  }
  Result<int64_t> ReadAt(int64_t position, int64_t count, void* out) override {
    Count(count);
    return file_->ReadAt(position, count, out);
  }
  Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t position, int64_t count) override {
    Count(count);
    return file_->ReadAt(position, count);
  }
  arrow::Future<std::shared_ptr<arrow::Buffer>> ReadAsync(const arrow::io::IOContext& context,
                                                          int64_t position,
                                                          int64_t count) override {
    Count(count);
    return file_->ReadAsync(context, position, count);
  }
  Status WillNeed(const std::vector<arrow::io::ReadRange>& ranges) override {
    return file_->WillNeed(ranges);
  }

 private:
  void Count(int64_t bytes) {
    counters_->read_calls.fetch_add(1, std::memory_order_relaxed);
    counters_->bytes_read.fetch_add(bytes, std::memory_order_relaxed);
  }

  std::shared_ptr<arrow::io::RandomAccessFile> file_;
  std::shared_ptr<IoCounters> counters_;
};

bool HasScheme(std::string_view uri) { return uri.find("://") != std::string_view::npos; }

std::string TrimTrailingSlash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

}  // namespace

std::string_view FileInfo::name() const {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string_view(path)
                                    : std::string_view(path).substr(slash + 1);
}

Storage::Storage(std::shared_ptr<fs::FileSystem> file_system, std::string root)
    : file_system_(std::move(file_system)),
      root_(TrimTrailingSlash(std::move(root))),
      display_root_(root_) {}

Result<std::shared_ptr<Storage>> Storage::Open(std::string_view uri,
                                               const StorageOptions& options) {
  constexpr std::string_view kFileScheme = "file://";
  if (uri.empty()) return InvalidError("the table path is empty");
  if (uri.starts_with(kFileScheme)) uri.remove_prefix(kFileScheme.size());
  if (HasScheme(uri)) {
    return UnsupportedError("{}: no storage for this scheme", uri.substr(0, uri.find("://")));
  }
  const std::filesystem::path path = std::filesystem::absolute(std::filesystem::path(uri));
  auto storage = std::make_shared<Storage>(std::make_shared<fs::LocalFileSystem>(),
                                           path.lexically_normal().string());
  storage->display_root_ = std::string(uri);
  return storage;
}

std::string Storage::FullPath(std::string_view path) const {
  if (path.empty()) return root_;
  return root_ + "/" + std::string(path);
}

namespace {

Result<std::vector<fs::FileInfo>> Select(fs::FileSystem& file_system, IoCounters& counters,
                                         const std::string& dir, bool recursive) {
  fs::FileSelector selector;
  selector.base_dir = dir;
  selector.recursive = recursive;
  selector.allow_not_found = true;
  counters.list_calls.fetch_add(1, std::memory_order_relaxed);
  return file_system.GetFileInfo(selector);
}

}  // namespace

Result<std::vector<FileInfo>> Storage::List(std::string_view dir) const {
  ARROW_ASSIGN_OR_RAISE(const auto infos, Select(*file_system_, *counters_, FullPath(dir), false));
  std::vector<FileInfo> files;
  for (const fs::FileInfo& info : infos) {
    if (info.IsFile()) files.push_back({info.path().substr(root_.size() + 1), info.size()});
  }
  std::ranges::sort(files, {}, &FileInfo::path);
  return files;
}

Result<std::vector<std::string>> Storage::ListFolders(std::string_view dir) const {
  ARROW_ASSIGN_OR_RAISE(const auto infos, Select(*file_system_, *counters_, FullPath(dir), false));
  std::vector<std::string> folders;
  for (const fs::FileInfo& info : infos) {
    if (info.IsDirectory()) folders.push_back(info.path().substr(root_.size() + 1));
  }
  std::ranges::sort(folders);
  return folders;
}

Result<std::vector<FileInfo>> Storage::ListRecursive(std::string_view dir) const {
  ARROW_ASSIGN_OR_RAISE(const auto infos, Select(*file_system_, *counters_, FullPath(dir), true));
  std::vector<FileInfo> files;
  for (const fs::FileInfo& info : infos) {
    if (info.IsFile()) files.push_back({info.path().substr(root_.size() + 1), info.size()});
  }
  std::ranges::sort(files, {}, &FileInfo::path);
  return files;
}

Result<std::shared_ptr<arrow::io::RandomAccessFile>> Storage::OpenFile(std::string_view path,
                                                                       int64_t size) const {
  fs::FileInfo info(FullPath(path), fs::FileType::File);
  if (size >= 0) info.set_size(size);
  auto opened = file_system_->OpenInputFile(info);
  if (!opened.ok()) {
    ARROW_ASSIGN_OR_RAISE(const bool exists, Exists(path));
    if (!exists) return NotFoundError("{}: no such file", path);
    return WithContext(opened.status(), path);
  }
  return std::make_shared<CountingFile>(*std::move(opened), counters_);
}

Result<std::shared_ptr<arrow::Buffer>> Storage::ReadFile(std::string_view path,
                                                         int64_t max_bytes) const {
  ARROW_ASSIGN_OR_RAISE(const auto file, OpenFile(path));
  ARROW_ASSIGN_OR_RAISE(const int64_t size, file->GetSize());
  if (size > max_bytes) {
    return Error(ErrorCode::kResourceExhausted, "{}: {} bytes, at most {} are read at once", path,
                 size, max_bytes);
  }
  ARROW_ASSIGN_OR_RAISE(auto buffer, file->ReadAt(0, size));
  if (buffer->size() != size) {
    return Error(ErrorCode::kIo, "{}: read {} of {} bytes", path, buffer->size(), size);
  }
  return buffer;
}

Result<bool> Storage::Exists(std::string_view path) const {
  ARROW_ASSIGN_OR_RAISE(const fs::FileInfo info, file_system_->GetFileInfo(FullPath(path)));
  return info.type() != fs::FileType::NotFound;
}

}  // namespace firth
