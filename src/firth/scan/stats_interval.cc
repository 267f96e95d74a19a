// SPDX-License-Identifier: Apache-2.0
#include "firth/scan/stats_interval.h"

#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/checked_cast.h>
#include <arrow/util/decimal.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

namespace firth {
namespace {

using arrow::Decimal128;
using arrow::internal::checked_cast;
using Kind = StatsValue::Kind;
using Type = StatsValueType;

constexpr int32_t kWrapperScale = 15;   // of decimals in version V1
constexpr int64_t kFirstDay = -141427;  // 1582-10-15, where the calendars of java.sql.Date part
constexpr int64_t kMicrosPerMilli = 1000;

// Numbers in the table's unit or scale: days, microseconds, unscaled decimals.
struct Numbers {
  Decimal128 min, max;
};

bool IsBaseFile(std::string_view name) { return !name.starts_with('.'); }

// Whether a value is of that type; version V1 leaves it to the kind of the bound.
bool MayBe(const ColumnStatsPayload& stats, Type type) {
  return stats.value_type == Type::kByWrapper || stats.value_type == type;
}

std::optional<Decimal128> NumberOf(const StatsValue& bound, Kind kind) {
  if (bound.kind != kind) return std::nullopt;
  if (const auto* number = std::get_if<int64_t>(&bound.value)) return Decimal128(*number);
  if (const auto* flag = std::get_if<bool>(&bound.value)) return Decimal128(*flag ? 1 : 0);
  const auto* bytes = std::get_if<std::string>(&bound.value);
  if (bytes == nullptr) return std::nullopt;
  const auto number = Decimal128::FromBigEndian(reinterpret_cast<const uint8_t*>(bytes->data()),
                                                static_cast<int32_t>(bytes->size()));
  return number.ok() ? std::optional(*number) : std::nullopt;
}

// The scale in "precision,scale".
std::optional<int32_t> ParseScale(std::string_view type_info) {
  const size_t comma = type_info.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  const std::string_view text = type_info.substr(comma + 1);
  int32_t scale = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), scale);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return scale >= 0 && scale <= Decimal128::kMaxScale ? std::optional(scale) : std::nullopt;
}

// Microseconds of one unit of a timestamp of version V2; 0: not known.
int64_t MicrosPerUnit(Type type) {
  switch (type) {
    case Type::kTimestampMillis:
    case Type::kLocalTimestampMillis:
      return kMicrosPerMilli;
    case Type::kTimestampMicros:
    case Type::kLocalTimestampMicros:
      return 1;
    default:
      return 0;
  }
}

std::optional<Numbers> Integers(const ColumnStatsPayload& stats) {
  const auto of = [&](const StatsValue& bound) {
    const bool is_int = bound.kind == Kind::kInt && MayBe(stats, Type::kInt);
    if (is_int) return NumberOf(bound, Kind::kInt);
    return MayBe(stats, Type::kLong) ? NumberOf(bound, Kind::kLong) : std::nullopt;
  };
  const auto min = of(stats.min), max = of(stats.max);
  if (!min || !max) return std::nullopt;
  return Numbers{*min, *max};
}

std::optional<Numbers> Booleans(const ColumnStatsPayload& stats) {
  const auto min = NumberOf(stats.min, Kind::kBoolean), max = NumberOf(stats.max, Kind::kBoolean);
  if (!MayBe(stats, Type::kBoolean) || !min || !max) return std::nullopt;
  return Numbers{*min, *max};
}

// Bounds pass through java.sql.Date, which knows the days of the writer's zone and calendar: before
// 1582 they may be off by many days, later by one where a zone left one out.
std::optional<Numbers> Dates(const ColumnStatsPayload& stats) {
  const bool by_wrapper = stats.value_type == Type::kByWrapper;
  if (!by_wrapper && stats.value_type != Type::kDate) return std::nullopt;
  const Kind kind = by_wrapper ? Kind::kDate : Kind::kInt;
  const auto min = NumberOf(stats.min, kind), max = NumberOf(stats.max, kind);
  if (!min || !max || *min < Decimal128(kFirstDay + 10)) return std::nullopt;
  return Numbers{*min - 1, *max + 1};
}

