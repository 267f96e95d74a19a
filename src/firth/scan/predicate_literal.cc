// SPDX-License-Identifier: Apache-2.0
#include "firth/scan/predicate_literal.h"

#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/type_traits.h>
#include <arrow/util/decimal.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "firth/scan/predicate_lexer.h"
#include "firth/scan/predicate_time.h"

namespace firth::predicate {
namespace {

using arrow::DataType;
using arrow::Decimal256;
using arrow::Scalar;
using TypePtr = std::shared_ptr<DataType>;
using Where = Placed::Where;

// Decimal256 holds every number of 76 digits; all exact types are compared in it.
constexpr int kWideDigits = 76;

// The kind of literal that the name of a type stands for; kNull for other names.
LiteralKind KindOfType(std::string_view type) {
  constexpr std::pair<std::string_view, LiteralKind> kTypes[] = {
      {"DATE", LiteralKind::kDate},
      {"TIMESTAMP", LiteralKind::kTimestamp},
      {"TIMESTAMP_NTZ", LiteralKind::kTimestamp},
      {"TIMESTAMP_LTZ", LiteralKind::kTimestamp},
      {"DOUBLE", LiteralKind::kNumber},
      {"FLOAT", LiteralKind::kNumber},
      {"STRING", LiteralKind::kString},
  };
  for (const auto& [name, kind] : kTypes) {
    if (EqualsKeyword(type, name)) return kind;
  }
  return LiteralKind::kNull;
}

// A number in units of 10^-scale: the integer at or below it.
struct Scaled {
  Where where = Where::kExact;  // kExact, kBetween, or beyond all 76-digit numbers
  Decimal256 floor;
};

bool IsNumberText(std::string_view text) {
  size_t i = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  size_t digits = 0;
  const auto skip_digits = [&] {
    const size_t start = i;
    while (i < text.size() && text[i] >= '0' && text[i] <= '9') ++i;
    return i - start;
  };
  digits += skip_digits();
  if (i < text.size() && text[i] == '.') {
    ++i;
    digits += skip_digits();
  }
  if (digits == 0) return false;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
    if (skip_digits() == 0) return false;
  }
  return i == text.size();
}

std::string_view Trim(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\n\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n\r") - first + 1);
}

// The text of a number, canonical, or nullopt when the literal is none.
std::optional<std::string> NumberText(const Literal& literal) {
  if (literal.kind == LiteralKind::kNumber) return literal.text;
  if (literal.kind == LiteralKind::kString) return NumberInString(literal.text);
  return std::nullopt;
}

// Exact: no digit of the text is lost. `text` passed IsNumberText.
Scaled ScaleNumber(std::string_view text, int scale) {
  const bool negative = text[0] == '-';
  if (negative) text.remove_prefix(1);
  int64_t exponent = 0;
  if (const size_t e = text.find_first_of("eE"); e != std::string_view::npos) {
    std::string_view digits = text.substr(e + 1);
    if (digits[0] == '+') digits.remove_prefix(1);
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    constexpr int64_t kHuge = int64_t{1} << 40;  // more than any text has digits
    if (parsed.ec != std::errc()) exponent = digits[0] == '-' ? -kHuge : kHuge;
    exponent = std::clamp(exponent, -kHuge, kHuge);
    text = text.substr(0, e);
  }
  std::string digits;
  const size_t point = std::min(text.find('.'), text.size());
  digits += text.substr(0, point);
  if (point < text.size()) digits += text.substr(point + 1);
  int64_t whole = static_cast<int64_t>(point) + exponent + scale;  // digits left of the new point
  const size_t zeros = std::min(digits.find_first_not_of('0'), digits.size());
  digits.erase(0, zeros);
  whole -= static_cast<int64_t>(zeros);
  if (digits.empty()) return {};
  if (whole > kWideDigits) return {negative ? Where::kBelow : Where::kAbove, {}};

  const size_t kept = static_cast<size_t>(std::clamp<int64_t>(whole, 0, digits.size()));
  const bool exact = digits.find_first_not_of('0', kept) == std::string::npos;
  std::string integer = digits.substr(0, kept);
  integer.append(static_cast<size_t>(std::max<int64_t>(whole, 0)) - kept, '0');
  Decimal256 floor = integer.empty() ? Decimal256(0) : *Decimal256::FromString(integer);
  if (negative) floor = -floor;
  if (negative && !exact) floor -= Decimal256(1);
  return {exact ? Where::kExact : Where::kBetween, floor};
}

// Smallest and largest value of a type of whole units (integers, unscaled decimals, days, ...).
struct Bounds {
  Decimal256 min, max;
  int scale = 0;  // digits right of the point in a unit
};

template <typename T>
Bounds BoundsOf() {
  return {Decimal256(std::numeric_limits<T>::min()), Decimal256(std::numeric_limits<T>::max())};
}

std::optional<Bounds> BoundsOfType(const DataType& type) {
  switch (type.id()) {
    case arrow::Type::INT8:
      return BoundsOf<int8_t>();
    case arrow::Type::INT16:
      return BoundsOf<int16_t>();
    case arrow::Type::INT32:
    case arrow::Type::DATE32:
      return BoundsOf<int32_t>();
    case arrow::Type::INT64:
    case arrow::Type::TIMESTAMP:
      return BoundsOf<int64_t>();
    case arrow::Type::DECIMAL128:
    case arrow::Type::DECIMAL256: {
      const auto& decimal = static_cast<const arrow::DecimalType&>(type);
      const Decimal256 max = Decimal256::GetMaxValue(decimal.precision());
      return Bounds{-max, max, decimal.scale()};
    }
    default:
      return std::nullopt;
  }
}

// `units` is within the type's bounds, so that the low words hold it.
Result<std::shared_ptr<Scalar>> MakeUnits(const TypePtr& type, const Decimal256& units) {
  const std::array<uint64_t, 4> words = units.little_endian_array();
  switch (type->id()) {
    case arrow::Type::DECIMAL128:
      return arrow::MakeScalar(type, arrow::Decimal128(static_cast<int64_t>(words[1]), words[0]));
    case arrow::Type::DECIMAL256:
      return arrow::MakeScalar(type, units);
    default:
      return arrow::MakeScalar(type, static_cast<int64_t>(words[0]));
  }
}

Result<Placed> PlaceUnits(const TypePtr& type, const Bounds& bounds, Scaled scaled) {
  if (scaled.where == Where::kExact || scaled.where == Where::kBetween) {
    if (scaled.floor < bounds.min) scaled.where = Where::kBelow;
    // A number above the last value but below the next unit still has that value as its floor.
    if (scaled.floor > bounds.max) scaled.where = Where::kAbove;
  }
  if (scaled.where == Where::kBelow) scaled.floor = bounds.min;
  if (scaled.where == Where::kAbove) scaled.floor = bounds.max;
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<Scalar> value, MakeUnits(type, scaled.floor));
  return Placed{scaled.where, std::move(value)};
}

