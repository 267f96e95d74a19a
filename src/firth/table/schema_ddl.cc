// SPDX-License-Identifier: Apache-2.0
#include "firth/table/schema_ddl.h"

#include <arrow/type.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include "firth/format/avro/avro_schema.h"

namespace firth {
namespace {

using TypePtr = std::shared_ptr<arrow::DataType>;

constexpr int kMaxDepth = 32;
constexpr std::string_view kTypeNames =
    "boolean, tinyint, smallint, int, bigint, float, double, decimal(p,s), string, binary, date, "
    "timestamp, timestamp_ntz, array<t>, map<string,t>, struct<name:t,...>, vector(d)";

TypePtr SimpleType(std::string_view name) {
  if (name == "boolean") return arrow::boolean();
  if (name == "tinyint" || name == "byte" || name == "smallint" || name == "short" ||
      name == "int" || name == "integer") {
    return arrow::int32();
  }
  if (name == "bigint" || name == "long") return arrow::int64();
  if (name == "float" || name == "real") return arrow::float32();
  if (name == "double") return arrow::float64();
  if (name == "string") return arrow::utf8();
  if (name == "binary") return arrow::binary();
  if (name == "date") return arrow::date32();
  if (name == "timestamp" || name == "timestamp_ltz") {
    return arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
  }
  if (name == "timestamp_ntz") return arrow::timestamp(arrow::TimeUnit::MICRO);
  return nullptr;
}

/// Reads a list of columns from left to right.
class DdlParser {
 public:
  explicit DdlParser(std::string_view text) : text_(text) {}

  Result<arrow::FieldVector> Columns() {
    ARROW_ASSIGN_OR_RAISE(arrow::FieldVector fields, Fields(/*end=*/'\0', /*depth=*/0));
    SkipBlanks();
    if (at_ != text_.size()) return Expected("a comma or the end");
    return fields;
  }

 private:
  // `name type, ...` at the top, `name: type, ...` inside of a struct, up to `end`.
  Result<arrow::FieldVector> Fields(char end, int depth) {
    arrow::FieldVector fields;
    do {
      ARROW_ASSIGN_OR_RAISE(auto field, Field(depth));
      fields.push_back(std::move(field));
    } while (Take(','));
    if (end != '\0' && !Take(end)) return Expected(fmt::format("a comma or {}", end));
    return fields;
  }

  Result<std::shared_ptr<arrow::Field>> Field(int depth) {
    ARROW_ASSIGN_OR_RAISE(std::string name, Name());
    Take(':');
    ARROW_ASSIGN_OR_RAISE(TypePtr type, Type(depth));
    bool nullable = true;
    if (TakeWord("not")) {
      if (!TakeWord("null")) return Expected("NULL after NOT");
      nullable = false;
    }
    if (TakeWord("comment")) ARROW_RETURN_NOT_OK(SkipString());
    return arrow::field(std::move(name), std::move(type), nullable);
  }

  Result<TypePtr> Type(int depth) {
    if (depth > kMaxDepth) return Expected(fmt::format("at most {} nested types", kMaxDepth));
    SkipBlanks();
    const size_t start = at_;
    const std::string name = Word();
    if (TypePtr simple = SimpleType(name)) return simple;
    if (name == "char" || name == "varchar") {
      ARROW_RETURN_NOT_OK(Number(1, INT32_MAX, '(', ')').status());
      return arrow::utf8();
    }
    if (name == "decimal" || name == "dec" || name == "numeric") return Decimal();
    if (name == "vector") return Vector();
    if (name == "array") return Array(depth);
    if (name == "map") return Map(depth);
    if (name == "struct") {
      if (!Take('<')) return Expected("< after struct");
      ARROW_ASSIGN_OR_RAISE(arrow::FieldVector fields, Fields('>', depth + 1));
      return arrow::struct_(std::move(fields));
    }
    at_ = start;
    return Expected(fmt::format("a type ({})", kTypeNames));
  }

  Result<TypePtr> Decimal() {
    if (!Take('(')) return arrow::decimal128(10, 0);  // as in Spark
    ARROW_ASSIGN_OR_RAISE(const int32_t precision, Number(1, 38));
    int32_t scale = 0;
    if (Take(',')) {
      ARROW_ASSIGN_OR_RAISE(scale, Number(0, precision));
    }
    if (!Take(')')) return Expected(")");
    return arrow::decimal128(precision, scale);
  }

