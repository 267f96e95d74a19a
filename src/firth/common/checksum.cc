// SPDX-License-Identifier: Apache-2.0
#include "firth/common/checksum.h"

#include <zlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace firth {

uint32_t Crc32(std::string_view bytes) {
  return static_cast<uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

uint64_t HashBytes(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

}  // namespace firth
