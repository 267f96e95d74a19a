// SPDX-License-Identifier: Apache-2.0
#include "firth/search/vector_topk.h"

#include <arrow/array/array_primitive.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_nested.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "firth/search/npy.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Element = VectorColumn::Element;
using Row = std::optional<std::vector<double>>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int64_t kManyHits = 1 << 20;
constexpr VectorMetric kMetrics[] = {VectorMetric::kCosine, VectorMetric::kL2, VectorMetric::kDot};

// --- Arrays ---------------------------------------------------------------------------------

template <typename Builder>
std::shared_ptr<arrow::Array> ListOf(const std::vector<Row>& rows, int32_t fixed_size) {
  auto* pool = arrow::default_memory_pool();
  auto values = std::make_shared<Builder>(pool);
  std::unique_ptr<arrow::ArrayBuilder> lists;
  if (fixed_size > 0) {
    lists = std::make_unique<arrow::FixedSizeListBuilder>(pool, values, fixed_size);
  } else {
    lists = std::make_unique<arrow::ListBuilder>(pool, values);
  }
  for (const Row& row : rows) {
    if (!row) {
      EXPECT_TRUE(lists->AppendNull().ok());
      continue;
    }
    if (fixed_size > 0) {
      EXPECT_TRUE(static_cast<arrow::FixedSizeListBuilder&>(*lists).Append().ok());
    } else {
      EXPECT_TRUE(static_cast<arrow::ListBuilder&>(*lists).Append().ok());
    }
    for (const double v : *row) {
      EXPECT_TRUE(values->Append(static_cast<typename Builder::value_type>(v)).ok());
    }
  }
  return lists->Finish().ValueOrDie();
}

std::shared_ptr<arrow::Array> Vectors(Element element, const std::vector<Row>& rows,
                                      int32_t fixed_size = 0) {
  switch (element) {
    case Element::kDouble:
      return ListOf<arrow::DoubleBuilder>(rows, fixed_size);
    case Element::kInt8:
      return ListOf<arrow::Int8Builder>(rows, fixed_size);
    case Element::kFloat:
      break;
  }
  return ListOf<arrow::FloatBuilder>(rows, fixed_size);
}

std::shared_ptr<arrow::Array> Strings(const std::vector<std::string>& values) {
  arrow::StringBuilder builder;
  EXPECT_TRUE(builder.AppendValues(values).ok());
  return builder.Finish().ValueOrDie();
}

std::shared_ptr<arrow::BooleanArray> Booleans(const std::vector<bool>& values) {
  arrow::BooleanBuilder builder;
  EXPECT_TRUE(builder.AppendValues(values).ok());
  return std::static_pointer_cast<arrow::BooleanArray>(builder.Finish().ValueOrDie());
}

std::vector<std::string> NumberedKeys(size_t count) {
  std::vector<std::string> keys(count);
  for (size_t i = 0; i < count; ++i) keys[i] = std::to_string(i);
  return keys;
}

// --- What a search must give ----------------------------------------------------------------

double Reference(VectorMetric metric, const std::vector<double>& q, const std::vector<double>& x) {
  double dot = 0, qq = 0, xx = 0, l2 = 0;
  for (size_t i = 0; i < q.size(); ++i) {
    dot += q[i] * x[i];
    qq += q[i] * q[i];
    xx += x[i] * x[i];
    l2 += (q[i] - x[i]) * (q[i] - x[i]);
  }
  if (metric == VectorMetric::kL2) return std::sqrt(l2);
  if (metric == VectorMetric::kDot) return -dot;
  const double scale = std::sqrt(qq) * std::sqrt(xx);
  return scale == 0 ? 1 : std::clamp(1 - dot / scale, 0.0, 2.0);
}

struct Expected {
  double distance;
  std::string key;

  bool operator==(const Expected&) const = default;
  auto operator<=>(const Expected&) const = default;
};
void PrintTo(const Expected& e, std::ostream* out) { *out << e.key << " at " << e.distance; }