Status Expected(const Literal& literal, std::string_view wanted) {
  switch (literal.kind) {
    case LiteralKind::kString:
      return InvalidError("expected {}, found '{}'", wanted, literal.text.substr(0, 60));
    case LiteralKind::kNumber:
      return InvalidError("expected {}, found the number {}", wanted, literal.text.substr(0, 60));
    case LiteralKind::kBoolean:
      return InvalidError("expected {}, found {}", wanted, literal.boolean ? "TRUE" : "FALSE");
    case LiteralKind::kDate:
      return InvalidError("expected {}, found the date '{}'", wanted, literal.text.substr(0, 60));
    case LiteralKind::kTimestamp:
      return InvalidError("expected {}, found the timestamp '{}'", wanted,
                          literal.text.substr(0, 60));
    case LiteralKind::kBinary:
    case LiteralKind::kNull:
      break;
  }
  return InvalidError("expected {}, found a binary literal", wanted);
}

Result<Placed> PlaceNumber(const Literal& literal, const TypePtr& type, const Bounds& bounds) {
  const std::optional<std::string> text = NumberText(literal);
  if (!text) return Expected(literal, "a number");
  // Infinity and NaN, which is greater still, lie beyond every whole and decimal number.
  if (*text == "NaN" || *text == "Infinity") return PlaceUnits(type, bounds, {Where::kAbove, {}});
  if (*text == "-Infinity") return PlaceUnits(type, bounds, {Where::kBelow, {}});
  return PlaceUnits(type, bounds, ScaleNumber(*text, bounds.scale));
}

