// SPDX-License-Identifier: Apache-2.0
// Record keys of a slice's logs, each with its newest version so far.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace firth {

/// Open addressing over 64-bit hashes, entries in arrival order. Keys are views: their bytes
/// outlive the map. At most 2^32 - 2 entries.
class RecordMap {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  struct Entry {
    uint64_t hash;
    const char* key;
    uint32_t key_size;
    uint32_t batch;  // the winning version: log batch and row
    uint32_t row;
    uint8_t flags;            // row_flag of the winner
    bool consumed = false;    // a base row met it
    bool emit = true;         // the log row itself is in the result (unless it is a delete)
    uint32_t merged = kNone;  // a version made of several, by the merger's numbering
    int64_t ordering;         // of the winner, when narrow

    std::string_view key_view() const { return {key, key_size}; }
  };

  explicit RecordMap(size_t expected = 0);

  /// The entry of `key`, made (key and hash set) when it is new.
  Entry* FindOrInsert(uint64_t hash, std::string_view key, bool* inserted);
  /// nullptr when absent.
  Entry* Find(uint64_t hash, std::string_view key) {
    for (size_t at = hash & mask_;; at = (at + 1) & mask_) {
      const Slot slot = slots_[at];
      if (slot.entry == kNone) return nullptr;
      if (slot.tag == Tag(hash) && Matches(entries_[slot.entry], hash, key)) {
        return &entries_[slot.entry];
      }
    }
  }
  /// Asks for the cache line that Find will look at first.
  void Prefetch(uint64_t hash) const { __builtin_prefetch(&slots_[hash & mask_]); }

  const std::vector<Entry>& entries() const { return entries_; }
  size_t size() const { return entries_.size(); }
  int64_t bytes() const;
  /// Roughly what one more key costs.
  static constexpr int64_t kBytesPerKey = sizeof(Entry) + 24;

 private:
  struct Slot {
    uint32_t tag = 0;
    uint32_t entry = kNone;
  };

  static uint32_t Tag(uint64_t hash) { return static_cast<uint32_t>(hash >> 32); }
  static bool Matches(const Entry& entry, uint64_t hash, std::string_view key) {
    return entry.hash == hash && entry.key_view() == key;
  }
  void Rehash(size_t slots);

  std::vector<Slot> slots_;
  size_t mask_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace firth
