// SPDX-License-Identifier: Apache-2.0
#include "firth/scan/predicate_time.h"

#include <chrono>

namespace firth::predicate {
namespace {

// Takes texts apart from the left; every Take* is false, and takes nothing useful, on a mismatch.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  bool done() const { return text_.empty(); }

  bool TakeChar(char wanted) {
    if (!text_.starts_with(wanted)) return false;
    text_.remove_prefix(1);
    return true;
  }

  // A number of `min` to `max` digits.
  bool TakeDigits(int min, int max, int* value) {
    int count = 0;
    *value = 0;
    while (count < max && !text_.empty() && text_[0] >= '0' && text_[0] <= '9') {
      *value = *value * 10 + (text_[0] - '0');
      text_.remove_prefix(1);
      ++count;
    }
    digits_ = count;
    return count >= min;
  }

  int last_digits() const { return digits_; }

  bool TakeWord(std::string_view word) {
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }

 private:
  std::string_view text_;
  int digits_ = 0;
};

bool TakeDate(Cursor& in, PointInTime* point) {
  int year = 0, month = 0, day = 0;
  if (!in.TakeDigits(4, 4, &year) || !in.TakeChar('-') || !in.TakeDigits(1, 2, &month) ||
      !in.TakeChar('-') || !in.TakeDigits(1, 2, &day)) {
    return false;
  }
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok() || year == 0) return false;
  point->seconds = int64_t{std::chrono::sys_days(date).time_since_epoch().count()} * 86'400;
  return true;
}

bool TakeTimeOfDay(Cursor& in, PointInTime* point) {
  int hour = 0, minute = 0, second = 0;
  if (!in.TakeDigits(1, 2, &hour) || !in.TakeChar(':') || !in.TakeDigits(2, 2, &minute)) {
    return false;
  }
  if (in.TakeChar(':')) {
    if (!in.TakeDigits(2, 2, &second)) return false;
    if (in.TakeChar('.')) {
      int fraction = 0;
      if (!in.TakeDigits(1, 9, &fraction)) return false;
      point->nanos = fraction;
      for (int i = in.last_digits(); i < 9; ++i) point->nanos *= 10;
    }
  }
  point->seconds += hour * 3600 + minute * 60 + second;
  return hour < 24 && minute < 60 && second < 60;
}

bool TakeZone(Cursor& in, PointInTime* point) {
  point->has_zone = true;
  if (in.TakeChar('Z') || in.TakeChar('z') || in.TakeWord("UTC")) return true;
  const bool west = in.TakeChar('-');
  if (!west && !in.TakeChar('+')) return false;
  int hours = 0, minutes = 0;
  if (!in.TakeDigits(2, 2, &hours)) return false;
  const bool colon = in.TakeChar(':');
  if ((colon || !in.done()) && !in.TakeDigits(2, 2, &minutes)) return false;
  const int offset = hours * 3600 + minutes * 60;
  point->seconds += west ? offset : -offset;
  return hours <= 18 && minutes < 60;
}

}  // namespace

std::optional<PointInTime> ParsePointInTime(std::string_view text) {
  Cursor in(text);
  PointInTime point;
  if (!TakeDate(in, &point)) return std::nullopt;
  if (in.done()) return point;
  if (!in.TakeChar(' ') && !in.TakeChar('T')) return std::nullopt;
  if (!TakeTimeOfDay(in, &point)) return std::nullopt;
  if (in.done()) return point;
  in.TakeChar(' ');
  if (!TakeZone(in, &point) || !in.done()) return std::nullopt;
  return point;
}

}  // namespace firth::predicate
