// SPDX-License-Identifier: Apache-2.0
// Batches of queries: level by level from the root index, each level's blocks in the order of the
// file, with neighbours read by one request.
#include <arrow/buffer.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "firth/common/parallel.h"
#include "firth/format/hfile/hfile_reader.h"

namespace firth {
namespace {

// Bytes on disk of the blocks that are in memory at a time, and of one request.
constexpr int64_t kWindowBytes = int64_t{16} << 20;
constexpr int64_t kMaxRequestBytes = int64_t{4} << 20;

/// The blocks that may have keys of `range`: from the last whose index key is less than its begin,
/// because the block behind may repeat that key, to the last that begins inside.
std::span<const HFileIndexEntry> BlocksOf(std::span<const HFileIndexEntry> index,
                                          const HFileRange& range) {
  const auto less = [](const HFileIndexEntry& entry, std::string_view key) {
    return entry.key < key;
  };
  auto first = std::lower_bound(index.begin(), index.end(), range.begin(), less);
  const auto last = std::partition_point(
      first, index.end(),
      [&range](const HFileIndexEntry& entry) { return !range.EndsBefore(entry.key); });
  if (first != index.begin()) --first;
  return {first, last};
}

}  // namespace

struct HFileReader::Visit {
  BlockRef block;
  size_t query = 0;  // its place in the order of begins
};

struct HFileReader::Stretch {
  size_t first = 0;  // numbers of blocks
  size_t last = 0;
  int64_t begin = 0;
  int64_t end = 0;
  HFileCost cost;
};

std::vector<HFileReader::Stretch> HFileReader::PlanReads(std::span<const BlockRef> refs,
                                                         std::span<const BlockPtr> blocks) const {
  std::vector<Stretch> stretches;
  for (size_t i = 0; i < refs.size(); ++i) {
    if (blocks[i] != nullptr) continue;
    const int64_t end = refs[i].offset + refs[i].bytes;
    if (!stretches.empty()) {
      Stretch& last = stretches.back();
      if (refs[i].offset - last.end <= options_.merge_gap && end - last.begin <= kMaxRequestBytes) {
        last.last = i + 1;
        last.end = std::max(last.end, end);
        continue;
      }
    }
    stretches.push_back({i, i + 1, refs[i].offset, end, {}});
  }
  return stretches;
}

Status HFileReader::ReadStretch(std::span<const BlockRef> refs, Stretch* stretch,
                                BlockPtr* blocks) const {
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Buffer> bytes,
                        ReadBytes(stretch->begin, stretch->end - stretch->begin, &stretch->cost));
  const bool own_payload = options_.cache != nullptr &&
                           (stretch->last - stretch->first > 1 || stretch->begin >= tail_offset_);
  for (size_t i = stretch->first; i < stretch->last; ++i) {
    if (blocks[i] != nullptr) continue;  // of the cache, in the gap between two others
    auto block = arrow::SliceBuffer(bytes, refs[i].offset - stretch->begin, refs[i].bytes);
    ARROW_ASSIGN_OR_RAISE(blocks[i], DecodeBlock(refs[i].offset, std::move(block), own_payload));
    ++stretch->cost.blocks;
    if (options_.cache) {
      options_.cache->Insert(name_, options_.offset + refs[i].offset, blocks[i]);
    }
  }
  return Status::OK();
}

Status HFileReader::LoadBlocks(std::span<const BlockRef> refs, std::vector<BlockPtr>* blocks,
                               HFileCost* cost) const {
  blocks->assign(refs.size(), nullptr);
  if (options_.cache) {
    for (size_t i = 0; i < refs.size(); ++i) {
      (*blocks)[i] = options_.cache->Find(name_, options_.offset + refs[i].offset);
      if ((*blocks)[i] != nullptr) ++cost->cache_hits;
    }
  }
  std::vector<Stretch> stretches = PlanReads(refs, *blocks);
  ARROW_RETURN_NOT_OK(RunParallel(stretches.size(), options_.threads, [&](size_t i) {
    return ReadStretch(refs, &stretches[i], blocks->data());
  }));
  for (const Stretch& stretch : stretches) *cost += stretch.cost;
  return Status::OK();
}

