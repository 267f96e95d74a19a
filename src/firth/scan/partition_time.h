// SPDX-License-Identifier: Apache-2.0
// The values that a timestamp key generator puts into one partition.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firth/table/table_config.h"

namespace firth {

/// Formatted times read back: "2024/01/31" is a day in the table's zone, so all values of the
/// column from its first moment to its last. From hoodie.keygen.timebased.*.
class PartitionTimes {
 public:
  explicit PartitionTimes(const TableConfig& config);

  struct Range {
    int64_t first;
    int64_t end;  // exclusive
  };

  /// The values of an integer column whose partition is called `text`; nullopt where that cannot be
  /// said: dates given as text, patterns with other letters than yMdHmsS, a text that does not
  /// follow the pattern, or the period in which the generator puts null.
  std::optional<Range> ValuesIn(std::string_view text) const;

 private:
  struct Token {
    char letter = 0;  // of a number; 0: literal
    size_t digits = 0;
    std::string literal;
  };
  struct Unit {
    int64_t millis = 0;  // in one value, or 0
    int64_t parts = 0;   // values in one millisecond, or 0
  };

  void ParsePattern(std::string_view pattern);
  std::optional<Range> MillisIn(std::string_view text) const;
  std::optional<int64_t> ToUtc(int64_t local_millis, bool first) const;

  std::optional<Unit> unit_;
  std::string zone_;  // "": unknown
  std::vector<Token> tokens_;
  int smallest_ = -1;  // field of the pattern, from year; -1: a pattern that is not understood
};

}  // namespace firth