template <typename T>
Result<Placed> PlaceFloat(const Literal& literal, const TypePtr& type) {
  const std::optional<std::string> text = NumberText(literal);
  if (!text) return Expected(literal, "a number");
  T value = 0;
  const auto parsed = std::from_chars(text->data(), text->data() + text->size(), value);
  if (parsed.ec == std::errc::result_out_of_range) {
    // Too large is infinite, too small is zero: the nearest value of the type.
    const bool negative = text->front() == '-';
    const bool large = ScaleNumber(*text, 0).floor != Decimal256(negative ? -1 : 0) ||
                       ScaleNumber(*text, 0).where != Where::kBetween;
    value = large ? std::numeric_limits<T>::infinity() : T{0};
    if (negative) value = -value;
  }
  return Placed{Where::kExact, std::make_shared<typename arrow::CTypeTraits<T>::ScalarType>(value)};
}

Result<Placed> PlaceTime(const Literal& literal, const TypePtr& type, const Bounds& bounds) {
  const bool is_date = type->id() == arrow::Type::DATE32;
  const std::string_view example =
      is_date ? "a date such as '2026-01-31'" : "a timestamp such as '2026-01-31 12:00:00.5'";
  const bool readable = literal.kind == LiteralKind::kString ||
                        literal.kind == LiteralKind::kDate ||
                        literal.kind == LiteralKind::kTimestamp;
  const std::optional<PointInTime> point =
      readable ? ParsePointInTime(Trim(literal.text)) : std::nullopt;
  if (!point) return Expected(literal, example);
  if (is_date) {
    if (point->has_zone) return Expected(literal, "a date without time zone");
    const bool midnight = point->second_of_day() == 0 && point->nanos == 0;
    return PlaceUnits(type, bounds,
                      {midnight ? Where::kExact : Where::kBetween, Decimal256(point->days())});
  }
  const auto& timestamp = static_cast<const arrow::TimestampType&>(*type);
  if (timestamp.timezone().empty() && point->has_zone) {
    return Expected(literal, "a timestamp without time zone, as the column has none");
  }
  constexpr int64_t kNanosPerUnit[] = {1'000'000'000, 1'000'000, 1'000, 1};
  const int64_t unit = kNanosPerUnit[static_cast<int>(timestamp.unit())];
  const Decimal256 floor = Decimal256(point->seconds) * Decimal256(1'000'000'000 / unit) +
                           Decimal256(point->nanos / unit);
  return PlaceUnits(type, bounds,
                    {point->nanos % unit == 0 ? Where::kExact : Where::kBetween, floor});
}

Result<Placed> PlaceBoolean(const Literal& literal) {
  if (literal.kind == LiteralKind::kBoolean) {
    return Placed{Where::kExact, std::make_shared<arrow::BooleanScalar>(literal.boolean)};
  }
  if (literal.kind == LiteralKind::kString) {
    for (const bool value : {true, false}) {
      if (!EqualsKeyword(Trim(literal.text), value ? "TRUE" : "FALSE")) continue;
      return Placed{Where::kExact, std::make_shared<arrow::BooleanScalar>(value)};
    }
  }
  return Expected(literal, "TRUE or FALSE");
}

Result<Placed> PlaceBytes(const Literal& literal, const TypePtr& type) {
  const bool is_text = arrow::is_string(type->id());
  if (is_text && literal.kind != LiteralKind::kString) {
    return Expected(literal, "a string in single quotes");
  }
  if (literal.kind != LiteralKind::kString && literal.kind != LiteralKind::kBinary) {
    return Expected(literal, "bytes such as X'00ff'");
  }
  if (type->id() == arrow::Type::FIXED_SIZE_BINARY) {
    const auto width = static_cast<const arrow::FixedSizeBinaryType&>(*type).byte_width();
    if (static_cast<int64_t>(literal.text.size()) != width) {
      return Expected(literal, fmt::format("exactly {} bytes, as the column has", width));
    }
  }
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<Scalar> value,
                        arrow::MakeScalar(type, arrow::Buffer::FromString(literal.text)));
  return Placed{Where::kExact, std::move(value)};
}

}  // namespace

