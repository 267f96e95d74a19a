// SPDX-License-Identifier: Apache-2.0
// The text form of predicates, `price < 3 AND city IN ('a','b')`, as an Arrow expression. Shared by
// the command, Python and SQL push-down.
//
//   condition  = condition OR condition | condition AND condition | NOT condition
//              | '(' condition ')' | TRUE | FALSE | NULL | boolean column
//              | value op value                       op: = == <> != < <= > >= <=>
//              | value IS [NOT] NULL
//              | value IS [NOT] DISTINCT FROM value
//              | value [NOT] IN '(' literal, ... ')'
//              | value [NOT] BETWEEN value AND value
//              | value [NOT] LIKE|ILIKE 'pattern' [ESCAPE 'c']     % any text, _ one character
//   value      = column | function | literal
//   column     = name[.name...], a name bare, in `backquotes` or in "double quotes"
//   function   = lower(text) | upper(text) | trim(text) | length(text) | abs(number)
//              | substring(text, position [, length])
//              | year(time) | month(time) | day(time) | hour(time)
//              | date_format(time, 'pattern') | from_unixtime(seconds [, 'pattern'])
//                of a column or of a function of one; patterns are of yyyy MM dd HH mm ss
//   literal    = 12 | -1.5e3 | 'text, '' is a quote' | X'00ff' | TRUE | FALSE | NULL
//              | DATE '2026-01-31' | TIMESTAMP '2026-01-31 12:00:00.5+01:00'
//              | NaN | [-]Infinity | DOUBLE 'NaN' | double('NaN')
//              | CAST(literal AS DATE | TIMESTAMP | DOUBLE | FLOAT | STRING)
//
// Meaning: SQL three-valued logic, as Spark has it. NaN equals NaN and is greater than every other
// number. A literal is compared with a column by value and never wraps or rounds: `id < 3000000000`
// holds for every int, `id = 3.5` for none. Float columns are the exception: the literal is taken
// as the nearest value of the column's type, so that `f = 0.1` finds what was written as 0.1. A
// timestamp without zone is read as UTC.
#pragma once

#include <arrow/compute/type_fwd.h>
#include <arrow/type_fwd.h>

#include <string>
#include <string_view>
#include <vector>

#include "firth/common/status.h"

namespace firth {

/// Longest predicate text, and deepest nesting of parentheses and NOT.
inline constexpr size_t kMaxPredicateBytes = size_t{64} << 20;
inline constexpr int kMaxPredicateDepth = 100;

/// Parses `text` against the columns of `schema`. The result is not bound: it names columns (exact
/// name first, else the only one that differs in case), and every literal in it has the type of the
/// column it is compared with, so that it binds to any schema with these columns. Blank text gives
/// `true`.
/// Errors: kInvalidArgument, `where: position 9: no column "prcie"; ...`; positions count
/// characters from 1.
Result<arrow::compute::Expression> ParsePredicate(std::string_view text,
                                                  const arrow::Schema& schema);

/// The operands of the outermost ANDs, none of them an AND: a row passes when it passes all.
std::vector<arrow::compute::Expression> SplitConjuncts(const arrow::compute::Expression& predicate);

/// Top-level columns that a predicate reads, each once, in order of first use.
std::vector<std::string> ReferencedColumns(const arrow::compute::Expression& predicate);

}  // namespace firth
