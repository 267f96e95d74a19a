// SPDX-License-Identifier: Apache-2.0
// Text search of golden tables against the definition, computed from the rows that stock Hudi read.
#include <arrow/array/array_binary.h>
#include <arrow/array/array_primitive.h>
#include <arrow/compute/cast.h>
#include <arrow/table.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "firth/index/text/text_query.h"
#include "firth/search.h"
#include "firth/table.h"
#include "firth/testing/golden.h"
#include "firth/testing/reference_text_search.h"

namespace firth {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::StartsWith;

/// Partition, record id and score of a hit.
using Hit = std::tuple<std::string, std::string, float>;

std::string TextOf(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// The rows of one view of a golden table.
class Rows {
 public:
  Rows(const json& expected, const json& view) {
    for (const json& number : view["rows"]) rows_.push_back(expected["rows"][number.get<size_t>()]);
  }

  /// What a search must find: the statistics are those of the rows in `scope`, the hits those of
  /// `filter`, in the order of the contract.
  std::vector<Hit> Search(const std::string& query, size_t k,
                          const std::function<bool(const json&)>& scope,
                          const std::function<bool(const json&)>& filter) const {
    std::vector<json> inside;
    std::ranges::copy_if(rows_, std::back_inserter(inside), scope);
    std::vector<testing::ReferenceTextSearch::Row> texts;
    for (const json& row : inside) {
      testing::ReferenceTextSearch::Row& text = texts.emplace_back();
      for (const auto& [column, value] : row.items()) {
        if (value.is_string()) text[column] = value.get<std::string>();
      }
    }
    const auto scores =
        testing::ReferenceTextSearch(texts).Scores(ParseTextQuery(query).ValueOrDie());
    std::vector<Hit> hits;
    for (const auto& [i, score] : scores) {
      if (!filter(inside[i])) continue;
      hits.emplace_back(inside[i].value("part", ""), TextOf(inside[i]["id"]), score);
    }
    std::ranges::stable_sort(hits, [](const Hit& a, const Hit& b) {
      return std::tuple(-std::get<2>(a), std::get<1>(a), std::get<0>(a)) <
             std::tuple(-std::get<2>(b), std::get<1>(b), std::get<0>(b));
    });
    hits.resize(std::min(hits.size(), k));
    return hits;
  }

 private:
  std::vector<json> rows_;
};

std::vector<std::string> Texts(const arrow::Table& table, const char* column) {
  std::vector<std::string> out;
  const auto cast =
      *arrow::compute::Cast(arrow::Datum(table.GetColumnByName(column)), arrow::utf8());
  for (const auto& chunk : cast.chunked_array()->chunks()) {
    const auto& strings = static_cast<const arrow::StringArray&>(*chunk);
    for (int64_t i = 0; i < strings.length(); ++i) out.emplace_back(strings.GetView(i));
  }
  return out;
}

std::vector<Hit> HitsOf(const arrow::Table& table) {
  const std::vector<std::string> parts = Texts(table, "part");
  const std::vector<std::string> ids = Texts(table, "id");
  std::vector<Hit> hits;
  int64_t i = 0;
  for (const auto& chunk : table.GetColumnByName("_score")->chunks()) {
    const auto& scores = static_cast<const arrow::FloatArray&>(*chunk);
    for (int64_t j = 0; j < scores.length(); ++j, ++i) {
      hits.emplace_back(parts[static_cast<size_t>(i)], ids[static_cast<size_t>(i)],
                        scores.Value(j));
    }
  }
  return hits;
}

bool All(const json&) { return true; }

/// A column with words, and words that occur in it, by table.
struct Vocabulary {
  std::string column;
  std::vector<std::string> queries;
};

Vocabulary VocabularyOf(std::string_view table) {
  if (table == "v9_mor_search") {
    return {"body",
            {R"({"match":{"column":"body","query":"lazy fox 漢字"}})",
             R"({"match":{"column":"body","query":"Ärger naïve updated","operator":"and"}})",
             R"({"phrase":{"column":"body","query":"quick the","slop":2}})",
             R"({"phrase":{"column":"title","query":"hudi merge"}})",
             R"({"fuzzy":{"column":"title","value":"snapshto"}})",
             R"({"prefix":{"column":"title","value":"データ"}})",
             R"({"multi_match":{"query":"rust engine","columns":[{"name":"title","boost":3},)"
             R"("body"],"tie_breaker":0.3}})",
             R"({"multi_match":{"query":"lake index","columns":["title","body"],)"
             R"("operator":"and","type":"cross_fields"}})",
             R"({"and":[{"match":{"column":"body","query":"commit vector"}},)"
             R"({"not":{"match":{"column":"title","query":"the c","operator":"or"}}}]})"}};
  }
  return {"name",
          {R"({"match":{"column":"name","query":"name 7"}})",
           R"({"match":{"column":"name","query":"12 13 again tie c"}})",
           R"({"or":[{"phrase":{"column":"name","query":"name b","slop":1}},)"
           R"({"phrase":{"column":"name","query":"a name","slop":3}}]})"}};
}

class SearchTextTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (testing::GoldenNames().empty()) {
      GTEST_SKIP() << "no golden tables in " << testing::GoldenDir() << ": set FIRTH_SHARED";
    }
    std::ifstream in(testing::GoldenDir() / (std::string(GetParam()) + ".expected.json"));
    expected_ = json::parse(in);
  }

