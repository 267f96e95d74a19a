// SPDX-License-Identifier: Apache-2.0
#include "cli/value_text.h"

#include <array>
#include <charconv>
#include <cmath>

namespace firth::cli {
namespace {

// `value` with leading zeros up to `width` digits.
void AppendPadded(int64_t value, int width, std::string* out) {
  std::array<char, 24> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  const auto digits = static_cast<int>(end - buffer.data());
  if (digits < width) out->append(static_cast<size_t>(width - digits), '0');
  out->append(buffer.data(), end);
}

int64_t FloorDivide(int64_t value, int64_t divisor) {
  return value / divisor - (value % divisor < 0 ? 1 : 0);
}

// Length of the valid UTF-8 sequence at the start of `text`, 0 when there is none.
size_t Utf8Length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const unsigned char second = byte(1);
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool surrogate = first == 0xED && second >= 0xA0;
  const bool beyond = first == 0xF4 && second >= 0x90;
  return overlong || surrogate || beyond ? 0 : length;
}

void AppendEscape(char c, std::string* out) {
  switch (c) {
    case '"':
      *out += "\\\"";
      return;
    case '\\':
      *out += "\\\\";
      return;
    case '\n':
      *out += "\\n";
      return;
    case '\t':
      *out += "\\t";
      return;
    case '\r':
      *out += "\\r";
      return;
    default:
      constexpr std::string_view kHex = "0123456789abcdef";
      const auto byte = static_cast<unsigned char>(c);
      *out += "\\u00";
      *out += kHex[byte >> 4];
      *out += kHex[byte & 15];
  }
}

}  // namespace

void AppendDate(int64_t days, std::string* out) {
  // Eras of 400 years, counted from 0000-03-01 (Howard Hinnant's civil_from_days).
  const int64_t shifted = days + 719'468;
  const int64_t era = FloorDivide(shifted, 146'097);
  const int64_t day_of_era = shifted - era * 146'097;
  const int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t month_index = (5 * day_of_year + 2) / 153;  // 0 is March
  const int64_t day = day_of_year - (153 * month_index + 2) / 5 + 1;
  const int64_t month = month_index < 10 ? month_index + 3 : month_index - 9;
  const int64_t year = year_of_era + era * 400 + (month <= 2 ? 1 : 0);
  if (year < 0) *out += '-';
  AppendPadded(year < 0 ? -year : year, 4, out);
  *out += '-';
  AppendPadded(month, 2, out);
  *out += '-';
  AppendPadded(day, 2, out);
}

void AppendTimeOfDay(int64_t units, int64_t per_second, std::string* out) {
  const int64_t seconds = units / per_second;
  AppendPadded(seconds / 3600, 2, out);
  *out += ':';
  AppendPadded(seconds / 60 % 60, 2, out);
  *out += ':';
  AppendPadded(seconds % 60, 2, out);
  *out += '.';
  const int64_t fraction = units % per_second;
  if (per_second > 1'000'000) {
    AppendPadded(fraction, 9, out);
  } else {
    AppendPadded(fraction * (1'000'000 / per_second), 6, out);
  }
}

void AppendTimestamp(int64_t units, int64_t per_second, std::string* out) {
  // Through the seconds, because days in units may overflow at the ends.
  const int64_t seconds = FloorDivide(units, per_second);
  const int64_t days = FloorDivide(seconds, 86'400);
  const int64_t fraction = units % per_second + (units % per_second < 0 ? per_second : 0);
  AppendDate(days, out);
  *out += 'T';
  const int64_t second_of_day = seconds % 86'400 + (seconds % 86'400 < 0 ? 86'400 : 0);
  AppendTimeOfDay(second_of_day * per_second + fraction, per_second, out);
}

void AppendDecimal(std::string digits, int32_t scale, std::string* out) {
  const bool negative = digits.starts_with('-');
  if (negative) {
    *out += '-';
    digits.erase(0, 1);
  }
  if (scale <= 0) {
    *out += digits;
    if (digits != "0") out->append(static_cast<size_t>(-scale), '0');
    return;
  }
  const auto fraction = static_cast<size_t>(scale);
  if (digits.size() <= fraction) digits.insert(0, fraction + 1 - digits.size(), '0');
  out->append(digits, 0, digits.size() - fraction);
  *out += '.';
  out->append(digits, digits.size() - fraction, fraction);
}

void AppendJsonString(std::string_view text, std::string* out) {
  *out += '"';
  size_t start = 0;
  for (size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\') {
      ++i;
      continue;
    }
    const size_t valid = byte < 0x80 ? 0 : Utf8Length(text.substr(i));
    if (valid > 0) {
      i += valid;
      continue;
    }
    out->append(text, start, i - start);
    if (byte < 0x80) {
      AppendEscape(text[i], out);
    } else {
      *out += "\xEF\xBF\xBD";
    }
    start = ++i;
  }
  out->append(text, start);
  *out += '"';
}

void AppendDouble(double value, std::string* out) {
  if (!std::isfinite(value)) {
    *out += std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
    return;
  }
  // d.ddde+XX, which is then laid out as Python's repr does: 1.5, 1e+16, 1e-05.
  std::array<char, 32> buffer;
  const auto written = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                     std::chars_format::scientific);
  std::string_view text(buffer.data(), static_cast<size_t>(written.ptr - buffer.data()));
  const size_t e = text.find('e');
  int exponent = 0;
  const char* digits_of_exponent = text.data() + e + (text[e + 1] == '+' ? 2 : 1);
  std::from_chars(digits_of_exponent, written.ptr, exponent);
  constexpr int kSmallest = -4, kLargest = 16;
  if (exponent < kSmallest || exponent >= kLargest) {
    *out += text;
    return;
  }
  if (text[0] == '-') {
    *out += '-';
    text.remove_prefix(1);
  }
  std::string digits(1, text[0]);
  const size_t mantissa_end = text.find('e');
  if (mantissa_end > 2) digits += text.substr(2, mantissa_end - 2);
  if (exponent < 0) {
    *out += "0.";
    out->append(static_cast<size_t>(-exponent - 1), '0');
    *out += digits;
    return;
  }
  const auto whole = static_cast<size_t>(exponent) + 1;
  if (digits.size() <= whole) digits.append(whole + 1 - digits.size(), '0');
  out->append(digits, 0, whole);
  *out += '.';
  out->append(digits, whole);
}

}  // namespace firth::cli
