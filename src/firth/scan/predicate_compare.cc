// SPDX-License-Identifier: Apache-2.0
#include "firth/scan/predicate_compare.h"

#include <arrow/compute/api_scalar.h>
#include <arrow/compute/cast.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/type_traits.h>

#include <algorithm>
#include <cmath>

#include "firth/read/prune.h"

namespace firth::predicate {
namespace {

using arrow::compute::call;
using arrow::compute::Expression;
using arrow::compute::literal;
using Where = Placed::Where;
using TypePtr = std::shared_ptr<arrow::DataType>;

// Longer patterns would exceed the memory that Arrow's regular expressions may use.
constexpr size_t kMaxPatternBytes = 4096;

Expression Plain(CompareOp op, Expression left, Expression right) {
  constexpr const char* kNames[] = {"equal",      "not_equal", "less",
                                    "less_equal", "greater",   "greater_equal"};
  return call(kNames[static_cast<int>(op)], {std::move(left), std::move(right)});
}

Expression IsNan(const Value& value) { return call("is_nan", {value.expression}); }

// True or false for every non-null value, null for null. Written as a comparison with the smallest
// value, which statistics can decide.
Result<Expression> ConstantUnlessNull(const Value& value, bool constant) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Scalar> smallest, SmallestValue(value.type));
  return Plain(constant ? CompareOp::kGreaterEqual : CompareOp::kLess, value.expression,
               literal(std::move(smallest)));
}

double FloatValue(const arrow::Scalar& scalar) {
  return scalar.type->id() == arrow::Type::FLOAT
             ? static_cast<double>(static_cast<const arrow::FloatScalar&>(scalar).value)
             : static_cast<const arrow::DoubleScalar&>(scalar).value;
}

Expression CompareWithNan(CompareOp op, const Value& value) {
  using arrow::compute::not_;
  using arrow::compute::or_;
  switch (op) {
    case CompareOp::kEqual:
    case CompareOp::kGreaterEqual:
      return IsNan(value);
    case CompareOp::kNotEqual:
    case CompareOp::kLess:
      return not_(IsNan(value));
    case CompareOp::kLessEqual:  // every value
      return or_(IsNan(value), not_(IsNan(value)));
    case CompareOp::kGreater:  // no value
      return arrow::compute::and_(IsNan(value), not_(IsNan(value)));
  }
  return IsNan(value);
}

Expression CompareFloatWithLiteral(CompareOp op, const Value& value,
                                   const std::shared_ptr<arrow::Scalar>& scalar) {
  if (std::isnan(FloatValue(*scalar))) return CompareWithNan(op, value);
  Expression plain = Plain(op, value.expression, literal(scalar));
  if (op != CompareOp::kGreater && op != CompareOp::kGreaterEqual) return plain;
  return arrow::compute::or_(std::move(plain), IsNan(value));
}

// The plain (not Kleene) "or" and "and" are null when either side is, as the comparison must be.
Expression CompareFloats(CompareOp op, const Value& left, const Value& right) {
  const auto either = [](Expression a, Expression b) {
    return call("or", {std::move(a), std::move(b)});
  };
  const auto both = [](Expression a, Expression b) {
    return call("and", {std::move(a), std::move(b)});
  };
  const Expression plain = Plain(op, left.expression, right.expression);
  switch (op) {
    case CompareOp::kEqual:
      return either(plain, both(IsNan(left), IsNan(right)));
    case CompareOp::kNotEqual:
      return both(plain, arrow::compute::not_(both(IsNan(left), IsNan(right))));
    case CompareOp::kLess:
      return either(plain, both(IsNan(right), arrow::compute::not_(IsNan(left))));
    case CompareOp::kLessEqual:
      return either(plain, IsNan(right));
    case CompareOp::kGreater:
    case CompareOp::kGreaterEqual:
      return CompareFloats(Flip(op), right, left);
  }
  return plain;
}

bool IsFloat(const TypePtr& type) {
  return type->id() == arrow::Type::FLOAT || type->id() == arrow::Type::DOUBLE;
}

Expression CastTo(Expression value, const TypePtr& from, const TypePtr& to) {
  if (from->Equals(*to)) return value;
  return call("cast", {std::move(value)}, arrow::compute::CastOptions::Unsafe(to));
}

// The decimal that holds every value of both types; integers count as decimal(19, 0).
Result<TypePtr> CommonDecimal(const arrow::DataType& left, const arrow::DataType& right) {
  int whole = 0, scale = 0;
  for (const arrow::DataType* type : {&left, &right}) {
    int precision = 19, own_scale = 0;
    if (arrow::is_decimal(type->id())) {
      precision = static_cast<const arrow::DecimalType&>(*type).precision();
      own_scale = static_cast<const arrow::DecimalType&>(*type).scale();
    }
    whole = std::max(whole, precision - own_scale);
    scale = std::max(scale, own_scale);
  }
  if (whole + scale <= arrow::Decimal128Type::kMaxPrecision) {
    return arrow::decimal128(whole + scale, scale);
  }
  return arrow::Decimal256Type::Make(std::min(whole + scale, 76), scale);
}