/// Calls `handle` for each visit, in the order of the blocks, a window of blocks at a time.
Status HFileReader::VisitBlocks(
    std::span<const Visit> visits, bool data, HFileCost* cost,
    const std::function<Status(const BlockPtr&, const Visit&)>& handle) const {
  std::vector<BlockRef> refs;
  std::vector<BlockPtr> blocks;
  for (size_t begin = 0, end = 0; begin < visits.size(); begin = end) {
    refs.clear();
    int64_t bytes = 0;
    for (; end < visits.size(); ++end) {
      const BlockRef& block = visits[end].block;
      if (!refs.empty() && refs.back().offset == block.offset) continue;
      if (!refs.empty() && bytes + block.bytes > kWindowBytes) break;
      if (block.bytes < kHFileHeaderBytes || block.offset < 0 ||
          block.offset > trailer_.load_on_open_offset - block.bytes) {
        return CorruptError("index puts a block of {} bytes at offset {}; the root index is at {}",
                            block.bytes, block.offset, trailer_.load_on_open_offset);
      }
      refs.push_back(block);
      bytes += block.bytes;
    }
    ARROW_RETURN_NOT_OK(LoadBlocks(refs, &blocks, cost));
    for (size_t i = begin, at = 0; i < end; ++i) {
      if (visits[i].block.offset != refs[at].offset) ++at;
      const HFileBlock& block = *blocks[at];
      const bool is_index = block.type() == HFileBlockType::kLeafIndex ||
                            block.type() == HFileBlockType::kIntermediateIndex;
      if (data ? block.type() != HFileBlockType::kData : !is_index) {
        return CorruptError("{} block at offset {} where the index promises {}",
                            HFileBlockTypeName(block.type()), refs[at].offset,
                            data ? "data" : "another index block");
      }
      ARROW_RETURN_NOT_OK(handle(blocks[at], visits[i]));
    }
  }
  return Status::OK();
}

Status HFileReader::Find(std::span<const HFileRange> ranges, const HFileVisitor& visit,
                         HFileCost* cost) const {
  std::vector<size_t> order(ranges.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return ranges[a].begin() < ranges[b].begin(); });
  std::vector<Visit> visits;
  const auto add = [&visits](std::span<const HFileIndexEntry> index, const HFileRange& range,
                             size_t query) {
    for (const HFileIndexEntry& entry : BlocksOf(index, range)) {
      visits.push_back({{entry.offset, entry.bytes}, query});
    }
  };
  const auto by_offset = [](const Visit& a, const Visit& b) {
    return a.block.offset < b.block.offset;
  };
  for (const size_t query : order) add(root_, ranges[query], query);
  for (uint32_t level = 1; level < trailer_.index_levels; ++level) {
    std::stable_sort(visits.begin(), visits.end(), by_offset);
    const std::vector<Visit> parents = std::exchange(visits, {});
    ARROW_RETURN_NOT_OK(
        VisitBlocks(parents, false, cost, [&](const BlockPtr& block, const Visit& parent) {
          add(block->children(), ranges[parent.query], parent.query);
          return Status::OK();
        }));
  }
  std::stable_sort(visits.begin(), visits.end(), by_offset);
  return VisitBlocks(visits, true, cost, [&](const BlockPtr& found, const Visit& at) {
    const HFileBlock& block = *found;
    const HFileRange& range = ranges[at.query];
    for (size_t i = block.LowerBound(range.begin()); i < block.size(); ++i) {
      const std::string_view key = block.key(i);
      if (range.EndsBefore(key)) break;
      ARROW_RETURN_NOT_OK(visit(at.query, key, block.value(i)));
    }
    return Status::OK();
  });
}

Result<HFileCost> HFileReader::LookupRanges(std::span<const HFileRange> ranges,
                                            const HFileVisitor& visit) const {
  HFileCost cost;
  if (root_.empty()) return cost;
  const Status status = Find(ranges, visit, &cost);
  if (!status.ok()) return WithContext(status, path());
  return cost;
}

Result<HFileCost> HFileReader::Lookup(std::span<const std::string_view> keys,
                                      const HFileVisitor& visit) const {
  std::vector<HFileRange> ranges;
  ranges.reserve(keys.size());
  for (const std::string_view key : keys) ranges.push_back(HFileRange::Point(key));
  return LookupRanges(ranges, visit);
}

Result<HFileCost> HFileReader::LookupPrefixes(std::span<const std::string_view> prefixes,
                                              const HFileVisitor& visit) const {
  std::vector<HFileRange> ranges;
  ranges.reserve(prefixes.size());
  for (const std::string_view prefix : prefixes) ranges.push_back(HFileRange::Prefix(prefix));
  return LookupRanges(ranges, visit);
}

Result<int64_t> HFileReader::FindStart(std::string_view key, HFileCost* cost) const {
  const HFileRange point = HFileRange::Point(key);
  std::span<const HFileIndexEntry> index = root_;
  BlockPtr block;  // holds what `index` views
  for (uint32_t level = 1;; ++level) {
    if (index.empty()) return CorruptError("an index block without entries");
    const std::span<const HFileIndexEntry> candidates = BlocksOf(index, point);
    const HFileIndexEntry& child = candidates.empty() ? index.front() : candidates.front();
    if (level == trailer_.index_levels) return child.offset;
    const Visit visit{{child.offset, child.bytes}, 0};
    ARROW_RETURN_NOT_OK(
        VisitBlocks({&visit, 1}, false, cost, [&](const BlockPtr& loaded, const Visit&) {
          block = loaded;
          return Status::OK();
        }));
    index = block->children();
  }
}

}  // namespace firth
