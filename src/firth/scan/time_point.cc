// SPDX-License-Identifier: Apache-2.0
#include "firth/scan/time_point.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <ctime>
#include <optional>

namespace firth {
namespace {

struct CivilTime {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, millis = 0;
};

bool AllDigits(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c); });
}

// Takes exactly `width` digits off the front.
bool TakeNumber(std::string_view* text, size_t width, int* out) {
  if (text->size() < width || !AllDigits(text->substr(0, width))) return false;
  *out = 0;
  for (const char c : text->substr(0, width)) *out = *out * 10 + (c - '0');
  text->remove_prefix(width);
  return true;
}

bool TakeChar(std::string_view* text, std::string_view any_of) {
  if (text->empty() || any_of.find(text->front()) == std::string_view::npos) return false;
  text->remove_prefix(1);
  return true;
}

bool TakeDate(std::string_view* text, CivilTime* out) {
  return TakeNumber(text, 4, &out->year) && TakeChar(text, "-") &&
         TakeNumber(text, 2, &out->month) && TakeChar(text, "-") && TakeNumber(text, 2, &out->day);
}

bool TakeTime(std::string_view* text, CivilTime* out) {
  if (!TakeNumber(text, 2, &out->hour) || !TakeChar(text, ":") ||
      !TakeNumber(text, 2, &out->minute) || !TakeChar(text, ":") ||
      !TakeNumber(text, 2, &out->second)) {
    return false;
  }
  if (!TakeChar(text, ".")) return true;
  int scale = 100;
  bool any = false;
  while (!text->empty() && std::isdigit(static_cast<unsigned char>(text->front()))) {
    out->millis += (text->front() - '0') * scale;
    scale /= 10;  // digits past the third are dropped: instants have milliseconds
    any = true;
    text->remove_prefix(1);
  }
  return any;
}

// Minutes east of UTC; nullopt in `*offset` when the text ends without a zone.
bool TakeZone(std::string_view* text, std::optional<int>* offset) {
  if (text->empty()) return true;
  if (TakeChar(text, "Zz")) {
    *offset = 0;
    return text->empty();
  }
  const bool west = text->front() == '-';
  int hours = 0, minutes = 0;
  if (!TakeChar(text, "+-") || !TakeNumber(text, 2, &hours)) return false;
  TakeChar(text, ":");
  if (!text->empty() && !TakeNumber(text, 2, &minutes)) return false;
  *offset = (west ? -1 : 1) * (hours * 60 + minutes);
  return text->empty() && hours <= 18 && minutes < 60;
}

bool IsValid(const CivilTime& t) {
  const std::chrono::year_month_day date{std::chrono::year(t.year),
                                         std::chrono::month(static_cast<unsigned>(t.month)),
                                         std::chrono::day(static_cast<unsigned>(t.day))};
  return date.ok() && t.hour < 24 && t.minute < 60 && t.second < 60;
}

std::string Format(const CivilTime& t) {
  return fmt::format("{:04}{:02}{:02}{:02}{:02}{:02}{:03}", t.year, t.month, t.day, t.hour,
                     t.minute, t.second, t.millis);
}

CivilTime Shift(const CivilTime& t, int offset_minutes, bool to_utc) {
  std::tm tm{};
  tm.tm_year = t.year - 1900;
  tm.tm_mon = t.month - 1;
  tm.tm_mday = t.day;
  tm.tm_hour = t.hour;
  tm.tm_min = t.minute;
  tm.tm_sec = t.second;
  const std::time_t epoch = timegm(&tm) - std::time_t{60} * offset_minutes;
  std::tm shifted{};
  if (to_utc) {
    gmtime_r(&epoch, &shifted);
  } else {
    localtime_r(&epoch, &shifted);
  }
  return {shifted.tm_year + 1900, shifted.tm_mon + 1, shifted.tm_mday, shifted.tm_hour,
          shifted.tm_min,         shifted.tm_sec,     t.millis};
}

}  // namespace

Result<std::string> ParseTimePoint(std::string_view text, bool timeline_is_utc) {
  if (AllDigits(text) && text.size() == 17) return std::string(text);
  if (AllDigits(text) && text.size() == 14) return std::string(text) + "999";
  std::string_view rest = text;
  CivilTime time;
  std::optional<int> offset;
  bool good = TakeDate(&rest, &time);
  if (good && !rest.empty()) {
    good = TakeChar(&rest, " Tt") && TakeTime(&rest, &time) && TakeZone(&rest, &offset);
  }
  if (!good || !IsValid(time)) {
    return InvalidError(
        "time \"{}\" is not an instant (17 or 14 digits), a timestamp (2026-01-31 "
        "12:00:00[.000][Z]) "
        "or a date (2026-01-31)",
        text);
  }
  return Format(offset ? Shift(time, *offset, timeline_is_utc) : time);
}

}  // namespace firth
