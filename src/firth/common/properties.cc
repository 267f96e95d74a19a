// SPDX-License-Identifier: Apache-2.0
#include "firth/common/properties.h"

#include <cstdint>
#include <vector>

namespace firth {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\f'; }

// A natural line joined with its continuations, leading blanks of each part dropped.
struct LogicalLine {
  std::string text;
  int number;
};

bool EndsInOddBackslashes(std::string_view line) {
  size_t count = 0;
  while (count < line.size() && line[line.size() - 1 - count] == '\\') ++count;
  return count % 2 == 1;
}

std::vector<LogicalLine> SplitLogicalLines(std::string_view text) {
  std::vector<LogicalLine> lines;
  bool continues = false;
  int number = 0;
  size_t at = 0;
  while (at < text.size()) {
    size_t end = text.find_first_of("\r\n", at);
    if (end == std::string_view::npos) end = text.size();
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (end + 1 < text.size() && text[end] == '\r' && text[end + 1] == '\n') ++at;
    ++number;
    while (!line.empty() && IsBlank(line.front())) line.remove_prefix(1);
    if (!continues && (line.empty() || line[0] == '#' || line[0] == '!')) continue;
    if (!continues) lines.push_back({"", number});
    continues = EndsInOddBackslashes(line);
    lines.back().text.append(line.substr(0, line.size() - (continues ? 1 : 0)));
  }
  return lines;
}

void AppendUtf8(uint32_t code, std::string* out) {
  if (code < 0x80) {
    out->push_back(static_cast<char>(code));
  } else if (code < 0x800) {
    out->push_back(static_cast<char>(0xC0 | code >> 6));
    out->push_back(static_cast<char>(0x80 | (code & 0x3F)));
  } else if (code < 0x10000) {
    out->push_back(static_cast<char>(0xE0 | code >> 12));
    out->push_back(static_cast<char>(0x80 | (code >> 6 & 0x3F)));
    out->push_back(static_cast<char>(0x80 | (code & 0x3F)));
  } else {
    out->push_back(static_cast<char>(0xF0 | code >> 18));
    out->push_back(static_cast<char>(0x80 | (code >> 12 & 0x3F)));
    out->push_back(static_cast<char>(0x80 | (code >> 6 & 0x3F)));
    out->push_back(static_cast<char>(0x80 | (code & 0x3F)));
  }
}

Result<uint32_t> ParseHex4(const LogicalLine& line, size_t at) {
  uint32_t code = 0;
  for (size_t i = at; i < at + 4; ++i) {
    const char c = i < line.text.size() ? line.text[i] : '\0';
    const char lower = static_cast<char>(c | 0x20);
    uint32_t digit;
    if (c >= '0' && c <= '9') {
      digit = static_cast<uint32_t>(c - '0');
    } else if (lower >= 'a' && lower <= 'f') {
      digit = static_cast<uint32_t>(lower - 'a' + 10);
    } else {
      return CorruptError("properties line {}: \\u needs four hex digits", line.number);
    }
    code = code * 16 + digit;
  }
  return code;
}

// Unescapes line.text[*at...] until an unescaped separator (keys) or the end (values).
Result<std::string> Unescape(const LogicalLine& line, size_t* at, bool stop_at_separator) {
  std::string out;
  const std::string& text = line.text;
  uint32_t high_surrogate = 0;
  for (; *at < text.size(); ++*at) {
    const char c = text[*at];
    if (stop_at_separator && (c == '=' || c == ':' || IsBlank(c))) break;
    if (c != '\\') {
      AppendUtf8(static_cast<uint8_t>(c), &out);
      continue;
    }
    if (++*at == text.size()) break;
    const char escaped = text[*at];
    if (escaped == 'u') {
      ARROW_ASSIGN_OR_RAISE(const uint32_t unit, ParseHex4(line, *at + 1));
      *at += 4;
      if (unit >= 0xD800 && unit < 0xDC00) {
        high_surrogate = unit;
      } else if (unit >= 0xDC00 && unit < 0xE000 && high_surrogate != 0) {
        AppendUtf8(0x10000 + ((high_surrogate - 0xD800) << 10) + (unit - 0xDC00), &out);
        high_surrogate = 0;
      } else {
        AppendUtf8(unit, &out);
      }
      continue;
    }
    constexpr std::string_view kNames = "tnrf";
    constexpr std::string_view kControls = "\t\n\r\f";
    const size_t control = kNames.find(escaped);
    AppendUtf8(
        static_cast<uint8_t>(control != std::string_view::npos ? kControls[control] : escaped),
        &out);
  }
  return out;
}

// Next UTF-8 code point of `text`; invalid bytes are taken as ISO-8859-1.
uint32_t NextCodePoint(std::string_view text, size_t* at) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byte(*at);
  const size_t extra = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 0;
  if (extra == 0 || *at + extra >= text.size()) {
    ++*at;
    return lead;
  }
  uint32_t code = lead & (0x3F >> extra);
  for (size_t i = 1; i <= extra; ++i) code = code << 6 | (byte(*at + i) & 0x3F);
  *at += extra + 1;
  return code;
}

void AppendUnicodeEscape(uint32_t unit, std::string* out) {
  out->append(fmt::format("\\u{:04X}", unit));
}

void AppendEscaped(std::string_view text, bool is_key, std::string* out) {
  constexpr std::string_view kControls = "\t\n\r\f";
  constexpr std::string_view kNames = "tnrf";
  for (size_t at = 0; at < text.size();) {
    const bool leading = at == 0;
    const uint32_t code = NextCodePoint(text, &at);
    const size_t control =
        code < 0x80 ? kControls.find(static_cast<char>(code)) : std::string_view::npos;
    if (control != std::string_view::npos) {
      *out += {'\\', kNames[control]};
    } else if (code == ' ' && (is_key || leading)) {
      out->append("\\ ");
    } else if (code == '=' || code == ':' || code == '#' || code == '!' || code == '\\') {
      *out += {'\\', static_cast<char>(code)};
    } else if (code >= 0x20 && code <= 0x7E) {
      out->push_back(static_cast<char>(code));
    } else if (code < 0x10000) {
      AppendUnicodeEscape(code, out);
    } else {
      AppendUnicodeEscape(0xD800 + ((code - 0x10000) >> 10), out);
      AppendUnicodeEscape(0xDC00 + ((code - 0x10000) & 0x3FF), out);
    }
  }
}

}  // namespace

Result<Properties> ParseProperties(std::string_view text) {
  Properties properties;
  for (const LogicalLine& line : SplitLogicalLines(text)) {
    size_t at = 0;
    ARROW_ASSIGN_OR_RAISE(std::string key, Unescape(line, &at, true));
    while (at < line.text.size() && IsBlank(line.text[at])) ++at;
    if (at < line.text.size() && (line.text[at] == '=' || line.text[at] == ':')) ++at;
    while (at < line.text.size() && IsBlank(line.text[at])) ++at;
    ARROW_ASSIGN_OR_RAISE(std::string value, Unescape(line, &at, false));
    properties.insert_or_assign(std::move(key), std::move(value));
  }
  return properties;
}

std::string FormatProperties(const Properties& properties) {
  std::string text;
  for (const auto& [key, value] : properties) {
    AppendEscaped(key, true, &text);
    text.push_back('=');
    AppendEscaped(value, false, &text);
    text.push_back('\n');
  }
  return text;
}

}  // namespace firth
