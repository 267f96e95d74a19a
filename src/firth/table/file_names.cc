// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>

#include "firth/table/file_system_view.h"

namespace firth {
namespace {

constexpr std::array<std::string_view, 4> kBaseExtensions = {".parquet", ".hfile", ".orc",
                                                             ".lance"};

bool AllDigits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// `<task partition>-<stage>-<attempt>`
bool IsWriteToken(std::string_view text) {
  for (int part = 0; part < 2; ++part) {
    const size_t dash = text.find('-');
    if (dash == std::string_view::npos || !AllDigits(text.substr(0, dash))) return false;
    text.remove_prefix(dash + 1);
  }
  return AllDigits(text);
}

// Takes a CDC mark off the end; early releases wrote a dash.
bool TakeCdcSuffix(std::string_view* name) {
  if (!name->ends_with(".cdc") && !name->ends_with("-cdc")) return false;
  name->remove_suffix(4);
  return true;
}

}  // namespace

std::optional<BaseFile> ParseBaseFileName(std::string_view path, int64_t size) {
  std::string_view name = LastSegment(path);
  if (name.starts_with('.')) return std::nullopt;
  const auto extension = std::ranges::find_if(
      kBaseExtensions, [&](std::string_view candidate) { return name.ends_with(candidate); });
  if (extension == kBaseExtensions.end()) return std::nullopt;
  name.remove_suffix(extension->size());
  const size_t one = name.find('_');
  const size_t two = one == std::string_view::npos ? one : name.find('_', one + 1);
  if (one == 0 || two == std::string_view::npos) return std::nullopt;
  const std::string_view instant = name.substr(two + 1);
  if (!AllDigits(instant)) return std::nullopt;
  return BaseFile{.path = std::string(path),
                  .file_id = std::string(name.substr(0, one)),
                  .write_token = std::string(name.substr(one + 1, two - one - 1)),
                  .instant = std::string(instant),
                  .size = size};
}

std::optional<LogFile> ParseLogFileName(std::string_view path, int64_t size) {
  constexpr std::string_view kMark = ".log.";
  std::string_view name = LastSegment(path);
  const size_t mark = name.rfind(kMark);
  if (!name.starts_with('.') || mark == std::string_view::npos) return std::nullopt;
  const std::string_view group = name.substr(1, mark == 0 ? 0 : mark - 1);
  const size_t underscore = group.rfind('_');
  if (underscore == std::string_view::npos || underscore == 0) return std::nullopt;
  const std::string_view instant = group.substr(underscore + 1);
  if (!AllDigits(instant)) return std::nullopt;

  std::string_view rest = name.substr(mark + kMark.size());
  LogFile file;
  file.path = path;
  file.file_id = group.substr(0, underscore);
  file.instant = instant;
  file.size = size;
  const size_t token = rest.find('_');
  if (token != std::string_view::npos) {
    std::string_view text = rest.substr(token + 1);
    file.cdc = TakeCdcSuffix(&text);
    if (!IsWriteToken(text)) return std::nullopt;
    file.write_token = text;
    rest = rest.substr(0, token);
  }
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), file.version);
  if (!AllDigits(rest) || error != std::errc() || end != rest.data() + rest.size()) {
    return std::nullopt;
  }
  return file;
}

}  // namespace firth