std::vector<Expected> BruteForce(VectorMetric metric, const std::vector<double>& query,
                                 const std::vector<Row>& rows, size_t k) {
  std::vector<Expected> all;
  for (size_t r = 0; r < rows.size(); ++r) {
    if (!rows[r] || rows[r]->size() != query.size()) continue;
    const double distance = Reference(metric, query, *rows[r]);
    if (std::ranges::all_of(*rows[r], [](double v) { return std::isfinite(v); })) {
      all.push_back({distance, std::to_string(r)});
    }
  }
  std::ranges::sort(all);
  all.resize(std::min(all.size(), k));
  return all;
}

std::vector<Expected> Simple(const std::vector<VectorHit>& hits) {
  std::vector<Expected> simple;
  for (const VectorHit& hit : hits) simple.push_back({hit.distance, hit.key});
  return simple;
}

std::shared_ptr<const VectorQuerySet> Queries(std::vector<std::vector<double>> queries,
                                              VectorQuerySet::Options options) {
  VectorQueries all;
  all.dim = static_cast<int64_t>(queries.front().size());
  for (const auto& q : queries) all.values.insert(all.values.end(), q.begin(), q.end());
  return VectorQuerySet::Make(all, options).ValueOrDie();
}

VectorBatch Batch(std::shared_ptr<arrow::Array> vectors) {
  VectorBatch batch;
  batch.keys = Strings(NumberedKeys(vectors->length()));
  batch.vectors = std::move(vectors);
  return batch;
}

std::vector<double> RandomVector(std::mt19937& engine, size_t dim, Element element, bool integers) {
  std::vector<double> values(dim);
  std::normal_distribution<double> normal;
  std::uniform_int_distribution<int> small(-2, 2), bytes(-128, 127);
  for (double& v : values) {
    v = integers ? small(engine) : element == Element::kInt8 ? bytes(engine) : normal(engine);
    if (element == Element::kFloat) v = static_cast<float>(v);
  }
  return values;
}

// --- Tests ----------------------------------------------------------------------------------

class VectorTopKTest : public testing::TestWithParam<std::tuple<DistanceKernels, Element>> {
 protected:
  const DistanceKernels& kernels() const { return std::get<0>(GetParam()); }
  Element element() const { return std::get<1>(GetParam()); }
};

// Small integers make many exact ties; normal values make none.
TEST_P(VectorTopKTest, EqualsBruteForceOnRandomRowsWithTiesNullsAndOtherLengths) {
  std::mt19937 engine(7);
  for (const size_t dim : {size_t{1}, size_t{16}, size_t{35}}) {
    for (const bool integers : {true, false}) {
      std::vector<Row> rows;
      for (int r = 0; r < 310; ++r) rows.push_back(RandomVector(engine, dim, element(), integers));
      rows[5] = std::nullopt;
      rows[6] = std::vector<double>(dim, 0.0);
      rows[300] = RandomVector(engine, dim + 1, element(), integers);
      rows[301] = std::vector<double>{};
      if (element() != Element::kInt8) {
        (*rows[9])[dim - 1] = kNaN;
        (*rows[10])[0] = kInfinity;
        (*rows[309])[dim / 2] = -kInfinity;
      }
      std::vector<std::vector<double>> queries;
      for (int q = 0; q < 6; ++q) queries.push_back(RandomVector(engine, dim, element(), false));
      for (const VectorMetric metric : kMetrics) {
        for (const size_t num_queries : {size_t{1}, size_t{6}}) {
          for (const int64_t k : {1, 10, 400}) {
            SCOPED_TRACE(testing::Message()
                         << "dim " << dim << " metric " << static_cast<int>(metric) << " k " << k);
            const auto set = Queries({queries.begin(), queries.begin() + num_queries},
                                     {.metric = metric, .k = k});
            VectorTopK topk(set, "v", kManyHits, kernels());
            ASSERT_TRUE(topk.Add(Batch(Vectors(element(), rows))).ok());
            EXPECT_EQ(topk.report().rows, 310);
            EXPECT_EQ(topk.report().null_vectors, 1);
            EXPECT_EQ(topk.report().wrong_length, 2);
            EXPECT_EQ(topk.report().not_finite, element() == Element::kInt8 ? 0 : 3);
            const auto results = topk.Take();
            for (size_t q = 0; q < num_queries; ++q) {
              EXPECT_EQ(Simple(results[q]), BruteForce(metric, queries[q], rows, k));
            }
          }
        }
      }
    }
  }
}