Result<TypePtr> CommonType(const TypePtr& left, const TypePtr& right) {
  const auto is_number = [](const TypePtr& type) {
    return IsFloat(type) || arrow::is_signed_integer(type->id()) || arrow::is_decimal(type->id());
  };
  if (left->Equals(*right)) {
    if (arrow::is_nested(left->id())) {
      return InvalidError("values of type {} cannot be compared", left->ToString());
    }
    return left;
  }
  if (is_number(left) && is_number(right)) {
    if (IsFloat(left) || IsFloat(right)) return arrow::float64();
    if (arrow::is_decimal(left->id()) || arrow::is_decimal(right->id())) {
      return CommonDecimal(*left, *right);
    }
    return arrow::int64();
  }
  if (arrow::is_string(left->id()) && arrow::is_string(right->id())) return arrow::large_utf8();
  if (left->id() == arrow::Type::TIMESTAMP && right->id() == arrow::Type::TIMESTAMP) {
    const auto& a = static_cast<const arrow::TimestampType&>(*left);
    const auto& b = static_cast<const arrow::TimestampType&>(*right);
    if (a.timezone() == b.timezone()) return a.unit() > b.unit() ? left : right;
  }
  return InvalidError("a value of type {} cannot be compared with one of type {}", left->ToString(),
                      right->ToString());
}

// The regular expression of a LIKE pattern whose escape is a backslash.
std::string RegexOf(std::string_view pattern) {
  constexpr std::string_view kSpecial = R"(\.?+*^$[{(|))";
  std::string regex = "(?s)^";  // . is a line's end too
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '%') {
      regex += ".*";
    } else if (pattern[i] == '_') {
      regex += '.';
    } else {
      if (pattern[i] == '\\') ++i;
      if (kSpecial.find(pattern[i]) != std::string_view::npos) regex += '\\';
      regex += pattern[i];
    }
  }
  return regex + '$';
}

}  // namespace

CompareOp Flip(CompareOp op) {
  switch (op) {
    case CompareOp::kLess:
      return CompareOp::kGreater;
    case CompareOp::kLessEqual:
      return CompareOp::kGreaterEqual;
    case CompareOp::kGreater:
      return CompareOp::kLess;
    case CompareOp::kGreaterEqual:
      return CompareOp::kLessEqual;
    case CompareOp::kEqual:
    case CompareOp::kNotEqual:
      break;
  }
  return op;
}

Result<Expression> CompareWithLiteral(CompareOp op, const Value& value, const Placed& placed) {
  if (placed.where == Where::kNull) return literal(arrow::MakeNullScalar(arrow::boolean()));
  if (placed.where == Where::kExact) {
    if (IsFloat(value.type)) return CompareFloatWithLiteral(op, value, placed.value);
    return Plain(op, value.expression, literal(placed.value));
  }
  // The literal lies between two values, or outside all: equal to none.
  if (op == CompareOp::kEqual) return ConstantUnlessNull(value, false);
  if (op == CompareOp::kNotEqual) return ConstantUnlessNull(value, true);
  const bool less = op == CompareOp::kLess || op == CompareOp::kLessEqual;
  if (placed.where == Where::kBelow) return ConstantUnlessNull(value, !less);
  return Plain(less ? CompareOp::kLessEqual : CompareOp::kGreater, value.expression,
               literal(placed.value));
}

Result<Expression> CompareValues(CompareOp op, Value left, Value right) {
  ARROW_ASSIGN_OR_RAISE(const TypePtr common, CommonType(left.type, right.type));
  left = {CastTo(std::move(left.expression), left.type, common), common};
  right = {CastTo(std::move(right.expression), right.type, common), common};
  if (IsFloat(common)) return CompareFloats(op, left, right);
  return Plain(op, std::move(left.expression), std::move(right.expression));
}

Result<Expression> InLiterals(const Value& value, const std::vector<Placed>& literals) {
  arrow::ScalarVector set;
  for (const Placed& placed : literals) {
    // What lies between the values of the type equals none of them.
    if (placed.where != Where::kExact && placed.where != Where::kNull) continue;
    set.push_back(placed.value);
    if (placed.where == Where::kExact && IsFloat(value.type) && FloatValue(*placed.value) == 0) {
      // 0.0 and -0.0 are equal, but not for a hash table.
      ARROW_ASSIGN_OR_RAISE(set.emplace_back(), arrow::MakeScalar(0.0)->CastTo(value.type));
      ARROW_ASSIGN_OR_RAISE(set.emplace_back(), arrow::MakeScalar(-0.0)->CastTo(value.type));
    }
  }
  return IsIn(value.expression, value.type, std::move(set));
}

Result<Expression> Like(const Value& value, std::string_view pattern, char escape,
                        bool ignore_case) {
  if (!arrow::is_string(value.type->id())) {
    return InvalidError("LIKE needs a string column, found type {}", value.type->ToString());
  }
  if (pattern.size() > kMaxPatternBytes) {
    return InvalidError("the pattern has {} bytes; at most {} are possible", pattern.size(),
                        kMaxPatternBytes);
  }
  std::string arrow_pattern;  // the same pattern with \ as its escape
  bool has_backslash = false;
  for (size_t i = 0; i < pattern.size(); ++i) {
    char c = pattern[i];
    if (c == escape) {
      if (++i == pattern.size() ||
          (pattern[i] != '%' && pattern[i] != '_' && pattern[i] != escape)) {
        return InvalidError("in the pattern '{}' the escape {} must come before %, _ or itself",
                            pattern, escape);
      }
      c = pattern[i];
      if (c == '%' || c == '_') arrow_pattern += '\\';
    }
    if (c == '\\') {
      arrow_pattern += '\\';
      has_backslash = true;
    }
    arrow_pattern += c;
  }
  // Arrow takes the text of `text%`, `%text` and `%text%` as it stands: an escaped backslash as
  // two.
  if (has_backslash) {
    return call("match_substring_regex", {value.expression},
                arrow::compute::MatchSubstringOptions(RegexOf(arrow_pattern), ignore_case));
  }
  return call("match_like", {value.expression},
              arrow::compute::MatchSubstringOptions(std::move(arrow_pattern), ignore_case));
}

}  // namespace firth::predicate
