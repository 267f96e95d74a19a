// SPDX-License-Identifier: Apache-2.0
#include "firth/scan/stats_bounds.h"

#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/checked_cast.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

namespace firth {
namespace {

using arrow::Decimal128;
using arrow::internal::checked_cast;
using Kind = StatsValue::Kind;
using Type = StatsValueType;

constexpr int32_t kWrapperScale = 15;   // of decimals in version V1
constexpr int64_t kFirstDay = -141427;  // 1582-10-15, where the calendars of java.sql.Date part
constexpr int64_t kMicrosPerMilli = 1000;
constexpr int64_t kMaxValues = int64_t{1} << 40;  // of one file: larger counts are damage

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

// Of a base file without any statistics, Hudi says that all of its values are null.
bool IsBaseFile(std::string_view name) { return !name.starts_with('.'); }

}  // namespace

bool HasReliableBounds(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::BOOL:
    case arrow::Type::INT32:
    case arrow::Type::INT64:
    case arrow::Type::DATE32:
    case arrow::Type::DECIMAL128:
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

bool StatsBounds::Add(const ColumnStatsPayload& stats) {
  if (stats.value_count < 0 || stats.null_count < 0 || stats.null_count > stats.value_count) {
    return false;
  }
  if (stats.value_count > kMaxValues - rows_) return false;
  nulls_ += stats.null_count;
  rows_ += stats.value_count;
  if (stats.value_count == 0) return true;
  if (stats.null_count == stats.value_count) return !IsBaseFile(stats.file_name);
  const std::optional<Interval> own = IntervalOf(stats);
  if (!own || own->max < own->min) return false;
  if (!joined_) joined_ = own;
  joined_->min = std::min(joined_->min, own->min);
  joined_->max = std::max(joined_->max, own->max);
  return true;
}

std::optional<StatsBounds::Interval> StatsBounds::IntervalOf(
    const ColumnStatsPayload& stats) const {
  switch (type_->id()) {
    case arrow::Type::DATE32:
      return Dates(stats);
    case arrow::Type::TIMESTAMP:
      return Timestamps(stats);
    case arrow::Type::DECIMAL128:
      return Decimals(stats);
    default:
      return Integers(stats);
  }
}

// Booleans too.
std::optional<StatsBounds::Interval> StatsBounds::Integers(const ColumnStatsPayload& stats) const {
  const bool is_boolean = type_->id() == arrow::Type::BOOL;
  const auto of = [&](const StatsValue& bound) -> std::optional<Decimal128> {
    const auto is = [&](Type type) {
      return stats.value_type == Type::kByWrapper || stats.value_type == type;
    };
    if (is_boolean) return is(Type::kBoolean) ? NumberOf(bound, Kind::kBoolean) : std::nullopt;
    if (bound.kind == Kind::kInt && is(Type::kInt)) return NumberOf(bound, Kind::kInt);
    return is(Type::kLong) ? NumberOf(bound, Kind::kLong) : std::nullopt;
  };
  const auto min = of(stats.min), max = of(stats.max);
  if (!min || !max) return std::nullopt;
  return Interval{*min, *max};
}

// Bounds pass through java.sql.Date, which knows the days of the writer's zone and calendar: before
// 1582 they may be off by many days, later by one where a zone left one out.
std::optional<StatsBounds::Interval> StatsBounds::Dates(const ColumnStatsPayload& stats) const {
  const bool by_wrapper = stats.value_type == Type::kByWrapper;
  if (!by_wrapper && stats.value_type != Type::kDate) return std::nullopt;
  const Kind kind = by_wrapper ? Kind::kDate : Kind::kInt;
  const auto min = NumberOf(stats.min, kind), max = NumberOf(stats.max, kind);
  if (!min || !max || *min < Decimal128(kFirstDay + 10)) return std::nullopt;
  return Interval{*min - 1, *max + 1};
}

// Version V1 does not tell milliseconds from microseconds. Releases differ in whether bounds of log
// files have the microseconds of a millisecond.
std::optional<StatsBounds::Interval> StatsBounds::Timestamps(
    const ColumnStatsPayload& stats) const {
  const int64_t unit = MicrosPerUnit(stats.value_type);
  const auto min = NumberOf(stats.min, Kind::kLong), max = NumberOf(stats.max, Kind::kLong);
  if (unit == 0 || !min || !max) return std::nullopt;
  return Interval{*min * Decimal128(unit) - kMicrosPerMilli,
                  *max * Decimal128(unit) + kMicrosPerMilli};
}

// By value, for a column may have had a smaller scale when the file was written.
std::optional<StatsBounds::Interval> StatsBounds::Decimals(const ColumnStatsPayload& stats) const {
  const bool by_wrapper = stats.value_type == Type::kByWrapper;
  const int32_t scale = checked_cast<const arrow::Decimal128Type&>(*type_).scale();
  const std::optional<int32_t> stored = DecimalScaleOf(stats);
  if (!stored || (by_wrapper && scale > kWrapperScale)) return std::nullopt;
  const Kind kind = by_wrapper ? Kind::kDecimal : Kind::kBytes;
  const auto min = NumberOf(stats.min, kind), max = NumberOf(stats.max, kind);
  if (!min || !max) return std::nullopt;
  const auto low = min->Rescale(*stored, scale), high = max->Rescale(*stored, scale);
  if (!low.ok() || !high.ok()) return std::nullopt;
  return Interval{*low, *high};
}

// Null when the type can't hold the value, which then bounds nothing.
std::shared_ptr<arrow::Scalar> StatsBounds::ScalarOf(const Decimal128& value) const {
  if (type_->id() == arrow::Type::DECIMAL128) {
    return std::make_shared<arrow::Decimal128Scalar>(value, type_);
  }
  if (type_->id() == arrow::Type::INT32 || type_->id() == arrow::Type::DATE32) {
    const arrow::Result<int32_t> number = value.ToInteger<int32_t>();
    if (!number.ok()) return nullptr;
    if (type_->id() == arrow::Type::INT32) return std::make_shared<arrow::Int32Scalar>(*number);
    return std::make_shared<arrow::Date32Scalar>(*number);
  }
  const arrow::Result<int64_t> number = value.ToInteger<int64_t>();
  if (!number.ok()) return nullptr;
  if (type_->id() == arrow::Type::BOOL) return std::make_shared<arrow::BooleanScalar>(*number != 0);
  if (type_->id() == arrow::Type::INT64) return std::make_shared<arrow::Int64Scalar>(*number);
  return std::make_shared<arrow::TimestampScalar>(*number, type_);
}

ColumnRange StatsBounds::Range() const {
  ColumnRange known{.min = nullptr, .max = nullptr, .null_count = nulls_, .rows = rows_};
  if (joined_) {
    known.min = ScalarOf(joined_->min);
    known.max = ScalarOf(joined_->max);
  }
  return known;
}

}  // namespace firth
