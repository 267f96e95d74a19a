// SPDX-License-Identifier: Apache-2.0
#include <arrow/array/array_binary.h>
#include <arrow/array/array_primitive.h>
#include <arrow/table.h>
#include <arrow/util/checked_cast.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "firth/search.h"
#include "firth/table.h"
#include "firth/testing/golden.h"

namespace firth {
namespace {

using arrow::internal::checked_cast;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <typename ArrayType>
auto ValueAt(const arrow::Table& table, const char* column, int64_t row) {
  const auto scalar = table.GetColumnByName(column)->Slice(row, 1);
  for (const auto& chunk : scalar->chunks()) {
    if (chunk->length() == 1) return checked_cast<const ArrayType&>(*chunk).GetView(0);
  }
  return decltype(std::declval<ArrayType>().GetView(0))();
}

/// Queries of one golden table and what stock Hudi 1.2.0 answered.
nlohmann::json StockQueries(std::string_view table) {
  std::ifstream file(FIRTH_TEST_DATA_DIR "/vector_search/stock_1_2_0.json");
  for (const nlohmann::json& entry : nlohmann::json::parse(file)) {
    if (entry["table"] == table) return entry["queries"];
  }
  return nlohmann::json::array();
}

VectorSearchOptions Search(std::string column, VectorMetric metric = VectorMetric::kCosine,
                           int64_t k = 10) {
  VectorSearchOptions options;
  options.column = std::move(column);
  options.metric = metric;
  options.k = k;
  return options;
}

class SearchVectorTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (testing::GoldenNames().empty()) {
      GTEST_SKIP() << "no golden tables in " << testing::GoldenDir() << ": set FIRTH_SHARED";
    }
  }

  Snapshot Pin() { return Table::Open(table_.root().string())->Pin().ValueOrDie(); }

  testing::GoldenTable table_{GetParam()};
  const VectorQueries query_{{0.1, -0.2, 0.3, 0.4, -0.5, 0.6, 0.7, -0.8}, 8};
};

TEST_P(SearchVectorTest, AgreesWithStockHudi) {
  const Snapshot snapshot = Pin();
  const nlohmann::json queries = StockQueries(GetParam());
  ASSERT_FALSE(queries.empty());
  for (const nlohmann::json& query : queries) {
    SCOPED_TRACE(query["name"].get<std::string>());
    VectorQueries vector{query["query"], 8};
    if (query["float_query"]) {
      for (double& v : vector.values) v = static_cast<float>(v);
    }
    const VectorMetric metric = query["metric"] == "l2"       ? VectorMetric::kL2
                                : query["metric"] == "cosine" ? VectorMetric::kCosine
                                                              : VectorMetric::kDot;
    const VectorSearchOptions options = Search("emb", metric, query["k"]);
    const auto result = SearchVector(snapshot, vector, options);
    ASSERT_TRUE(result.ok()) << result.status();
    const arrow::Table& rows = **result;
    ASSERT_EQ(rows.num_rows(), static_cast<int64_t>(query["answer"].size()));
    EXPECT_THAT(rows.ColumnNames(), ElementsAre("id", "title", "emb", "ts", "_distance"));
    for (int64_t i = 0; i < rows.num_rows(); ++i) {
      const nlohmann::json& answer = query["answer"][static_cast<size_t>(i)];
      EXPECT_EQ(ValueAt<arrow::Int32Array>(rows, "id", i), answer[0].get<int32_t>());
      EXPECT_NEAR(ValueAt<arrow::DoubleArray>(rows, "_distance", i), answer[1], 2e-15);
    }
  }
}

TEST_P(SearchVectorTest, FilterComesBeforeTopK) {
  const VectorSearchOptions all = Search("emb", VectorMetric::kL2, 100);
  VectorSearchOptions filtered = all;
  filtered.where = "title = 'moved'";  // ids 0 to 3
  filtered.k = 3;
  filtered.columns = {"id"};
  const auto everything = SearchVector(Pin(), query_, all).ValueOrDie();
  std::vector<int32_t> expected, found;
  for (int64_t i = 0; i < everything->num_rows() && expected.size() < 3; ++i) {
    const int32_t id = ValueAt<arrow::Int32Array>(*everything, "id", i);
    if (id < 4) expected.push_back(id);
  }
  VectorSearchReport report;
  const auto rows = SearchVector(Pin(), query_, filtered, &report).ValueOrDie();
  for (int64_t i = 0; i < rows->num_rows(); ++i) {
    found.push_back(ValueAt<arrow::Int32Array>(*rows, "id", i));
  }
  EXPECT_EQ(found, expected);
  EXPECT_EQ(report.rows, 4);
}