  std::vector<Hit> Search(const Snapshot& snapshot, const std::string& query,
                          SearchOptions options) {
    const auto result = SearchText(snapshot, query, options);
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? HitsOf(**result) : std::vector<Hit>();
  }

  testing::GoldenTable table_{GetParam()};
  json expected_;
};

TEST_P(SearchTextTest, RanksTheSnapshotAsTheDefinitionDoes) {
  const Snapshot snapshot = Table::Open(table_.root().string())->Pin().ValueOrDie();
  const Rows rows(expected_, expected_["snapshot"]);
  for (const std::string& query : VocabularyOf(GetParam()).queries) {
    SCOPED_TRACE(query);
    const std::vector<Hit> all = Search(snapshot, query, {.k = 1000, .where = "", .columns = {}});
    EXPECT_EQ(all, rows.Search(query, 1000, All, All));
    EXPECT_FALSE(all.empty());
    EXPECT_EQ(Search(snapshot, query, {.k = 3, .where = "", .columns = {}, .threads = 2}),
              rows.Search(query, 3, All, All));
  }
}

TEST_P(SearchTextTest, EarlierSnapshotsRankTheirOwnRows) {
  const Table table = Table::Open(table_.root().string()).ValueOrDie();
  const std::string query = VocabularyOf(GetParam()).queries.front();
  for (const auto& [instant, view] : expected_["time_travel"].items()) {
    if (!view.contains("rows")) continue;
    SCOPED_TRACE(instant);
    EXPECT_EQ(Search(table.Pin(instant).ValueOrDie(), query,
                     {.k = 1000, .where = "", .columns = {"id", "part"}}),
              Rows(expected_, view).Search(query, 1000, All, All));
  }
}

TEST_P(SearchTextTest, FilterComesBeforeTopKAndPartitionsBoundTheStatistics) {
  const Snapshot snapshot = Table::Open(table_.root().string())->Pin().ValueOrDie();
  const Rows rows(expected_, expected_["snapshot"]);
  const std::string query = VocabularyOf(GetParam()).queries.front();
  const auto newer = [](const json& row) { return row["ts"].get<int64_t>() >= 2; };
  EXPECT_EQ(Search(snapshot, query, {.k = 5, .where = "ts >= 2", .columns = {"part", "id"}}),
            rows.Search(query, 5, All, newer));
  const auto p1 = [](const json& row) { return row["part"] == "p1"; };
  const bool partitioned =
      !expected_["properties"].value("hoodie.table.partition.fields", "").empty();
  EXPECT_EQ(Search(snapshot, query, {.k = 5, .where = "part = 'p1'", .columns = {"part", "id"}}),
            partitioned ? rows.Search(query, 5, p1, p1) : rows.Search(query, 5, All, p1));
}

