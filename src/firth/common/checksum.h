// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace firth {

/// CRC-32 with the zlib polynomial, as hoodie.table.checksum and Avro's snappy codec use it.
uint32_t Crc32(std::string_view bytes);

/// CRC-32C (Castagnoli), by the instruction where the processor has one.
uint32_t Crc32c(std::string_view bytes);

/// 64-bit hash of a record key for in-memory tables; not stable across releases, never stored.
uint64_t HashBytes(std::string_view bytes);

}  // namespace firth
