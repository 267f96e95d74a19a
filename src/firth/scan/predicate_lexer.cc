// SPDX-License-Identifier: Apache-2.0
#include "firth/scan/predicate_lexer.h"

#include <algorithm>
#include <array>

namespace firth::predicate {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
// Every byte of a non-ASCII character may be part of a bare name.
bool IsNameStart(char c) {
  return IsLetter(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool IsNamePart(char c) { return IsNameStart(c) || IsDigit(c) || c == '$'; }

int HexValue(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Longest first: the first match is taken.
constexpr std::array<std::string_view, 15> kSymbols = {"<=>", "<=", "<>", "<", ">=", ">", "==", "=",
                                                       "!=",  "(",  ")",  ",", ".",  "-", "+"};

}  // namespace

std::string DescribeToken(const Token& token) {
  constexpr size_t kShown = 40;
  std::string_view text = token.text;
  std::string shown(text.substr(0, kShown));
  if (text.size() > kShown) shown += "...";
  switch (token.kind) {
    case TokenKind::kEnd:
      return "end of text";
    case TokenKind::kName:
    case TokenKind::kQuotedName:
      return "\"" + shown + "\"";
    case TokenKind::kString:
      return "'" + shown + "'";
    case TokenKind::kBinary:
      return "a binary literal";
    case TokenKind::kNumber:
    case TokenKind::kSymbol:
      return shown;
  }
  return shown;
}

bool EqualsKeyword(std::string_view text, std::string_view keyword) {
  return std::ranges::equal(text, keyword, [](char a, char b) {
    return (IsLetter(a) ? static_cast<char>(a & ~0x20) : a) == b;
  });
}

std::string_view Lexer::Since(size_t offset) const {
  std::string_view text = source_.substr(offset, current_.offset - offset);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

bool Lexer::AtKeyword(std::string_view keyword) const {
  return current_.kind == TokenKind::kName && EqualsKeyword(current_.text, keyword);
}

bool Lexer::AtSymbol(std::string_view symbol) const {
  return current_.kind == TokenKind::kSymbol && current_.text == symbol;
}

Result<bool> Lexer::Take(std::string_view keyword_or_symbol) {
  if (!AtKeyword(keyword_or_symbol) && !AtSymbol(keyword_or_symbol)) return false;
  ARROW_RETURN_NOT_OK(Advance());
  return true;
}

Status Lexer::Require(std::string_view keyword_or_symbol) {
  ARROW_ASSIGN_OR_RAISE(const bool taken, Take(keyword_or_symbol));
  return taken ? Status::OK() : Expected(keyword_or_symbol);
}

Status Lexer::Expected(std::string_view what) const {
  return ErrorAt(current_.offset,
                 fmt::format("expected {}, found {}", what, DescribeToken(current_)));
}

Status Lexer::ErrorAt(size_t offset, std::string_view message) const {
  const std::string_view before = source_.substr(0, std::min(offset, source_.size()));
  const auto characters = std::ranges::count_if(before, [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;  // not a continuation byte
  });
  return InvalidError("where: position {}: {}", characters + 1, message);
}

Status Lexer::Advance() {
  while (next_ < source_.size() && IsSpace(source_[next_])) ++next_;
  current_ = Token{.offset = next_};
  if (next_ >= source_.size()) return Status::OK();
  const char c = source_[next_];
  const char after = next_ + 1 < source_.size() ? source_[next_ + 1] : '\0';
  if ((c == 'x' || c == 'X') && after == '\'') return ReadBinary();
  if (IsNameStart(c)) return ReadName();
  if (IsDigit(c) || (c == '.' && IsDigit(after))) return ReadNumber();
  if (c == '\'') return ReadQuoted(c, TokenKind::kString);
  if (c == '`' || c == '"') return ReadQuoted(c, TokenKind::kQuotedName);
  return ReadSymbol();
}

Status Lexer::ReadName() {
  const size_t start = next_;
  while (next_ < source_.size() && IsNamePart(source_[next_])) ++next_;
  current_.kind = TokenKind::kName;
  current_.text = source_.substr(start, next_ - start);
  return Status::OK();
}

Status Lexer::ReadNumber() {
  const size_t start = next_;
  const auto digits = [this] {
    while (next_ < source_.size() && IsDigit(source_[next_])) ++next_;
  };
  digits();
  if (next_ < source_.size() && source_[next_] == '.') {
    ++next_;
    digits();
  }
  if (next_ < source_.size() && (source_[next_] == 'e' || source_[next_] == 'E')) {
    ++next_;
    if (next_ < source_.size() && (source_[next_] == '+' || source_[next_] == '-')) ++next_;
    if (next_ >= source_.size() || !IsDigit(source_[next_])) {
      return ErrorAt(next_, "expected the digits of an exponent");
    }
    digits();
  }
  if (next_ < source_.size() && IsNamePart(source_[next_])) {
    return ErrorAt(next_,
                   "a number is followed by a letter; names that start with a digit "
                   "need quotes: \"1st\"");
  }
  current_.kind = TokenKind::kNumber;
  current_.text = source_.substr(start, next_ - start);
  return Status::OK();
}

Status Lexer::ReadQuoted(char quote, TokenKind kind) {
  const size_t start = next_++;
  current_.kind = kind;
  while (true) {
    const size_t end = source_.find(quote, next_);
    if (end == std::string_view::npos) {
      return ErrorAt(start, fmt::format("the {} that opens here has no closing {}",
                                        kind == TokenKind::kString ? "string" : "name", quote));
    }
    current_.text += source_.substr(next_, end - next_);
    next_ = end + 1;
    if (next_ >= source_.size() || source_[next_] != quote) break;
    current_.text += quote;  // doubled: the quote itself
    ++next_;
  }
  if (kind == TokenKind::kQuotedName && current_.text.empty()) {
    return ErrorAt(start, "a quoted name is empty; strings take single quotes");
  }
  return Status::OK();
}

Status Lexer::ReadBinary() {
  const size_t start = next_;
  ++next_;
  ARROW_RETURN_NOT_OK(ReadQuoted('\'', TokenKind::kBinary));
  const std::string hex = std::move(current_.text);
  current_.text.clear();
  if (hex.size() % 2 != 0) {
    return ErrorAt(start, "a binary literal needs an even number of hexadecimal digits");
  }
  for (size_t i = 0; i < hex.size(); i += 2) {
    const int high = HexValue(hex[i]), low = HexValue(hex[i + 1]);
    if (high < 0 || low < 0) {
      return ErrorAt(start, "a binary literal X'00ff' holds hexadecimal digits only");
    }
    current_.text += static_cast<char>(high * 16 + low);
  }
  return Status::OK();
}

Status Lexer::ReadSymbol() {
  const std::string_view rest = source_.substr(next_);
  for (const std::string_view symbol : kSymbols) {
    if (!rest.starts_with(symbol)) continue;
    current_.kind = TokenKind::kSymbol;
    current_.text = symbol;
    next_ += symbol.size();
    return Status::OK();
  }
  const auto byte = static_cast<unsigned char>(rest[0]);
  const bool printable = byte > 0x20 && byte < 0x7f;
  return ErrorAt(next_, printable ? fmt::format("unexpected character '{}'", rest[0])
                                  : fmt::format("unexpected byte 0x{:02x}", byte));
}

}  // namespace firth::predicate
