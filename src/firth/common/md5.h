// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace firth {

using Md5Digest = std::array<uint8_t, 16>;

/// MD5 of RFC 1321. For keys that Hudi derives from names, never where forgery matters.
Md5Digest Md5(std::string_view bytes);

}  // namespace firth
