// SPDX-License-Identifier: Apache-2.0
#include "firth/io/storage_writer.h"

#include <arrow/filesystem/filesystem.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <random>
#include <system_error>

namespace firth {
namespace {

namespace fs = std::filesystem;

Status ErrnoError(int error, std::string_view path, std::string_view doing) {
  if (error == EEXIST) {
    return Error(ErrorCode::kAlreadyExists, "{}: there is such a file already", path);
  }
  const Status status = Error(ErrorCode::kIo, "{}: {}: {}", path, doing, std::strerror(error));
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return WithRemedy(status, "free some space on the disk and write again");
    case EROFS:
    case EACCES:
    case EPERM:
      return WithRemedy(status, "check that this user may write to the table's folder");
    default:
      return status;
  }
}

Status SystemError(const std::error_code& error, std::string_view path, std::string_view doing) {
  return ErrnoError(error.value(), path, doing);
}

/// An open file of this process. Closed when destroyed.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }

  static Result<Descriptor> Open(const std::string& path, int flags) {
    const int number = ::open(path.c_str(), flags | O_CLOEXEC, 0644);
    if (number < 0) return ErrnoError(errno, path, "open");
    return Descriptor(number);
  }

  Status Write(std::string_view bytes, const std::string& path) const {
    while (!bytes.empty()) {
      const ssize_t written = ::write(number_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return ErrnoError(errno, path, "write");
      bytes.remove_prefix(static_cast<size_t>(written));
    }
    return Status::OK();
  }

  Status Sync(const std::string& path) const {
    return ::fsync(number_) == 0 ? Status::OK() : ErrnoError(errno, path, "fsync");
  }

 private:
  int number_ = -1;
};

std::string ParentOf(const std::string& path) { return fs::path(path).parent_path().string(); }

/// Makes the names in a folder survive a loss of power.
Status SyncFolder(const std::string& folder) {
  ARROW_ASSIGN_OR_RAISE(const Descriptor open, Descriptor::Open(folder, O_RDONLY | O_DIRECTORY));
  return open.Sync(folder);
}

Status CreateFolders(const std::string& folder) {
  std::error_code error;
  if (fs::is_directory(folder, error)) return Status::OK();
  const std::string parent = ParentOf(folder);
  if (parent != folder && !parent.empty()) ARROW_RETURN_NOT_OK(CreateFolders(parent));
  fs::create_directory(folder, error);  // another that makes it at the same time is no error
  if (error == std::errc::file_exists) {
    return Error(ErrorCode::kIo, "{}: a file is where a folder must be", folder);
  }
  if (error) return SystemError(error, folder, "mkdir");
  return parent.empty() ? Status::OK() : SyncFolder(parent);
}

/// A durable file beside `path` under a name that nobody else has, and that no reader takes for one
/// of the table's. Process numbers would not do: machines and containers share them.
Result<std::string> WriteTemporary(const std::string& path, std::string_view content) {
  std::random_device random;
  const uint64_t number = uint64_t{random()} << 32 | random();
  const fs::path whole(path);
  std::string temporary = fmt::format("{}/.{}.firth-{:016x}.tmp", whole.parent_path().string(),
                                      whole.filename().string(), number);
  ARROW_ASSIGN_OR_RAISE(const Descriptor file,
                        Descriptor::Open(temporary, O_WRONLY | O_CREAT | O_EXCL));
  Status status = file.Write(content, temporary);
  if (status.ok()) status = file.Sync(temporary);
  if (status.ok()) return temporary;
  ::unlink(temporary.c_str());
  return status;
}

}  // namespace

Result<std::shared_ptr<const StorageWriter>> StorageWriter::Open(const Storage& storage) {
  if (storage.file_system()->type_name() == "local") {
    return std::shared_ptr<const StorageWriter>(new StorageWriter(storage.FullPath("") + "/"));
  }
  return WithRemedy(
      UnsupportedError("{}: firth writes to local folders only", storage.display_root()),
      "write to a local folder and copy it, or write with Hudi on Spark");
}

std::string StorageWriter::FullPath(std::string_view path) const {
  return fmt::format("{}{}", root_, path);
}

Status StorageWriter::Create(std::string_view path, std::string_view content) const {
  const std::string full = FullPath(path);
  ARROW_RETURN_NOT_OK(CreateFolders(ParentOf(full)));
  ARROW_ASSIGN_OR_RAISE(const std::string temporary, WriteTemporary(full, content));
  // The one call that says who was first, with the content already there.
  const int error = ::link(temporary.c_str(), full.c_str()) == 0 ? 0 : errno;
  ::unlink(temporary.c_str());
  if (error != 0) return ErrnoError(error, full, "link");
  const Status synced = SyncFolder(ParentOf(full));
  if (synced.ok()) return synced;
  return MakeError(ErrorCode::kCommitUnknown, synced.message());
}

Status StorageWriter::CreateFolder(std::string_view path) const {
  return CreateFolders(FullPath(path));
}

}  // namespace firth
