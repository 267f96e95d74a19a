// SPDX-License-Identifier: Apache-2.0
// Blocks of a log file in order. Damage is reported, never guessed over: docs/format/log.md.
#pragma once

#include <arrow/io/type_fwd.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firth/common/status.h"
#include "firth/format/log/log_format.h"

namespace firth {

class LogReader {
 public:
  /// `path` is for messages. Small files are read in one request.
  static Result<std::unique_ptr<LogReader>> Open(std::shared_ptr<arrow::io::RandomAccessFile> file,
                                                 std::string path);

  /// The next block without its content, or nullopt at the end. A damaged stretch is one block of
  /// type kCorrupt (spec 1.5); a type or format version that is not known is an error.
  Result<std::optional<LogBlock>> Next();

  /// The content bytes of a block this reader returned.
  Result<std::shared_ptr<arrow::Buffer>> LoadContent(const LogBlock& block) const;

  const std::string& path() const { return path_; }

 private:
  LogReader(std::shared_ptr<arrow::io::RandomAccessFile> file, std::string path, int64_t size);
  Result<std::string_view> Window(int64_t offset, int64_t length);

  std::shared_ptr<arrow::io::RandomAccessFile> file_;
  std::string path_;
  int64_t size_;
  int64_t position_ = 0;
  std::shared_ptr<arrow::Buffer> window_;
  int64_t window_offset_ = 0;
};

/// The binary records of an Avro data block, views into `content`, in order.
Result<std::vector<std::string_view>> SplitAvroBlock(std::string_view content);

/// The entries of a delete block (block version 3; older Kryo ones are kUnsupported).
Result<std::vector<DeleteRecord>> DecodeDeleteBlock(std::string_view content);

/// RECORD_POSITIONS: Base64 of a portable 64-bit Roaring bitmap, ascending row numbers.
/// `max_count` bounds what may be allocated.
Result<std::vector<int64_t>> DecodeRecordPositions(std::string_view base64, int64_t max_count);

}  // namespace firth
