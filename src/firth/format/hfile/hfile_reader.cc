// SPDX-License-Identifier: Apache-2.0
#include "firth/format/hfile/hfile_reader.h"

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <arrow/memory_pool.h>

#include <algorithm>
#include <utility>

#include "firth/common/bytes.h"

namespace firth {

HFileCost& HFileCost::operator+=(const HFileCost& other) {
  requests += other.requests;
  bytes += other.bytes;
  blocks += other.blocks;
  cache_hits += other.cache_hits;
  return *this;
}

bool HFileRange::EndsBefore(std::string_view key) const {
  switch (kind_) {
    case Kind::kPoint:
      return key > begin_;
    case Kind::kPrefix:
      return key > begin_ && !key.starts_with(begin_);
    case Kind::kFrom:
      return false;
    case Kind::kBetween:
      return key >= end_;
  }
  return true;
}

HFileReader::HFileReader(std::shared_ptr<arrow::io::RandomAccessFile> file,
                         HFileReadOptions options)
    : file_(std::move(file)),
      options_(std::move(options)),
      name_(std::make_shared<std::string>(options_.path)) {}

HFileReader::~HFileReader() = default;

Result<std::shared_ptr<const HFileReader>> HFileReader::Open(
    std::shared_ptr<arrow::io::RandomAccessFile> file, HFileReadOptions options) {
  std::shared_ptr<HFileReader> reader(new HFileReader(std::move(file), std::move(options)));
  Status status = reader->ReadTail();
  if (status.ok()) status = reader->ReadLoadOnOpen();
  if (status.ok()) status = reader->CheckInfo();
  if (!status.ok()) return WithContext(status, reader->path());
  return std::shared_ptr<const HFileReader>(std::move(reader));
}

Status HFileReader::ReadTail() {
  size_ = options_.length;
  if (size_ < 0) {
    ARROW_ASSIGN_OR_RAISE(size_, file_->GetSize());
    size_ -= options_.offset;
  }
  if (size_ < kHFileTrailerBytes) {
    return CorruptError("{} bytes are too few for an HFile, whose trailer has {}", size_,
                        kHFileTrailerBytes);
  }
  const int64_t offset =
      std::max<int64_t>(0, size_ - std::max<int64_t>(options_.tail_bytes, kHFileTrailerBytes));
  tail_offset_ = size_;  // nothing is there yet
  ARROW_ASSIGN_OR_RAISE(tail_, ReadBytes(offset, size_ - offset, &open_cost_));
  tail_offset_ = offset;
  const std::string_view trailer =
      std::string_view(*tail_).substr(static_cast<size_t>(tail_->size() - kHFileTrailerBytes));
  ARROW_ASSIGN_OR_RAISE(trailer_, DecodeHFileTrailer(trailer, size_));
  return Status::OK();
}

/// Root index, meta index and file info follow each other, up to the trailer.
Status HFileReader::ReadLoadOnOpen() {
  const int64_t begin = trailer_.load_on_open_offset;
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Buffer> bytes,
                        ReadBytes(begin, size_ - kHFileTrailerBytes - begin, &open_cost_));
  int64_t offset = begin;
  const auto next = [&](HFileBlockType type) -> Result<std::shared_ptr<arrow::Buffer>> {
    const std::shared_ptr<arrow::Buffer> rest = arrow::SliceBuffer(bytes, offset - begin);
    ARROW_ASSIGN_OR_RAISE(const HFileBlockHeader header,
                          ParseHFileBlockHeader(std::string_view(*rest)));
    if (header.type != type || header.total_bytes > rest->size()) {
      return CorruptError("{} block of {} bytes at offset {} where a {} block was expected",
                          HFileBlockTypeName(header.type), header.total_bytes, offset,
                          HFileBlockTypeName(type));
    }
    offset += header.total_bytes;
    ++open_cost_.blocks;
    return DecodeHFilePayload(header, rest, trailer_.codec, arrow::default_memory_pool());
  };
  ARROW_ASSIGN_OR_RAISE(root_payload_, next(HFileBlockType::kRootIndex));
  ARROW_ASSIGN_OR_RAISE(meta_payload_, next(HFileBlockType::kRootIndex));
  offset = trailer_.file_info_offset;
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Buffer> info, next(HFileBlockType::kFileInfo));
  ARROW_ASSIGN_OR_RAISE(
      root_, ParseHFileRootIndex(std::string_view(*root_payload_), trailer_.data_index_count,
                                 trailer_.index_levels > 1 ? HFileRootKind::kIndexBlocks
                                                           : HFileRootKind::kDataBlocks));
  ARROW_ASSIGN_OR_RAISE(
      meta_, ParseHFileRootIndex(std::string_view(*meta_payload_), trailer_.meta_index_count,
                                 HFileRootKind::kMetaBlocks));
  ARROW_ASSIGN_OR_RAISE(info_, DecodeHFileInfo(std::string_view(*info)));
  return Status::OK();
}

