// SPDX-License-Identifier: Apache-2.0
// Sorted keys and values of one HFile: scans in order, and batches of keys, prefixes or ranges that
// touch as few blocks as possible, each of which is read and decompressed once.
#pragma once

#include <arrow/io/type_fwd.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "firth/common/status.h"
#include "firth/format/hfile/hfile_block.h"
#include "firth/format/hfile/hfile_cache.h"
#include "firth/format/hfile/hfile_format.h"

namespace firth {

struct HFileReadOptions {
  /// For messages, and the name under which the cache knows the file.
  std::string path = "hfile";
  /// The HFile is this part of the file: one inside a log block. length -1: to the end.
  int64_t offset = 0;
  int64_t length = -1;
  /// Bytes of the first request, from the end. They stay in memory and serve later reads.
  int64_t tail_bytes = int64_t{256} << 10;
  /// Blocks at most this far apart are read by one request.
  int64_t merge_gap = int64_t{32} << 10;
  /// Threads that read and decompress the blocks of one lookup.
  int threads = 1;
  /// Optional.
  std::shared_ptr<HFileBlockCache> cache{};
};

/// What an answer took.
struct HFileCost {
  int64_t requests = 0;    // reads of the file
  int64_t bytes = 0;       // read
  int64_t blocks = 0;      // decoded, index blocks included
  int64_t cache_hits = 0;  // blocks that were not read

  HFileCost& operator+=(const HFileCost& other);
  bool operator==(const HFileCost&) const = default;
};

/// A set of keys without gaps. Keys are ordered as unsigned bytes. The views are the caller's.
class HFileRange {
 public:
  static HFileRange All() { return {Kind::kFrom, {}, {}}; }
  static HFileRange Point(std::string_view key) { return {Kind::kPoint, key, {}}; }
  static HFileRange Prefix(std::string_view prefix) { return {Kind::kPrefix, prefix, {}}; }
  /// begin <= key
  static HFileRange From(std::string_view begin) { return {Kind::kFrom, begin, {}}; }
  /// begin <= key < end
  static HFileRange Between(std::string_view begin, std::string_view end) {
    return {Kind::kBetween, begin, end};
  }

  /// The smallest key that may be in the range.
  std::string_view begin() const { return begin_; }
  /// Whether `key`, and so each greater one, is behind the range.
  bool EndsBefore(std::string_view key) const;

 private:
  enum class Kind : uint8_t { kPoint, kPrefix, kFrom, kBetween };
  HFileRange(Kind kind, std::string_view begin, std::string_view end)
      : kind_(kind), begin_(begin), end_(end) {}

  Kind kind_;
  std::string_view begin_;
  std::string_view end_;
};

/// Called for each entry found, keys ascending. The views hold during the call.
/// @param query number of the key, prefix or range that the entry answers
using HFileVisitor =
    std::function<Status(size_t query, std::string_view key, std::string_view value)>;

class HFileScanner;

/// Immutable; safe from several threads when the file's ReadAt is.
class HFileReader {
 public:
  /// One request, or two when what readers need lies in front of `tail_bytes`.
  /// Errors: kCorrupt, kUnsupported, kIo; all errors of readers name the path.
  static Result<std::shared_ptr<const HFileReader>> Open(
      std::shared_ptr<arrow::io::RandomAccessFile> file, HFileReadOptions options = {});
  ~HFileReader();

  int64_t num_entries() const { return trailer_.entry_count; }
  const HFileTrailer& trailer() const { return trailer_; }
  const HFileInfo& info() const { return info_; }
  const HFileCost& open_cost() const { return open_cost_; }
  const std::string& path() const { return options_.path; }

  /// The entries of each key; several where the file has duplicates. Keys come in any order.
  Result<HFileCost> Lookup(std::span<const std::string_view> keys, const HFileVisitor& visit) const;
  /// The entries whose keys begin with a prefix.
  Result<HFileCost> LookupPrefixes(std::span<const std::string_view> prefixes,
                                   const HFileVisitor& visit) const;
  /// The entries of ranges, which may overlap.
  Result<HFileCost> LookupRanges(std::span<const HFileRange> ranges,
                                 const HFileVisitor& visit) const;

