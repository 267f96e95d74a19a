// SPDX-License-Identifier: Apache-2.0
// Variable-length integers at the speed of the decoder's inner loop.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace firth {

/// Reads a base-128 number of at most ten bytes. Returns the byte behind it, or nullptr when it
/// does not end before `end` or is longer.
inline const uint8_t* ReadAvroVarint(const uint8_t* p, const uint8_t* end, uint64_t* value) {
  if (p != end && *p < 0x80) {
    *value = *p;
    return p + 1;
  }
  if (end - p >= 8) {
    uint64_t word;
    std::memcpy(&word, p, 8);
    const uint64_t stops = ~word & 0x8080808080808080ULL;
    if (stops != 0) {  // it ends within eight bytes: close the gaps of the high bits in three steps
      uint64_t x = word & (stops ^ (stops - 1)) & 0x7F7F7F7F7F7F7F7FULL;
      x = (x & 0x007F007F007F007FULL) | ((x & 0x7F007F007F007F00ULL) >> 1);
      x = (x & 0x00003FFF00003FFFULL) | ((x & 0x3FFF00003FFF0000ULL) >> 2);
      *value = (x & 0x000000000FFFFFFFULL) | ((x & 0x0FFFFFFF00000000ULL) >> 4);
      return p + (std::countr_zero(stops) / 8 + 1);
    }
  }
  uint64_t x = 0;
  for (int shift = 0; shift < 70 && p != end; shift += 7) {
    const uint8_t byte = *p++;
    x |= static_cast<uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) {
      *value = x;
      return p;
    }
  }
  return nullptr;
}

/// Passes over one. Returns nullptr as ReadAvroVarint does.
inline const uint8_t* SkipAvroVarint(const uint8_t* p, const uint8_t* end) {
  const uint8_t* const limit = end - p > 10 ? p + 10 : end;
  while (p != limit) {
    if (*p++ < 0x80) return p;
  }
  return nullptr;
}

inline int64_t FromZigZag(uint64_t value) {
  return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
}

}  // namespace firth