bool ParseSpecialNumber(std::string_view text, std::string* canonical) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (EqualsKeyword(text, "NAN")) {
    *canonical = "NaN";
    return true;
  }
  if (!EqualsKeyword(text, "INFINITY") && !EqualsKeyword(text, "INF")) return false;
  *canonical = negative ? "-Infinity" : "Infinity";
  return true;
}

bool IsLiteralType(std::string_view type) { return KindOfType(type) != LiteralKind::kNull; }

std::optional<Literal> CastLiteral(std::string_view type, Literal literal) {
  const LiteralKind to = KindOfType(type);
  if (literal.kind == LiteralKind::kNull || literal.kind == to) return literal;
  const bool is_text = literal.kind == LiteralKind::kString;
  switch (to) {
    case LiteralKind::kDate:
      if (!is_text) return std::nullopt;
      break;
    case LiteralKind::kTimestamp:
      if (!is_text && literal.kind != LiteralKind::kDate) return std::nullopt;
      break;
    case LiteralKind::kNumber: {
      const std::optional<std::string> number = NumberText(literal);
      if (!number) return std::nullopt;
      literal.text = *number;
      break;
    }
    default:
      return std::nullopt;
  }
  literal.kind = to;
  return literal;
}

std::optional<std::string> NumberInString(std::string_view text) {
  text = Trim(text);
  std::string canonical;
  if (ParseSpecialNumber(text, &canonical)) return canonical;
  if (!IsNumberText(text)) return std::nullopt;
  return std::string(text.substr(text[0] == '+' ? 1 : 0));
}

Result<std::shared_ptr<Scalar>> SmallestValue(const TypePtr& type) {
  const std::optional<Bounds> bounds = BoundsOfType(*type);
  if (!bounds) return InternalError("type {} has no smallest value", type->ToString());
  return MakeUnits(type, bounds->min);
}

TypePtr NaturalType(const Literal& literal) {
  switch (literal.kind) {
    case LiteralKind::kNull:
    case LiteralKind::kBoolean:
      return arrow::boolean();
    case LiteralKind::kNumber: {
      int64_t value = 0;
      const char* end = literal.text.data() + literal.text.size();
      const auto parsed = std::from_chars(literal.text.data(), end, value);
      return parsed.ec == std::errc() && parsed.ptr == end ? arrow::int64() : arrow::float64();
    }
    case LiteralKind::kString:
      return arrow::utf8();
    case LiteralKind::kBinary:
      return arrow::binary();
    case LiteralKind::kDate:
      return arrow::date32();
    case LiteralKind::kTimestamp:
      return arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
  }
  return arrow::null();
}

Result<Placed> PlaceLiteral(const Literal& literal, const TypePtr& type) {
  if (literal.kind == LiteralKind::kNull) return Placed{Where::kNull, arrow::MakeNullScalar(type)};
  const arrow::Type::type id = type->id();
  if (const std::optional<Bounds> bounds = BoundsOfType(*type)) {
    if (id == arrow::Type::DATE32 || id == arrow::Type::TIMESTAMP) {
      return PlaceTime(literal, type, *bounds);
    }
    return PlaceNumber(literal, type, *bounds);
  }
  if (id == arrow::Type::FLOAT) return PlaceFloat<float>(literal, type);
  if (id == arrow::Type::DOUBLE) return PlaceFloat<double>(literal, type);
  if (id == arrow::Type::BOOL) return PlaceBoolean(literal);
  if (arrow::is_base_binary_like(id) || id == arrow::Type::FIXED_SIZE_BINARY) {
    return PlaceBytes(literal, type);
  }
  return InvalidError("values of type {} cannot be compared; IS [NOT] NULL is possible",
                      type->ToString());
}

}  // namespace firth::predicate
