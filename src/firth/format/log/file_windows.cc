// SPDX-License-Identifier: Apache-2.0
#include "firth/format/log/file_windows.h"

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>

#include <algorithm>
#include <utility>

namespace firth {
namespace {

constexpr int64_t kWholeFileBytes = int64_t{8} << 20;

}  // namespace

Result<FileWindows> FileWindows::Open(std::shared_ptr<arrow::io::RandomAccessFile> file) {
  ARROW_ASSIGN_OR_RAISE(const int64_t size, file->GetSize());
  FileWindows windows(std::move(file), size);
  if (size > 0 && size <= kWholeFileBytes) {
    ARROW_ASSIGN_OR_RAISE(windows.windows_[0].bytes, windows.Read(0, size));
  }
  return windows;
}

FileWindows::FileWindows(std::shared_ptr<arrow::io::RandomAccessFile> file, int64_t size)
    : file_(std::move(file)), size_(size) {}

bool FileWindows::Window::Covers(int64_t begin, int64_t length) const {
  return bytes != nullptr && begin >= offset && begin + length <= offset + bytes->size();
}

Result<std::string_view> FileWindows::Get(int64_t offset, int64_t length, int64_t read_ahead) {
  if (!windows_[0].Covers(offset, length)) {
    std::swap(windows_[0], windows_[1]);
    if (!windows_[0].Covers(offset, length)) {
      ARROW_ASSIGN_OR_RAISE(windows_[0].bytes,
                            Read(offset, std::min(length + read_ahead, size_ - offset)));
      windows_[0].offset = offset;
    }
  }
  const Window& window = windows_[0];
  return std::string_view(*window.bytes)
      .substr(static_cast<size_t>(offset - window.offset), static_cast<size_t>(length));
}

Result<std::shared_ptr<arrow::Buffer>> FileWindows::Load(int64_t offset, int64_t length) const {
  for (const Window& window : windows_) {
    if (window.Covers(offset, length)) {
      return arrow::SliceBuffer(window.bytes, offset - window.offset, length);
    }
  }
  return Read(offset, length);
}

Result<int64_t> FileWindows::Find(std::string_view text, int64_t from) {
  const auto wanted = static_cast<int64_t>(text.size());
  // Stretches overlap by one byte less than the text, so that no match falls between two of them.
  for (int64_t begin = from; begin + wanted <= size_; begin += kReadAhead - wanted + 1) {
    const int64_t length = std::min(kReadAhead, size_ - begin);
    ARROW_ASSIGN_OR_RAISE(const std::string_view bytes, Get(begin, length));
    if (const size_t found = bytes.find(text); found != std::string_view::npos) {
      return begin + static_cast<int64_t>(found);
    }
  }
  return size_;
}

Result<std::shared_ptr<arrow::Buffer>> FileWindows::Read(int64_t offset, int64_t length) const {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> bytes, file_->ReadAt(offset, length));
  if (bytes->size() != length) {
    return Error(ErrorCode::kIo, "{} bytes at offset {} of a file of {} were asked for, {} came",
                 length, offset, size_, bytes->size());
  }
  return bytes;
}

}  // namespace firth