// Distances that differ only far behind float32: the sieve must keep them all.
TEST_P(VectorTopKTest, OrderIsThatOfDoubleDistancesWhenFloatCannotTell) {
  if (element() == Element::kInt8) GTEST_SKIP() << "int8 rows cannot lie that close together";
  constexpr size_t kDim = 48;
  std::mt19937 engine(3);
  const std::vector<double> center = RandomVector(engine, kDim, element(), false);
  std::vector<double> query = center;
  std::uniform_real_distribution<double> tiny(-1e-7, 1e-7);
  for (double& v : query) v += tiny(engine);
  std::vector<Row> rows;
  for (int r = 0; r < 500; ++r) {
    std::vector<double> row = center;
    for (double& v : row)
      v = element() == Element::kFloat ? static_cast<float>(v + tiny(engine))
                                       : v + tiny(engine) * 1e-3;
    rows.push_back(row);
  }
  for (const VectorMetric metric : kMetrics) {
    for (const size_t copies : {1, 2}) {  // the kernels of one query, and of several
      VectorTopK topk(Queries(std::vector(copies, query), {.metric = metric, .k = 25}), "v",
                      kManyHits, kernels());
      ASSERT_TRUE(topk.Add(Batch(Vectors(element(), rows))).ok());
      EXPECT_EQ(Simple(topk.Take().back()), BruteForce(metric, query, rows, 25));
    }
  }
}

TEST_P(VectorTopKTest, ValuesAtTheEndsOfTheFloatRange) {
  if (element() == Element::kInt8) GTEST_SKIP() << "int8 has no such values";
  std::vector<double> sizes = {1e-38, 1e-30, 1e-20, 1e-15, 1, 1e15, 1e19, 1e20, 3e38};
  if (element() == Element::kDouble) sizes.insert(sizes.end(), {1e-200, 1e-100, 1e39, 1e150});
  std::mt19937 engine(11);
  std::vector<Row> rows;
  for (const double size : sizes) {
    for (int r = 0; r < 20; ++r) {
      std::vector<double> row = RandomVector(engine, 5, element(), false);
      for (double& v : row) {
        v = std::clamp(v, -1.0, 1.0) * size;
        if (element() == Element::kFloat) v = static_cast<float>(v);
      }
      rows.push_back(row);
    }
  }
  for (const double size : sizes) {
    std::vector<double> query = RandomVector(engine, 5, Element::kDouble, false);
    for (double& v : query) v *= size;
    for (const VectorMetric metric : kMetrics) {
      SCOPED_TRACE(testing::Message() << size << " metric " << static_cast<int>(metric));
      VectorTopK topk(Queries({query}, {.metric = metric, .k = 15}), "v", kManyHits, kernels());
      ASSERT_TRUE(topk.Add(Batch(Vectors(element(), rows))).ok());
      EXPECT_EQ(Simple(topk.Take()[0]), BruteForce(metric, query, rows, 15));
    }
  }
}

TEST_P(VectorTopKTest, RadiusIsInclusiveAndComplete) {
  std::mt19937 engine(5);
  std::vector<Row> rows;
  for (int r = 0; r < 500; ++r) rows.push_back(RandomVector(engine, 24, element(), true));
  const std::vector<double> query = RandomVector(engine, 24, element(), true);
  for (const VectorMetric metric : kMetrics) {
    const std::vector<Expected> all = BruteForce(metric, query, rows, rows.size());
    for (const double radius : {all[0].distance, all[40].distance, all[250].distance,
                                std::nextafter(all[0].distance, -kInfinity), kInfinity}) {
      std::vector<Expected> expected;
      std::ranges::copy_if(all, std::back_inserter(expected),
                           [&](const Expected& e) { return e.distance <= radius; });
      VectorTopK topk(Queries({query}, {.metric = metric, .radius = radius}), "v", kManyHits,
                      kernels());
      ASSERT_TRUE(topk.Add(Batch(Vectors(element(), rows))).ok());
      EXPECT_EQ(Simple(topk.Take()[0]), expected);
    }
  }
}

