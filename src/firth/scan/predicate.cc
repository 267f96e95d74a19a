// SPDX-License-Identifier: Apache-2.0
#include "firth/scan/predicate.h"

#include <arrow/compute/expression.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/utf8.h>

#include <algorithm>
#include <optional>

#include "firth/scan/predicate_compare.h"
#include "firth/scan/predicate_lexer.h"
#include "firth/scan/predicate_literal.h"
#include "firth/scan/predicate_operand.h"

namespace firth {
namespace {

using arrow::compute::Expression;
using predicate::CompareOp;
using predicate::Lexer;
using predicate::Literal;
using predicate::LiteralKind;
using predicate::Operand;
using predicate::OperandParser;
using predicate::Placed;
using predicate::Token;
using predicate::TokenKind;
using predicate::Value;

Expression NullCondition() {
  return arrow::compute::literal(arrow::MakeNullScalar(arrow::boolean()));
}

// A balanced tree, so that a chain of thousands stays shallow.
Expression Fold(std::vector<Expression> operands, bool conjunction) {
  while (operands.size() > 1) {
    std::vector<Expression> pairs;
    for (size_t i = 0; i + 1 < operands.size(); i += 2) {
      pairs.push_back(
          conjunction ? arrow::compute::and_(std::move(operands[i]), std::move(operands[i + 1]))
                      : arrow::compute::or_(std::move(operands[i]), std::move(operands[i + 1])));
    }
    if (operands.size() % 2 == 1) pairs.push_back(std::move(operands.back()));
    operands = std::move(pairs);
  }
  return std::move(operands.front());
}

class Parser {
 public:
  Parser(std::string_view text, const arrow::Schema& schema)
      : lexer_(text), operands_(&lexer_, schema) {}

  Result<Expression> Parse() {
    ARROW_RETURN_NOT_OK(lexer_.Advance());
    if (lexer_.current().kind == TokenKind::kEnd) return arrow::compute::literal(true);
    ARROW_ASSIGN_OR_RAISE(Expression condition, ParseChain("OR"));
    if (lexer_.current().kind != TokenKind::kEnd) return lexer_.Expected("AND, OR or the end");
    return condition;
  }

 private:
  // conditions.
  Result<Expression> ParseChain(std::string_view keyword);
  Result<Expression> ParseUnary();
  Result<Expression> ParseCondition();
  Result<Expression> ParseIs(const Operand& left);
  Result<Expression> ParseIn(const Operand& left);
  Result<Expression> ParseBetween(const Operand& left);
  Result<Expression> ParseLike(const Operand& left, bool ignore_case);
  Result<std::optional<Expression>> ParseNegatable(const Operand& left);
  Result<Expression> AsCondition(const Operand& operand);

  // meaning.
  Result<Expression> Compare(CompareOp op, const Operand& left, const Operand& right);
  Result<Expression> NullSafeEqual(const Operand& left, const Operand& right);
  Result<Placed> Place(const Literal& literal, const Operand& beside);
  Result<Value> AsValue(const Operand& operand);

