// SPDX-License-Identifier: Apache-2.0
// Numbers for people.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace firth::cli {

/// 999 B, 1.5 kB, 12.3 MB: powers of 1000.
std::string FormatBytes(int64_t bytes);

/// 1,234,567.
std::string FormatCount(int64_t count);

/// Bytes of `256MiB`, `2GB`, `64k` or a plain number; k, M, G, T count in powers of 1024 with an i,
/// else of 1000.
arrow::Result<int64_t> ParseBytes(std::string_view text);

}  // namespace firth::cli