  /// Entries in order, with little memory. The reader must outlive the scanner, and the range's
  /// views, too.
  Result<HFileScanner> Scan(HFileRange range = HFileRange::All()) const;

  /// A meta block ("bloomFilter"), or null when there is none of that name.
  Result<std::shared_ptr<arrow::Buffer>> ReadMetaBlock(std::string_view name) const;

 private:
  friend class HFileScanner;
  struct BlockRef {
    int64_t offset = 0;
    int64_t bytes = 0;
  };
  struct Visit;    // a block and a query that may have entries in it
  struct Stretch;  // blocks read by one request
  using BlockPtr = std::shared_ptr<const HFileBlock>;

  HFileReader(std::shared_ptr<arrow::io::RandomAccessFile> file, HFileReadOptions options);
  Status ReadTail();
  Status ReadLoadOnOpen();
  Status CheckInfo() const;
  /// Bytes of the HFile, which the tail gives without a request where it has them.
  Result<std::shared_ptr<arrow::Buffer>> ReadBytes(int64_t offset, int64_t length,
                                                   HFileCost* cost) const;
  Result<BlockPtr> DecodeBlock(int64_t offset, std::shared_ptr<arrow::Buffer> bytes,
                               bool own_payload) const;
  Status LoadBlocks(std::span<const BlockRef> refs, std::vector<BlockPtr>* blocks,
                    HFileCost* cost) const;
  std::vector<Stretch> PlanReads(std::span<const BlockRef> refs,
                                 std::span<const BlockPtr> blocks) const;
  Status ReadStretch(std::span<const BlockRef> refs, Stretch* stretch, BlockPtr* blocks) const;
  Status VisitBlocks(std::span<const Visit> visits, bool data, HFileCost* cost,
                     const std::function<Status(const BlockPtr&, const Visit&)>& handle) const;
  Status Find(std::span<const HFileRange> ranges, const HFileVisitor& visit, HFileCost* cost) const;
  /// Where the block begins that may have the first key at or behind `key`.
  Result<int64_t> FindStart(std::string_view key, HFileCost* cost) const;

  std::shared_ptr<arrow::io::RandomAccessFile> file_;
  HFileReadOptions options_;
  std::shared_ptr<const std::string> name_;  // for the cache
  int64_t size_ = 0;                         // of the HFile
  std::shared_ptr<arrow::Buffer> tail_;
  int64_t tail_offset_ = 0;
  HFileTrailer trailer_;
  HFileInfo info_;
  std::shared_ptr<arrow::Buffer> root_payload_;
  std::shared_ptr<arrow::Buffer> meta_payload_;
  std::vector<HFileIndexEntry> root_;
  std::vector<HFileIndexEntry> meta_;
  HFileCost open_cost_;
};

/// Reads forward through large requests. For one thread.
class HFileScanner {
 public:
  /// Steps to the first or next entry; false at the end.
  Result<bool> Next();

  /// The entry at hand; the views hold until the next step.
  std::string_view key() const { return block_->key(entry_); }
  std::string_view value() const { return block_->value(entry_); }
  const HFileCost& cost() const { return cost_; }

 private:
  friend class HFileReader;
  HFileScanner(const HFileReader* reader, HFileRange range, int64_t offset);
  Result<bool> Step();
  Result<bool> NextBlock();
  Result<std::shared_ptr<arrow::Buffer>> Peek(int64_t bytes);
  Status FinishWhole() const;

  const HFileReader* reader_;
  HFileRange range_;
  int64_t offset_;                         // of the next block
  int64_t end_;                            // no data block begins here or later
  std::shared_ptr<arrow::Buffer> window_;  // bytes from window_offset_ on
  int64_t window_offset_ = 0;
  int64_t read_ahead_;
  std::shared_ptr<const HFileBlock> block_;
  size_t entry_ = 0;
  int64_t passed_ = 0;  // entries of the blocks so far
  bool ended_ = false;
  HFileCost cost_;
};

}  // namespace firth
