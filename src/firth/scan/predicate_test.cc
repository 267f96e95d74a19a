// SPDX-License-Identifier: Apache-2.0
// Predicates over generated values and texts; predicate_table_test.cc has those worked out by hand.
#include "firth/scan/predicate.h"

#include <arrow/array/builder_binary.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <span>

#include "firth/scan/predicate_test_util.h"

namespace firth {
namespace {

using arrow::compute::Expression;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// The order of Spark: NaN equals NaN and is above all; -0.0 equals 0.0.
int SparkOrder(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) - std::isnan(b);
  return a < b ? -1 : a > b ? 1 : 0;
}

bool Holds(std::string_view op, int order) {
  if (op == "=") return order == 0;
  if (op == "<>") return order != 0;
  if (op == "<") return order < 0;
  if (op == "<=") return order <= 0;
  if (op == ">") return order > 0;
  return order >= 0;
}

constexpr std::string_view kOps[] = {"=", "<>", "<", "<=", ">", ">="};

TEST(ParsePredicate, OrdersEveryPairOfFloatsAsSparkDoes) {
  const std::vector<std::string> texts = {"null", "NaN",  "-Inf", "-1.5", "-0.0",
                                          "0.0",  "0.25", "7",    "Inf"};
  std::string left_json, right_json;
  for (const std::string& left : texts) {
    for (const std::string& right : texts) {
      left_json += (left_json.empty() ? "[" : ",") + left;
      right_json += (right_json.empty() ? "[" : ",") + right;
    }
  }
  const auto value = [](const std::string& text) { return std::strtod(text.c_str(), nullptr); };
  for (const auto& type : {arrow::float32(), arrow::float64()}) {
    const auto batch = MakeBatch({arrow::field("a", type), arrow::field("b", arrow::float64())},
                                 {left_json + "]", right_json + "]"});
    for (const std::string_view op : kOps) {
      std::string with_column;
      for (const std::string& left : texts) {
        for (const std::string& right : texts) {
          with_column += left == "null" || right == "null"                  ? 'N'
                         : Holds(op, SparkOrder(value(left), value(right))) ? 'T'
                                                                            : 'F';
        }
      }
      EXPECT_EQ(Evaluate(fmt::format("a {} b", op), *batch), with_column) << op;
      for (const std::string& literal : texts) {
        std::string with_literal;
        for (const std::string& left : texts) {
          const bool null = left == "null" || literal == "null";
          const bool holds = !null && Holds(op, SparkOrder(value(left), value(literal)));
          with_literal += std::string(texts.size(), null ? 'N' : holds ? 'T' : 'F');
        }
        EXPECT_EQ(Evaluate(fmt::format("a {} {}", op, literal), *batch), with_literal)
            << op << " " << literal;
      }
    }
  }
}

// Integers and decimals against literals with up to three fraction digits, compared in thousandths.
TEST(ParsePredicate, ComparesExactTypesByValueAtEveryBoundary) {
  std::mt19937 random(7);
  struct Kind {
    std::shared_ptr<arrow::DataType> type;
    __int128 max;         // in units
    int64_t thousandths;  // in a unit
    bool twos_complement;
  };
  const Kind kinds[] = {{arrow::int8(), 127, 1000, true},
                        {arrow::int16(), 32767, 1000, true},
                        {arrow::int32(), 2147483647, 1000, true},
                        {arrow::int64(), std::numeric_limits<int64_t>::max(), 1000, true},
                        {arrow::decimal128(4, 2), 9999, 10, false},
                        {arrow::decimal128(18, 0), 999999999999999999, 1000, false}};
  const auto print = [](__int128 thousandths) {
    const bool negative = thousandths < 0;
    if (negative) thousandths = -thousandths;
    return fmt::format("{}{}.{:03}", negative ? "-" : "", static_cast<uint64_t>(thousandths / 1000),
                       static_cast<int>(thousandths % 1000));
  };
  for (const Kind& kind : kinds) {
    const __int128 min = kind.twos_complement ? -kind.max - 1 : -kind.max;
    const std::vector<__int128> values = {min, min + 1, -1, 0, 1, 2, kind.max - 1, kind.max};
    std::string json;
    for (const __int128 unit : values) {
      std::string text = print(unit * kind.thousandths);
      text.resize(text.size() - (kind.thousandths == 1000 ? 4 : 1));
      const bool decimal = arrow::is_decimal(kind.type->id());
      json += (json.empty() ? "[" : ",") + (decimal ? "\"" + text + "\"" : text);
    }
    const auto batch = MakeBatch({arrow::field("c", kind.type)}, {json + "]"});
    for (const __int128 base : values) {
      for (const int delta : {-1001, -1000, -999, -10, -5, -1, 0, 1, 5, 10, 999, 1000, 1001}) {
        const __int128 literal = base * kind.thousandths + delta;
        const std::string_view op = kOps[random() % std::size(kOps)];
        std::string expected;
        for (const __int128 unit : values) {
          const __int128 difference = unit * kind.thousandths - literal;
          expected += Holds(op, difference < 0 ? -1 : difference > 0) ? 'T' : 'F';
        }
        const std::string where = fmt::format("c {} {}", op, print(literal));
        EXPECT_EQ(Evaluate(where, *batch), expected) << kind.type->ToString() << " " << where;
      }
    }
  }
}

TEST(ParsePredicate, KnowsTheRarerTypes) {
  const auto batch = MakeBatch(
      {arrow::field("fixed", arrow::fixed_size_binary(3)),
       arrow::field("text", arrow::large_utf8()), arrow::field("tiny", arrow::int8()),
       arrow::field("wide", arrow::decimal256(50, 1)),
       arrow::field("seconds", arrow::timestamp(arrow::TimeUnit::SECOND, "UTC")),
       arrow::field("price", arrow::decimal128(10, 2)), arrow::field("plain", arrow::utf8())},
      {R"(["abc", "xyz", null])", R"(["a", "b", null])", "[1, -128, null]",
       R"(["1000000000000000000000000000000000000000.5", "1.5", null])", "[0, 1, null]",
       R"(["1.00", "1.50", null])", R"(["b", "b", null])"});
  EXPECT_EQ(Evaluate("fixed = X'616263'", *batch), "TFN");
  EXPECT_EQ(Evaluate("fixed IN (X'616263', X'78797A')", *batch), "TTN");
  EXPECT_THAT(Evaluate("fixed = X'61'", *batch), HasSubstr("expected exactly 3 bytes"));
  EXPECT_EQ(Evaluate("text > 'a'", *batch), "FTN");
  EXPECT_EQ(Evaluate("text LIKE '_'", *batch), "TTN");
  EXPECT_EQ(Evaluate("text = plain", *batch), "FTN");
  EXPECT_EQ(Evaluate("tiny < -128.5", *batch), "FFN");
  EXPECT_EQ(Evaluate("tiny >= -128", *batch), "TTN");
  EXPECT_EQ(Evaluate("wide > 999999999999999999999999999999999999999.99", *batch), "TFN");
  EXPECT_EQ(Evaluate("wide = price", *batch), "FTN");
  EXPECT_EQ(Evaluate("tiny = price", *batch), "TFN");
  EXPECT_EQ(Evaluate("seconds <= '1970-01-01 00:00:00.9'", *batch), "TFN");
}

// A character of a LIKE pattern: one of the text's, `%` and `_` of the pattern's.
struct PatternPart {
  std::string text;
  bool wild = false;
};

bool IsLike(std::span<const std::string> text, std::span<const PatternPart> pattern) {
  if (pattern.empty()) return text.empty();
  const auto rest = pattern.subspan(1);
  if (pattern[0].wild && pattern[0].text == "%") {
    return IsLike(text, rest) || (!text.empty() && IsLike(text.subspan(1), pattern));
  }
  return !text.empty() && (pattern[0].wild || pattern[0].text == text[0]) &&
         IsLike(text.subspan(1), rest);
}

std::string Written(std::span<const PatternPart> pattern, char escape) {
  std::string written;
  for (const auto& [text, wild] : pattern) {
    if (!wild && (text == "%" || text == "_" || text[0] == escape)) written += escape;
    written += text;
  }
  return written;
}

TEST(ParsePredicate, LikeMatchesTextsOfAnyCharacters) {
  const std::vector<std::string> alphabet = {"a", "\\", "\\", "%", "_", "\n",
                                             ".", "!",  "|",  ")", "é", "\U0001F600"};
  std::mt19937 random(7);
  const auto pick = [&](size_t count) { return static_cast<size_t>(random() % count); };
  std::vector<std::vector<std::string>> texts(200);
  arrow::StringBuilder builder;
  for (auto& text : texts) {
    std::string joined;
    for (size_t i = pick(5); i > 0; --i) joined += text.emplace_back(alphabet[pick(10) + pick(3)]);
    ASSERT_TRUE(builder.Append(joined).ok());
  }
  const auto batch = arrow::RecordBatch::Make(arrow::schema({arrow::field("t", arrow::utf8())}),
                                              200, {builder.Finish().ValueOrDie()});
  size_t matches = 0;
  for (int round = 0; round < 2'000; ++round) {
    std::vector<PatternPart> pattern;
    for (const std::string& text : texts[pick(200)]) {
      const size_t kind = pick(8);
      pattern.push_back(kind < 2 ? PatternPart{kind == 0 ? "%" : "_", true} : PatternPart{text});
    }
    if (pick(2) == 0) pattern.insert(pattern.begin(), {"%", true});
    if (pick(2) == 0) pattern.push_back({"%", true});
    std::string expected;
    for (const auto& text : texts) expected += IsLike(text, pattern) ? 'T' : 'F';
    matches += static_cast<size_t>(std::ranges::count(expected, 'T'));
    const std::string like = pick(4) == 0 ? "ILIKE" : "LIKE";  // all texts are lower case
    for (const char escape : {'\\', '!'}) {
      const std::string where =
          fmt::format("t {} '{}' ESCAPE '{}'", like, Written(pattern, escape), escape);
      ASSERT_EQ(Evaluate(where, *batch), expected) << where;
    }
  }
  EXPECT_GT(matches, 10'000);
}

TEST(ParsePredicate, TakesAHundredThousandValues) {
  std::string where = "id IN (";
  for (int i = 3; i < 100'003; ++i) where += std::to_string(i) + ",";
  EXPECT_EQ(Evaluate(where + "7)", Rows()), "FFTNF");
}

TEST(ParsePredicate, TakesALongChainButNoDeepNesting) {
  std::string chain = "id = 3";
  for (int i = 0; i < 20'000; ++i) chain += " OR id = " + std::to_string(i + 10);
  EXPECT_EQ(Evaluate(chain, Rows()), "FFTNF");

  const auto nested = [](int levels) {
    return std::string(static_cast<size_t>(levels), '(') + "ok" +
           std::string(static_cast<size_t>(levels), ')');
  };
  EXPECT_EQ(Evaluate(nested(kMaxPredicateDepth), Rows()), "TFNTF");
  EXPECT_EQ(Evaluate(nested(kMaxPredicateDepth + 1), Rows()),
            "where: position 101: conditions are nested deeper than 100 levels");
}

TEST(ParsePredicate, NeedsAnUnambiguousName) {
  const auto batch =
      MakeBatch({arrow::field("Ab", arrow::int32()), arrow::field("aB", arrow::int32())},
                {"[1, 2]", "[2, 1]"});
  EXPECT_EQ(Evaluate("aB = 1", *batch), "FT");
  EXPECT_EQ(Evaluate("ab = 1", *batch),
            "where: position 1: column \"ab\" is ambiguous: Ab, aB fit");
}

TEST(SplitConjuncts, TakesOutermostAndsApart) {
  const auto parsed =
      ParsePredicate("id = 1 AND (big = 2 OR ok) AND (f = 3 AND d = 4)", *Rows().schema());
  ASSERT_TRUE(parsed.ok());
  std::vector<std::vector<std::string>> columns;
  for (const Expression& conjunct : SplitConjuncts(*parsed)) {
    columns.push_back(ReferencedColumns(conjunct));
  }
  EXPECT_THAT(columns, ElementsAre(ElementsAre("id"), ElementsAre("big", "ok"), ElementsAre("f"),
                                   ElementsAre("d")));
}

TEST(ReferencedColumns, NamesEachTopLevelColumnOnce) {
  const auto parsed =
      ParsePredicate("s.a = 1 AND s.in.b = 'x' AND NAME = 'y' AND f > 1", *Rows().schema());
  ASSERT_TRUE(parsed.ok());
  EXPECT_THAT(ReferencedColumns(*parsed), ElementsAre("s", "name", "f"));
  EXPECT_THAT(ReferencedColumns(*ParsePredicate("", *Rows().schema())), IsEmpty());
}

}  // namespace
}  // namespace firth
