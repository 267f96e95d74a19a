// SPDX-License-Identifier: Apache-2.0
// Columns, functions of them and literals: what conditions of the predicate language compare.
#pragma once

#include <arrow/type_fwd.h>

#include <cstddef>
#include <optional>
#include <string>

#include "firth/common/status.h"
#include "firth/scan/predicate_compare.h"
#include "firth/scan/predicate_functions.h"
#include "firth/scan/predicate_lexer.h"
#include "firth/scan/predicate_literal.h"

namespace firth::predicate {

/// A column, a function of one, or a literal.
struct Operand {
  std::optional<Literal> literal = std::nullopt;
  Value column = {};       // without a literal
  std::string shown = {};  // the column in messages: `column "a"` or `lower("a")`
  size_t offset = 0;
};

/// Takes operands off a lexer.
class OperandParser {
 public:
  /// Both must outlive the parser.
  OperandParser(Lexer* lexer, const arrow::Schema& schema) : lexer_(lexer), schema_(schema) {}

  Result<Operand> ParseOperand();
  Result<Literal> ParseLiteral();

 private:
  Result<Operand> ParseNamed();
  Result<Operand> ParseColumn(Token first);
  Result<Operand> ParseFunction(const Token& name, const Function& function);
  Result<arrow::ScalarVector> ParseParameters(const Function& function);
  Result<Literal> ParseSigned();
  Result<Literal> ParseCall(const Token& name);
  Result<Literal> Typed(const Token& type, Literal literal);

  Lexer* lexer_;
  const arrow::Schema& schema_;
  int depth_ = 0;  // of calls
};

}  // namespace firth::predicate
