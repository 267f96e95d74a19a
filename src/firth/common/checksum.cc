// SPDX-License-Identifier: Apache-2.0
#include "firth/common/checksum.h"

#include <libdeflate.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <array>

#include "firth/common/bytes.h"
#include "firth/common/cpu.h"

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace firth {
namespace {

constexpr std::array<uint32_t, 256> kCastagnoli = [] {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) != 0 ? 0x82F63B78U : 0);
    table[i] = value;
  }
  return table;
}();

uint32_t Crc32cByTable(std::string_view bytes) {
  uint32_t crc = ~0U;
  for (const char c : bytes) {
    crc = (crc >> 8) ^ kCastagnoli[(crc ^ static_cast<uint8_t>(c)) & 0xFF];
  }
  return ~crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) uint32_t Crc32cByInstruction(std::string_view bytes) {
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  uint64_t crc = ~0U;
  for (; end - at >= 8; at += 8) crc = _mm_crc32_u64(crc, LoadLittleEndian<uint64_t>(at));
  auto rest = static_cast<uint32_t>(crc);
  for (; at != end; ++at) rest = _mm_crc32_u8(rest, static_cast<uint8_t>(*at));
  return ~rest;
}
#endif

}  // namespace

uint32_t Crc32(std::string_view bytes) { return libdeflate_crc32(0, bytes.data(), bytes.size()); }

uint32_t Crc32c(std::string_view bytes) {
#if defined(__x86_64__)
  // Every processor with AVX2 has SSE 4.2.
  static const bool has_instruction = MaxSimdLevel() >= SimdLevel::kAvx2;
  if (has_instruction) return Crc32cByInstruction(bytes);
#endif
  return Crc32cByTable(bytes);
}

uint64_t HashBytes(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

}  // namespace firth
