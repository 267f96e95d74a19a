// SPDX-License-Identifier: Apache-2.0
// Blocks that were read and decompressed, kept within a bound of bytes. Files are immutable, so
// nothing is ever invalidated.
#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "firth/format/hfile/hfile_block.h"

namespace firth {

/// Least recently used blocks are dropped first, in each of several independent shards. Owned by
/// the caller and shared by any number of readers and threads.
class HFileBlockCache {
 public:
  /// A file's name is shared by all its keys.
  using FileName = std::shared_ptr<const std::string>;

  explicit HFileBlockCache(int64_t capacity_bytes);

  std::shared_ptr<const HFileBlock> Find(const FileName& file, int64_t offset);
  /// Blocks larger than a shard are not kept.
  void Insert(const FileName& file, int64_t offset, std::shared_ptr<const HFileBlock> block);

  int64_t bytes() const;

 private:
  static constexpr size_t kShards = 16;

  struct Key {
    FileName file;
    int64_t offset = 0;
    size_t hash = 0;

    Key(FileName file, int64_t offset);
    bool operator==(const Key& other) const;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const { return key.hash; }
  };
  struct Item {
    Key key;
    std::shared_ptr<const HFileBlock> block;
    int64_t charge = 0;
  };
  struct Shard {
    mutable std::mutex mutex;
    std::list<Item> items;  // the one used last is first
    std::unordered_map<Key, std::list<Item>::iterator, KeyHash> by_key;
    int64_t bytes = 0;
  };

  Shard& ShardOf(const Key& key) { return shards_[(key.hash >> 32) % kShards]; }

  const int64_t shard_capacity_;
  std::array<Shard, kShards> shards_;
};

}  // namespace firth
