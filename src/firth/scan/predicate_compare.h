// SPDX-License-Identifier: Apache-2.0
// Comparisons with Spark's meaning as Arrow expressions, whose meaning differs for NaN.
#pragma once

#include <arrow/compute/expression.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "firth/common/status.h"
#include "firth/scan/predicate_literal.h"

namespace firth::predicate {

enum class CompareOp : uint8_t { kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual };

/// The operator with its operands exchanged: < becomes >.
CompareOp Flip(CompareOp op);

/// Something with one value a row.
struct Value {
  arrow::compute::Expression expression;
  std::shared_ptr<arrow::DataType> type;
};

/// `value op literal`, the literal placed in the value's type. Null when either is null.
Result<arrow::compute::Expression> CompareWithLiteral(CompareOp op, const Value& value,
                                                      const Placed& literal);

/// `left op right`. Errors: kInvalidArgument when the types have no common order.
Result<arrow::compute::Expression> CompareValues(CompareOp op, Value left, Value right);

/// `value IN (literals)`: null when there is no match and the value or a literal is null.
Result<arrow::compute::Expression> InLiterals(const Value& value,
                                              const std::vector<Placed>& literals);

/// `value LIKE pattern`, `escape` being the escape character of the pattern.
Result<arrow::compute::Expression> Like(const Value& value, std::string_view pattern, char escape,
                                        bool ignore_case);

}  // namespace firth::predicate