TEST_P(SearchVectorTest, SeveralQueriesAreNumberedAndInOrder) {
  VectorQueries two = query_;
  for (const double v : {1, 1, 1, 1, -1, -1, -1, -1}) two.values.push_back(v);
  VectorSearchOptions options = Search("emb", VectorMetric::kCosine, 4);
  options.columns = {"id"};
  options.threads = 2;
  const auto rows = SearchVector(Pin(), two, options).ValueOrDie();
  EXPECT_THAT(rows->ColumnNames(), ElementsAre("id", "_distance", "_query"));
  ASSERT_EQ(rows->num_rows(), 8);
  const VectorQueries second{{two.values.begin() + 8, two.values.end()}, 8};
  const auto alone = SearchVector(Pin(), second, options).ValueOrDie();
  for (int64_t i = 0; i < 8; ++i) {
    EXPECT_EQ(ValueAt<arrow::Int64Array>(*rows, "_query", i), i / 4);
    if (i < 4) continue;
    EXPECT_EQ(ValueAt<arrow::Int32Array>(*rows, "id", i),
              ValueAt<arrow::Int32Array>(*alone, "id", i - 4));
    EXPECT_EQ(ValueAt<arrow::DoubleArray>(*rows, "_distance", i),
              ValueAt<arrow::DoubleArray>(*alone, "_distance", i - 4));
  }
}

TEST_P(SearchVectorTest, SingleQueryIsNumberedWhenAskedFor) {
  VectorSearchOptions options = Search("emb");
  options.columns = {"id"};
  options.number_queries = true;
  const auto rows = SearchVector(Pin(), query_, options).ValueOrDie();
  EXPECT_THAT(rows->ColumnNames(), ElementsAre("id", "_distance", "_query"));
  EXPECT_EQ(ValueAt<arrow::Int64Array>(*rows, "_query", 0), 0);
}

TEST_P(SearchVectorTest, RadiusGivesAllRowsWithin) {
  const VectorSearchOptions all = Search("emb", VectorMetric::kCosine, 100);
  const auto everything = SearchVector(Pin(), query_, all).ValueOrDie();
  VectorSearchOptions within = Search("emb", VectorMetric::kCosine, 1);
  within.radius = ValueAt<arrow::DoubleArray>(*everything, "_distance", 6);
  EXPECT_EQ(SearchVector(Pin(), query_, within).ValueOrDie()->num_rows(), 7);
}

TEST_P(SearchVectorTest, NothingWithinTheRadiusIsAnEmptyTable) {
  VectorSearchOptions options = Search("emb", VectorMetric::kL2);
  options.radius = 1e-9;
  const auto rows = SearchVector(Pin(), query_, options).ValueOrDie();
  EXPECT_EQ(rows->num_rows(), 0);
  EXPECT_THAT(rows->ColumnNames(), ElementsAre("id", "title", "emb", "ts", "_distance"));
}

TEST_P(SearchVectorTest, WrongDimensionNamesBoth) {
  const auto result = SearchVector(Pin(), {{1, 2, 3, 4, 5, 6, 7}, 7}, Search("emb"));
  EXPECT_EQ(GetErrorCode(result.status()), ErrorCode::kInvalidArgument);
  EXPECT_THAT(result.status().message(),
              HasSubstr("queries have 7 dimensions, the vectors of column 'emb' have 8"));
}

TEST_P(SearchVectorTest, OtherColumnsAreRefusedByName) {
  EXPECT_THAT(SearchVector(Pin(), query_, Search("title")).status().message(),
              HasSubstr("column 'title' of type string holds no vectors"));
  EXPECT_THAT(SearchVector(Pin(), query_, Search("vec")).status().message(),
              HasSubstr("no column \"vec\"; columns are id, title, emb, ts"));
}

INSTANTIATE_TEST_SUITE_P(Golden, SearchVectorTest,
                         ::testing::Values("v9_cow_vector", "v9_mor_vector"),
                         [](const auto& table) { return std::string(table.param); });

}  // namespace
}  // namespace firth
