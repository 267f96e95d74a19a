// SPDX-License-Identifier: Apache-2.0
#include "cli/text_table.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <numeric>

#include "cli/errors.h"

namespace firth::cli {
namespace {

constexpr std::string_view kGap = "  ";
constexpr std::string_view kEllipsis = "…";
constexpr size_t kMinShortenedWidth = 8;
constexpr size_t kMaxColumnWidth = 60;  // when the lines have a limit

size_t WidthOf(UChar32 character) {
  if (character < 0) return 1;  // an invalid byte: shown as one replacement character
  const auto category = u_charType(character);
  if (category == U_NON_SPACING_MARK || category == U_ENCLOSING_MARK || category == U_FORMAT_CHAR) {
    return 0;
  }
  const auto width = u_getIntPropertyValue(character, UCHAR_EAST_ASIAN_WIDTH);
  return width == U_EA_WIDE || width == U_EA_FULLWIDTH ? 2 : 1;
}

UChar32 NextCharacter(std::string_view text, size_t* offset) {
  UChar32 character = 0;
  size_t i = *offset;
  U8_NEXT(text.data(), i, text.size(), character);
  *offset = i;
  return character;
}

}  // namespace

size_t DisplayWidth(std::string_view text) {
  size_t width = 0;
  for (size_t i = 0; i < text.size();) width += WidthOf(NextCharacter(text, &i));
  return width;
}

std::string FitWidth(std::string_view text, size_t width) {
  if (DisplayWidth(text) <= width) return std::string(text);
  size_t used = 1;  // of the ellipsis
  size_t end = 0;
  for (size_t i = 0; i < text.size(); end = i) {
    used += WidthOf(NextCharacter(text, &i));
    if (used > width) break;
  }
  return std::string(text.substr(0, end)) + std::string(kEllipsis);
}

void TextTable::AddRow(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = Printable(cell);
  rows_.push_back(std::move(cells));
}

std::string TextTable::Format() {
  std::string out;
  if (widths_.empty() && !columns_.empty()) {
    FixWidths();
    std::vector<std::string> names, rules;
    for (size_t i = 0; i < columns_.size(); ++i) {
      names.push_back(Printable(columns_[i].name));
      rules.emplace_back(widths_[i], '-');
    }
    AppendLine(names, &out);
    AppendLine(rules, &out);
  }
  for (const std::vector<std::string>& row : rows_) AppendLine(row, &out);
  rows_.clear();
  return out;
}

void TextTable::FixWidths() {
  for (size_t i = 0; i < columns_.size(); ++i) {
    size_t width = std::max<size_t>(DisplayWidth(columns_[i].name), 1);
    for (const auto& row : rows_) width = std::max(width, DisplayWidth(row[i]));
    widths_.push_back(width);
  }
  if (line_width_ == 0) return;
  for (size_t& width : widths_) width = std::min(width, kMaxColumnWidth);
  const size_t gaps = kGap.size() * (columns_.size() - 1);
  size_t total = std::accumulate(widths_.begin(), widths_.end(), gaps);
  while (total > line_width_) {
    const auto widest = std::ranges::max_element(widths_);
    if (*widest <= kMinShortenedWidth) break;  // lines wrap
    --*widest;
    --total;
  }
}

void TextTable::AppendLine(const std::vector<std::string>& cells, std::string* out) const {
  for (size_t i = 0; i < cells.size(); ++i) {
    const std::string cell = FitWidth(cells[i], widths_[i]);
    const size_t width = DisplayWidth(cell);
    const std::string padding(widths_[i] > width ? widths_[i] - width : 0, ' ');
    if (i > 0) *out += kGap;
    if (columns_[i].right) *out += padding;
    *out += cell;
    if (!columns_[i].right && i + 1 < cells.size()) *out += padding;
  }
  *out += '\n';
}

}  // namespace firth::cli
