// SPDX-License-Identifier: Apache-2.0
#include "firth/common/java_text.h"

#include <charconv>
#include <cmath>

namespace firth {
namespace {

// Shortest digits that read back as `value`, laid out as Java does: plain from 1e-3 below 1e7,
// otherwise d.dddE<n>. Java never prints less than two digits, and chooses both: the smallest float
// is 1.4E-45, not 1.0E-45.
template <typename T>
std::string JavaFloating(T value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  char buffer[64];
  const T magnitude = std::fabs(value);
  const bool plain = magnitude == 0 || (magnitude >= T(1e-3) && magnitude < T(1e7));
  const auto format = plain ? std::chars_format::fixed : std::chars_format::scientific;
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value, format).ptr;
  std::string text(buffer, end);
  if (!plain && text.find('.') == std::string::npos) {
    text.assign(buffer, std::to_chars(buffer, buffer + sizeof(buffer), value, format, 1).ptr);
  }
  if (plain) return text.find('.') == std::string::npos ? text + ".0" : text;
  const size_t e = text.find('e');
  const std::string mantissa = text.substr(0, e);
  int exponent = 0;
  const char* digits = text.data() + e + (text[e + 1] == '+' ? 2 : 1);
  std::from_chars(digits, text.data() + text.size(), exponent);
  return mantissa + "E" + std::to_string(exponent);
}

}  // namespace

std::string JavaText(double value) { return JavaFloating(value); }
std::string JavaText(float value) { return JavaFloating(value); }

double WidenAsJavaText(float value) {
  double wide = value;  // what stays for NaN and the infinities
  if (!std::isfinite(value)) return wide;
  const std::string text = JavaText(value);
  std::from_chars(text.data(), text.data() + text.size(), wide);
  return wide;
}

}  // namespace firth
