// SPDX-License-Identifier: Apache-2.0
#include "firth/format/log/log_reader.h"

#include <arrow/buffer.h>

#include <limits>
#include <utility>

#include "firth/common/bytes.h"

namespace firth {
namespace {

constexpr int64_t kMagicBytes = kLogMagic.size();
constexpr int64_t kTrailerBytes = 8;
constexpr int64_t kEmptyMapBytes = 4;
// Format version, type, empty header, content length, empty footer, trailer.
constexpr int64_t kMinBlockSize = 4 + 4 + kEmptyMapBytes + 8 + kEmptyMapBytes + kTrailerBytes;
// Java holds a block in one array.
constexpr int64_t kMaxBlockSize = std::numeric_limits<int32_t>::max();
// Nine keys exist. Higher ones may be of later releases and are skipped; those beyond this are
// damage.
constexpr int32_t kHeaderKeyLimit = 256;

/// A cursor over one block that fetches only what is read.
class BlockCursor {
 public:
  BlockCursor(FileWindows& bytes, int64_t offset, int64_t end)
      : bytes_(bytes), offset_(offset), end_(end) {}

  int64_t offset() const { return offset_; }
  int64_t remaining() const { return end_ - offset_; }

  Status Skip(int64_t count, std::string_view what) {
    if (count < 0 || count > remaining()) {
      return CorruptError("{} at offset {} claims {} bytes, {} remain", what, offset_, count,
                          remaining());
    }
    offset_ += count;
    return Status::OK();
  }

  Result<std::string_view> Read(int64_t count, std::string_view what) {
    const int64_t begin = offset_;
    ARROW_RETURN_NOT_OK(Skip(count, what));
    return bytes_.Get(begin, count);
  }

  Result<int32_t> ReadI32(std::string_view what) {
    ARROW_ASSIGN_OR_RAISE(const std::string_view bytes, Read(4, what));
    return static_cast<int32_t>(LoadBigEndian32(bytes.data()));
  }

  Result<int64_t> ReadI64(std::string_view what) {
    ARROW_ASSIGN_OR_RAISE(const std::string_view bytes, Read(8, what));
    return static_cast<int64_t>(LoadBigEndian64(bytes.data()));
  }

