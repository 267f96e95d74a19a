// SPDX-License-Identifier: Apache-2.0
// Nearest neighbours against answers that other programs computed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "firth/search/npy.h"
#include "firth/search/vector_test_util.h"

namespace firth {
namespace {

double NumberOf(const nlohmann::json& value) {
  if (value.is_number()) return value.get<double>();
  return value == "NaN" ? kNaN : value == "Infinity" ? kInfinity : -kInfinity;
}

Row RowOf(const nlohmann::json& value) {
  if (value.is_null()) return std::nullopt;
  std::vector<double> row;
  for (const auto& v : value) row.push_back(NumberOf(v));
  return row;
}

VectorMetric MetricOf(const std::string& name) {
  return name == "l2"       ? VectorMetric::kL2
         : name == "cosine" ? VectorMetric::kCosine
                            : VectorMetric::kDot;
}

std::string KeyOf(const nlohmann::json& id) {
  return id.is_string() ? id.get<std::string>() : id.dump();
}

// Rows and answers of hudi_vector_search, recorded from Hudi 1.2.0. Stock ranks rows with NaN or
// infinite elements; firth reports them instead (spec: such vectors are rejected), so they are
// taken out of the expectation. Order among equal distances is arbitrary in stock.
TEST(VectorQueries, AgreeWithStockHudi) {
  std::ifstream file(FIRTH_TEST_DATA_DIR "/vector_search/stock_1_2_0.json");
  ASSERT_TRUE(file.good());
  for (const nlohmann::json& table : nlohmann::json::parse(file)) {
    for (const nlohmann::json& query : table["queries"]) {
      SCOPED_TRACE(table["table"].get<std::string>() + " " + query["name"].get<std::string>());
      const std::string column = query["column"];
      std::vector<Row> rows;
      std::vector<std::string> keys;
      for (const nlohmann::json& row : table["rows"]) {
        rows.push_back(RowOf(row[column]));
        keys.push_back(KeyOf(row["id"]));
      }
      std::vector<double> values = query["query"];
      if (query["float_query"]) {
        for (double& v : values) v = static_cast<float>(v);
      }
      VectorTopK topk(Queries({values}, {.metric = MetricOf(query["metric"]), .k = query["k"]}),
                      column, kManyHits);
      VectorBatch batch;
      batch.vectors = Vectors(column == "dbl" ? Element::kDouble : Element::kFloat, rows);
      batch.keys = Strings(keys);
      ASSERT_TRUE(topk.Add(batch).ok());
      std::vector<Expected> expected;
      for (const nlohmann::json& answer : query["answer"]) {
        const std::string key = KeyOf(answer[0]);
        const Row& row = rows[std::ranges::find(keys, key) - keys.begin()];
        if (std::ranges::all_of(*row, [](double v) { return std::isfinite(v); })) {
          expected.push_back({NumberOf(answer[1]), key});
        }
      }
      std::ranges::sort(expected);  // nothing but ties moves
      const std::vector<Expected> found = Simple(topk.Take()[0]);
      ASSERT_EQ(found.size(), expected.size());
      for (size_t i = 0; i < found.size(); ++i) {
        EXPECT_EQ(found[i].key, expected[i].key) << "rank " << i;
        // Stock sums by the JVM's BLAS, whose order and use of fused operations vary.
        EXPECT_NEAR(found[i].distance, expected[i].distance, 2e-15) << "rank " << i;
      }
    }
  }
}

// 1,000 held-out queries over 62,681 sentence embeddings, exact neighbours by NumPy.
TEST(VectorQueries, FindTheExactNeighboursOfRealEmbeddings) {
  const char* shared = std::getenv("FIRTH_SHARED");
  const std::string folder =
      (shared != nullptr ? std::string(shared) : FIRTH_SOURCE_DIR "/../shared") + "/data/debian/";
  if (!std::filesystem::exists(folder + "minilm.f16.npy")) {
    GTEST_SKIP() << "no embeddings under " << folder;
  }
  constexpr int64_t kQueries = 30, kK = 100;
  const VectorQueries data = ReadVectorQueries(folder + "minilm.f16.npy").ValueOrDie();
  VectorQueries queries = ReadVectorQueries(folder + "minilm_queries.f16.npy").ValueOrDie();
  queries.values.resize(kQueries * queries.dim);
  const VectorQueries cosines = ReadVectorQueries(folder + "gt_top100_cos.npy").ValueOrDie();
  ASSERT_EQ(cosines.dim, kK);

  arrow::FloatBuilder builder;
  ASSERT_TRUE(builder.Reserve(data.values.size()).ok());
  for (const double v : data.values) builder.UnsafeAppend(static_cast<float>(v));
  VectorBatch batch;
  batch.vectors = arrow::FixedSizeListArray::FromArrays(builder.Finish().ValueOrDie(),
                                                        static_cast<int32_t>(data.dim))
                      .ValueOrDie();
  const auto set = VectorQuerySet::Make(queries, {.k = kK}).ValueOrDie();
  VectorTopK topk(set, "v", kManyHits);
  ASSERT_TRUE(topk.Add(batch).ok());
  const auto results = topk.Take();

  std::ifstream file(folder + "gt_top100.npy", std::ios::binary);
  file.seekg(-static_cast<std::streamoff>(1000 * kK * sizeof(int32_t)), std::ios::end);
  std::vector<int32_t> truth(kQueries * kK);
  file.read(reinterpret_cast<char*>(truth.data()),
            static_cast<std::streamsize>(truth.size() * sizeof(int32_t)));
  ASSERT_TRUE(file.good());
  for (int64_t q = 0; q < kQueries; ++q) {
    ASSERT_EQ(results[q].size(), static_cast<size_t>(kK));
    std::vector<int64_t> found, expected(truth.begin() + q * kK, truth.begin() + (q + 1) * kK);
    for (int64_t i = 0; i < kK; ++i) {
      // The cosines were made in float32, which also makes neighbours of equal cosine swap places.
      EXPECT_NEAR(1 - results[q][i].distance, cosines.values[q * kK + i], 2e-6);
      found.push_back(results[q][i].row);
    }
    std::ranges::sort(found);
    std::ranges::sort(expected);
    std::vector<int64_t> missed;
    std::ranges::set_difference(expected, found, std::back_inserter(missed));
    EXPECT_LE(missed.size(), 1u) << "query " << q;  // rank 100 and 101 may be that close
  }
}

}  // namespace
}  // namespace firth