std::string ElementName(Element element) {
  return element == Element::kFloat ? "float" : element == Element::kDouble ? "double" : "int8";
}

INSTANTIATE_TEST_SUITE_P(Levels, VectorTopKTest,
                         testing::Combine(testing::ValuesIn(AvailableDistanceKernels().begin(),
                                                            AvailableDistanceKernels().end()),
                                          testing::Values(Element::kFloat, Element::kDouble,
                                                          Element::kInt8)),
                         [](const testing::TestParamInfo<VectorTopKTest::ParamType>& parameters) {
                           return std::string(SimdLevelName(std::get<0>(parameters.param).level)) +
                                  "_" + ElementName(std::get<1>(parameters.param));
                         });

TEST(VectorTopK, TiesAreOrderedByKeyBytesThenSliceThenPosition) {
  VectorTopK topk(Queries({{0, 0}}, {.metric = VectorMetric::kL2, .k = 6}), "v", kManyHits);
  for (const int64_t slice : {1, 0}) {  // whatever order they are read in
    VectorBatch batch;
    batch.vectors = Vectors(Element::kFloat, std::vector<Row>(3, std::vector<double>{1, 2}));
    batch.keys = slice == 1 ? Strings({"b", "a\xC3\xA9", "a"}) : Strings({"b", "a", "a"});
    batch.slice = slice;
    batch.first_row = 10;
    ASSERT_TRUE(topk.Add(batch).ok());
  }
  std::vector<std::pair<int64_t, int64_t>> order;
  const auto results = topk.Take();
  for (const VectorHit& hit : results[0]) order.emplace_back(hit.slice, hit.row);
  EXPECT_THAT(order, ElementsAre(std::pair(0, 11), std::pair(0, 12), std::pair(1, 12),
                                 std::pair(1, 11), std::pair(0, 10), std::pair(1, 10)));
}

TEST(VectorTopK, MergedCollectorsGiveTheResultOfOne) {
  std::mt19937 engine(13);
  std::vector<Row> rows;
  for (int r = 0; r < 1000; ++r) rows.push_back(RandomVector(engine, 8, Element::kFloat, true));
  const VectorBatch whole = Batch(Vectors(Element::kFloat, rows, 8));
  const auto set = Queries({{1, 2, 0, 0, 1, 0, 0, 1}, {0, 0, 0, 1, 1, 1, 1, 1}},
                           {.metric = VectorMetric::kL2, .k = 20});
  VectorTopK one(set, "v", kManyHits), left(set, "v", kManyHits), right(set, "v", kManyHits);
  ASSERT_TRUE(one.Add(whole).ok());
  for (int64_t at = 0; at < 1000; at += 77) {  // slices begin anywhere in their arrays
    VectorBatch part;
    part.vectors = whole.vectors->Slice(at, 77);
    part.keys = whole.keys->Slice(at, 77);
    part.first_row = at;
    ASSERT_TRUE((at % 2 == 0 ? left : right).Add(part).ok());
  }
  ASSERT_TRUE(left.Merge(std::move(right)).ok());
  EXPECT_EQ(left.report().rows, 1000);
  EXPECT_EQ(left.Take(), one.Take());
}

TEST(VectorTopK, FilterComesBeforeTopK) {
  std::mt19937 engine(17);
  std::vector<Row> rows, selected_rows;
  std::vector<bool> selection;
  std::bernoulli_distribution keep(0.3);
  for (int r = 0; r < 600; ++r) {
    rows.push_back(RandomVector(engine, 12, Element::kFloat, false));
    selection.push_back(keep(engine));
    selected_rows.push_back(selection.back() ? rows.back() : std::nullopt);
  }
  VectorBatch batch = Batch(Vectors(Element::kFloat, rows, 12));
  batch.selection = Booleans(selection);
  const std::vector<double> query(12, 0.25);
  VectorTopK topk(Queries({query}, {.k = 50}), "v", kManyHits);
  ASSERT_TRUE(topk.Add(batch).ok());
  EXPECT_EQ(topk.report().rows, std::ranges::count(selection, true));
  EXPECT_EQ(Simple(topk.Take()[0]), BruteForce(VectorMetric::kCosine, query, selected_rows, 50));
}

