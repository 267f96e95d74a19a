// SPDX-License-Identifier: Apache-2.0
#include "firth/index/text/text_predicate.h"

#include <arrow/array/array_primitive.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firth/testing/random_text_query.h"

namespace firth {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Texts = std::vector<std::optional<std::string>>;

template <typename Builder = arrow::StringBuilder>
std::shared_ptr<arrow::Array> MakeStrings(const Texts& texts) {
  Builder builder;
  for (const auto& text : texts) {
    EXPECT_TRUE((text ? builder.Append(*text) : builder.AppendNull()).ok());
  }
  return *builder.Finish();
}

Result<std::shared_ptr<const BoundQuery>> Bind(const TextQuery& query) {
  return BoundQuery::Bind(query, [](const std::string& column) -> Result<AnalyzedColumn> {
    return AnalyzedColumn{column, Analyzer::Default()};
  });
}

/// One letter a row: T, F or N.
std::string Truths(const arrow::Array& array) {
  const auto& booleans = static_cast<const arrow::BooleanArray&>(array);
  std::string out;
  for (int64_t i = 0; i < booleans.length(); ++i) {
    out += booleans.IsNull(i) ? 'N' : (booleans.Value(i) ? 'T' : 'F');
  }
  return out;
}

std::string Evaluate(const Result<TextQuery>& query,
                     const std::vector<std::shared_ptr<arrow::Array>>& columns) {
  return Truths(**TextPredicate(*Bind(*query)).Evaluate(columns));
}
std::string Evaluate(const Result<TextQuery>& query, const Texts& texts) {
  return Evaluate(query, std::vector{MakeStrings(texts)});
}

TEST(TextPredicate, MatchNeedsSomeTermOrAll) {
  const Texts texts = {"Payment declined", "payment ok",       "other", "",
                       std::nullopt,       "DECLINED: payment"};
  EXPECT_EQ(Evaluate(MakeMatchQuery("c", "payment declined", ""), texts), "TTFFNT");
  EXPECT_EQ(Evaluate(MakeMatchQuery("c", "payment declined", "operator=AND"), texts), "TFFFNT");
}

TEST(TextPredicate, QueryWithoutTermsIsFalseForEveryValue) {
  const Texts texts = {"a", "", std::nullopt};
  EXPECT_EQ(Evaluate(MakeMatchQuery("c", "...", "operator=AND"), texts), "FFN");
  EXPECT_EQ(Evaluate(MakePhraseQuery("c", " ", 3), texts), "FFN");
  EXPECT_EQ(Evaluate(MakeMultiMatchQuery("", "", {"c"}), texts), "FFN");
}

TEST(TextPredicate, NotKeepsNull) {
  const auto query = ParseTextQuery(R"({"not":{"match":{"column":"c","query":"a"}}})");
  EXPECT_EQ(Evaluate(query, Texts{"a", "b", "", std::nullopt}), "FTTN");
}

TEST(TextPredicate, MultiMatchLooksForAllTermsInOneColumn) {
  const std::vector columns = {
      MakeStrings({"red", "red", std::nullopt, std::nullopt, "red shoe"}),
      MakeStrings({"shoe", "red shoe", "shoe", std::nullopt, std::nullopt})};
  EXPECT_EQ(Evaluate(MakeMultiMatchQuery("red shoe", "operator=AND", {"a", "b"}), columns),
            "FTNNT");
  EXPECT_EQ(Evaluate(MakeMultiMatchQuery("red shoe", "", {"a", "b"}), columns), "TTTNT");
  EXPECT_EQ(Evaluate(ParseTextQuery(R"({"multi_match":{"query":"red shoe","columns":["a","b"],)"
                                    R"("operator":"and","type":"cross_fields"}})"),
                     columns),
            "TTNNT");
}

TEST(TextPredicate, FuzzyReachesEverythingWithinItsDistance) {
  // max_expansions bounds ranked search only: a predicate sees one row.
  const auto query = MakeMatchQuery("c", "payment", "fuzziness=AUTO,max_expansions=1");
  EXPECT_EQ(Evaluate(query, Texts{"paymetn", "pamnt", "paynent", "pay", "payments!"}), "TTTFT");
  EXPECT_EQ(Evaluate(MakeMatchQuery("c", "payment", "fuzziness=2,prefix_length=2"),
                     Texts{"paymetn", "aypment"}),
            "TF");
}

TEST(TextPredicate, PrefixComparesWithTermsAndEmptyMeansAnyTerm) {
  const auto prefix = [](const std::string& value) {
    return ParseTextQuery(R"({"prefix":{"column":"c","value":")" + value + "\"}}");
  };
  const Texts texts = {"The Payment", "repay", "...", std::nullopt};
  EXPECT_EQ(Evaluate(prefix("PAY"), texts), "TFFN");
  EXPECT_EQ(Evaluate(prefix(""), texts), "TTFN");
}

TEST(TextPredicate, AcceptsEveryStringTypeAndNoOther) {
  const Texts texts = {"a", std::nullopt, "b"};
  const auto query = MakeMatchQuery("c", "a", "");
  EXPECT_EQ(Evaluate(query, std::vector{MakeStrings<arrow::LargeStringBuilder>(texts)}), "TNF");
  EXPECT_EQ(Evaluate(query, std::vector{MakeStrings<arrow::StringViewBuilder>(texts)}), "TNF");
  EXPECT_EQ(Evaluate(query, std::vector{MakeStrings(texts)->Slice(1)}), "NF");
  const auto refused =
      TextPredicate(*Bind(*query)).Evaluate({MakeStrings<arrow::BinaryBuilder>(texts)});
  EXPECT_THAT(refused.status().message(),
              StartsWith("FTS_NOT_STRING_COLUMN: column \"c\" is binary"));
}

TEST(TextPredicate, InvalidUtf8InAValueIsAnErrorThatNamesTheColumn) {
  const auto result =
      TextPredicate(*Bind(*MakeMatchQuery("c", "a", ""))).Evaluate({MakeStrings({"a", "b \xff"})});
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.status().message(), HasSubstr("FTS_INVALID_UTF8_VALUE"));
  EXPECT_THAT(result.status().message(), HasSubstr("column \"c\""));
}

TEST(TextPredicate, EqualsTheDefinitionOnRandomQueries) {
  for (uint32_t seed = 0; seed < 100; ++seed) {
    testing::RandomTextSearch random(seed);
    std::vector<testing::ReferenceTextSearch::Row> rows;
    for (int i = 0; i < 40; ++i) rows.push_back(random.Row());
    testing::ReferenceTextSearch reference(rows);
    for (int i = 0; i < 5; ++i) {
      const TextQuery query = random.Query(/*ranked=*/false);
      SCOPED_TRACE(TextQueryToJson(query));
      const auto bound = *Bind(query);
      std::vector<std::shared_ptr<arrow::Array>> columns;
      for (const BoundColumn& column : bound->columns) {
        Texts texts;
        for (const auto& row : rows) texts.push_back(row.at(column.name));
        columns.push_back(MakeStrings(texts));
      }
      std::string expected;
      for (size_t row = 0; row < rows.size(); ++row) {
        const auto truth = reference.Truth(query, row);
        expected += truth ? (*truth ? 'T' : 'F') : 'N';
      }
      ASSERT_EQ(Truths(**TextPredicate(bound).Evaluate(columns)), expected);
    }
  }
}

}  // namespace
}  // namespace firth
