// SPDX-License-Identifier: Apache-2.0
// Generated vectors against brute force; vector_queries_test.cc has answers of other programs.
#include "firth/search/vector_topk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "firth/search/vector_test_util.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr VectorMetric kMetrics[] = {VectorMetric::kCosine, VectorMetric::kL2, VectorMetric::kDot};

class VectorTopKTest : public testing::TestWithParam<std::tuple<DistanceKernels, Element>> {
 protected:
  const DistanceKernels& kernels() const { return std::get<0>(GetParam()); }
  Element element() const { return std::get<1>(GetParam()); }
};

// int8 vectors have neither tiny nor huge differences.
class FloatingVectorTopKTest : public VectorTopKTest {};

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
TEST_P(FloatingVectorTopKTest, OrderIsThatOfDoubleDistancesWhenFloatCannotTell) {
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

TEST_P(FloatingVectorTopKTest, ValuesAtTheEndsOfTheFloatRange) {
  std::vector<double> sizes = {1e-38, 1e-30, 1e-20, 1e-15, 1, 1e15, 1e19, 1e20, 3e38};
  if (element() == Element::kDouble) sizes.insert(sizes.end(), {1e-100, 1e39, 1e150});
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

std::string ParameterName(const testing::TestParamInfo<VectorTopKTest::ParamType>& parameters) {
  const auto& [kernels, element] = parameters.param;
  return std::string(SimdLevelName(kernels.level)) + "_" + ElementName(element);
}

const auto kKernels =
    testing::ValuesIn(AvailableDistanceKernels().begin(), AvailableDistanceKernels().end());
INSTANTIATE_TEST_SUITE_P(
    Levels, VectorTopKTest,
    testing::Combine(kKernels, testing::Values(Element::kFloat, Element::kDouble, Element::kInt8)),
    ParameterName);
INSTANTIATE_TEST_SUITE_P(Levels, FloatingVectorTopKTest,
                         testing::Combine(kKernels,
                                          testing::Values(Element::kFloat, Element::kDouble)),
                         ParameterName);

TEST(VectorTopK, TiesAreOrderedByKeyBytesThenSliceThenRowNumber) {
  VectorTopK topk(Queries({{0, 0}}, {.metric = VectorMetric::kL2, .k = 6}), "v", kManyHits);
  for (const int64_t slice : {1, 0}) {  // whatever order they are read in
    VectorBatch batch;
    batch.vectors = Vectors(Element::kFloat, std::vector<Row>(3, std::vector<double>{1, 2}));
    batch.keys = slice == 1 ? Strings({"b", "a\xC3\xA9", "a"}) : Strings({"b", "a", "a"});
    batch.slice = slice;
    batch.numbers = Numbers(10, 3);
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
    part.numbers = Numbers(at, part.keys->length());
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

}  // namespace
}  // namespace firth