TEST(VectorTopK, NullElementIsNeverComparedAndIsCounted) {
  auto* pool = arrow::default_memory_pool();
  auto values = std::make_shared<arrow::FloatBuilder>(pool);
  arrow::ListBuilder lists(pool, values);
  ASSERT_TRUE(lists.Append().ok() && values->Append(1).ok() && values->AppendNull().ok());
  ASSERT_TRUE(lists.Append().ok() && values->Append(3).ok() && values->Append(4).ok());
  VectorTopK topk(Queries({{0, 0}}, {.metric = VectorMetric::kL2}), "v", kManyHits);
  ASSERT_TRUE(topk.Add(Batch(lists.Finish().ValueOrDie())).ok());
  EXPECT_EQ(topk.report().not_finite, 1);
  EXPECT_EQ(Simple(topk.Take()[0]), (std::vector<Expected>{{5, "1"}}));
}

TEST(VectorTopK, ZeroKGivesNothingButCounts) {
  VectorTopK topk(Queries({{1, 0}}, {.k = 0}), "v", kManyHits);
  ASSERT_TRUE(topk.Add(Batch(Vectors(Element::kFloat, {{{1, 2}}, std::nullopt}))).ok());
  EXPECT_EQ(topk.report().rows, 2);
  EXPECT_TRUE(topk.Take()[0].empty());
}

TEST(VectorTopK, MoreResultsThanTheBudgetIsAnError) {
  VectorTopK topk(Queries({{1, 0}}, {.radius = 2}), "emb", /*max_hits=*/2);
  const Status status =
      topk.Add(Batch(Vectors(Element::kFloat, std::vector<Row>(3, std::vector<double>{1, 1}))));
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kResourceExhausted);
  EXPECT_THAT(status.message(), HasSubstr("'emb' has more than 2 results"));
}

TEST(VectorTopK, ColumnWithoutVectorsIsRefusedByName) {
  VectorTopK topk(Queries({{1, 0}}, {}), "title", kManyHits);
  const Status status = topk.Add(Batch(Strings({"a"})));
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("column 'title' of type string holds no vectors"));
}

TEST(VectorQuerySet, RefusesQueriesWithoutADistance) {
  const auto refused = [](std::vector<double> values, VectorMetric metric) {
    const auto dim = static_cast<int64_t>(values.size());
    const auto made = VectorQuerySet::Make({std::move(values), dim}, {.metric = metric});
    EXPECT_FALSE(made.ok());
    return made.ok() ? std::string() : made.status().message();
  };
  EXPECT_THAT(refused({1, kNaN}, VectorMetric::kL2), HasSubstr("nan as element 1"));
  EXPECT_THAT(refused({-kInfinity, 1}, VectorMetric::kDot), HasSubstr("-inf as element 0"));
  EXPECT_THAT(refused({0, 0}, VectorMetric::kCosine), HasSubstr("zero vector"));
  EXPECT_THAT(refused({0, 0}, VectorMetric::kDot), HasSubstr("zero vector"));
  EXPECT_THAT(refused({}, VectorMetric::kL2), HasSubstr("0 dimensions"));
  EXPECT_TRUE(VectorQuerySet::Make({{0, 0}, 2}, {.metric = VectorMetric::kL2}).ok());
  EXPECT_FALSE(VectorQuerySet::Make({{0, 0, 1}, 2}, {.metric = VectorMetric::kL2}).ok());
}

// --- Stock Hudi -----------------------------------------------------------------------------

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
TEST(VectorTopK, AgreesWithStockHudi) {
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
TEST(VectorTopK, FindsTheExactNeighboursOfRealEmbeddings) {
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