  Lexer lexer_;
  OperandParser operands_;
  int depth_ = 0;
};

Result<Expression> Parser::ParseChain(std::string_view keyword) {
  const bool conjunction = keyword == "AND";
  std::vector<Expression> operands;
  do {
    ARROW_ASSIGN_OR_RAISE(Expression operand, conjunction ? ParseUnary() : ParseChain("AND"));
    operands.push_back(std::move(operand));
    ARROW_ASSIGN_OR_RAISE(const bool more, lexer_.Take(keyword));
    if (!more) break;
  } while (true);
  return Fold(std::move(operands), conjunction);
}

Result<Expression> Parser::ParseUnary() {
  if (!lexer_.AtKeyword("NOT") && !lexer_.AtSymbol("(")) return ParseCondition();
  if (++depth_ > kMaxPredicateDepth) {
    return lexer_.ErrorAt(
        lexer_.current().offset,
        fmt::format("conditions are nested deeper than {} levels", kMaxPredicateDepth));
  }
  ARROW_ASSIGN_OR_RAISE(const bool negated, lexer_.Take("NOT"));
  if (!negated) ARROW_RETURN_NOT_OK(lexer_.Require("("));
  ARROW_ASSIGN_OR_RAISE(Expression inner, negated ? ParseUnary() : ParseChain("OR"));
  if (!negated) ARROW_RETURN_NOT_OK(lexer_.Require(")"));
  --depth_;
  return negated ? arrow::compute::not_(std::move(inner)) : std::move(inner);
}

Result<Expression> Parser::ParseCondition() {
  ARROW_ASSIGN_OR_RAISE(const Operand left, operands_.ParseOperand());
  ARROW_ASSIGN_OR_RAISE(const bool is, lexer_.Take("IS"));
  if (is) return ParseIs(left);
  ARROW_ASSIGN_OR_RAISE(const bool negated, lexer_.Take("NOT"));
  ARROW_ASSIGN_OR_RAISE(std::optional<Expression> condition, ParseNegatable(left));
  if (condition) return negated ? arrow::compute::not_(*std::move(condition)) : *condition;
  if (negated) return lexer_.Expected("IN, BETWEEN or LIKE after NOT");

  ARROW_ASSIGN_OR_RAISE(const bool null_safe, lexer_.Take("<=>"));
  if (null_safe) {
    ARROW_ASSIGN_OR_RAISE(const Operand right, operands_.ParseOperand());
    return NullSafeEqual(left, right);
  }
  constexpr std::pair<std::string_view, CompareOp> kOps[] = {
      {"=", CompareOp::kEqual},     {"==", CompareOp::kEqual},        {"<>", CompareOp::kNotEqual},
      {"!=", CompareOp::kNotEqual}, {"<", CompareOp::kLess},          {"<=", CompareOp::kLessEqual},
      {">", CompareOp::kGreater},   {">=", CompareOp::kGreaterEqual},
  };
  for (const auto& [symbol, op] : kOps) {
    ARROW_ASSIGN_OR_RAISE(const bool taken, lexer_.Take(symbol));
    if (!taken) continue;
    ARROW_ASSIGN_OR_RAISE(const Operand right, operands_.ParseOperand());
    return Compare(op, left, right);
  }
  return AsCondition(left);
}

Result<std::optional<Expression>> Parser::ParseNegatable(const Operand& left) {
  for (const std::string_view keyword : {"IN", "BETWEEN", "LIKE", "ILIKE"}) {
    ARROW_ASSIGN_OR_RAISE(const bool taken, lexer_.Take(keyword));
    if (!taken) continue;
    if (keyword == "IN") return ParseIn(left);
    if (keyword == "BETWEEN") return ParseBetween(left);
    return ParseLike(left, keyword == "ILIKE");
  }
  return std::nullopt;
}

Result<Expression> Parser::AsCondition(const Operand& operand) {
  if (operand.literal && operand.literal->kind == LiteralKind::kNull) return NullCondition();
  if (operand.literal && operand.literal->kind == LiteralKind::kBoolean) {
    return arrow::compute::literal(operand.literal->boolean);
  }
  if (!operand.literal && operand.column.type->id() == arrow::Type::BOOL) {
    return operand.column.expression;
  }
  if (operand.literal) return lexer_.Expected("a comparison such as = or IN");
  return lexer_.Expected(fmt::format("a comparison such as = or IN after {} ({})", operand.shown,
                                     operand.column.type->ToString()));
}

Result<Expression> Parser::ParseIs(const Operand& left) {
  ARROW_ASSIGN_OR_RAISE(const bool negated, lexer_.Take("NOT"));
  if (lexer_.AtKeyword("NULL")) {
    ARROW_RETURN_NOT_OK(lexer_.Advance());
    ARROW_ASSIGN_OR_RAISE(const Value value, AsValue(left));
    return negated ? arrow::compute::is_valid(value.expression)
                   : arrow::compute::is_null(value.expression);
  }
  ARROW_ASSIGN_OR_RAISE(const bool distinct, lexer_.Take("DISTINCT"));
  if (distinct) {
    ARROW_RETURN_NOT_OK(lexer_.Require("FROM"));
  } else if (!lexer_.AtKeyword("TRUE") && !lexer_.AtKeyword("FALSE")) {
    return lexer_.Expected("NULL, TRUE, FALSE or DISTINCT FROM after IS");
  }
  ARROW_ASSIGN_OR_RAISE(const Operand right, operands_.ParseOperand());
  ARROW_ASSIGN_OR_RAISE(Expression equal, NullSafeEqual(left, right));
  return distinct != negated ? arrow::compute::not_(std::move(equal)) : equal;
}

Result<Expression> Parser::ParseIn(const Operand& left) {
  ARROW_RETURN_NOT_OK(lexer_.Require("("));
  ARROW_ASSIGN_OR_RAISE(const Value value, AsValue(left));
  std::vector<Placed> literals;
  do {
    ARROW_ASSIGN_OR_RAISE(const Literal literal, operands_.ParseLiteral());
    ARROW_ASSIGN_OR_RAISE(Placed placed, Place(literal, left));
    literals.push_back(std::move(placed));
    ARROW_ASSIGN_OR_RAISE(const bool more, lexer_.Take(","));
    if (!more) break;
  } while (true);
  if (!lexer_.AtSymbol(")")) return lexer_.Expected(", or ) in the list of IN");
  ARROW_RETURN_NOT_OK(lexer_.Advance());
  if (left.literal && left.literal->kind == LiteralKind::kNull) return NullCondition();
  if (literals.size() == 1) {
    return predicate::CompareWithLiteral(CompareOp::kEqual, value, literals[0]);
  }
  return predicate::InLiterals(value, literals);
}

Result<Expression> Parser::ParseBetween(const Operand& left) {
  ARROW_ASSIGN_OR_RAISE(const Operand low, operands_.ParseOperand());
  if (!lexer_.AtKeyword("AND")) return lexer_.Expected("AND between the bounds of BETWEEN");
  ARROW_RETURN_NOT_OK(lexer_.Advance());
  ARROW_ASSIGN_OR_RAISE(const Operand high, operands_.ParseOperand());
  ARROW_ASSIGN_OR_RAISE(Expression above, Compare(CompareOp::kGreaterEqual, left, low));
  ARROW_ASSIGN_OR_RAISE(Expression below, Compare(CompareOp::kLessEqual, left, high));
  return arrow::compute::and_(std::move(above), std::move(below));
}

Result<Expression> Parser::ParseLike(const Operand& left, bool ignore_case) {
  ARROW_ASSIGN_OR_RAISE(const Literal pattern, operands_.ParseLiteral());
  char escape = '\\';
  ARROW_ASSIGN_OR_RAISE(const bool has_escape, lexer_.Take("ESCAPE"));
  if (has_escape) {
    const Token& token = lexer_.current();
    if (token.kind != TokenKind::kString || token.text.size() != 1 || token.text[0] == '%' ||
        token.text[0] == '_') {
      return lexer_.Expected("one ASCII character other than % and _, in quotes, after ESCAPE");
    }
    escape = token.text[0];
    ARROW_RETURN_NOT_OK(lexer_.Advance());
  }
  if (pattern.kind == LiteralKind::kNull) return NullCondition();
  if (pattern.kind != LiteralKind::kString) {
    return lexer_.ErrorAt(pattern.offset, "LIKE needs a pattern in single quotes");
  }
  ARROW_ASSIGN_OR_RAISE(const Value value, AsValue(left));
  Result<Expression> like = predicate::Like(value, pattern.text, escape, ignore_case);
  if (!like.ok()) return lexer_.ErrorAt(pattern.offset, like.status().message());
  return like;
}

Result<Placed> Parser::Place(const Literal& literal, const Operand& beside) {
  const bool beside_null = beside.literal && beside.literal->kind == LiteralKind::kNull;
  const std::shared_ptr<arrow::DataType> type = beside_null      ? NaturalType(literal)
                                                : beside.literal ? NaturalType(*beside.literal)
                                                                 : beside.column.type;
  Result<Placed> placed = predicate::PlaceLiteral(literal, type);
  if (placed.ok()) return placed;
  const std::string subject = beside.literal ? "literal" : beside.shown;
  return lexer_.ErrorAt(literal.offset, fmt::format("{} has type {}: {}", subject, type->ToString(),
                                                    placed.status().message()));
}

Result<Value> Parser::AsValue(const Operand& operand) {
  if (!operand.literal) return operand.column;
  ARROW_ASSIGN_OR_RAISE(Placed placed, Place(*operand.literal, operand));
  std::shared_ptr<arrow::DataType> type = placed.value->type;
  return Value{arrow::compute::literal(std::move(placed.value)), std::move(type)};
}

Result<Expression> Parser::Compare(CompareOp op, const Operand& left, const Operand& right) {
  const bool left_null = left.literal && left.literal->kind == LiteralKind::kNull;
  if (right.literal && !left_null) {
    ARROW_ASSIGN_OR_RAISE(const Placed placed, Place(*right.literal, left));
    ARROW_ASSIGN_OR_RAISE(const Value value, AsValue(left));
    return predicate::CompareWithLiteral(op, value, placed);
  }
  if (left.literal) return right.literal ? NullCondition() : Compare(Flip(op), right, left);
  Result<Expression> compared = predicate::CompareValues(op, left.column, right.column);
  if (compared.ok()) return compared;
  return lexer_.ErrorAt(right.offset, fmt::format("{} and {}: {}", left.shown, right.shown,
                                                  compared.status().message()));
}

Result<Expression> Parser::NullSafeEqual(const Operand& left, const Operand& right) {
  ARROW_ASSIGN_OR_RAISE(const Value a, AsValue(left));
  ARROW_ASSIGN_OR_RAISE(const Value b, AsValue(right));
  const auto is_null_literal = [](const Operand& operand) {
    return operand.literal && operand.literal->kind == LiteralKind::kNull;
  };
  if (is_null_literal(right)) return arrow::compute::is_null(a.expression);
  if (is_null_literal(left)) return arrow::compute::is_null(b.expression);
  ARROW_ASSIGN_OR_RAISE(Expression equal, Compare(CompareOp::kEqual, left, right));
  // With a null on either side `equal` is null and the other operand decides.
  Expression valid = left.literal ? arrow::compute::is_valid(b.expression)
                                  : arrow::compute::is_valid(a.expression);
  if (left.literal || right.literal) {
    return arrow::compute::and_(std::move(valid), std::move(equal));
  }
  return arrow::compute::or_(
      arrow::compute::and_(
          {std::move(valid), arrow::compute::is_valid(b.expression), std::move(equal)}),
      arrow::compute::and_(arrow::compute::is_null(a.expression),
                           arrow::compute::is_null(b.expression)));
}

}  // namespace

Result<Expression> ParsePredicate(std::string_view text, const arrow::Schema& schema) {
  if (text.size() > kMaxPredicateBytes) {
    return InvalidError("where: the text has {} bytes; at most {} are possible", text.size(),
                        kMaxPredicateBytes);
  }
  arrow::util::InitializeUTF8();  // ValidateUTF8 accepts everything before it
  if (!arrow::util::ValidateUTF8(text)) return InvalidError("where: the text is not valid UTF-8");
  return Parser(text, schema).Parse();
}

std::vector<Expression> SplitConjuncts(const Expression& predicate) {
  const Expression::Call* call = predicate.call();
  if (call == nullptr || call->function_name != "and_kleene") return {predicate};
  std::vector<Expression> conjuncts;
  for (const Expression& argument : call->arguments) {
    for (Expression& inner : SplitConjuncts(argument)) conjuncts.push_back(std::move(inner));
  }
  return conjuncts;
}

std::vector<std::string> ReferencedColumns(const Expression& predicate) {
  std::vector<std::string> columns;
  for (const arrow::FieldRef& ref : arrow::compute::FieldsInExpression(predicate)) {
    const arrow::FieldRef& top = ref.IsNested() ? ref.nested_refs()->front() : ref;
    if (std::ranges::find(columns, *top.name()) == columns.end()) columns.push_back(*top.name());
  }
  return columns;
}

}  // namespace firth