// Whatever a plan can tell from paths: the scope is what the filter says.
TEST_P(SearchTextTest, PruningChangesNeitherRowsNorScores) {
  const Snapshot snapshot = Table::Open(table_.root().string())->Pin().ValueOrDie();
  const Rows rows(expected_, expected_["snapshot"]);
  const std::string query = VocabularyOf(GetParam()).queries.front();
  const bool partitioned =
      !expected_["properties"].value("hoodie.table.partition.fields", "").empty();
  using Condition = std::function<bool(const json&)>;
  const Condition p0 = [](const json& row) { return row["part"] == "p0"; };
  const Condition newer = [](const json& row) { return row["ts"].get<int64_t>() >= 2; };
  const Condition p0_newer = [&](const json& row) { return p0(row) && newer(row); };
  const Condition p0_or_newer = [&](const json& row) { return p0(row) || newer(row); };
  const Condition after_p0 = [](const json& row) { return row["part"] > "p0"; };
  struct Case {
    std::string where;
    Condition scope, filter;
  };
  for (const Case& c : std::vector<Case>{
           {"part = 'p0'", p0, p0},
           {"part IN ('p0', 'nowhere')", p0, p0},
           {"NOT part <> 'p0'", p0, p0},
           {"part LIKE '%0'", p0, p0},
           {"part > 'p0'", after_p0, after_p0},
           {"part = 'p0' AND ts >= 2", p0, p0_newer},
           {"ts >= 2 AND (part = 'p0' AND part < 'q')", p0, p0_newer},
           {"part = 'p0' OR ts >= 2", All, p0_or_newer},
           {"(part = 'p0' AND ts >= 2) OR (part = 'p0' AND ts >= 3)", All, p0_newer}}) {
    SCOPED_TRACE(c.where);
    const auto expected = rows.Search(query, 1000, partitioned ? c.scope : All, c.filter);
    for (const bool prune : {true, false}) {
      SearchOptions options{.k = 1000, .where = c.where, .columns = {"part", "id"}};
      options.prune = prune;
      EXPECT_EQ(Search(snapshot, query, options), expected) << "prune " << prune;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Golden, SearchTextTest,
                         ::testing::Values("v9_mor_search", "v9_mor_basic", "v9_cow_basic",
                                           "v9_cow_insert_duplicates", "v9_cow_no_meta_fields",
                                           "v9_mor_no_meta_fields", "v9_mor_compaction_pending",
                                           "v8_mor_basic", "v6_mor_basic"),
                         [](const auto& table) { return std::string(table.param); });

class SearchTextContract : public SearchTextTest {};

TEST_P(SearchTextContract, BudgetAndThreadsDoNotChangeTheAnswer) {
  const Snapshot snapshot = Table::Open(table_.root().string())->Pin().ValueOrDie();
  const std::string query = VocabularyOf(GetParam()).queries.front();
  SearchOptions options{.k = 20, .where = "", .columns = {}};
  TextSearchReport large, small;
  const auto one = SearchText(snapshot, query, options, &large).ValueOrDie();
  options.memory_budget = int64_t{16} << 20;
  options.threads = 2;
  const auto two = SearchText(snapshot, query, options, &small).ValueOrDie();
  EXPECT_EQ(HitsOf(*one), HitsOf(*two));
  EXPECT_EQ(small.matches, large.matches);
  EXPECT_GT(large.matches, 20);
}

TEST_P(SearchTextContract, ColumnsAreThoseAskedForAndTheScore) {
  const Snapshot snapshot = Table::Open(table_.root().string())->Pin().ValueOrDie();
  const std::string query = VocabularyOf(GetParam()).queries.front();
  const auto some = SearchText(snapshot, query, {.k = 1, .where = "", .columns = {"lang", "id"}});
  EXPECT_THAT((*some)->ColumnNames(), ElementsAre("lang", "id", "_score"));
  const auto none = SearchText(snapshot, query, {.k = 0, .where = "", .columns = {"id"}});
  EXPECT_EQ((*none)->num_rows(), 0);
  EXPECT_THAT((*none)->ColumnNames(), ElementsAre("id", "_score"));
}

TEST_P(SearchTextContract, ErrorsBeginWithTheirStableName) {
  const Snapshot snapshot = Table::Open(table_.root().string())->Pin().ValueOrDie();
  const auto message = [&](const std::string& query) {
    return SearchText(snapshot, query, {}).status().message();
  };
  EXPECT_THAT(message(R"({"match":{"column":"text","query":"x"}})"),
              StartsWith("FTS_UNKNOWN_COLUMN: no column \"text\"; columns are id, title"));
  EXPECT_THAT(message(R"({"match":{"column":"ts","query":"x"}})"),
              StartsWith("FTS_NOT_STRING_COLUMN: column \"ts\" is int64"));
  EXPECT_THAT(message(R"({"not":{"match":{"column":"body","query":"x"}}})"),
              StartsWith("FTS_UNBOUNDED_NEGATION"));
  EXPECT_THAT(message("lazy fox"), StartsWith("FTS_BAD_QUERY"));
}

TEST(SearchText, TableWithoutCommitsHasNoHits) {
  if (testing::GoldenNames().empty()) {
    GTEST_SKIP() << "no golden tables in " << testing::GoldenDir() << ": set FIRTH_SHARED";
  }
  const testing::GoldenTable table("v9_cow_empty");
  const Snapshot snapshot = Table::Open(table.root().string())->Pin().ValueOrDie();
  TextSearchReport report;
  const auto rows =
      SearchText(snapshot, R"({"match":{"column":"name","query":"a"}})", {}, &report).ValueOrDie();
  EXPECT_EQ(rows->num_rows(), 0);
  EXPECT_EQ(report.matches, 0);
}

INSTANTIATE_TEST_SUITE_P(Golden, SearchTextContract, ::testing::Values("v9_mor_search"),
                         [](const auto& table) { return std::string(table.param); });

}  // namespace
}  // namespace firth
