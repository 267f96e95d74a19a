// SPDX-License-Identifier: Apache-2.0
#include "firth/io/storage.h"

#include <arrow/filesystem/filesystem.h>
#include <arrow/filesystem/localfs.h>
#include <arrow/io/interfaces.h>
#include <arrow/util/io_util.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <mutex>

#include "firth/io/address.h"
#include "firth/io/remote.h"
#include "firth/io/s3_file_system.h"

namespace firth {
namespace {

namespace fs = arrow::fs;

// A remote file up to this size is fetched at once: one round trip instead of several.
constexpr int64_t kSmallFileBytes = int64_t{1} << 20;

// A body that ends early is read on from where it stopped this many times.
constexpr int kMaxShortReads = 4;

// Counts requests and bytes on their way to the real file, and makes short reads whole: a server
// may cut a body short, and half a block must never look like a whole one.
class CheckedFile : public arrow::io::RandomAccessFile {
 public:
  CheckedFile(std::shared_ptr<arrow::io::RandomAccessFile> file, std::string path,
              std::string scheme, std::shared_ptr<IoCounters> counters)
      : file_(std::move(file)),
        path_(std::move(path)),
        scheme_(std::move(scheme)),
        counters_(std::move(counters)),
        read_whole_up_to_(scheme_ == "file" ? 0 : kSmallFileBytes) {}
  ~CheckedFile() override { ARROW_UNUSED(CheckedFile::Close()); }

  Status Close() override {
    return CatchForeign([&] { return file_->Close(); });
  }
  bool closed() const override { return file_->closed(); }
  Result<int64_t> Tell() const override { return position_; }
  Result<int64_t> GetSize() override {
    const Result<int64_t> size = CatchForeign([&] { return file_->GetSize(); });
    return size.ok() ? size : IoError(size.status());
  }
  bool supports_zero_copy() const override { return file_->supports_zero_copy(); }
  Status Seek(int64_t position) override {
    if (position < 0) return InvalidError("{}: seek to {}", path_, position);
    position_ = position;
    return Status::OK();
  }

  Result<int64_t> Read(int64_t count, void* out) override {
    ARROW_ASSIGN_OR_RAISE(const int64_t read, ReadAt(position_, count, out));
    position_ += read;
    return read;
  }
  Result<std::shared_ptr<arrow::Buffer>> Read(int64_t count) override {
    ARROW_ASSIGN_OR_RAISE(auto buffer, ReadAt(position_, count));
    position_ += buffer->size();
    return buffer;
  }

  Result<int64_t> ReadAt(int64_t position, int64_t count, void* out) override {
    ARROW_ASSIGN_OR_RAISE(const int64_t expected, Available(position, count));
    ARROW_ASSIGN_OR_RAISE(const auto whole, Whole());
    if (whole != nullptr) {
      std::memcpy(out, whole->data() + position, static_cast<size_t>(expected));
      return expected;
    }
    return Fetch(position, expected, static_cast<uint8_t*>(out));
  }

  Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t position, int64_t count) override {
    ARROW_ASSIGN_OR_RAISE(const int64_t expected, Available(position, count));
    ARROW_ASSIGN_OR_RAISE(const auto whole, Whole());
    if (whole != nullptr) return arrow::SliceBuffer(whole, position, expected);
    Count(expected);
    auto read = CatchForeign([&] { return file_->ReadAt(position, expected); });
    if (!read.ok()) return IoError(read.status());
    if ((*read)->size() == expected) return read;
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer, arrow::AllocateBuffer(expected));
    const int64_t done = (*read)->size();
    std::memcpy(buffer->mutable_data(), (*read)->data(), static_cast<size_t>(done));
    ARROW_RETURN_NOT_OK(Fetch(position + done, expected - done, buffer->mutable_data() + done));
    return buffer;
  }

  Status WillNeed(const std::vector<arrow::io::ReadRange>& ranges) override {
    return CatchForeign([&] { return file_->WillNeed(ranges); });
  }

 private:
  // All `count` bytes at `position`, in as many reads as it takes, within reason.
  Result<int64_t> Fetch(int64_t position, int64_t count, uint8_t* out) {
    int64_t done = 0;
    for (int attempt = 0; done < count; ++attempt) {
      if (attempt > kMaxShortReads) return ShortRead(position, done, count);
      Count(count - done);
      const Result<int64_t> read =
          CatchForeign([&] { return file_->ReadAt(position + done, count - done, out + done); });
      if (!read.ok()) return IoError(read.status());
      done += *read;
    }
    return done;
  }

