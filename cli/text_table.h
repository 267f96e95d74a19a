// SPDX-License-Identifier: Apache-2.0
// Aligned columns for people.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace firth::cli {

/// Terminal columns that UTF-8 text takes: wide characters count two, combining ones none.
size_t DisplayWidth(std::string_view text);

/// `text`, or as much of it as fits with an ellipsis into `width` terminal columns.
std::string FitWidth(std::string_view text, size_t width);

/// Columns padded to their widest cell. Widths are fixed by the rows of the first Format call, so
/// that a stream of rows can be printed piece by piece.
class TextTable {
 public:
  struct Column {
    std::string name;
    bool right = false;  // numbers
  };

  /// `line_width`: terminal columns to stay within, by shortening the widest columns; 0 is no
  /// limit.
  explicit TextTable(std::vector<Column> columns, size_t line_width = 0)
      : columns_(std::move(columns)), line_width_(line_width) {}

  /// As many cells as columns; control characters are escaped.
  void AddRow(std::vector<std::string> cells);
  size_t rows() const { return rows_.size(); }

  /// The rows added since the last call as lines; the first call puts the header in front.
  std::string Format();

 private:
  void FixWidths();
  void AppendLine(const std::vector<std::string>& cells, std::string* out) const;

  std::vector<Column> columns_;
  size_t line_width_;
  std::vector<size_t> widths_;  // empty until fixed
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace firth::cli
