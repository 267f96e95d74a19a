// SPDX-License-Identifier: Apache-2.0
// One block of an HFile: its frame (header, compression, checksums) and what is inside.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "firth/common/status.h"
#include "firth/format/hfile/hfile_format.h"

namespace firth {

struct HFileBlockHeader {
  HFileBlockType type = HFileBlockType::kData;
  int64_t total_bytes = 0;    // header, stored payload and checksums
  int64_t stored_bytes = 0;   // payload as stored
  int64_t payload_bytes = 0;  // payload once decompressed
  uint8_t checksum_type = 0;  // 0 none, 1 CRC-32, 2 CRC-32C
  int32_t bytes_per_checksum = kHFileBytesPerChecksum;
};

/// Errors: kCorrupt when fewer than 33 bytes are given or the sizes contradict each other;
/// kUnsupported for blocks that Hudi never writes.
Result<HFileBlockHeader> ParseHFileBlockHeader(std::string_view bytes);

/// Payload of a block after its checksums (if it has any) were compared. Uncompressed payloads are
/// slices of `block`. `block` begins with the header and has at least total_bytes.
/// Errors: kCorrupt.
Result<std::shared_ptr<arrow::Buffer>> DecodeHFilePayload(
    const HFileBlockHeader& header, const std::shared_ptr<arrow::Buffer>& block, HFileCodec codec,
    arrow::MemoryPool* pool);

/// Appends a whole block with CRC-32C checksums.
/// Errors: kInvalidArgument when a size would exceed 2 GiB.
Status AppendHFileBlock(HFileBlockType type, std::string_view payload, int64_t previous_offset,
                        HFileCodec codec, std::string* out);

/// Where a block is, and a key that is at most its first and greater than (or, with duplicates,
/// equal to) the last of the block in front of it. Not necessarily a key of the file.
struct HFileIndexEntry {
  int64_t offset = 0;
  int32_t bytes = 0;
  std::string_view key;  // data and leaf indexes: the row; meta index: the name
};

/// What a root index block lists.
enum class HFileRootKind : uint8_t { kDataBlocks, kIndexBlocks, kMetaBlocks };

/// Entries of a root block; views into `payload`. Errors: kCorrupt.
Result<std::vector<HFileIndexEntry>> ParseHFileRootIndex(std::string_view payload, uint32_t count,
                                                         HFileRootKind kind);

/// A block that was read and checked. Immutable.
class HFileBlock {
 public:
  /// Checks every entry once, so that access needs no further checks.
  /// Errors: kCorrupt, also when keys descend; kUnsupported for cells other than puts.
  static Result<std::shared_ptr<const HFileBlock>> Make(HFileBlockType type,
                                                        std::shared_ptr<arrow::Buffer> payload);

  HFileBlockType type() const { return type_; }
  std::string_view payload() const { return payload_; }
  const std::shared_ptr<arrow::Buffer>& buffer() const { return buffer_; }

  /// Children of leaf and intermediate index blocks.
  std::span<const HFileIndexEntry> children() const { return children_; }

  /// Entries of a data block.
  size_t size() const { return entries_.size(); }
  std::string_view key(size_t i) const;
  std::string_view value(size_t i) const;
  /// The first entry whose key is at least `key`, or size().
  size_t LowerBound(std::string_view key) const;

  /// What a cache is charged for this block.
  int64_t memory_bytes() const;

 private:
  HFileBlock(HFileBlockType type, std::shared_ptr<arrow::Buffer> payload);
  Status ParseEntries();
  Status ParseChildren();

  HFileBlockType type_;
  std::shared_ptr<arrow::Buffer> buffer_;
  std::string_view payload_;
  std::vector<uint32_t> entries_;  // offsets into the payload
  std::vector<HFileIndexEntry> children_;
};

}  // namespace firth
