// SPDX-License-Identifier: Apache-2.0
#include "firth/read/prune.h"

#include <arrow/array/array_base.h>
#include <arrow/array/builder_base.h>
#include <arrow/compute/api_scalar.h>
#include <arrow/datum.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/checked_cast.h>
#include <arrow/util/decimal.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

namespace firth {
namespace {

namespace cp = arrow::compute;
using arrow::internal::checked_cast;

template <typename ScalarType>
std::partial_ordering CompareValues(const arrow::Scalar& a, const arrow::Scalar& b) {
  return checked_cast<const ScalarType&>(a).value <=> checked_cast<const ScalarType&>(b).value;
}

// A set that ascends, without nulls.
struct SortedSetOptions : cp::SetLookupOptions {
  using cp::SetLookupOptions::SetLookupOptions;
};

bool AllNull(const ColumnRange& range) { return range.null_count == range.rows; }

bool CanCompare(std::string_view op, const ColumnRange& range, const arrow::Scalar& literal) {
  if (!literal.is_valid || AllNull(range)) return false;  // a comparison with null is never true
  if (range.min == nullptr || range.max == nullptr) return true;
  const std::partial_ordering low = CompareScalars(*range.min, literal);
  const std::partial_ordering high = CompareScalars(*range.max, literal);
  if (low == std::partial_ordering::unordered || high == std::partial_ordering::unordered) {
    return true;
  }
  if (op == "equal") return low <= 0 && high >= 0;
  if (op == "less") return low < 0;
  if (op == "less_equal") return low <= 0;
  if (op == "greater") return high > 0;
  if (op == "greater_equal") return high >= 0;
  // NaN is unequal to everything and lies outside of the range.
  if (op == "not_equal") {
    return arrow::is_floating(literal.type->id()) || low != 0 || high != 0;
  }
  return true;
}

std::string_view Mirrored(std::string_view op) {
  if (op == "less") return "greater";
  if (op == "less_equal") return "greater_equal";
  if (op == "greater") return "less";
  if (op == "greater_equal") return "less_equal";
  return op;
}

std::optional<ColumnRange> RangeOfExpression(const cp::Expression& expression,
                                             const RangeOf& range_of) {
  const arrow::FieldRef* ref = expression.field_ref();
  if (ref == nullptr) return std::nullopt;
  // A bound reference may have been made of an index.
  if (ref->name() == nullptr) return std::nullopt;
  return range_of(*ref->name());
}

// Whether a value of a set that ascends lies in a range.
bool HasValueIn(const arrow::Array& set, const ColumnRange& range) {
  if (AllNull(range) || set.length() == 0) return false;
  if (range.min == nullptr || range.max == nullptr) return true;
  const auto compare = [&](int64_t i, const arrow::Scalar& bound) {
    const auto value = set.GetScalar(i);
    return value.ok() ? CompareScalars(**value, bound) : std::partial_ordering::unordered;
  };
  int64_t low = 0, high = set.length();  // the first that is not below the range is in between
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    const std::partial_ordering order = compare(middle, *range.min);
    if (order == std::partial_ordering::unordered) return true;
    if (order < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < set.length() && !(compare(low, *range.max) > 0);
}

bool CanBeIn(const cp::Expression::Call& call, const RangeOf& range_of) {
  const auto range = RangeOfExpression(call.arguments[0], range_of);
  const auto* options = dynamic_cast<const cp::SetLookupOptions*>(call.options.get());
  if (!range || options == nullptr || !options->value_set.is_array()) return true;
  const std::shared_ptr<arrow::Array> values = options->value_set.make_array();
  if (dynamic_cast<const SortedSetOptions*>(options) != nullptr) {
    return HasValueIn(*values, *range);
  }
  for (int64_t i = 0; i < values->length(); ++i) {
    if (values->IsNull(i)) return true;
    const auto value = values->GetScalar(i);
    if (!value.ok() || CanCompare("equal", *range, **value)) return true;
  }
  return false;
}

// What all texts begin with that match a LIKE pattern.
std::string PrefixOf(std::string_view pattern) {
  std::string prefix;
  for (size_t i = 0; i < pattern.size() && pattern[i] != '%' && pattern[i] != '_'; ++i) {
    if (pattern[i] == '\\' && i + 1 < pattern.size()) ++i;
    prefix += pattern[i];
  }
  return prefix;
}

bool CanBeLike(const cp::Expression::Call& call, const RangeOf& range_of) {
  const auto range = RangeOfExpression(call.arguments[0], range_of);
  const auto* options = dynamic_cast<const cp::MatchSubstringOptions*>(call.options.get());
  if (!range || options == nullptr) return true;
  if (AllNull(*range)) return false;
  const auto is_text = [](const std::shared_ptr<arrow::Scalar>& bound) {
    return bound != nullptr && bound->is_valid && arrow::is_base_binary_like(bound->type->id());
  };
  if (options->ignore_case || !is_text(range->min) || !is_text(range->max)) return true;
  const auto text = [](const arrow::Scalar& bound) {
    return checked_cast<const arrow::BaseBinaryScalar&>(bound).view();
  };
  const std::string prefix = PrefixOf(options->pattern);
  return text(*range->min).substr(0, prefix.size()) <= prefix && text(*range->max) >= prefix;
}

bool IsAnd(const std::string& function) { return function == "and" || function == "and_kleene"; }
bool IsOr(const std::string& function) { return function == "or" || function == "or_kleene"; }

bool CanMatchCall(const cp::Expression::Call& call, const RangeOf& range_of) {
  const std::string& name = call.function_name;
  const auto can = [&](const cp::Expression& e) { return CanMatch(e, range_of); };
  if (IsAnd(name)) {
    return std::all_of(call.arguments.begin(), call.arguments.end(), can);
  }
  if (IsOr(name)) {
    return std::any_of(call.arguments.begin(), call.arguments.end(), can);
  }
  if (name == "is_in") return CanBeIn(call, range_of);
  if (name == "match_like") return CanBeLike(call, range_of);
  if (name == "is_valid") {
    const auto range = RangeOfExpression(call.arguments[0], range_of);
    return !range || !AllNull(*range);
  }
  if (name == "is_null") {
    const auto range = RangeOfExpression(call.arguments[0], range_of);
    const auto* options = dynamic_cast<const cp::NullOptions*>(call.options.get());
    return !range || range->null_count != 0 || (options != nullptr && options->nan_is_null);
  }
  if (name == "is_nan") {
    const auto range = RangeOfExpression(call.arguments[0], range_of);
    return !range || (range->has_nan && !AllNull(*range));
  }
  if (call.arguments.size() != 2) return true;
  const cp::Expression& left = call.arguments[0];
  const cp::Expression& right = call.arguments[1];
  if (const arrow::Datum* literal = right.literal(); literal && literal->is_scalar()) {
    const auto range = RangeOfExpression(left, range_of);
    return !range || CanCompare(name, *range, *literal->scalar());
  }
  if (const arrow::Datum* literal = left.literal(); literal && literal->is_scalar()) {
    const auto range = RangeOfExpression(right, range_of);
    return !range || CanCompare(Mirrored(name), *range, *literal->scalar());
  }
  return true;
}

}  // namespace

std::partial_ordering CompareScalars(const arrow::Scalar& a, const arrow::Scalar& b) {
  if (!a.is_valid || !b.is_valid || !a.type->Equals(*b.type)) {
    return std::partial_ordering::unordered;
  }
  switch (a.type->id()) {
    case arrow::Type::BOOL:
      return CompareValues<arrow::BooleanScalar>(a, b);
    case arrow::Type::INT32:
      return CompareValues<arrow::Int32Scalar>(a, b);
    case arrow::Type::INT64:
      return CompareValues<arrow::Int64Scalar>(a, b);
    case arrow::Type::DATE32:
      return CompareValues<arrow::Date32Scalar>(a, b);
    case arrow::Type::TIMESTAMP:
      return CompareValues<arrow::TimestampScalar>(a, b);
    case arrow::Type::FLOAT:
      return CompareValues<arrow::FloatScalar>(a, b);
    case arrow::Type::DOUBLE:
      return CompareValues<arrow::DoubleScalar>(a, b);
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      return checked_cast<const arrow::BaseBinaryScalar&>(a).view() <=>
             checked_cast<const arrow::BaseBinaryScalar&>(b).view();
    case arrow::Type::DECIMAL128: {
      const auto& x = checked_cast<const arrow::Decimal128Scalar&>(a).value;
      const auto& y = checked_cast<const arrow::Decimal128Scalar&>(b).value;
      return x < y   ? std::partial_ordering::less
             : x > y ? std::partial_ordering::greater
                     : std::partial_ordering::equivalent;
    }
    default:
      return std::partial_ordering::unordered;
  }
}

Result<cp::Expression> IsIn(cp::Expression value, const std::shared_ptr<arrow::DataType>& type,
                            arrow::ScalarVector set) {
  const bool has_order = std::ranges::all_of(set, [](const auto& scalar) {
    return !arrow::is_floating(scalar->type->id()) && CompareScalars(*scalar, *scalar) == 0;
  });
  if (has_order) {
    std::ranges::sort(set, [](const auto& a, const auto& b) { return CompareScalars(*a, *b) < 0; });
  }
  std::unique_ptr<arrow::ArrayBuilder> builder;
  ARROW_RETURN_NOT_OK(arrow::MakeBuilder(arrow::default_memory_pool(), type, &builder));
  ARROW_RETURN_NOT_OK(builder->AppendScalars(set));
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Array> values, builder->Finish());
  constexpr auto kNulls = cp::SetLookupOptions::INCONCLUSIVE;
  if (has_order) {
    return cp::call("is_in", {std::move(value)}, SortedSetOptions(std::move(values), kNulls));
  }
  return cp::call("is_in", {std::move(value)}, cp::SetLookupOptions(std::move(values), kNulls));
}

bool CanMatch(const cp::Expression& filter, const RangeOf& range_of) {
  if (const cp::Expression::Call* call = filter.call()) return CanMatchCall(*call, range_of);
  if (const arrow::Datum* literal = filter.literal(); literal && literal->is_scalar()) {
    const arrow::Scalar& value = *literal->scalar();
    if (!value.is_valid) return false;
    return value.type->id() != arrow::Type::BOOL ||
           checked_cast<const arrow::BooleanScalar&>(value).value;
  }
  return true;
}

std::vector<std::string> BoundableColumns(const cp::Expression& filter) {
  std::vector<std::string> columns;
  const auto add = [&](const std::string& column) {
    if (std::ranges::find(columns, column) == columns.end()) columns.push_back(column);
  };
  const cp::Expression::Call* call = filter.call();
  if (call != nullptr && (IsAnd(call->function_name) || IsOr(call->function_name))) {
    for (const cp::Expression& argument : call->arguments) {
      std::ranges::for_each(BoundableColumns(argument), add);
    }
    return columns;
  }
  CanMatch(filter, [&](const std::string& column) {
    add(column);
    return std::nullopt;
  });
  return columns;
}

}  // namespace firth
