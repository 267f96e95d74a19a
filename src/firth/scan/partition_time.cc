// SPDX-License-Identifier: Apache-2.0
#include "firth/scan/partition_time.h"

#include <arrow/compute/api_scalar.h>
#include <arrow/datum.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <utility>

namespace firth {
namespace {

constexpr std::string_view kLetters = "yMdHmsS";  // from the largest field to the smallest
constexpr std::array<int64_t, 7> kMillis = {0, 0, 86'400'000, 3'600'000, 60'000, 1'000, 1};
constexpr int64_t kMaxYear = 200'000;             // any unit of time fits in 64 bits
constexpr int64_t kZoneMargin = 18 * kMillis[3];  // no zone is further from UTC

std::string_view Property(const TableConfig& config, std::string_view name) {
  const std::string_view value = config.Get(fmt::format("hoodie.keygen.timebased.{}", name));
  if (!value.empty()) return value;
  return config.Get(fmt::format("hoodie.deltastreamer.keygen.timebased.{}", name));
}

// Milliseconds in one value, or values in one millisecond.
std::optional<std::pair<int64_t, int64_t>> UnitNamed(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::pair<int64_t, int64_t>>, 7> kUnits = {{
      {"NANOSECONDS", {0, 1'000'000}},
      {"MICROSECONDS", {0, 1'000}},
      {"MILLISECONDS", {1, 0}},
      {"SECONDS", {1'000, 0}},
      {"MINUTES", {60'000, 0}},
      {"HOURS", {3'600'000, 0}},
      {"DAYS", {86'400'000, 0}},
  }};
  const auto* found =
      std::ranges::find(kUnits, name, [](const auto& entry) { return entry.first; });
  return found == kUnits.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::pair<int64_t, int64_t>> UnitOf(const TableConfig& config) {
  const std::string_view type = Property(config, "timestamp.type");
  if (type == "UNIX_TIMESTAMP") return UnitNamed("SECONDS");
  if (type == "EPOCHMILLISECONDS") return UnitNamed("MILLISECONDS");
  if (type == "EPOCHMICROSECONDS") return UnitNamed("MICROSECONDS");
  if (type != "SCALAR") return std::nullopt;
  const std::string_view unit = Property(config, "timestamp.scalar.time.unit");
  return UnitNamed(unit.empty() ? "SECONDS" : unit);
}

int64_t CeilDiv(int64_t a, int64_t b) { return a / b + (a % b > 0 ? 1 : 0); }

// "GMT+8:00", "GMT-0330", "GMT+8" as Java reads them; nullopt for another form.
std::optional<int64_t> OffsetOf(std::string_view zone) {
  if (!zone.starts_with("GMT") || zone.size() < 5) return std::nullopt;
  std::string digits(zone.substr(4));
  const size_t colon = digits.find(':');
  if (colon != std::string::npos) digits.erase(colon, 1);
  const bool has_minutes = colon != std::string::npos || digits.size() > 2;
  int number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  const int hours = has_minutes ? number / 100 : number;
  const int minutes = has_minutes ? number % 100 : 0;
  if (hours > 23 || minutes > 59 || (zone[3] != '+' && zone[3] != '-')) return std::nullopt;
  return (zone[3] == '-' ? -1 : 1) * (hours * kMillis[3] + minutes * kMillis[4]);
}

int64_t DaysFromCivil(int64_t year, int64_t month, int64_t day) {
  // Leap years come again every 400 years, which std::chrono::year cannot count that far.
  const int64_t cycle = year / 400;
  const auto date = std::chrono::year(static_cast<int>(year % 400 + 400)) /
                    std::chrono::month(static_cast<unsigned>(month)) /
                    std::chrono::day(static_cast<unsigned>(day));
  constexpr int64_t kDaysOf400Years = 146'097;
  return std::chrono::sys_days(date).time_since_epoch().count() + (cycle - 1) * kDaysOf400Years;
}

using Fields = std::array<int64_t, 7>;  // year, month, ... millisecond

bool InBounds(const Fields& fields) {
  constexpr Fields kLast = {kMaxYear, 12, 31, 23, 59, 59, 999};
  return fields[0] >= 0 && fields[1] >= 1 && fields[2] >= 1 &&
         std::ranges::equal(fields, kLast, std::ranges::less_equal());
}

int64_t LocalMillis(const Fields& fields) {
  int64_t millis = DaysFromCivil(fields[0], fields[1], fields[2]) * kMillis[2];
  for (size_t i = 3; i < fields.size(); ++i) millis += fields[i] * kMillis[i];
  return millis;
}

}  // namespace

PartitionTimes::PartitionTimes(const TableConfig& config) {
  if (const auto unit = UnitOf(config)) unit_ = Unit{unit->first, unit->second};
  const std::string_view both = Property(config, "timezone");
  const std::string_view output = Property(config, "output.timezone");
  if (!both.empty() && !output.empty() && both != output) unit_.reset();  // releases differ
  zone_ = both.empty() ? output : both;
  ParsePattern(Property(config, "output.dateformat"));
}

// Letters in a row are a number of that many digits; text in quotes and other characters stand for
// themselves.
void PartitionTimes::ParsePattern(std::string_view pattern) {
  std::array<bool, kLetters.size()> has = {};
  while (!pattern.empty()) {
    const char c = pattern.front();
    Token token;
    size_t length = 1;
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      length = std::min(pattern.find_first_not_of(c), pattern.size());
      const size_t field = kLetters.find(c);
      const size_t digits = field == 0 ? 4 : field == 6 ? 3 : 2;
      if (field == std::string_view::npos || length != digits || has[field]) return;
      has[field] = true;
      token.letter = c;
      token.digits = digits;
    } else if (c == '\'') {
      const size_t end = pattern.find('\'', 1);
      if (end == std::string_view::npos || end == 1) return;
      token.literal = pattern.substr(1, end - 1);
      length = end + 1;
    } else {
      token.literal = c;
    }
    tokens_.push_back(std::move(token));
    pattern.remove_prefix(length);
  }
  const auto first_missing = std::ranges::find(has, false);
  if (std::find(first_missing, has.end(), true) != has.end()) return;
  smallest_ = static_cast<int>(first_missing - has.begin()) - 1;
}

std::optional<PartitionTimes::Range> PartitionTimes::MillisIn(std::string_view text) const {
  Fields fields = {0, 1, 1, 0, 0, 0, 0};
  for (size_t i = 0; i < tokens_.size(); ++i) {
    const Token& token = tokens_[i];
    if (token.letter == 0) {
      if (!text.starts_with(token.literal)) return std::nullopt;
      text.remove_prefix(token.literal.size());
      continue;
    }
    size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    // Years beyond 9999 have more digits, which only a literal or the end can close.
    const bool open = i + 1 == tokens_.size() || tokens_[i + 1].letter == 0;
    if (digits < token.digits) return std::nullopt;
    if (token.letter != 'y' || !open) digits = token.digits;
    int64_t& value = fields[kLetters.find(token.letter)];
    if (std::from_chars(text.data(), text.data() + digits, value).ec != std::errc()) {
      return std::nullopt;
    }
    text.remove_prefix(digits);
  }
  if (!text.empty() || !InBounds(fields)) return std::nullopt;
  const int64_t first = LocalMillis(fields);
  int64_t end = first;
  if (smallest_ == 0) {
    ++fields[0];
    end = LocalMillis(fields);
  } else if (smallest_ == 1) {
    fields[0] += fields[1] / 12;
    fields[1] = fields[1] % 12 + 1;
    end = LocalMillis(fields);
  } else {
    end += kMillis[static_cast<size_t>(smallest_)];
  }
  return Range{first, end};
}

// A local time that clocks show twice or never is taken so that the period becomes the longest.
std::optional<int64_t> PartitionTimes::ToUtc(int64_t local_millis, bool first) const {
  using Options = arrow::compute::AssumeTimezoneOptions;
  if (zone_.empty()) return first ? local_millis - kZoneMargin : local_millis + kZoneMargin;
  if (zone_ == "UTC" || zone_ == "GMT") return local_millis;
  if (const auto offset = OffsetOf(zone_)) return local_millis - *offset;
  const Options options(zone_, first ? Options::AMBIGUOUS_EARLIEST : Options::AMBIGUOUS_LATEST,
                        first ? Options::NONEXISTENT_EARLIEST : Options::NONEXISTENT_LATEST);
  const auto local = std::make_shared<arrow::TimestampScalar>(
      local_millis, arrow::timestamp(arrow::TimeUnit::MILLI));
  const auto utc = arrow::compute::AssumeTimezone(arrow::Datum(local), options);
  if (!utc.ok()) return std::nullopt;
  return utc->scalar_as<arrow::TimestampScalar>().value;
}

std::optional<PartitionTimes::Range> PartitionTimes::ValuesIn(std::string_view text) const {
  if (!unit_ || smallest_ < 0) return std::nullopt;
  const std::optional<Range> local = MillisIn(text);
  if (!local) return std::nullopt;
  const std::optional<int64_t> first = ToUtc(local->first, true);
  const std::optional<int64_t> end = ToUtc(local->end, false);
  if (!first || !end) return std::nullopt;
  Range values{};
  if (unit_->millis > 0) {
    values = {CeilDiv(*first, unit_->millis), CeilDiv(*end, unit_->millis)};
  } else {
    // Java cuts towards zero when it makes milliseconds of something finer.
    constexpr int64_t kMost = INT64_MAX / 2'000'000;
    if (*first < -kMost || *end > kMost) return std::nullopt;
    values = {*first > 0 ? *first * unit_->parts : (*first - 1) * unit_->parts + 1,
              *end * unit_->parts};
  }
  // Null is filed under the value 1.
  if (values.first <= 1 && 1 < values.end) return std::nullopt;
  return values;
}

}  // namespace firth
