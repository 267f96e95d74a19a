// SPDX-License-Identifier: Apache-2.0
#include "firth/format/log/avro_block.h"

#include <arrow/buffer.h>

#include <algorithm>

#include "firth/common/bytes.h"

namespace firth {

Result<AvroBlockReader> AvroBlockReader::Open(const LogReader& log, const LogBlock& block,
                                              int64_t window_bytes) {
  AvroBlockReader reader(log, block, window_bytes);
  ARROW_ASSIGN_OR_RAISE(const int32_t version, reader.TakeI32("version of an avro block"));
  if (version < 1 || version > 3) {
    return UnsupportedError("avro block version {}; firth reads 1 to 3", version);
  }
  ARROW_ASSIGN_OR_RAISE(reader.count_, reader.TakeI32("record count of an avro block"));
  constexpr int64_t kMinRecordBytes = 4;
  if (reader.count_ < 0 || reader.count_ > reader.remaining() / kMinRecordBytes) {
    return CorruptError("avro block claims {} records, {} bytes remain", reader.count_,
                        reader.remaining());
  }
  return reader;
}

Result<std::optional<std::string_view>> AvroBlockReader::Next() {
  if (done_ == count_) {
    if (remaining() == 0) return std::nullopt;
    return CorruptError("{} bytes after the last record of an avro block", remaining());
  }
  ARROW_ASSIGN_OR_RAISE(const int32_t length, TakeI32("record length"));
  if (length < 0) {
    return CorruptError("record {} of an avro block claims {} bytes", done_, length);
  }
  ++done_;
  return Take(length, "avro record");
}

Result<std::string_view> AvroBlockReader::Take(int64_t length, std::string_view what) {
  if (length > remaining()) {
    return CorruptError("{} at byte {} of an avro block needs {} bytes, {} remain", what, position_,
                        length, remaining());
  }
  if (window_ == nullptr || position_ + length > window_offset_ + window_->size()) {
    window_ = nullptr;  // before the next one is made
    const int64_t wanted = std::min(std::max(length, window_bytes_), remaining());
    ARROW_ASSIGN_OR_RAISE(window_, log_->LoadContent(*block_, position_, wanted));
    window_offset_ = position_;
  }
  const std::string_view bytes = std::string_view(*window_).substr(
      static_cast<size_t>(position_ - window_offset_), static_cast<size_t>(length));
  position_ += length;
  return bytes;
}

Result<int32_t> AvroBlockReader::TakeI32(std::string_view what) {
  ARROW_ASSIGN_OR_RAISE(const std::string_view bytes, Take(4, what));
  return static_cast<int32_t>(LoadBigEndian32(bytes.data()));
}

}  // namespace firth
