// SPDX-License-Identifier: Apache-2.0
// Record keys for benchmarks of indexes.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace firth::testing {

/// Bits that look random.
inline uint64_t Mix(uint64_t x) {
  x = (x ^ (x >> 31)) * 0x9E3779B97F4A7C15U;
  return (x ^ (x >> 29)) * 0xBF58476D1CE4E5B9U;
}

/// The i-th of `keys` sorted keys that look like UUIDs.
inline std::string UuidKey(uint64_t i, uint64_t keys) {
  const uint64_t high = i * (UINT64_MAX / keys) + Mix(i) % 1'000'000, low = Mix(~i);
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32, (high >> 16) & 0xFFFF,
                     high & 0xFFFF, low >> 48, low & 0xFFFF'FFFF'FFFF);
}

}  // namespace firth::testing
