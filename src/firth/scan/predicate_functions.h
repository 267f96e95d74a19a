// SPDX-License-Identifier: Apache-2.0
// The functions of the predicate language: lower(name), from_unixtime(ts, 'yyyy-MM-dd'), ...
#pragma once

#include <arrow/type_fwd.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "firth/common/status.h"
#include "firth/scan/predicate_compare.h"
#include "firth/scan/predicate_literal.h"

namespace firth::predicate {

/// The pattern of from_unixtime where none is given.
inline constexpr std::string_view kDefaultPattern = "yyyy-MM-dd HH:mm:ss";

/// A function of one column and constants. Means what Spark SQL means with the session time zone
/// UTC and without ANSI mode; null gives null.
struct Function;

/// By its name in any case; null when there is none.
const Function* FindFunction(std::string_view name);

/// "abs, date_format, ...".
std::string FunctionNames();

/// How it is called: "substring(text, position[, length])".
std::string_view UsageOf(const Function& function);

/// The constants that must, and those that may follow the column.
size_t MinParameters(const Function& function);
size_t MaxParameters(const Function& function);

/// Errors (without position): kInvalidArgument when a column of that type can't be given.
Status CheckColumn(const Function& function, const arrow::DataType& type);

/// The constant number `index` as calls hold it. Errors (without position): kInvalidArgument when
/// it is no value of the parameter.
Result<std::shared_ptr<arrow::Scalar>> ParameterOf(const Function& function, size_t index,
                                                   const Literal& literal);

/// The call as an expression. Arguments have passed the checks above; parameters that are left out
/// get their defaults.
Result<Value> Call(const Function& function, const Value& column, arrow::ScalarVector parameters);

/// A call of a function on a whole column.
struct ColumnCall {
  std::string_view function;
  std::string column;
  /// Constants by the names that Hudi has for them as options of indexes: "format", "pos", "len".
  std::vector<std::pair<std::string_view, std::string>> parameters;
};

/// What an expression calls; nullopt for what is no such call.
std::optional<ColumnCall> AsColumnCall(const arrow::compute::Expression& expression);

}  // namespace firth::predicate
