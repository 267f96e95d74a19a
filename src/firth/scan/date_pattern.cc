// SPDX-License-Identifier: Apache-2.0
#include "firth/scan/date_pattern.h"

#include <algorithm>
#include <charconv>
#include <chrono>

#include "firth/scan/predicate_time.h"

namespace firth::predicate {
namespace {

constexpr std::string_view kFields[] = {"yyyy", "MM", "dd", "HH", "mm", "ss"};

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// The letters at the start of `rest` that are alike.
std::string_view Run(std::string_view rest) {
  return rest.substr(0, std::min(rest.find_first_not_of(rest[0]), rest.size()));
}

// What 'quotes' at the start of `rest` hold, and all that they take up; nullopt when they stay
// open.
struct Quoted {
  std::string text;
  size_t size = 0;
};
std::optional<Quoted> Unquote(std::string_view rest) {
  if (rest.starts_with("''")) return Quoted{"'", 2};
  Quoted quoted{.text = "", .size = 1};
  while (true) {
    const size_t end = rest.find('\'', quoted.size);
    if (end == std::string_view::npos) return std::nullopt;
    quoted.text += rest.substr(quoted.size, end - quoted.size);
    quoted.size = end + 1;
    if (quoted.size == rest.size() || rest[quoted.size] != '\'') return quoted;
    quoted.text += '\'';  // doubled: the quote itself
    ++quoted.size;
  }
}

// The moments that have the first `known` of year, month, day, hour, minute and second.
std::optional<DatePattern::Span> SpanOfFields(const int (&values)[6], size_t known) {
  using std::chrono::months, std::chrono::years;
  const std::chrono::year_month_day date{std::chrono::year(values[0]),
                                         std::chrono::month(static_cast<unsigned>(values[1])),
                                         std::chrono::day(static_cast<unsigned>(values[2]))};
  if (!date.ok() || values[3] > 23 || values[4] > 59 || values[5] > 59) return std::nullopt;
  const auto start_of = [](const std::chrono::year_month_day& day) {
    return int64_t{std::chrono::sys_days(day).time_since_epoch().count()} * 86'400;
  };
  constexpr int64_t kSeconds[] = {86'400, 3'600, 60, 1};  // of a day and finer fields
  const int64_t first = start_of(date) + values[3] * 3'600 + values[4] * 60 + values[5];
  const int64_t end = known == 1   ? start_of(date + years(1))
                      : known == 2 ? start_of(date + months(1))
                                   : first + kSeconds[known - 3];
  return DatePattern::Span{first, end - 1};
}

}  // namespace

CivilTime CivilTimeOf(int64_t seconds_since_epoch) {
  const PointInTime point{.seconds = seconds_since_epoch};
  // Eras of 400 years, counted from 0000-03-01 (Howard Hinnant's civil_from_days).
  constexpr int64_t kEraDays = 146'097;
  const int64_t shifted = point.days() + 719'468;
  const int64_t era = (shifted >= 0 ? shifted : shifted - kEraDays + 1) / kEraDays;
  const int64_t day_of_era = shifted - era * kEraDays;
  const int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const auto day_of_year =
      static_cast<int>(day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100));
  const int month_index = (5 * day_of_year + 2) / 153;  // 0 is March
  const auto second_of_day = static_cast<int>(point.second_of_day());
  CivilTime civil;
  civil.day = day_of_year - (153 * month_index + 2) / 5 + 1;
  civil.month = month_index < 10 ? month_index + 3 : month_index - 9;
  civil.year = year_of_era + era * 400 + (civil.month <= 2 ? 1 : 0);
  civil.hour = second_of_day / 3600;
  civil.minute = second_of_day / 60 % 60;
  civil.second = second_of_day % 60;
  return civil;
}

Result<DatePattern> DatePattern::Parse(std::string_view pattern) {
  DatePattern parsed;
  for (std::string_view rest = pattern; !rest.empty();) {
    const std::string_view run = Run(rest);
    if (rest[0] == '\'') {
      const std::optional<Quoted> quoted = Unquote(rest);
      if (!quoted) return InvalidError("the pattern '{}' has a quote that stays open", pattern);
      parsed.AddText(quoted->text);
      rest.remove_prefix(quoted->size);
      continue;
    }
    if (std::ranges::find(kFields, run) != std::end(kFields)) {
      parsed.parts_.push_back({.field = run[0], .text = ""});
    } else if (IsLetter(rest[0]) || std::string_view("[]{}#").find(rest[0]) != std::string::npos) {
      return InvalidError(
          "the pattern '{}' has \"{}\"; possible are {} and what is no letter or bracket between "
          "them",
          pattern, run, fmt::join(kFields, ", "));
    } else {
      parsed.AddText(run);
    }
    rest.remove_prefix(run.size());
  }
  return parsed;
}

void DatePattern::AddText(std::string_view text) {
  if (parts_.empty() || parts_.back().field != 0) parts_.push_back({.field = 0, .text = ""});
  parts_.back().text += text;
}

void DatePattern::Append(int64_t seconds_since_epoch, std::string* out) const {
  const CivilTime civil = CivilTimeOf(seconds_since_epoch);
  const auto two_digits = [&](int number) {
    *out += static_cast<char>('0' + number / 10);
    *out += static_cast<char>('0' + number % 10);
  };
  for (const Part& part : parts_) {
    switch (part.field) {
      case 'y':
        if (civil.year < 0 || civil.year > 9999) *out += civil.year < 0 ? '-' : '+';
        fmt::format_to(std::back_inserter(*out), "{:04}", std::abs(civil.year));
        break;
      case 'M':
        two_digits(civil.month);
        break;
      case 'd':
        two_digits(civil.day);
        break;
      case 'H':
        two_digits(civil.hour);
        break;
      case 'm':
        two_digits(civil.minute);
        break;
      case 's':
        two_digits(civil.second);
        break;
      default:
        *out += part.text;
    }
  }
}

bool DatePattern::OrdersLikeTime() const {
  if (parts_.empty() || parts_[0].field != 'y') return false;
  size_t next = 0;
  return std::ranges::all_of(parts_, [&](const Part& part) {
    return part.field == 0 || (next < std::size(kFields) && part.field == kFields[next++][0]);
  });
}

std::optional<DatePattern::Span> DatePattern::SpanOf(std::string_view text) const {
  if (!OrdersLikeTime()) return std::nullopt;
  int values[std::size(kFields)] = {0, 1, 1, 0, 0, 0};
  size_t fields = 0;
  for (const Part& part : parts_) {
    const size_t size = part.field == 0 ? part.text.size() : kFields[fields].size();
    const std::string_view found = text.substr(0, size);
    text.remove_prefix(found.size());
    if (part.field == 0) {
      if (found != part.text) return std::nullopt;
      continue;
    }
    const bool digits = found.size() == size && found.find_first_not_of("0123456789") == found.npos;
    if (!digits) return std::nullopt;
    std::from_chars(found.data(), found.data() + size, values[fields++]);
  }
  if (!text.empty()) return std::nullopt;
  return SpanOfFields(values, fields);
}

}  // namespace firth::predicate
