// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace firth {

using Sha256Digest = std::array<uint8_t, 32>;

/// SHA-256 of FIPS 180-4. For identities (fingerprints), not for speed.
Sha256Digest Sha256(std::string_view bytes);

/// Lower-case hexadecimal digits of a digest.
std::string ToHex(const Sha256Digest& digest);

}  // namespace firth