  // The content of a small remote file, fetched by the first read; nullptr for other files.
  Result<std::shared_ptr<arrow::Buffer>> Whole() {
    if (read_whole_up_to_ == 0) return nullptr;
    ARROW_ASSIGN_OR_RAISE(const int64_t size, GetSize());
    if (size > read_whole_up_to_) return nullptr;
    std::lock_guard lock(whole_mutex_);
    if (whole_ == nullptr) {
      ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer, arrow::AllocateBuffer(size));
      ARROW_RETURN_NOT_OK(Fetch(0, size, buffer->mutable_data()));
      whole_ = std::move(buffer);
    }
    return whole_;
  }

  // How many of `count` bytes at `position` the file has.
  Result<int64_t> Available(int64_t position, int64_t count) {
    ARROW_ASSIGN_OR_RAISE(const int64_t size, GetSize());
    if (position < 0 || count < 0)
      return InvalidError("{}: read of {} at {}", path_, count, position);
    return std::clamp<int64_t>(size - position, 0, count);
  }
  void Count(int64_t bytes) {
    counters_->read_calls.fetch_add(1, std::memory_order_relaxed);
    counters_->bytes_read.fetch_add(bytes, std::memory_order_relaxed);
  }
  Status IoError(const Status& status) const { return StorageError(status, path_, scheme_); }
  Status ShortRead(int64_t position, int64_t done, int64_t expected) const {
    return Error(ErrorCode::kIo, "{}: storage gave {} of {} bytes at {}, {} times over", path_,
                 done, expected, position, kMaxShortReads + 1);
  }

  std::shared_ptr<arrow::io::RandomAccessFile> file_;
  std::string path_, scheme_;
  std::shared_ptr<IoCounters> counters_;
  int64_t read_whole_up_to_;
  int64_t position_ = 0;
  std::mutex whole_mutex_;
  std::shared_ptr<arrow::Buffer> whole_;
};

std::string TrimTrailingSlash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

}  // namespace

