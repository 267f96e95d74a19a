// SPDX-License-Identifier: Apache-2.0
#include "cli/numbers.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <charconv>
#include <limits>

#include "cli/errors.h"

namespace firth::cli {

std::string FormatBytes(int64_t bytes) {
  constexpr std::array<const char*, 6> kUnits = {"kB", "MB", "GB", "TB", "PB", "EB"};
  if (bytes < 1000) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / 1000;
  size_t unit = 0;
  while (value >= 999.95 && unit + 1 < kUnits.size()) {  // 999.95 would be printed as 1000.0
    value /= 1000;
    ++unit;
  }
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string FormatCount(int64_t count) {
  std::string digits = std::to_string(count);
  const size_t first = digits.starts_with('-') ? 1 : 0;
  for (size_t i = digits.size(); i > first + 3;) {
    i -= 3;
    digits.insert(i, 1, ',');
  }
  return digits;
}

arrow::Result<int64_t> ParseBytes(std::string_view text) {
  const arrow::Status bad = UsageError(fmt::format("\"{}\" is no number of bytes", text),
                                       "write a number with an optional unit, e.g. 512MiB or 2GB");
  int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (parsed.ec != std::errc() || value < 0) return bad;
  std::string unit(parsed.ptr, end);
  for (char& c : unit) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (unit.ends_with('b')) unit.pop_back();
  const int64_t base = unit.ends_with('i') ? 1024 : 1000;
  if (base == 1024) unit.pop_back();
  constexpr std::string_view kUnits = "kmgt";
  const size_t power = unit.size() == 1 ? kUnits.find(unit[0]) + 1 : 0;
  const bool known = unit.empty() ? base == 1000 : unit.size() == 1 && power > 0;
  if (!known) return bad;
  for (size_t i = 0; i < power; ++i) {
    if (value > std::numeric_limits<int64_t>::max() / base) return bad;
    value *= base;
  }
  return value;
}

}  // namespace firth::cli
