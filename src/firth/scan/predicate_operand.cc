// SPDX-License-Identifier: Apache-2.0
#include "firth/scan/predicate_operand.h"

#include <arrow/type.h>

#include <utility>

#include "firth/scan/predicate.h"
#include "firth/scan/predicate_names.h"

namespace firth::predicate {

Result<Operand> OperandParser::ParseOperand() {
  const Token& token = lexer_->current();
  if (token.kind == TokenKind::kQuotedName) return ParseNamed();
  if (token.kind == TokenKind::kName && !lexer_->AtKeyword("NULL") && !lexer_->AtKeyword("TRUE") &&
      !lexer_->AtKeyword("FALSE")) {
    return ParseNamed();
  }
  Operand operand;
  operand.offset = token.offset;
  ARROW_ASSIGN_OR_RAISE(operand.literal, ParseLiteral());
  return operand;
}

// A column, a function of one, or a literal that begins with a name.
Result<Operand> OperandParser::ParseNamed() {
  const Token name = lexer_->current();
  for (const std::string_view reserved : {"AND", "OR", "NOT", "IN", "IS", "LIKE", "BETWEEN"}) {
    if (lexer_->AtKeyword(reserved)) return lexer_->Expected("a column or a value");
  }
  if (name.kind == TokenKind::kName && schema_.GetFieldIndex(name.text) < 0) {
    std::string special;
    if (ParseSpecialNumber(name.text, &special)) {
      ARROW_RETURN_NOT_OK(lexer_->Advance());
      return Operand{.literal = Literal{LiteralKind::kNumber, special, false, name.offset},
                     .offset = name.offset};
    }
  }
  ARROW_RETURN_NOT_OK(lexer_->Advance());
  Operand operand;
  operand.offset = name.offset;
  if (name.kind == TokenKind::kName && lexer_->current().kind == TokenKind::kString) {
    Literal literal{LiteralKind::kString, lexer_->current().text, false, name.offset};
    ARROW_ASSIGN_OR_RAISE(operand.literal, Typed(name, std::move(literal)));
    ARROW_RETURN_NOT_OK(lexer_->Advance());
    return operand;
  }
  if (name.kind == TokenKind::kName && lexer_->AtSymbol("(")) {
    if (const Function* function = FindFunction(name.text)) return ParseFunction(name, *function);
    ARROW_ASSIGN_OR_RAISE(operand.literal, ParseCall(name));
    return operand;
  }
  return ParseColumn(name);
}

Result<Operand> OperandParser::ParseColumn(Token first) {
  ColumnPath path;
  const size_t offset = first.offset;
  Token name = std::move(first);
  while (true) {
    const Status found = path.Descend(schema_, name.text);
    if (!found.ok()) {
      const bool quoted = lexer_->source()[name.offset] == '"';
      return lexer_->ErrorAt(name.offset,
                             found.message() + (quoted ? "; strings take single quotes" : ""));
    }
    ARROW_ASSIGN_OR_RAISE(const bool nested, lexer_->Take("."));
    if (!nested) break;
    name = lexer_->current();
    if (name.kind != TokenKind::kName && name.kind != TokenKind::kQuotedName) {
      return lexer_->Expected("the name of a field after the dot");
    }
    ARROW_RETURN_NOT_OK(lexer_->Advance());
  }
  return Operand{.column = {path.expression(), path.type()},
                 .shown = fmt::format("column \"{}\"", path.name()),
                 .offset = offset};
}

// `(` is the current token.
Result<Operand> OperandParser::ParseFunction(const Token& name, const Function& function) {
  if (++depth_ > kMaxPredicateDepth)
    return lexer_->ErrorAt(name.offset, "calls are nested too deeply");
  ARROW_RETURN_NOT_OK(lexer_->Require("("));
  ARROW_ASSIGN_OR_RAISE(const Operand operand, ParseOperand());
  if (operand.literal) {
    return lexer_->ErrorAt(operand.offset,
                           fmt::format("{} takes a column, found a literal", UsageOf(function)));
  }
  const Status fits = CheckColumn(function, *operand.column.type);
  if (!fits.ok()) return lexer_->ErrorAt(operand.offset, fits.message());
  ARROW_ASSIGN_OR_RAISE(arrow::ScalarVector parameters, ParseParameters(function));
  --depth_;
  ARROW_ASSIGN_OR_RAISE(Value value, Call(function, operand.column, std::move(parameters)));
  return Operand{.column = std::move(value),
                 .shown = std::string(lexer_->Since(name.offset)),
                 .offset = name.offset};
}

// What follows the column of a call, `)` included.
Result<arrow::ScalarVector> OperandParser::ParseParameters(const Function& function) {
  arrow::ScalarVector parameters;
  while (parameters.size() < MaxParameters(function) && lexer_->AtSymbol(",")) {
    ARROW_RETURN_NOT_OK(lexer_->Advance());
    ARROW_ASSIGN_OR_RAISE(const Literal literal, ParseLiteral());
    auto parameter = ParameterOf(function, parameters.size(), literal);
    if (!parameter.ok()) return lexer_->ErrorAt(literal.offset, parameter.status().message());
    parameters.push_back(*std::move(parameter));
  }
  const bool complete = parameters.size() >= MinParameters(function);
  if (!complete || !lexer_->AtSymbol(")")) {
    return lexer_->Expected(fmt::format("{} of {}", complete ? ")" : ",", UsageOf(function)));
  }
  ARROW_RETURN_NOT_OK(lexer_->Advance());
  return parameters;
}

Result<Literal> OperandParser::ParseLiteral() {
  const Token token = lexer_->current();
  Literal literal;
  literal.offset = token.offset;
  literal.text = token.text;
  switch (token.kind) {
    case TokenKind::kNumber:
      literal.kind = LiteralKind::kNumber;
      break;
    case TokenKind::kString:
      literal.kind = LiteralKind::kString;
      break;
    case TokenKind::kBinary:
      literal.kind = LiteralKind::kBinary;
      break;
    case TokenKind::kSymbol:
      return ParseSigned();
    case TokenKind::kName:
      if (lexer_->AtKeyword("NULL")) break;
      if (lexer_->AtKeyword("TRUE") || lexer_->AtKeyword("FALSE")) {
        literal.kind = LiteralKind::kBoolean;
        literal.boolean = lexer_->AtKeyword("TRUE");
        break;
      }
      [[fallthrough]];
    case TokenKind::kQuotedName: {
      ARROW_ASSIGN_OR_RAISE(Operand operand, ParseNamed());
      if (operand.literal) return *std::move(operand.literal);
      return lexer_->ErrorAt(token.offset,
                             fmt::format("expected a literal, found {}", operand.shown));
    }
    case TokenKind::kEnd:
      return lexer_->Expected("a column or a value");
  }
  ARROW_RETURN_NOT_OK(lexer_->Advance());
  return literal;
}

// A number behind its sign, which is the current token.
Result<Literal> OperandParser::ParseSigned() {
  const Token sign = lexer_->current();
  if (!lexer_->AtSymbol("-") && !lexer_->AtSymbol("+")) {
    return lexer_->Expected("a column or a value");
  }
  ARROW_RETURN_NOT_OK(lexer_->Advance());
  const Token& number = lexer_->current();
  Literal literal{.kind = LiteralKind::kNumber, .offset = sign.offset};
  const bool special =
      number.kind == TokenKind::kName && ParseSpecialNumber(sign.text + number.text, &literal.text);
  if (!special) {
    if (number.kind != TokenKind::kNumber) return lexer_->Expected("a number after the sign");
    literal.text = (sign.text == "-" ? "-" : "") + number.text;
  }
  ARROW_RETURN_NOT_OK(lexer_->Advance());
  return literal;
}

// double('NaN'), date('...'), CAST(literal AS type); `(` is the current token.
Result<Literal> OperandParser::ParseCall(const Token& name) {
  const bool is_cast = EqualsKeyword(name.text, "CAST");
  if (++depth_ > kMaxPredicateDepth)
    return lexer_->ErrorAt(name.offset, "calls are nested too deeply");
  ARROW_RETURN_NOT_OK(lexer_->Require("("));
  if (!is_cast) {
    // Checks the name before the argument, whose error would mislead.
    ARROW_RETURN_NOT_OK(Typed(name, Literal{}));
  }
  ARROW_ASSIGN_OR_RAISE(Literal literal, ParseLiteral());
  Token type = name;
  if (is_cast) {
    ARROW_RETURN_NOT_OK(lexer_->Require("AS"));
    type = lexer_->current();
    if (type.kind != TokenKind::kName) return lexer_->Expected("the name of a type");
    ARROW_RETURN_NOT_OK(lexer_->Advance());
  }
  ARROW_RETURN_NOT_OK(lexer_->Require(")"));
  --depth_;
  return Typed(type, std::move(literal));
}

Result<Literal> OperandParser::Typed(const Token& type, Literal literal) {
  if (!IsLiteralType(type.text)) {
    return lexer_->ErrorAt(
        type.offset,
        fmt::format("\"{}\" is no function and no literal type; functions are {}; types "
                    "are DATE, TIMESTAMP, DOUBLE, FLOAT and STRING",
                    type.text, FunctionNames()));
  }
  const size_t offset = literal.offset;
  std::optional<Literal> cast = CastLiteral(type.text, std::move(literal));
  if (!cast) return lexer_->ErrorAt(offset, fmt::format("the literal is no {}", type.text));
  return *std::move(cast);
}

}  // namespace firth::predicate
