// SPDX-License-Identifier: Apache-2.0
#include "firth/format/hfile/hfile_cache.h"

#include <utility>

#include "firth/common/checksum.h"

namespace firth {
namespace {

// List node, map node, bucket and control block of an item.
constexpr int64_t kItemOverhead = 256;

}  // namespace

HFileBlockCache::Key::Key(FileName name, int64_t at)
    : file(std::move(name)), offset(at), hash(HashBytes(*file)) {
  // Multiplying by an odd number spreads neighbouring offsets over all bits.
  hash = (hash ^ static_cast<uint64_t>(offset)) * 0x9E3779B97F4A7C15U;
}

bool HFileBlockCache::Key::operator==(const Key& other) const {
  return offset == other.offset && (file == other.file || *file == *other.file);
}

HFileBlockCache::HFileBlockCache(int64_t capacity_bytes)
    : shard_capacity_(capacity_bytes / static_cast<int64_t>(kShards)) {}

std::shared_ptr<const HFileBlock> HFileBlockCache::Find(const FileName& file, int64_t offset) {
  const Key key(file, offset);
  Shard& shard = ShardOf(key);
  const std::lock_guard lock(shard.mutex);
  const auto found = shard.by_key.find(key);
  if (found == shard.by_key.end()) return nullptr;
  shard.items.splice(shard.items.begin(), shard.items, found->second);
  return found->second->block;
}

void HFileBlockCache::Insert(const FileName& file, int64_t offset,
                             std::shared_ptr<const HFileBlock> block) {
  Key key(file, offset);
  const int64_t charge = block->memory_bytes() + kItemOverhead;
  if (charge > shard_capacity_) return;
  Shard& shard = ShardOf(key);
  const std::lock_guard lock(shard.mutex);
  if (shard.by_key.contains(key)) return;
  while (shard.bytes + charge > shard_capacity_) {
    shard.bytes -= shard.items.back().charge;
    shard.by_key.erase(shard.items.back().key);
    shard.items.pop_back();
  }
  shard.items.push_front({key, std::move(block), charge});
  shard.by_key.emplace(std::move(key), shard.items.begin());
  shard.bytes += charge;
}

int64_t HFileBlockCache::bytes() const {
  int64_t total = 0;
  for (const Shard& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    total += shard.bytes;
  }
  return total;
}

}  // namespace firth
