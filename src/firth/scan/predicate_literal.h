// SPDX-License-Identifier: Apache-2.0
// Literals of the predicate language, and where they lie among the values of a column's type.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "firth/common/status.h"

namespace firth::predicate {

enum class LiteralKind : uint8_t {
  kNull,
  kBoolean,
  kNumber,  // text: [-]digits[.digits][e[+-]digits], or NaN, Infinity, -Infinity
  kString,
  kBinary,     // text: the bytes
  kDate,       // DATE '...'
  kTimestamp,  // TIMESTAMP '...'
};

struct Literal {
  LiteralKind kind = LiteralKind::kNull;
  std::string text = {};
  bool boolean = false;
  size_t offset = 0;  // in the source
};

/// A literal among the values of a type.
struct Placed {
  enum class Where : uint8_t {
    kExact,    // is `value`
    kBetween,  // lies above `value` and below the next one
    kBelow,    // lies below `value`, the smallest of the type
    kAbove,    // lies above `value`, the largest of the type
    kNull,     // is NULL; `value` is null of the type
  };
  Where where = Where::kExact;
  std::shared_ptr<arrow::Scalar> value;
};

/// Finds the place of `literal` in `type`. Strings are read as numbers, dates, times and booleans
/// where the column is one. Errors (without position): what was expected, and an example.
Result<Placed> PlaceLiteral(const Literal& literal, const std::shared_ptr<arrow::DataType>& type);

/// Smallest value of an integer, decimal, date or timestamp type.
Result<std::shared_ptr<arrow::Scalar>> SmallestValue(const std::shared_ptr<arrow::DataType>& type);

/// The type that a literal has by itself, for comparisons without a column: int64 or float64,
/// utf8, binary, boolean, date32, timestamp(us, UTC).
std::shared_ptr<arrow::DataType> NaturalType(const Literal& literal);

/// True for NaN, Infinity and Inf in any case, with an optional sign; `canonical` gets the spelling
/// that Literal uses.
bool ParseSpecialNumber(std::string_view text, std::string* canonical);

/// True for DATE, TIMESTAMP, TIMESTAMP_NTZ, TIMESTAMP_LTZ, DOUBLE, FLOAT and STRING.
bool IsLiteralType(std::string_view type);

/// `literal` as one of these types; nullopt when it is none. NULL stays NULL.
std::optional<Literal> CastLiteral(std::string_view type, Literal literal);

/// The number that a string holds, as Literal spells it; nullopt when it holds none.
std::optional<std::string> NumberInString(std::string_view text);

}  // namespace firth::predicate
