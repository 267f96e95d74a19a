// SPDX-License-Identifier: Apache-2.0
// Tokens of the predicate language (predicate.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "firth/common/status.h"

namespace firth::predicate {

enum class TokenKind : uint8_t { kEnd, kName, kQuotedName, kNumber, kString, kBinary, kSymbol };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string text =
      {};             // names and strings unescaped, binary decoded, numbers and symbols verbatim
  size_t offset = 0;  // of the first byte
};

/// How an error message shows a token: `'abc'`, `"name"`, `<=`, `end of text`.
std::string DescribeToken(const Token& token);

/// Case-insensitive comparison of ASCII letters; `keyword` is in upper case.
bool EqualsKeyword(std::string_view text, std::string_view keyword);

/// Cuts a text into tokens, one token of look-ahead.
class Lexer {
 public:
  /// `source` must outlive the lexer.
  explicit Lexer(std::string_view source) : source_(source) {}

  std::string_view source() const { return source_; }
  const Token& current() const { return current_; }
  /// The source from `offset` up to the current token, blanks before that aside.
  std::string_view Since(size_t offset) const;
  /// Moves to the next token; the first call reads the first one. Stays at kEnd.
  Status Advance();

  bool AtKeyword(std::string_view keyword) const;
  bool AtSymbol(std::string_view symbol) const;
  /// Moves on when the current token is this keyword or symbol.
  Result<bool> Take(std::string_view keyword_or_symbol);
  /// The same, and an error when it is another one.
  Status Require(std::string_view keyword_or_symbol);

  /// The error that the current token is not `what`.
  Status Expected(std::string_view what) const;
  /// "where: position P: message", P counted in characters from 1.
  Status ErrorAt(size_t offset, std::string_view message) const;

 private:
  Status ReadName();
  Status ReadNumber();
  Status ReadQuoted(char quote, TokenKind kind);
  Status ReadBinary();
  Status ReadSymbol();

  std::string_view source_;
  size_t next_ = 0;
  Token current_;
};

}  // namespace firth::predicate
