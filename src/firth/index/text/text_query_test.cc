// SPDX-License-Identifier: Apache-2.0
#include "firth/index/text/text_query.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firth/index/text/bound_query.h"

namespace firth {
namespace {

std::string NameOf(const Status& status) {
  return status.ok() ? "" : status.message().substr(0, status.message().find(':'));
}
std::string ErrorOf(const std::string& json) { return NameOf(ParseTextQuery(json).status()); }
std::string Canonical(const std::string& json) {
  const Result<TextQuery> query = ParseTextQuery(json);
  return query.ok() ? TextQueryToJson(*query) : query.status().ToString();
}
std::string Leaf(const std::string& text, const std::string& boost = "1.0") {
  return R"({"phrase":{"boost":)" + boost + R"(,"column":"c","query":")" + text + R"(","slop":0}})";
}

TEST(ParseTextQuery, FillsInDefaultsWithSortedKeys) {
  EXPECT_EQ(Canonical(R"({"match":{"query":"pay now","column":"c"}})"),
            R"({"match":{"boost":1.0,"column":"c","fuzziness":0,"max_expansions":50,)"
            R"("operator":"or","prefix_length":0,"query":"pay now"}})");
  EXPECT_EQ(Canonical(R"({"ast_version":1,"fuzzy":{"column":"c","value":"x"}})"),
            R"({"fuzzy":{"boost":1.0,"column":"c","fuzziness":"auto","max_expansions":50,)"
            R"("prefix_length":0,"value":"x"}})");
  EXPECT_EQ(Canonical(R"({"multi_match":{"query":"x","columns":["a",{"name":"b","boost":2}]}})"),
            R"({"multi_match":{"boost":1.0,"columns":[{"boost":1.0,"name":"a"},)"
            R"({"boost":2.0,"name":"b"}],"operator":"or","query":"x","tie_breaker":0.0,)"
            R"("type":"best_fields"}})");
  EXPECT_EQ(Canonical(R"({"match":{"column":"c","query":"x","fuzziness":"AUTO:2:5"}})"),
            R"({"match":{"boost":1.0,"column":"c","fuzziness":"auto:2:5","max_expansions":50,)"
            R"("operator":"or","prefix_length":0,"query":"x"}})");
}

TEST(ParseTextQuery, FlattensDropsDoubleNegationAndPushesBoostIntoLeaves) {
  const std::string a = Leaf("a"), b = Leaf("b"), c = Leaf("c");
  EXPECT_EQ(Canonical(R"({"and":[{"and":[)" + a + "," + b + "]}," + c + "]}"),
            R"({"and":[)" + a + "," + b + "," + c + "]}");
  EXPECT_EQ(Canonical(R"({"or":[{"and":[)" + a + "," + b + "]}," + c + "]}"),
            R"({"or":[{"and":[)" + a + "," + b + "]}," + c + "]}");
  EXPECT_EQ(Canonical(R"({"not":{"not":)" + a + "}}"), a);
  EXPECT_EQ(Canonical(R"({"boost":{"factor":2,"query":{"or":[)" + a +
                      R"(,{"boost":{"factor":3,"query":)" + b + "}}]}}}"),
            R"({"or":[)" + Leaf("a", "2.0") + "," + Leaf("b", "6.0") + "]}");
  EXPECT_EQ(
      Canonical(R"({"boost":{"factor":2,"query":{"constant":{"score":3,"query":)" + a + "}}}}"),
      R"({"constant":{"query":)" + a + R"(,"score":6.0}})");
}

TEST(ParseTextQuery, RefusesByStableName) {
  EXPECT_EQ(ErrorOf("{"), "FTS_BAD_QUERY");
  EXPECT_EQ(ErrorOf("[]"), "FTS_BAD_QUERY");
  EXPECT_EQ(ErrorOf("{}"), "FTS_BAD_QUERY");
  EXPECT_EQ(ErrorOf(R"({"and":[]})"), "FTS_BAD_QUERY");
  EXPECT_EQ(ErrorOf(R"({"regexp":{"column":"c","value":"x"}})"), "FTS_BAD_QUERY");
  EXPECT_EQ(ErrorOf(R"({"match":{"column":"c"}})"), "FTS_BAD_QUERY");
  EXPECT_EQ(ErrorOf(R"({"match":{"column":"c","query":"x","query":"y"}})"), "FTS_BAD_QUERY");
  EXPECT_EQ(ErrorOf(R"({"ast_version":2,"match":{"column":"c","query":"x"}})"), "FTS_BAD_QUERY");
  EXPECT_EQ(ErrorOf(R"({"multi_match":{"query":"x","columns":[]}})"), "FTS_BAD_QUERY");
  EXPECT_EQ(ErrorOf(R"({"multi_match":{"query":"x","columns":["a","a"]}})"), "FTS_BAD_QUERY");
  EXPECT_EQ(ErrorOf(R"({"match":{"column":"c","query":"x","analyzer":"y"}})"),
            "FTS_UNKNOWN_OPTION");
  EXPECT_EQ(ErrorOf(R"({"match":{"column":"c","query":"x","boost":0}})"), "FTS_BAD_OPTION_VALUE");
  EXPECT_EQ(ErrorOf(R"({"match":{"column":"c","query":"x","fuzziness":3}})"),
            "FTS_BAD_OPTION_VALUE");
  EXPECT_EQ(ErrorOf(R"({"match":{"column":"c","query":"x","fuzziness":"AUTO:6:3"}})"),
            "FTS_BAD_OPTION_VALUE");
  EXPECT_EQ(ErrorOf(R"({"match":{"column":"c","query":"x","max_expansions":1025}})"),
            "FTS_BAD_OPTION_VALUE");
  EXPECT_EQ(ErrorOf(R"({"phrase":{"column":"c","query":"x","slop":65536}})"),
            "FTS_BAD_OPTION_VALUE");
  EXPECT_EQ(ErrorOf(R"({"phrase":{"column":"c","query":"x","slop":-1}})"), "FTS_BAD_OPTION_VALUE");
  EXPECT_EQ(ErrorOf(R"({"phrase":{"column":"c","query":7}})"), "FTS_BAD_OPTION_VALUE");
  EXPECT_EQ(ErrorOf(R"({"boost":{"factor":1e300,"query":{"boost":{"factor":1e300,"query":)" +
                    Leaf("a") + "}}}}"),
            "FTS_BAD_OPTION_VALUE");
  EXPECT_EQ(ErrorOf("{\"phrase\":{\"column\":\"c\",\"query\":\"\xff\"}}"),
            "FTS_INVALID_UTF8_QUERY");
}

TEST(ParseTextQuery, LimitsDepthClausesAndLength) {
  const auto nested = [](int levels) {
    std::string json = Leaf("a");
    for (int i = 1; i < levels; ++i) json = (i % 2 ? R"({"and":[)" : R"({"or":[)") + json + "]}";
    return json;
  };
  EXPECT_EQ(ErrorOf(nested(32)), "");
  EXPECT_EQ(ErrorOf(nested(33)), "FTS_QUERY_TOO_DEEP");
  EXPECT_EQ(ErrorOf(std::string(1'000'000, '[')), "FTS_QUERY_TOO_DEEP");
  const auto list = [](int leaves) {
    std::string json = R"({"or":[)" + Leaf("a");
    for (int i = 1; i < leaves; ++i) json += "," + Leaf("a");
    return json + "]}";
  };
  EXPECT_EQ(ErrorOf(list(256)), "");
  EXPECT_EQ(ErrorOf(list(257)), "FTS_TOO_MANY_CLAUSES");
  EXPECT_EQ(ErrorOf(Leaf(std::string(1 << 20, 'a'))), "");
  EXPECT_EQ(ErrorOf(Leaf(std::string((1 << 20) + 1, 'a'))), "FTS_QUERY_TOO_LONG");
}

TEST(CheckRankedTextQuery, AllowsNotOnlyBesideAPositiveQuery) {
  const auto check = [](const std::string& json) {
    return NameOf(CheckRankedTextQuery(*ParseTextQuery(json)));
  };
  const std::string a = Leaf("a"), not_a = R"({"not":)" + a + "}";
  EXPECT_EQ(check(a), "");
  EXPECT_EQ(check(R"({"and":[)" + a + "," + not_a + "]}"), "");
  EXPECT_EQ(check(not_a), "FTS_UNBOUNDED_NEGATION");
  EXPECT_EQ(check(R"({"and":[)" + not_a + "]}"), "FTS_UNBOUNDED_NEGATION");
  EXPECT_EQ(check(R"({"or":[)" + a + "," + not_a + "]}"), "FTS_UNBOUNDED_NEGATION");
  EXPECT_EQ(check(R"({"constant":{"score":1,"query":)" + not_a + "}}"), "FTS_UNBOUNDED_NEGATION");
  EXPECT_EQ(check(R"({"and":[)" + a + R"(,{"not":{"and":[)" + a + "," + not_a + "]}}]}"), "");
}

TEST(MakeMatchQuery, ReadsTheOptionText) {
  const auto json = [](std::string_view options) {
    const Result<TextQuery> query = MakeMatchQuery("c", "x", options);
    return query.ok() ? TextQueryToJson(*query) : NameOf(query.status());
  };
  EXPECT_EQ(json(""), Canonical(R"({"match":{"column":"c","query":"x"}})"));
  EXPECT_EQ(json(" operator = and , fuzziness=auto:2:4,prefix_length=1, max_expansions = 7 "),
            Canonical(R"({"match":{"column":"c","query":"x","operator":"AND",)"
                      R"("fuzziness":"AUTO:2:4","prefix_length":1,"max_expansions":7}})"));
  EXPECT_EQ(json("Operator=and"), "FTS_UNKNOWN_OPTION");
  EXPECT_EQ(json("minimum_should_match=1"), "FTS_UNKNOWN_OPTION");
  EXPECT_EQ(json("operator=xor"), "FTS_BAD_OPTION_VALUE");
  EXPECT_EQ(json("operator=or,operator=or"), "FTS_BAD_OPTION_VALUE");
  EXPECT_EQ(json("operator"), "FTS_BAD_OPTION_VALUE");
  EXPECT_EQ(json("operator=or,"), "FTS_BAD_OPTION_VALUE");
  EXPECT_EQ(json("fuzziness=3"), "FTS_BAD_OPTION_VALUE");
  EXPECT_EQ(json("prefix_length=-1"), "FTS_BAD_OPTION_VALUE");
  EXPECT_EQ(json("max_expansions=0"), "FTS_BAD_OPTION_VALUE");
}

TEST(MakeMultiMatchQuery, KnowsOnlyTheOperator) {
  EXPECT_EQ(TextQueryToJson(*MakeMultiMatchQuery("x", "operator=AND", {"a", "b"})),
            Canonical(R"({"multi_match":{"query":"x","columns":["a","b"],"operator":"and"}})"));
  EXPECT_EQ(NameOf(MakeMultiMatchQuery("x", "type=most_fields", {"a"}).status()),
            "FTS_UNKNOWN_OPTION");
  EXPECT_EQ(NameOf(MakeMultiMatchQuery("x", "", {}).status()), "FTS_BAD_QUERY");
}

TEST(MakePhraseQuery, ChecksTheSlop) {
  EXPECT_EQ(NameOf(MakePhraseQuery("c", "x y", -1).status()), "FTS_BAD_OPTION_VALUE");
  EXPECT_EQ(NameOf(MakePhraseQuery("c", "x y", 65536).status()), "FTS_BAD_OPTION_VALUE");
  EXPECT_EQ(TextQueryToJson(*MakePhraseQuery("c", "x y", 0)), Leaf("x y"));
}

TEST(BoundQuery, CountsAnalyzedTermsAndResolvesColumns) {
  const auto bind = [](const std::string& json) {
    return NameOf(BoundQuery::Bind(*ParseTextQuery(json),
                                   [](const std::string& column) -> Result<AnalyzedColumn> {
                                     if (column == "c" || column == "C") {
                                       return AnalyzedColumn{"c", Analyzer::Default()};
                                     }
                                     return InvalidError("FTS_UNKNOWN_COLUMN: {}", column);
                                   })
                      .status());
  };
  std::string words;
  for (int i = 0; i < 257; ++i) words += "w" + std::to_string(i) + " ";
  EXPECT_EQ(bind(R"({"match":{"column":"c","query":")" + words + "\"}}"), "FTS_TOO_MANY_CLAUSES");
  EXPECT_EQ(bind(R"({"match":{"column":"d","query":"x"}})"), "FTS_UNKNOWN_COLUMN");
  EXPECT_EQ(bind(R"({"match":{"column":"C","query":"x"}})"), "");
  for (const char* type : {"best_fields", "cross_fields"}) {
    EXPECT_EQ(bind(fmt::format(
                  R"({{"multi_match":{{"columns":["c","C"],"query":"x","type":"{}"}}}})", type)),
              "FTS_BAD_QUERY");
  }
}

}  // namespace
}  // namespace firth