// Version V1 does not tell milliseconds from microseconds: either reading bounds from one side.
// Releases differ in whether bounds of log files have the microseconds of a millisecond.
std::optional<Numbers> Timestamps(const ColumnStatsPayload& stats) {
  const auto min = NumberOf(stats.min, Kind::kLong), max = NumberOf(stats.max, Kind::kLong);
  const int64_t unit = MicrosPerUnit(stats.value_type);
  const bool by_wrapper = stats.value_type == Type::kByWrapper;
  if (!min || !max || (unit == 0 && !by_wrapper)) return std::nullopt;
  const Decimal128 finest(by_wrapper ? 1 : unit), coarsest(by_wrapper ? kMicrosPerMilli : unit);
  return Numbers{std::min(*min * finest, *min * coarsest) - kMicrosPerMilli,
                 std::max(*max * finest, *max * coarsest) + kMicrosPerMilli};
}

// By value, for a column may have had a smaller scale when the file was written.
std::optional<Numbers> Decimals(const ColumnStatsPayload& stats, int32_t scale) {
  const bool by_wrapper = stats.value_type == Type::kByWrapper;
  const std::optional<int32_t> stored = DecimalScaleOf(stats);
  if (!stored || (by_wrapper && scale > kWrapperScale)) return std::nullopt;
  const Kind kind = by_wrapper ? Kind::kDecimal : Kind::kBytes;
  const auto min = NumberOf(stats.min, kind), max = NumberOf(stats.max, kind);
  if (!min || !max) return std::nullopt;
  const auto low = min->Rescale(*stored, scale), high = max->Rescale(*stored, scale);
  if (!low.ok() || !high.ok()) return std::nullopt;
  return Numbers{*low, *high};
}

std::optional<Numbers> NumbersOf(const ColumnStatsPayload& stats, const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::BOOL:
      return Booleans(stats);
    case arrow::Type::DATE32:
      return Dates(stats);
    case arrow::Type::TIMESTAMP:
      return Timestamps(stats);
    case arrow::Type::DECIMAL128:
      return Decimals(stats, checked_cast<const arrow::Decimal128Type&>(type).scale());
    default:
      return Integers(stats);
  }
}

// Null when the type can't hold the value, which then bounds nothing.
std::shared_ptr<arrow::Scalar> ScalarOf(const Decimal128& value,
                                        const std::shared_ptr<arrow::DataType>& type) {
  if (type->id() == arrow::Type::DECIMAL128) {
    return std::make_shared<arrow::Decimal128Scalar>(value, type);
  }
  if (type->id() == arrow::Type::INT32 || type->id() == arrow::Type::DATE32) {
    const arrow::Result<int32_t> number = value.ToInteger<int32_t>();
    if (!number.ok()) return nullptr;
    if (type->id() == arrow::Type::INT32) return std::make_shared<arrow::Int32Scalar>(*number);
    return std::make_shared<arrow::Date32Scalar>(*number);
  }
  const arrow::Result<int64_t> number = value.ToInteger<int64_t>();
  if (!number.ok()) return nullptr;
  if (type->id() == arrow::Type::BOOL) return std::make_shared<arrow::BooleanScalar>(*number != 0);
  if (type->id() == arrow::Type::INT64) return std::make_shared<arrow::Int64Scalar>(*number);
  return std::make_shared<arrow::TimestampScalar>(*number, type);
}

// A row group of a base file that has NaN, or nulls alone, counts as if its values were zeros:
// where zero is not between the bounds there is none.
template <typename ScalarType>
std::optional<StatsInterval> Floats(const ColumnStatsPayload& stats, Kind kind, Type type) {
  if (!MayBe(stats, type) || stats.min.kind != kind || stats.max.kind != kind) return std::nullopt;
  const auto* min = std::get_if<double>(&stats.min.value);
  const auto* max = std::get_if<double>(&stats.max.value);
  if (min == nullptr || max == nullptr || std::isnan(*min) || std::isnan(*max)) return std::nullopt;
  if (IsBaseFile(stats.file_name) && *min <= 0 && *max >= 0) return std::nullopt;
  using Value = typename ScalarType::ValueType;
  return StatsInterval{std::make_shared<ScalarType>(static_cast<Value>(*min)),
                       std::make_shared<ScalarType>(static_cast<Value>(*max))};
}

