// SPDX-License-Identifier: Apache-2.0
#include "firth/read/record_map.h"

#include <bit>

namespace firth {

RecordMap::RecordMap(size_t expected) {
  entries_.reserve(expected);
  Rehash(std::bit_ceil(expected * 2 + 16));
}

void RecordMap::Rehash(size_t slots) {
  slots_.assign(slots, Slot{});
  mask_ = slots - 1;
  for (size_t i = 0; i < entries_.size(); ++i) {
    size_t at = entries_[i].hash & mask_;
    while (slots_[at].entry != kNone) at = (at + 1) & mask_;
    slots_[at] = {Tag(entries_[i].hash), static_cast<uint32_t>(i)};
  }
}

RecordMap::Entry* RecordMap::FindOrInsert(uint64_t hash, std::string_view key, bool* inserted) {
  if ((entries_.size() + 1) * 2 > slots_.size()) Rehash(slots_.size() * 2);
  size_t at = hash & mask_;
  for (; slots_[at].entry != kNone; at = (at + 1) & mask_) {
    Entry& entry = entries_[slots_[at].entry];
    if (slots_[at].tag == Tag(hash) && Matches(entry, hash, key)) {
      *inserted = false;
      return &entry;
    }
  }
  slots_[at] = {Tag(hash), static_cast<uint32_t>(entries_.size())};
  Entry entry{};
  entry.hash = hash;
  entry.key = key.data();
  entry.key_size = static_cast<uint32_t>(key.size());
  entries_.push_back(entry);
  *inserted = true;
  return &entries_.back();
}

int64_t RecordMap::bytes() const {
  return static_cast<int64_t>(slots_.capacity() * sizeof(Slot) +
                              entries_.capacity() * sizeof(Entry));
}

}  // namespace firth
