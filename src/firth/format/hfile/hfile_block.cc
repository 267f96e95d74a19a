// SPDX-License-Identifier: Apache-2.0
#include "firth/format/hfile/hfile_block.h"

#include <arrow/buffer.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "firth/common/bytes.h"

namespace firth {
namespace {

/// The row of a data key. HBase allows rows of 32 KiB; a longer row wraps the 16 bits in front of
/// it, and the length of the whole key tells.
std::string_view RowOfKey(std::string_view key) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(key.data());
  const size_t low = static_cast<size_t>(bytes[0]) << 8 | bytes[1];
  const size_t whole = key.size() - kHFileKeyOverhead;
  return key.substr(2, (whole & 0xFFFF) == low ? whole : low);
}

std::string_view KeyOfEntry(const char* entry) { return {entry + 8, LoadBigEndian32(entry)}; }

Status CheckKey(std::string_view key, size_t offset) {
  if (key.size() < kHFileKeyOverhead || RowOfKey(key).size() > key.size() - kHFileKeyOverhead) {
    return CorruptError("entry at offset {} has a key of {} bytes that is shorter than its row",
                        offset, key.size());
  }
  constexpr char kPut = 4;
  if (key.back() != kPut) {
    return UnsupportedError("entry at offset {} has cell type {}; Hudi writes 4 (put)", offset,
                            static_cast<int>(static_cast<uint8_t>(key.back())));
  }
  return Status::OK();
}

/// Row of an index key, which may lack all that follows the row.
Result<std::string_view> RowOfIndexKey(std::string_view key) {
  if (key.size() >= 2) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(key.data());
    const size_t low = static_cast<size_t>(bytes[0]) << 8 | bytes[1];
    if (key.size() >= kHFileKeyOverhead && ((key.size() - kHFileKeyOverhead) & 0xFFFF) == low) {
      return key.substr(2, key.size() - kHFileKeyOverhead);
    }
    if (((key.size() - 2) & 0xFFFF) == low) return key.substr(2);
    if (low <= key.size() - 2) return key.substr(2, low);
  }
  return CorruptError("index key of {} bytes is shorter than its row", key.size());
}

enum class Varint : uint8_t { kHadoop, kProtobuf };

Result<int64_t> ReadHadoopVarint(ByteReader& in) {
  ARROW_ASSIGN_OR_RAISE(const uint8_t byte, in.ReadU8("length of an index key"));
  const auto first = static_cast<int8_t>(byte);
  if (first >= -112) return first;
  const bool negative = first < -120;
  int64_t value = 0;
  for (int count = negative ? -120 - first : -112 - first; count > 0; --count) {
    ARROW_ASSIGN_OR_RAISE(const uint8_t next, in.ReadU8("length of an index key"));
    value = static_cast<int64_t>(static_cast<uint64_t>(value) << 8 | next);
  }
  return negative ? ~value : value;
}

Result<int64_t> ReadProtobufVarint(ByteReader& in) {
  uint64_t value = 0;
  for (int shift = 0; shift < 35; shift += 7) {
    ARROW_ASSIGN_OR_RAISE(const uint8_t byte, in.ReadU8("length of an index key"));
    value |= static_cast<uint64_t>(byte & 0x7F) << shift;
    if ((byte & 0x80) == 0) return static_cast<int64_t>(value);
  }
  return CorruptError("length of an index key takes more than 5 bytes");
}