// Footers order strings by bytes, but Hudi joins row groups, and may order records of logs, by
// UTF-16. No order puts anything that follows the same characters before ASCII, or what is no UTF-8
// and so has become U+FFFD: a lower bound holds up to its first character beyond.
std::string LowerBound(std::string_view text) {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  return {text.begin(), std::ranges::find_if_not(text, is_ascii)};
}

// Both orders agree below U+D800, the first surrogate of UTF-16: its first byte would be ED. What
// begins with the characters before such a one is less than they are when the last is made larger.
std::optional<std::string> UpperBound(std::string_view text) {
  const auto differs = [](char c) { return static_cast<unsigned char>(c) >= 0xED; };
  const auto end = std::ranges::find_if(text, differs);
  std::string bound(text.begin(), end);
  if (end == text.end()) return bound;
  if (bound.empty()) return std::nullopt;
  ++bound.back();
  return bound;
}

// Row groups whose footer has no bounds, strings of more than 4 KiB together, count as nulls.
std::optional<StatsInterval> Strings(const ColumnStatsPayload& stats) {
  if (IsBaseFile(stats.file_name) && stats.null_count != 0) return std::nullopt;
  if (!MayBe(stats, Type::kString)) return std::nullopt;
  if (stats.min.kind != Kind::kString || stats.max.kind != Kind::kString) return std::nullopt;
  const auto* min = std::get_if<std::string>(&stats.min.value);
  const auto* max = std::get_if<std::string>(&stats.max.value);
  if (min == nullptr || max == nullptr) return std::nullopt;
  std::optional<std::string> upper = UpperBound(*max);
  if (!upper) return std::nullopt;
  return StatsInterval{std::make_shared<arrow::StringScalar>(LowerBound(*min)),
                       std::make_shared<arrow::StringScalar>(*std::move(upper))};
}

}  // namespace

bool HasReliableBounds(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::BOOL:
    case arrow::Type::INT32:
    case arrow::Type::INT64:
    case arrow::Type::FLOAT:
    case arrow::Type::DOUBLE:
    case arrow::Type::DATE32:
    case arrow::Type::DECIMAL128:
    case arrow::Type::STRING:
      return true;
    case arrow::Type::TIMESTAMP:
      return checked_cast<const arrow::TimestampType&>(type).unit() == arrow::TimeUnit::MICRO;
    default:
      return false;
  }
}

std::optional<int32_t> DecimalScaleOf(const ColumnStatsPayload& stats) {
  if (stats.value_type == Type::kByWrapper) return kWrapperScale;
  return stats.value_type == Type::kDecimal ? ParseScale(stats.type_info) : std::nullopt;
}

// Version V1 has no bounds for enums in log files, which are strings here.
bool IsKnownToBeNull(const ColumnStatsPayload& stats, const arrow::DataType& type) {
  if (IsBaseFile(stats.file_name)) return false;
  return type.id() != arrow::Type::STRING || stats.value_type == Type::kString;
}

std::optional<StatsInterval> IntervalOf(const ColumnStatsPayload& stats,
                                        const std::shared_ptr<arrow::DataType>& type) {
  switch (type->id()) {
    case arrow::Type::FLOAT:
      return Floats<arrow::FloatScalar>(stats, Kind::kFloat, Type::kFloat);
    case arrow::Type::DOUBLE:
      return Floats<arrow::DoubleScalar>(stats, Kind::kDouble, Type::kDouble);
    case arrow::Type::STRING:
      return Strings(stats);
    default:
      break;
  }
  const std::optional<Numbers> numbers = NumbersOf(stats, *type);
  if (!numbers) return std::nullopt;
  StatsInterval interval{ScalarOf(numbers->min, type), ScalarOf(numbers->max, type)};
  if (interval.min == nullptr || interval.max == nullptr) return std::nullopt;
  return interval;
}

}  // namespace firth