std::string_view LastSegment(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

Storage::Storage(std::shared_ptr<fs::FileSystem> file_system, std::string root)
    : file_system_(std::move(file_system)),
      root_(TrimTrailingSlash(std::move(root))),
      display_root_(root_) {}

namespace {

Result<std::shared_ptr<Storage>> OpenLocal(std::string_view path) {
  const std::filesystem::path absolute = std::filesystem::absolute(std::filesystem::path(path));
  return std::make_shared<Storage>(std::make_shared<fs::LocalFileSystem>(),
                                   absolute.lexically_normal().string());
}

Result<std::shared_ptr<Storage>> OpenS3(std::string_view location, const StorageOptions& options) {
  const std::string_view bucket = location.substr(0, location.find('/'));
  if (bucket.empty()) return InvalidError("s3://{}: no bucket", location);
  if (bucket.find('@') != std::string_view::npos) {
    return MakeError(ErrorCode::kInvalidArgument, "an S3 address must not hold credentials",
                     "pass access_key_id and secret_access_key as storage options");
  }
  ARROW_ASSIGN_OR_RAISE(const S3Settings settings, ParseS3Settings(options));
  ARROW_ASSIGN_OR_RAISE(auto file_system, MakeS3FileSystem(settings));
  return std::make_shared<Storage>(std::move(file_system), std::string(location));
}

// "abfs://container:password@account/path?sig=token" without the password and the token.
std::string WithoutSecrets(const Address& address) {
  const std::string written = fmt::format("{}://{}", address.scheme, address.location);
  std::string_view uri = written;
  const bool has_query = address.scheme != "s3" && address.scheme != "s3a";  // a part of their keys
  if (has_query) uri = uri.substr(0, uri.find('?'));
  const size_t start = uri.find("://") + 3;
  const size_t at = uri.substr(0, uri.find('/', start)).find('@');
  const size_t colon = uri.find(':', start);
  if (at == std::string_view::npos || colon == std::string_view::npos || colon > at) {
    return std::string(uri);
  }
  return std::string(uri.substr(0, colon)) + std::string(uri.substr(at));
}

// Google and Azure stores take their credentials from the environment, through Arrow.
Result<std::shared_ptr<Storage>> OpenRemote(const Address& address, const StorageOptions& options) {
  if (!options.empty()) {
    return UnsupportedError(
        "storage options are for s3:// tables; {}:// takes its credentials from the environment",
        address.scheme);
  }
  const std::string uri = fmt::format("{}://{}", address.scheme, address.location);
  std::string root;
  const auto file_system = MakeRemoteFileSystem(uri, address.scheme, &root);
  if (!file_system.ok()) {
    return StorageError(file_system.status(), WithoutSecrets(address), address.scheme);
  }
  return std::make_shared<Storage>(*file_system, root);
}

}  // namespace

Result<std::shared_ptr<Storage>> Storage::Open(std::string_view uri,
                                               const StorageOptions& options) {
  ARROW_ASSIGN_OR_RAISE(const Address address, ParseAddress(uri));
  const std::string& scheme = address.scheme;
  Result<std::shared_ptr<Storage>> storage =
      UnsupportedError("{}: no storage for this scheme; known are file, s3, gs and abfs", scheme);
  if (scheme == "file") {
    storage = OpenLocal(address.location);
  } else if (scheme == "s3" || scheme == "s3a") {
    storage = OpenS3(address.location, options);
  } else if (scheme == "gs" || scheme == "gcs" || scheme == "abfs" || scheme == "abfss") {
    storage = OpenRemote(address, options);
  }
  ARROW_RETURN_NOT_OK(storage);
  (*storage)->display_root_ = scheme == "file" ? address.location : WithoutSecrets(address);
  (*storage)->scheme_ = scheme;
  return storage;
}

std::string Storage::FullPath(std::string_view path) const {
  if (path.empty()) return root_;
  return root_ + "/" + std::string(path);
}

std::shared_ptr<const Storage> Storage::Sub(std::string_view dir) const {
  auto folder = std::make_shared<Storage>(*this);
  folder->root_ = FullPath(dir);
  folder->display_root_ = fmt::format("{}/{}", display_root_, dir);
  folder->display_prefix_ = fmt::format("{}{}/", display_prefix_, dir);
  return folder;
}

std::string Storage::DisplayPath(std::string_view path) const {
  return is_local() ? fmt::format("{}{}", display_prefix_, path)
                    : fmt::format("{}/{}", display_root_, path);
}

Result<std::vector<fs::FileInfo>> Storage::Select(std::string_view dir, bool recursive) const {
  fs::FileSelector selector;
  selector.base_dir = FullPath(dir);
  selector.recursive = recursive;
  selector.allow_not_found = true;
  counters_->list_calls.fetch_add(1, std::memory_order_relaxed);
  auto infos = CatchForeign([&] { return file_system_->GetFileInfo(selector); });
  if (!infos.ok()) return StorageError(infos.status(), DisplayPath(dir), scheme_);
  return infos;
}

Result<FolderContent> Storage::ListFolder(std::string_view dir) const {
  ARROW_ASSIGN_OR_RAISE(const auto infos, Select(dir, false));
  FolderContent content;
  for (const fs::FileInfo& info : infos) {
    std::string path = info.path().substr(root_.size() + 1);
    if (info.IsFile()) content.files.push_back({std::move(path), info.size()});
    if (info.IsDirectory()) content.folders.push_back(std::move(path));
  }
  std::ranges::sort(content.files, {}, &FileInfo::path);
  std::ranges::sort(content.folders);
  return content;
}

Result<std::vector<FileInfo>> Storage::List(std::string_view dir) const {
  ARROW_ASSIGN_OR_RAISE(FolderContent content, ListFolder(dir));
  return std::move(content.files);
}

Result<std::vector<FileInfo>> Storage::ListRecursive(std::string_view dir) const {
  ARROW_ASSIGN_OR_RAISE(const auto infos, Select(dir, true));
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
  auto opened = CatchForeign([&] { return file_system_->OpenInputFile(info); });
  if (!opened.ok()) {
    // Some stores say that a file is missing, others must be asked.
    const Status& status = opened.status();
    const bool missing = arrow::internal::ErrnoFromStatus(status) == ENOENT ||
                         (!IsUnreachable(status) && !Exists(path).ValueOr(true));
    if (missing) return NotFoundError("{}: no such file", DisplayPath(path));
    return StorageError(status, DisplayPath(path), scheme_);
  }
  return std::make_shared<CheckedFile>(*std::move(opened), DisplayPath(path), scheme_, counters_);
}

Result<std::shared_ptr<arrow::Buffer>> Storage::ReadFile(std::string_view path, int64_t max_bytes,
                                                         int64_t size) const {
  ARROW_ASSIGN_OR_RAISE(const auto file, OpenFile(path, size));
  ARROW_ASSIGN_OR_RAISE(size, file->GetSize());
  if (size > max_bytes) {
    return Error(ErrorCode::kResourceExhausted, "{}: {} bytes, at most {} are read at once",
                 DisplayPath(path), size, max_bytes);
  }
  return file->ReadAt(0, size);
}

Result<bool> Storage::Exists(std::string_view path) const {
  const Result<fs::FileInfo> info =
      CatchForeign([&] { return file_system_->GetFileInfo(FullPath(path)); });
  if (!info.ok()) return StorageError(info.status(), DisplayPath(path), scheme_);
  return info->type() != fs::FileType::NotFound;
}

}  // namespace firth
