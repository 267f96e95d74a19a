// SPDX-License-Identifier: Apache-2.0
// Moments in UTC as Java's DateTimeFormatter writes them, for patterns of digits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firth/common/status.h"

namespace firth::predicate {

/// A moment in the calendar that counts back without end (proleptic Gregorian), in UTC.
struct CivilTime {
  int64_t year = 1970;
  int month = 1, day = 1, hour = 0, minute = 0, second = 0;
};

CivilTime CivilTimeOf(int64_t seconds_since_epoch);

/// `yyyy`, `MM`, `dd`, `HH`, `mm` and `ss`, and between them any text without ASCII letters and
/// brackets, or with them in 'quotes'.
class DatePattern {
 public:
  /// Errors (without position): what is not known, and what is.
  static Result<DatePattern> Parse(std::string_view pattern);

  /// Years have four digits; those beyond a sign, more digits, or both: `+12345`, `-0044`.
  void Append(int64_t seconds_since_epoch, std::string* out) const;

  /// Whether texts of years of four digits order as time does: years first, then months and so on,
  /// as far as they go.
  bool OrdersLikeTime() const;

  /// First and last second that such a text stands for; nullopt for what is no text of a year of
  /// four digits.
  struct Span {
    int64_t first, last;
  };
  std::optional<Span> SpanOf(std::string_view text) const;

 private:
  struct Part {
    char field;        // y M d H m s; 0: the text
    std::string text;  // as it is
  };

  void AddText(std::string_view text);

  std::vector<Part> parts_;
};

}  // namespace firth::predicate