 private:
  FileWindows& bytes_;
  int64_t offset_;
  int64_t end_;
};

/// Reads a header or footer map. Values of keys that are not known are passed over unread.
Result<LogHeader> ReadHeaderMap(BlockCursor& in) {
  ARROW_ASSIGN_OR_RAISE(const int32_t count, in.ReadI32("entry count"));
  if (count < 0 || count > kHeaderKeyLimit) {
    return CorruptError("map before offset {} claims {} entries; 0 to {} are possible", in.offset(),
                        count, kHeaderKeyLimit);
  }
  LogHeader header;
  for (int32_t i = 0; i < count; ++i) {
    ARROW_ASSIGN_OR_RAISE(const int32_t key, in.ReadI32("header key"));
    ARROW_ASSIGN_OR_RAISE(const int32_t length, in.ReadI32("length of a header value"));
    if (key < 0 || key >= kHeaderKeyLimit) {
      return CorruptError("header key before offset {} is {}; 0 to {} are possible", in.offset(),
                          key, kHeaderKeyLimit - 1);
    }
    if (key > static_cast<int32_t>(LogHeaderKey::kBaseFileInstantOfPositions)) {
      ARROW_RETURN_NOT_OK(in.Skip(length, "header value"));
      continue;
    }
    ARROW_ASSIGN_OR_RAISE(const std::string_view value, in.Read(length, "header value"));
    if (!header.emplace(static_cast<LogHeaderKey>(key), value).second) {
      return CorruptError("header key {} before offset {} occurs twice", key, in.offset());
    }
  }
  return header;
}

Result<LogBlockType> ReadBlockType(BlockCursor& in) {
  ARROW_ASSIGN_OR_RAISE(const int32_t version, in.ReadI32("log format version"));
  if (version != kLogFormatVersion) {
    return UnsupportedError("log format version {}; firth reads version {}", version,
                            kLogFormatVersion);
  }
  ARROW_ASSIGN_OR_RAISE(const int32_t type, in.ReadI32("block type"));
  if (type < 0 || type > static_cast<int32_t>(LogBlockType::kCdc) ||
      type == static_cast<int32_t>(LogBlockType::kCorrupt)) {
    return UnsupportedError("block type {}; known are 0, 1 and 3 to 6", type);
  }
  return static_cast<LogBlockType>(type);
}

/// Everything between the block size and the trailer, which must fill the block exactly.
Result<LogBlock> ReadBlockBody(BlockCursor& in, LogPurpose purpose) {
  LogBlock block;
  ARROW_ASSIGN_OR_RAISE(block.type, ReadBlockType(in));
  ARROW_ASSIGN_OR_RAISE(block.header, ReadHeaderMap(in));
  if (purpose == LogPurpose::kFileSlice && !block.header.contains(LogHeaderKey::kInstantTime)) {
    return CorruptError("header without INSTANT_TIME");
  }
  ARROW_ASSIGN_OR_RAISE(block.content_length, in.ReadI64("content length"));
  block.content_offset = in.offset();
  ARROW_RETURN_NOT_OK(in.Skip(block.content_length, "content"));
  ARROW_RETURN_NOT_OK(ReadHeaderMap(in).status());  // no footer key has a meaning
  if (in.remaining() != 0) {
    return CorruptError("{} bytes between footer and trailer, at offset {}", in.remaining(),
                        in.offset());
  }
  return block;
}

}  // namespace

Result<std::unique_ptr<LogReader>> LogReader::Open(
    std::shared_ptr<arrow::io::RandomAccessFile> file, std::string path, LogPurpose purpose) {
  Result<FileWindows> bytes = FileWindows::Open(std::move(file));
  if (!bytes.ok()) return WithContext(bytes.status(), path);
  return std::unique_ptr<LogReader>(new LogReader(*std::move(bytes), std::move(path), purpose));
}

LogReader::LogReader(FileWindows bytes, std::string path, LogPurpose purpose)
    : bytes_(std::move(bytes)), path_(std::move(path)), purpose_(purpose) {}

Result<std::optional<LogBlock>> LogReader::Next() {
  // Fewer bytes than a magic are the end, whatever they are: a writer died at its first write.
  if (bytes_.size() - position_ < kMagicBytes) return std::nullopt;
  const auto next = [this]() -> Result<LogBlock> {
    ARROW_ASSIGN_OR_RAISE(const std::string_view magic, bytes_.Get(position_, kMagicBytes));
    if (magic != kLogMagic) return CorruptError("does not begin with \"{}\"", kLogMagic);
    ARROW_ASSIGN_OR_RAISE(const std::optional<int64_t> end, FindBlockEnd());
    return end ? ParseBlock(*end) : SkipDamage();
  };
  Result<LogBlock> block = next();
  if (!block.ok()) {
    return WithContext(block.status(), fmt::format("{}: block at offset {}", path_, position_));
  }
  return std::optional(*std::move(block));
}

/// Where the block at position_ ends, or nullopt when its length is contradicted by its trailer or
/// by what follows.
Result<std::optional<int64_t>> LogReader::FindBlockEnd() {
  const int64_t size_offset = position_ + kMagicBytes;
  if (bytes_.size() - size_offset < 8) return std::nullopt;
  ARROW_ASSIGN_OR_RAISE(const std::string_view size_bytes, bytes_.Get(size_offset, 8));
  const auto block_size = static_cast<int64_t>(LoadBigEndian64(size_bytes.data()));
  if (block_size < kMinBlockSize || block_size > kMaxBlockSize) return std::nullopt;
  const int64_t end = size_offset + 8 + block_size;
  if (end > bytes_.size()) return std::nullopt;

  // One read fetches the footer, the trailer and the start of the next block. Behind damage sizes
  // may point anywhere, so nothing is read ahead there.
  const int64_t tail = end - kTrailerBytes - kEmptyMapBytes;
  const bool more = bytes_.size() - end >= kMagicBytes;
  const int64_t tail_length = end - tail + (more ? kMagicBytes : 0);
  ARROW_ASSIGN_OR_RAISE(const std::string_view bytes,
                        bytes_.Get(tail, tail_length, damaged_ ? 0 : FileWindows::kReadAhead));
  const auto trailer = static_cast<int64_t>(LoadBigEndian64(bytes.data() + kEmptyMapBytes));
  if (trailer != block_size + kMagicBytes) return std::nullopt;
  if (more && !bytes.ends_with(kLogMagic)) return std::nullopt;
  return end;
}

Result<LogBlock> LogReader::ParseBlock(int64_t end) {
  BlockCursor in(bytes_, position_ + kMagicBytes + 8, end - kTrailerBytes);
  ARROW_ASSIGN_OR_RAISE(LogBlock block, ReadBlockBody(in, purpose_));
  block.offset = position_;
  position_ = end;
  return block;
}

Result<LogBlock> LogReader::SkipDamage() {
  LogBlock block;
  block.offset = position_;
  block.content_offset = position_ + kMagicBytes;
  ARROW_ASSIGN_OR_RAISE(const int64_t next, bytes_.Find(kLogMagic, block.content_offset));
  block.content_length = next - block.content_offset;
  position_ = next;
  damaged_ = true;
  return block;
}

Result<std::shared_ptr<arrow::Buffer>> LogReader::LoadContent(const LogBlock& block) const {
  return LoadContent(block, 0, block.content_length);
}

Result<std::shared_ptr<arrow::Buffer>> LogReader::LoadContent(const LogBlock& block, int64_t offset,
                                                              int64_t length) const {
  Result<std::shared_ptr<arrow::Buffer>> content =
      bytes_.Load(block.content_offset + offset, length);
  if (content.ok()) return content;
  return WithContext(content.status(), fmt::format("{}: block at offset {}", path_, block.offset));
}

}  // namespace firth
