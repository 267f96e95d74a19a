// SPDX-License-Identifier: Apache-2.0
#include <arrow/buffer.h>

#include <algorithm>
#include <utility>

#include "firth/format/hfile/hfile_reader.h"

namespace firth {
namespace {

// Requests grow from the first to the second size, so that a short range costs little.
constexpr int64_t kFirstReadAhead = int64_t{64} << 10;
constexpr int64_t kMaxReadAhead = int64_t{1} << 20;

}  // namespace

Result<HFileScanner> HFileReader::Scan(HFileRange range) const {
  HFileCost cost;
  int64_t offset = trailer_.load_on_open_offset;
  if (!root_.empty()) {
    Result<int64_t> start = range.begin().empty() && trailer_.first_data_offset >= 0
                                ? trailer_.first_data_offset
                                : FindStart(range.begin(), &cost);
    if (!start.ok()) return WithContext(start.status(), path());
    offset = *start;
  }
  HFileScanner scanner(this, range, offset);
  scanner.cost_ = cost;
  return scanner;
}

HFileScanner::HFileScanner(const HFileReader* reader, HFileRange range, int64_t offset)
    : reader_(reader),
      range_(range),
      offset_(offset),
      end_(reader->trailer_.load_on_open_offset),
      read_ahead_(kFirstReadAhead) {
  // Meta blocks follow the data blocks.
  const int64_t last = reader->trailer_.last_data_offset;
  if (last >= offset) end_ = std::min(end_, last + 1);
}

Result<bool> HFileScanner::Next() {
  Result<bool> more = Step();
  if (more.ok()) return more;
  ended_ = true;
  return WithContext(more.status(), reader_->path());
}

Result<bool> HFileScanner::Step() {
  if (ended_) return false;
  if (block_ != nullptr) ++entry_;
  while (block_ == nullptr || entry_ >= block_->size()) {
    ARROW_ASSIGN_OR_RAISE(const bool more, NextBlock());
    if (!more) {
      ended_ = true;
      ARROW_RETURN_NOT_OK(FinishWhole());
      return false;
    }
  }
  ended_ = range_.EndsBefore(key());
  return !ended_;
}

/// Blocks follow each other without gaps; index blocks may lie between data blocks.
Result<bool> HFileScanner::NextBlock() {
  while (offset_ < end_) {
    ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Buffer> head, Peek(kHFileHeaderBytes));
    ARROW_ASSIGN_OR_RAISE(const HFileBlockHeader header,
                          ParseHFileBlockHeader(std::string_view(*head)));
    const int64_t offset = offset_;
    if (header.type != HFileBlockType::kData) {
      offset_ += header.total_bytes;
      continue;
    }
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> bytes, Peek(header.total_bytes));
    offset_ += header.total_bytes;
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<const HFileBlock> block,
                          reader_->DecodeBlock(offset, std::move(bytes), false));
    ++cost_.blocks;
    if (block->size() == 0) continue;
    if (block_ != nullptr && block->key(0) < block_->key(block_->size() - 1)) {
      return CorruptError("block at offset {} begins in front of the last key before it", offset);
    }
    entry_ = passed_ == 0 ? block->LowerBound(range_.begin()) : 0;
    passed_ += static_cast<int64_t>(block->size());
    block_ = std::move(block);
    return true;
  }
  return false;
}

/// The next `bytes` bytes, read together with some of what follows them.
Result<std::shared_ptr<arrow::Buffer>> HFileScanner::Peek(int64_t bytes) {
  const int64_t limit = reader_->trailer_.load_on_open_offset;
  if (bytes > limit - offset_) {
    return CorruptError("block of {} bytes at offset {} reaches into the root index at {}", bytes,
                        offset_, limit);
  }
  const int64_t window_bytes = window_ == nullptr ? 0 : window_->size();
  if (offset_ < window_offset_ || offset_ + bytes > window_offset_ + window_bytes) {
    const int64_t length = std::min(limit - offset_, std::max(bytes, read_ahead_));
    ARROW_ASSIGN_OR_RAISE(window_, reader_->ReadBytes(offset_, length, &cost_));
    window_offset_ = offset_;
    read_ahead_ = std::min(2 * read_ahead_, kMaxReadAhead);
  }
  return arrow::SliceBuffer(window_, offset_ - window_offset_, bytes);
}

/// A scan from the first to the last block must have seen as many entries as the trailer has.
Status HFileScanner::FinishWhole() const {
  const int64_t expected = reader_->trailer_.entry_count;
  if (!range_.begin().empty() || passed_ == expected) return Status::OK();
  return CorruptError("{} entries in the blocks, {} in the trailer", passed_, expected);
}

}  // namespace firth
