// SPDX-License-Identifier: Apache-2.0
// The records of an Avro data block, read forward: a block may be as large as 2 GiB.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "firth/common/status.h"
#include "firth/format/log/log_reader.h"

namespace firth {

/// Holds one window of the content at a time, or one record if that is larger. For one thread.
class AvroBlockReader {
 public:
  /// Bytes of the content that are fetched at once.
  static constexpr int64_t kWindowBytes = int64_t{8} << 20;

  /// `block` is one that `log` returned; `log` outlives the reader.
  /// Errors: kCorrupt, kUnsupported for other versions of the block's format, kIo.
  static Result<AvroBlockReader> Open(const LogReader& log, const LogBlock& block,
                                      int64_t window_bytes = kWindowBytes);

  /// What the block claims; at most a quarter of its bytes.
  int64_t num_records() const { return count_; }

  /// The next binary record, valid until the next call; nullopt at the end. Errors: kCorrupt when
  /// lengths contradict the block's, kIo.
  Result<std::optional<std::string_view>> Next();

 private:
  AvroBlockReader(const LogReader& log, const LogBlock& block, int64_t window_bytes)
      : log_(&log), block_(&block), window_bytes_(window_bytes) {}

  int64_t remaining() const { return block_->content_length - position_; }
  Result<std::string_view> Take(int64_t length, std::string_view what);
  Result<int32_t> TakeI32(std::string_view what);

  const LogReader* log_;
  const LogBlock* block_;
  int64_t window_bytes_;
  std::shared_ptr<arrow::Buffer> window_;
  int64_t window_offset_ = 0;  // in the content
  int64_t position_ = 0;       // in the content
  int64_t count_ = 0;
  int64_t done_ = 0;
};

}  // namespace firth
