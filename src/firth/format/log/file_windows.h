// SPDX-License-Identifier: Apache-2.0
// Small ranges of a file of any size, with few requests and little memory.
#pragma once

#include <arrow/io/type_fwd.h>
#include <arrow/type_fwd.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

#include "firth/common/status.h"

namespace firth {

/// Reads a file through two cached windows; a file of up to 8 MiB is read whole, in one request.
/// For one thread.
class FileWindows {
 public:
  /// What a miss reads beyond the bytes asked for.
  static constexpr int64_t kReadAhead = int64_t{128} << 10;

  static Result<FileWindows> Open(std::shared_ptr<arrow::io::RandomAccessFile> file);

  int64_t size() const { return size_; }

  /// The bytes [offset, offset + length), which must lie inside the file. The view holds until two
  /// further calls had to read.
  Result<std::string_view> Get(int64_t offset, int64_t length, int64_t read_ahead = kReadAhead);

  /// The same as a buffer of its own lifetime, read past the windows unless they have it.
  Result<std::shared_ptr<arrow::Buffer>> Load(int64_t offset, int64_t length) const;

  /// The first offset at or after `from` where `text` begins, or size() when there is none.
  Result<int64_t> Find(std::string_view text, int64_t from);

 private:
  struct Window {
    std::shared_ptr<arrow::Buffer> bytes;
    int64_t offset = 0;

    bool Covers(int64_t begin, int64_t length) const;
  };

  FileWindows(std::shared_ptr<arrow::io::RandomAccessFile> file, int64_t size);
  Result<std::shared_ptr<arrow::Buffer>> Read(int64_t offset, int64_t length) const;

  std::shared_ptr<arrow::io::RandomAccessFile> file_;
  int64_t size_;
  std::array<Window, 2> windows_;  // the one used last is first
};

}  // namespace firth
