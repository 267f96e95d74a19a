// SPDX-License-Identifier: Apache-2.0
#include "firth/io/address.h"

#include <cctype>
#include <charconv>

namespace firth {
namespace {

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

// RFC 3986, section 3.1.
bool IsScheme(std::string_view text) {
  if (text.empty() || !std::isalpha(static_cast<unsigned char>(text.front()))) return false;
  for (const char c : text) {
    const bool other = c == '+' || c == '-' || c == '.';
    if (!other && !std::isalnum(static_cast<unsigned char>(c))) return false;
  }
  return true;
}

Result<std::string> PercentDecode(std::string_view text, std::string_view uri) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    const std::string_view digits = text.substr(i + 1, 2);
    int value = 0;
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    const bool whole = digits.size() == 2 && parsed.ptr == digits.data() + digits.size();
    if (!whole || parsed.ec != std::errc() || value <= 0) {
      return MakeError(ErrorCode::kInvalidArgument,
                       fmt::format("{}: \"%{}\" is no percent-encoded character", uri, digits),
                       "write %25 for a percent sign, or give the path without file:");
    }
    decoded += static_cast<char>(value);
    i += 2;
  }
  return decoded;
}

// What follows "file:", which is "/path" or "//host/path".
Result<std::string> FilePath(std::string_view rest, std::string_view uri) {
  if (rest.starts_with("//")) {
    rest.remove_prefix(2);
    const std::string_view host = rest.substr(0, rest.find('/'));
    if (!host.empty() && Lower(host) != "localhost") {
      return MakeError(ErrorCode::kInvalidArgument,
                       fmt::format("{}: the host \"{}\" is not this machine", uri, host),
                       "write file:///path, or the path alone");
    }
    rest.remove_prefix(host.size());
  }
  if (rest.empty()) return InvalidError("{}: no path", uri);
  if (rest.find_first_of("?#") != std::string_view::npos) {
    return MakeError(ErrorCode::kInvalidArgument,
                     fmt::format("{}: a file address has no query and no fragment", uri),
                     "write %3F for ? and %23 for # in a name, or give the path without file:");
  }
  return PercentDecode(rest, uri);
}

}  // namespace

Result<Address> ParseAddress(std::string_view text) {
  if (text.empty()) return InvalidError("the table path is empty");
  const size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  if (colon == std::string_view::npos || !IsScheme(name)) return Address{"file", std::string(text)};
  const std::string scheme = Lower(name);
  const std::string_view rest = text.substr(colon + 1);
  if (scheme == "file" && rest.starts_with('/')) {
    ARROW_ASSIGN_OR_RAISE(std::string path, FilePath(rest, text));
    return Address{scheme, std::move(path)};
  }
  if (!rest.starts_with("//")) return Address{"file", std::string(text)};  // a colon in a name
  return Address{scheme, std::string(rest.substr(2))};
}

}  // namespace firth
