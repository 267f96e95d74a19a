// SPDX-License-Identifier: Apache-2.0
// Blocks of a log file in order. Damage is reported, never guessed over: docs/format/log.md.
#pragma once

#include <arrow/io/type_fwd.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firth/common/status.h"
#include "firth/format/log/file_windows.h"
#include "firth/format/log/log_format.h"

namespace firth {

/// What a log file belongs to. Blocks of a file slice say which instant wrote them; those of a
/// timeline archive (table version 6) don't.
enum class LogPurpose : uint8_t { kFileSlice, kTimelineArchive };

/// Reads forward. Memory: the file up to 8 MiB, else the headers and a window; contents only by
/// LoadContent. For one thread.
class LogReader {
 public:
  /// `path` is for messages. Small files are read in one request.
  static Result<std::unique_ptr<LogReader>> Open(std::shared_ptr<arrow::io::RandomAccessFile> file,
                                                 std::string path,
                                                 LogPurpose purpose = LogPurpose::kFileSlice);

  /// The next block without its content, or nullopt at the end. A damaged stretch is one block of
  /// type kCorrupt, which a merge counts and passes over.
  /// Errors: kCorrupt when the file doesn't begin with a block, or when a block of consistent
  /// length doesn't parse; kUnsupported for a block type or format version that is not known; kIo.
  /// All name the path and the offset. After an error the reader stays where it is.
  Result<std::optional<LogBlock>> Next();

  /// The content bytes of a block this reader returned, or `length` of them from `offset` on.
  Result<std::shared_ptr<arrow::Buffer>> LoadContent(const LogBlock& block) const;
  Result<std::shared_ptr<arrow::Buffer>> LoadContent(const LogBlock& block, int64_t offset,
                                                     int64_t length) const;

  const std::string& path() const { return path_; }

 private:
  LogReader(FileWindows bytes, std::string path, LogPurpose purpose);
  Result<std::optional<int64_t>> FindBlockEnd();
  Result<LogBlock> ParseBlock(int64_t end);
  Result<LogBlock> SkipDamage();

  FileWindows bytes_;
  std::string path_;
  LogPurpose purpose_;
  int64_t position_ = 0;  // of the next magic
  bool damaged_ = false;  // a corrupt stretch was seen
};

/// The entries of a delete block (block version 3; the older Kryo ones are kUnsupported).
Result<std::vector<DeleteRecord>> DecodeDeleteBlock(std::string_view content);

/// The header value RECORD_POSITIONS: Base64 of a portable 64-bit Roaring bitmap.
/// @param max_count bounds what is allocated: pass the number of records in the block
/// @return ascending row numbers of the base file; the i-th belongs to the i-th record of the block
/// Errors: kCorrupt, also when there are more than `max_count`.
Result<std::vector<int64_t>> DecodeRecordPositions(std::string_view base64, int64_t max_count);

}  // namespace firth
