// SPDX-License-Identifier: Apache-2.0
#include "firth/scan/expression_ranges.h"

#include <arrow/scalar.h>
#include <arrow/type.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "firth/scan/date_pattern.h"
#include "firth/scan/stats_bounds.h"

namespace firth {
namespace {

using predicate::ColumnCall;
using predicate::DatePattern;
using Kind = StatsValue::Kind;

// Zones are 18 hours from UTC at most, but some have left a day out.
constexpr int64_t kZoneSeconds = 86'400;
constexpr int64_t kLastSecond = 253'402'300'799;  // of the year 9999
// For moments before, writers may have another calendar.
constexpr int64_t kFirstYear = 1583;

bool GivesFormattedTime(const ColumnCall& call) {
  return call.function == "date_format" || call.function == "from_unixtime";
}

// Sets the bounds; false when there are none to believe.
bool SetIntegers(const ColumnStatsPayload& stats, int64_t lowest, int64_t widen,
                 ColumnRange* range) {
  if (stats.min.kind != Kind::kInt || stats.max.kind != Kind::kInt) return false;
  const auto* min = std::get_if<int64_t>(&stats.min.value);
  const auto* max = std::get_if<int64_t>(&stats.max.value);
  if (min == nullptr || max == nullptr || *min < lowest || *min > *max ||
      *max > std::numeric_limits<int32_t>::max() - widen) {
    return false;
  }
  range->min = std::make_shared<arrow::Int32Scalar>(static_cast<int32_t>(*min - widen));
  range->max = std::make_shared<arrow::Int32Scalar>(static_cast<int32_t>(*max + widen));
  return true;
}

void SetTexts(std::string min, std::string max, ColumnRange* range) {
  range->min = std::make_shared<arrow::StringScalar>(std::move(min));
  range->max = std::make_shared<arrow::StringScalar>(std::move(max));
}

// Writers have U+FFFD (ef bf bd) for bytes that are no UTF-8. A text that lies between one of ASCII
// and one whose bytes are all below ef does so with such bytes, too.
bool IsSafe(const std::string& min, const std::string& max) {
  const auto all_below = [](const std::string& text, unsigned char limit) {
    return std::ranges::all_of(text, [&](unsigned char byte) { return byte < limit; });
  };
  return all_below(min, 0x80) && all_below(max, 0xEF);
}

// Texts of the writer's zone as those of UTC that may be the same moments.
bool SetFormatted(const ColumnCall& call, const std::string& min, const std::string& max,
                  ColumnRange* range) {
  const Result<DatePattern> pattern = DatePattern::Parse(call.parameters[0].second);
  if (!pattern.ok()) return false;
  const auto low = pattern->SpanOf(min), high = pattern->SpanOf(max);
  if (!low || !high || predicate::CivilTimeOf(low->first).year < kFirstYear) return false;
  std::string from, to;
  pattern->Append(low->first - kZoneSeconds, &from);
  pattern->Append(std::min(high->last + kZoneSeconds, kLastSecond), &to);
  SetTexts(std::move(from), std::move(to), range);
  return true;
}

bool SetTexts(const ColumnCall& call, const ColumnStatsPayload& stats, ColumnRange* range) {
  if (stats.min.kind != Kind::kString || stats.max.kind != Kind::kString) return false;
  const auto* min = std::get_if<std::string>(&stats.min.value);
  const auto* max = std::get_if<std::string>(&stats.max.value);
  if (min == nullptr || max == nullptr || *min > *max) return false;
  if (GivesFormattedTime(call)) return SetFormatted(call, *min, *max, range);
  if (!IsSafe(*min, *max)) return false;
  SetTexts(*min, *max, range);
  return true;
}

}  // namespace

std::string_view DoubtOfBounds(const ColumnCall& call) {
  if (GivesFormattedTime(call)) {
    const Result<DatePattern> pattern = DatePattern::Parse(call.parameters[0].second);
    const bool ordered = pattern.ok() && pattern->OrdersLikeTime();
    return ordered ? "" : "texts of its pattern do not order as time does";
  }
  for (const std::string_view certain : {"length", "substring", "trim", "year"}) {
    if (call.function == certain) return "";
  }
  if (call.function == "lower" || call.function == "upper") {
    return "its bounds depend on the writer's language and release of Unicode";
  }
  return "its bounds depend on the writer's time zone and calendar";
}

std::optional<ColumnRange> RangeInFile(const ColumnCall& call, const ColumnStatsPayload& stats,
                                       const arrow::DataType& type) {
  for (const int64_t count : {stats.value_count, stats.null_count}) {
    if (count < 0 || count > kMaxCountedValues) return std::nullopt;
  }
  // Here valueCount does not count nulls.
  ColumnRange range{.min = nullptr,
                    .max = nullptr,
                    .null_count = stats.null_count,
                    .rows = stats.value_count + stats.null_count};
  if (stats.value_count == 0) return range;
  bool known = false;
  if (call.function == "length") {
    known = SetIntegers(stats, /*lowest=*/0, /*widen=*/0, &range);
  } else if (call.function == "year") {
    const bool has_zone = type.id() != arrow::Type::DATE32;
    known = SetIntegers(stats, kFirstYear, has_zone ? 1 : 0, &range);
  } else {
    known = SetTexts(call, stats, &range);
  }
  return known ? std::optional(std::move(range)) : std::nullopt;
}

std::optional<ColumnRange> RangeOfSignedYears(const ColumnCall& call, const ColumnRange& range) {
  if (!GivesFormattedTime(call)) return std::nullopt;
  ColumnRange signed_years = range;
  SetTexts("+", ".", &signed_years);  // '-' lies in between
  return signed_years;
}

}  // namespace firth