Result<std::vector<HFileIndexEntry>> ReadRootEntries(std::string_view payload, uint32_t count,
                                                     HFileRootKind kind, Varint varint) {
  ByteReader in(payload);
  std::vector<HFileIndexEntry> entries;
  entries.reserve(count);
  for (uint32_t i = 0; i < count; ++i) {
    HFileIndexEntry entry;
    ARROW_ASSIGN_OR_RAISE(entry.offset, in.ReadI64Be("offset of a block"));
    ARROW_ASSIGN_OR_RAISE(entry.bytes, in.ReadI32Be("size of a block"));
    ARROW_ASSIGN_OR_RAISE(const int64_t length, varint == Varint::kHadoop ? ReadHadoopVarint(in)
                                                                          : ReadProtobufVarint(in));
    if (length < 0 || static_cast<uint64_t>(length) > in.remaining()) {
      return CorruptError("index key {} claims {} bytes, {} remain", i, length, in.remaining());
    }
    ARROW_ASSIGN_OR_RAISE(entry.key, in.ReadBytes(static_cast<size_t>(length), "index key"));
    if (kind != HFileRootKind::kMetaBlocks) {
      ARROW_ASSIGN_OR_RAISE(entry.key, RowOfIndexKey(entry.key));
    }
    entries.push_back(entry);
  }
  // In front of a second level HBase adds a hint of 16 bytes about the middle key.
  constexpr size_t kMiddleKeyBytes = 16;
  const bool has_hint = kind == HFileRootKind::kIndexBlocks && in.remaining() == kMiddleKeyBytes;
  if (in.remaining() != 0 && !has_hint) {
    return CorruptError("{} bytes after the last of {} index entries", in.remaining(), count);
  }
  return entries;
}

Status CheckOrder(std::span<const HFileIndexEntry> entries) {
  for (size_t i = 1; i < entries.size(); ++i) {
    if (entries[i].key < entries[i - 1].key || entries[i].offset <= entries[i - 1].offset) {
      return CorruptError("index entry {} doesn't come after the one in front of it", i);
    }
  }
  return Status::OK();
}

}  // namespace

void PutHadoopVarint(int64_t value, std::string* out) {
  if (value >= -112 && value <= 127) {
    out->push_back(static_cast<char>(value));
    return;
  }
  const auto magnitude = static_cast<uint64_t>(value < 0 ? ~value : value);
  int count = 8;
  while (count > 1 && magnitude >> (8 * (count - 1)) == 0) --count;
  out->push_back(static_cast<char>((value < 0 ? -120 : -112) - count));
  while (count > 0) out->push_back(static_cast<char>(magnitude >> (8 * --count)));
}

Result<std::vector<HFileIndexEntry>> ParseHFileRootIndex(std::string_view payload, uint32_t count,
                                                         HFileRootKind kind) {
  constexpr size_t kMinEntryBytes = 8 + 4 + 1;
  if (count > payload.size() / kMinEntryBytes) {
    return CorruptError("index of {} bytes can't hold {} entries", payload.size(), count);
  }
  auto entries = ReadRootEntries(payload, count, kind, Varint::kHadoop);
  if (!entries.ok() && count > 0) {
    // Hudi 1.1 wrote protobuf's integers, which differ from 128 on.
    auto again = ReadRootEntries(payload, count, kind, Varint::kProtobuf);
    if (again.ok()) entries = std::move(again);
  }
  ARROW_RETURN_NOT_OK(entries.status());
  if (kind != HFileRootKind::kMetaBlocks) ARROW_RETURN_NOT_OK(CheckOrder(*entries));
  return entries;
}

HFileBlock::HFileBlock(HFileBlockType type, std::shared_ptr<arrow::Buffer> payload)
    : type_(type), buffer_(std::move(payload)), payload_(*buffer_) {}

Result<std::shared_ptr<const HFileBlock>> HFileBlock::Make(HFileBlockType type,
                                                           std::shared_ptr<arrow::Buffer> payload) {
  std::shared_ptr<HFileBlock> block(new HFileBlock(type, std::move(payload)));
  if (type == HFileBlockType::kData) {
    ARROW_RETURN_NOT_OK(block->ParseEntries());
  } else if (type == HFileBlockType::kLeafIndex || type == HFileBlockType::kIntermediateIndex) {
    ARROW_RETURN_NOT_OK(block->ParseChildren());
  }
  return std::shared_ptr<const HFileBlock>(std::move(block));
}