/// Cells of Hudi have neither memstore versions nor tags; both would change their layout.
Status HFileReader::CheckInfo() const {
  for (const std::string_view name : {"MAX_MEMSTORE_TS_KEY", "hfile.MAX_TAGS_LEN"}) {
    const auto found = info_.find(name);
    if (found != info_.end() && found->second.find_first_not_of('\0') != std::string::npos) {
      return UnsupportedError("file info has {} above 0; firth reads files without", name);
    }
  }
  const auto version = info_.find("KEY_VALUE_VERSION");
  if (version != info_.end() && version->second != std::string_view("\0\0\0\1", 4)) {
    return UnsupportedError("file info has another KEY_VALUE_VERSION than 1");
  }
  if (root_.empty() && trailer_.entry_count > 0) {
    return CorruptError("{} entries, but the index is empty", trailer_.entry_count);
  }
  return Status::OK();
}

Result<std::shared_ptr<arrow::Buffer>> HFileReader::ReadBytes(int64_t offset, int64_t length,
                                                              HFileCost* cost) const {
  if (offset < 0 || length < 0 || offset > size_ - length) {
    return CorruptError("{} bytes at offset {} lie beyond the HFile of {}", length, offset, size_);
  }
  if (offset >= tail_offset_) return arrow::SliceBuffer(tail_, offset - tail_offset_, length);
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> bytes,
                        file_->ReadAt(options_.offset + offset, length));
  ++cost->requests;
  cost->bytes += bytes->size();
  if (bytes->size() != length) {
    return CorruptError("the file ends {} bytes into {} at offset {}", bytes->size(), length,
                        options_.offset + offset);
  }
  return bytes;
}

/// @param bytes        the whole block
/// @param own_payload  the block will outlive other blocks in the same buffer
Result<HFileReader::BlockPtr> HFileReader::DecodeBlock(int64_t offset,
                                                       std::shared_ptr<arrow::Buffer> bytes,
                                                       bool own_payload) const {
  const auto decode = [&]() -> Result<BlockPtr> {
    ARROW_ASSIGN_OR_RAISE(const HFileBlockHeader header,
                          ParseHFileBlockHeader(std::string_view(*bytes)));
    if (header.total_bytes != bytes->size()) {
      return CorruptError("header claims {} bytes, the index {}", header.total_bytes,
                          bytes->size());
    }
    arrow::MemoryPool* const pool = arrow::default_memory_pool();
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> payload,
                          DecodeHFilePayload(header, bytes, trailer_.codec, pool));
    if (own_payload && trailer_.codec == HFileCodec::kNone) {
      ARROW_ASSIGN_OR_RAISE(payload, payload->CopySlice(0, payload->size(), pool));
    }
    return HFileBlock::Make(header.type, std::move(payload));
  };
  Result<BlockPtr> block = decode();
  if (block.ok()) return block;
  return WithContext(block.status(), fmt::format("block at offset {}", offset));
}

Result<std::shared_ptr<arrow::Buffer>> HFileReader::ReadMetaBlock(std::string_view name) const {
  for (const HFileIndexEntry& entry : meta_) {
    if (entry.key != name) continue;
    HFileCost cost;
    const auto read = [&]() -> Result<BlockPtr> {
      ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> bytes,
                            ReadBytes(entry.offset, entry.bytes, &cost));
      return DecodeBlock(entry.offset, std::move(bytes), false);
    };
    Result<BlockPtr> block = read();
    if (!block.ok()) return WithContext(block.status(), path());
    if ((*block)->type() != HFileBlockType::kMeta) {
      return CorruptError("{}: meta block \"{}\" is a {} block", path(), name,
                          HFileBlockTypeName((*block)->type()));
    }
    return (*block)->buffer();
  }
  return std::shared_ptr<arrow::Buffer>();
}

}  // namespace firth