  Result<TypePtr> Vector() {
    if (!Take('(')) return Expected("( and a dimension after vector");
    ARROW_ASSIGN_OR_RAISE(const int32_t dimension, Number(1, kMaxAvroFixedSize));
    TypePtr element = arrow::float32();
    if (Take(',')) {
      SkipBlanks();
      const size_t start = at_;
      const std::string name = Word();
      if (name == "double") {
        element = arrow::float64();
      } else if (name == "int8" || name == "tinyint") {
        element = arrow::int8();
      } else if (name != "float") {
        at_ = start;
        return Expected("float, double or int8");
      }
    }
    if (!Take(')')) return Expected(")");
    return arrow::fixed_size_list(arrow::field("element", std::move(element), /*nullable=*/false),
                                  dimension);
  }

  Result<TypePtr> Array(int depth) {
    if (!Take('<')) return Expected("< after array");
    ARROW_ASSIGN_OR_RAISE(TypePtr element, Type(depth + 1));
    if (!Take('>')) return Expected(">");
    return arrow::list(arrow::field("element", std::move(element)));
  }

  Result<TypePtr> Map(int depth) {
    if (!Take('<')) return Expected("< after map");
    SkipBlanks();
    const size_t start = at_;
    if (Word() != "string") {
      at_ = start;
      return Expected("string: keys of maps are strings");
    }
    if (!Take(',')) return Expected("a comma");
    ARROW_ASSIGN_OR_RAISE(TypePtr value, Type(depth + 1));
    if (!Take('>')) return Expected(">");
    return TypePtr(
        std::make_shared<arrow::MapType>(arrow::field("key", arrow::utf8(), /*nullable=*/false),
                                         arrow::field("value", std::move(value))));
  }

  // A whole number, between `open` and `close` where they are given.
  Result<int32_t> Number(int32_t min, int32_t max, char open = '\0', char close = '\0') {
    if (open != '\0' && !Take(open)) return Expected(std::string(1, open));
    SkipBlanks();
    int32_t number = 0;
    const char* first = text_.data() + at_;
    const auto [end, error] = std::from_chars(first, text_.data() + text_.size(), number);
    if (error != std::errc() || number < min || number > max) {
      return Expected(fmt::format("a number from {} to {}", min, max));
    }
    at_ += static_cast<size_t>(end - first);
    if (close != '\0' && !Take(close)) return Expected(std::string(1, close));
    return number;
  }

  Result<std::string> Name() {
    SkipBlanks();
    if (at_ < text_.size() && text_[at_] == '`') return QuotedName();
    const size_t start = at_;
    while (at_ < text_.size() && IsNameByte(text_[at_])) ++at_;
    if (at_ == start) return Expected("a column name");
    return std::string(text_.substr(start, at_ - start));
  }

  // A backquote inside is written twice.
  Result<std::string> QuotedName() {
    std::string name;
    for (size_t i = at_ + 1; i < text_.size(); ++i) {
      if (text_[i] != '`') {
        name += text_[i];
      } else if (i + 1 < text_.size() && text_[i + 1] == '`') {
        name += text_[++i];
      } else {
        at_ = i + 1;
        return name;
      }
    }
    return Expected("a closing backquote");
  }

  Status SkipString() {
    SkipBlanks();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') return Expected("a text in quotes after COMMENT");
    for (size_t i = at_ + 1; i < text_.size(); ++i) {
      if (text_[i] == '\\') {
        ++i;
      } else if (text_[i] == quote) {
        at_ = i + 1;
        return Status::OK();
      }
    }
    return Expected("a closing quote");
  }

  static bool IsNameByte(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || (c & 0x80) != 0;
  }

  void SkipBlanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }

  bool Take(char wanted) {
    SkipBlanks();
    if (at_ == text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  // The word here in lower case.
  std::string Word() {
    SkipBlanks();
    std::string word;
    while (at_ < text_.size() && IsNameByte(text_[at_])) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(text_[at_++])));
    }
    return word;
  }

  bool TakeWord(std::string_view wanted) {
    const size_t start = at_;
    if (Word() == wanted) return true;
    at_ = start;
    return false;
  }

  Status Expected(std::string_view what) const {
    if (at_ >= text_.size()) return InvalidError("the schema ends where {} is expected", what);
    constexpr size_t kShownBytes = 20;
    return InvalidError("the schema has \"{}\" at position {}, where {} is expected",
                        text_.substr(at_, kShownBytes), at_ + 1, what);
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

Result<std::shared_ptr<arrow::Schema>> ParseSchemaDdl(std::string_view ddl) {
  ARROW_ASSIGN_OR_RAISE(arrow::FieldVector fields, DdlParser(ddl).Columns());
  return arrow::schema(std::move(fields));
}

}  // namespace firth