Status HFileBlock::ParseEntries() {
  entries_.reserve(payload_.size() / 64);
  std::string_view previous;
  for (size_t offset = 0; offset < payload_.size();) {
    const size_t remaining = payload_.size() - offset;
    const char* entry = payload_.data() + offset;
    if (remaining < kHFileEntryOverhead) {
      return CorruptError("{} bytes after the last entry of a data block", remaining);
    }
    const uint64_t key_bytes = LoadBigEndian32(entry);
    const uint64_t value_bytes = LoadBigEndian32(entry + 4);
    if (key_bytes + value_bytes > remaining - 9) {
      return CorruptError("entry at offset {} claims {} and {} bytes, {} remain", offset, key_bytes,
                          value_bytes, remaining);
    }
    ARROW_RETURN_NOT_OK(CheckKey(KeyOfEntry(entry), offset));
    const std::string_view row = RowOfKey(KeyOfEntry(entry));
    if (row < previous) return CorruptError("key at offset {} comes too late", offset);
    if (entry[8 + key_bytes + value_bytes] != 0) {
      return CorruptError("entry at offset {} has a memstore version; Hudi writes none", offset);
    }
    previous = row;
    entries_.push_back(static_cast<uint32_t>(offset));
    offset += 9 + key_bytes + value_bytes;
  }
  return Status::OK();
}

Status HFileBlock::ParseChildren() {
  ByteReader in(payload_);
  ARROW_ASSIGN_OR_RAISE(const int32_t count, in.ReadI32Be("entry count of an index block"));
  constexpr size_t kMinEntryBytes = 4 + 8 + 4 + 2;
  if (count < 0 || static_cast<size_t>(count) > in.remaining() / kMinEntryBytes) {
    return CorruptError("index block claims {} entries in {} bytes", count, in.remaining());
  }
  ARROW_ASSIGN_OR_RAISE(const std::string_view offsets,
                        in.ReadBytes((static_cast<size_t>(count) + 1) * 4, "entry offsets"));
  const std::string_view entries = payload_.substr(in.offset());
  uint32_t begin = LoadBigEndian32(offsets.data());
  children_.reserve(static_cast<size_t>(count));
  for (int32_t i = 0; i < count; ++i) {
    const uint32_t end = LoadBigEndian32(offsets.data() + 4 * (i + 1));
    if (begin > end || end > entries.size() || end - begin < kMinEntryBytes - 4) {
      return CorruptError("index entry {} lies at {} to {} of {}", i, begin, end, entries.size());
    }
    const char* entry = entries.data() + begin;
    HFileIndexEntry& child = children_.emplace_back();
    child.offset = static_cast<int64_t>(LoadBigEndian64(entry));
    child.bytes = static_cast<int32_t>(LoadBigEndian32(entry + 8));
    ARROW_ASSIGN_OR_RAISE(child.key, RowOfIndexKey(entries.substr(begin + 12, end - begin - 12)));
    begin = end;
  }
  return CheckOrder(children_);
}

std::string_view HFileBlock::key(size_t i) const {
  return RowOfKey(KeyOfEntry(payload_.data() + entries_[i]));
}

std::string_view HFileBlock::value(size_t i) const {
  const char* entry = payload_.data() + entries_[i];
  return {entry + 8 + LoadBigEndian32(entry), LoadBigEndian32(entry + 4)};
}

size_t HFileBlock::LowerBound(std::string_view key) const {
  const auto less = [this](uint32_t offset, std::string_view wanted) {
    return RowOfKey(KeyOfEntry(payload_.data() + offset)) < wanted;
  };
  return static_cast<size_t>(std::lower_bound(entries_.begin(), entries_.end(), key, less) -
                             entries_.begin());
}

int64_t HFileBlock::memory_bytes() const {
  return static_cast<int64_t>(sizeof(HFileBlock) + entries_.capacity() * sizeof(entries_[0]) +
                              children_.capacity() * sizeof(children_[0])) +
         buffer_->size();
}

}  // namespace firth
