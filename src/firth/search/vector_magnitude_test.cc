// SPDX-License-Identifier: Apache-2.0
// Vectors of any finite size, against a brute force in long double, whose range is larger.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "firth/search/vector_test_util.h"

namespace firth {
namespace {

using testing::HasSubstr;

constexpr size_t kDim = 7;
static_assert(std::numeric_limits<long double>::max_exponent > 4 * 1024);

long double WideDistance(VectorMetric metric, const std::vector<double>& query,
                         const std::vector<double>& row) {
  long double dot = 0, qq = 0, xx = 0, l2 = 0;
  for (size_t i = 0; i < query.size(); ++i) {
    const long double q = query[i], x = row[i];
    dot += q * x;
    qq += q * q;
    xx += x * x;
    l2 += (q - x) * (q - x);
  }
  if (metric == VectorMetric::kL2) return std::sqrt(l2);
  if (metric == VectorMetric::kDot) return -dot;
  return xx == 0 ? 1 : 1 - dot / (std::sqrt(qq) * std::sqrt(xx));
}

/// The k nearest, with distances as far apart as rounding in double precision could move them.
std::vector<std::pair<long double, std::string>> WideBruteForce(VectorMetric metric,
                                                                const std::vector<double>& query,
                                                                const std::vector<Row>& rows,
                                                                size_t k) {
  std::vector<std::pair<long double, std::string>> all;
  for (size_t r = 0; r < rows.size(); ++r) {
    all.emplace_back(WideDistance(metric, query, *rows[r]), std::to_string(r));
  }
  std::ranges::sort(all);
  all.resize(k);
  return all;
}

std::vector<double> VectorOfSize(std::mt19937& engine, Element element, double size) {
  std::vector<double> values = RandomVector(engine, kDim, Element::kDouble, false);
  for (double& v : values) {
    v *= size;
    if (element == Element::kFloat) v = static_cast<float>(v);
  }
  return values;
}

class VectorMagnitudeTest : public testing::TestWithParam<std::pair<VectorMetric, Element>> {
 protected:
  void ExpectNearest(const std::vector<std::vector<double>>& queries, const std::vector<Row>& rows,
                     size_t k) const {
    const auto [metric, element] = GetParam();
    for (const DistanceKernels& kernels : AvailableDistanceKernels()) {
      VectorTopK topk(Queries(queries, {.metric = metric, .k = static_cast<int64_t>(k)}), "v",
                      kManyHits, kernels);
      const Status status = topk.Add(Batch(Vectors(element, rows)));
      ASSERT_TRUE(status.ok()) << status;
      const auto results = topk.Take();
      for (size_t q = 0; q < queries.size(); ++q) {
        const auto expected = WideBruteForce(metric, queries[q], rows, k);
        ASSERT_EQ(results[q].size(), k);
        for (size_t i = 0; i < k; ++i) {
          const long double distance = expected[i].first;
          EXPECT_EQ(results[q][i].key, expected[i].second) << "query " << q << " rank " << i;
          const long double tolerance =
              metric == VectorMetric::kCosine ? 2e-15L : std::abs(distance) * 1e-13L;
          EXPECT_LE(std::abs(results[q][i].distance - distance), tolerance)
              << "query " << q << " rank " << i;
        }
      }
    }
  }
};

TEST_P(VectorMagnitudeTest, QueriesOfAnySizeFindTheNearestRows) {
  std::mt19937 engine(23);
  const Element element = GetParam().second;
  std::vector<Row> rows;
  for (int r = 0; r < 200; ++r) rows.push_back(VectorOfSize(engine, element, 1));
  for (const double size : {1e-300, 1e-200, 1e-150, 1e-40, 1.0, 1e40, 1e155, 1e200, 1e300}) {
    SCOPED_TRACE(testing::Message() << size);
    // From far away all rows are at the same distance under l2.
    const bool far = GetParam().first == VectorMetric::kL2 && size > 1;
    std::vector<std::vector<double>> queries;
    for (int q = 0; q < 5; ++q) queries.push_back(VectorOfSize(engine, Element::kDouble, size));
    if (far) continue;
    ExpectNearest({queries[0]}, rows, 10);
    ExpectNearest(queries, rows, 10);
  }
}

TEST_P(VectorMagnitudeTest, StoredVectorsOfAnySizeAreRankedByTheirDistance) {
  const auto [metric, element] = GetParam();
  std::mt19937 engine(29);
  std::vector<double> sizes = {1e-40, 1e-30, 1e-10, 1, 1e10, 1e30, 1e37};
  if (element == Element::kDouble) {
    sizes.insert(sizes.end(), {1e-300, 1e-200, 1e-150, 1e-100, 1e100, 1e150, 1e200, 1e300});
  }
  std::vector<Row> rows;
  for (const double size : sizes) {
    for (int r = 0; r < 8; ++r) rows.push_back(VectorOfSize(engine, element, size));
  }
  const std::vector<double> query = VectorOfSize(engine, Element::kDouble, 1);
  // Rows much smaller than the query are at the same distance under l2; under dot those of a size
  // are alike on both sides of zero.
  ExpectNearest({query}, rows, metric == VectorMetric::kL2 ? 1 : 20);
  if (metric == VectorMetric::kDot) return;
  if (metric == VectorMetric::kL2) {
    const std::vector<double> none(kDim, 0.0);
    ExpectNearest({none}, rows, rows.size());
    return;
  }
  for (const double size : {1e-300, 1e-200, 1e200, 1e300}) {
    ExpectNearest({VectorOfSize(engine, Element::kDouble, size)}, rows, 40);
  }
}

INSTANTIATE_TEST_SUITE_P(Metrics, VectorMagnitudeTest,
                         testing::Values(std::pair(VectorMetric::kCosine, Element::kFloat),
                                         std::pair(VectorMetric::kCosine, Element::kDouble),
                                         std::pair(VectorMetric::kL2, Element::kFloat),
                                         std::pair(VectorMetric::kL2, Element::kDouble),
                                         std::pair(VectorMetric::kDot, Element::kFloat),
                                         std::pair(VectorMetric::kDot, Element::kDouble)),
                         [](const auto& parameters) {
                           const VectorMetric metric = parameters.param.first;
                           return std::string(metric == VectorMetric::kCosine ? "cosine"
                                              : metric == VectorMetric::kL2   ? "l2"
                                                                              : "dot") +
                                  (parameters.param.second == Element::kFloat ? "_float"
                                                                              : "_double");
                         });

TEST(VectorMagnitude, L2OfNearlyEqualTinyVectorsIsNotZero) {
  VectorTopK topk(Queries({{1, 0x1p-700}}, {.metric = VectorMetric::kL2}), "v", kManyHits);
  ASSERT_TRUE(topk.Add(Batch(Vectors(Element::kDouble, {{{1, 0x1p-698}}, {{1, 0x1p-700}}}))).ok());
  EXPECT_EQ(Simple(topk.Take()[0]), (std::vector<Expected>{{0, "1"}, {0x3p-700, "0"}}));
}

TEST(VectorMagnitude, PartialSumsMayLeaveTheRangeWhereTheDotProductDoesNot) {
  VectorTopK topk(Queries({{1e300, 1e300, 1}}, {.metric = VectorMetric::kDot}), "v", kManyHits);
  ASSERT_TRUE(topk.Add(Batch(Vectors(Element::kDouble, {{{1e10, -1e10, 3}}}))).ok());
  EXPECT_EQ(Simple(topk.Take()[0]), (std::vector<Expected>{{-3, "0"}}));
}

TEST(VectorMagnitude, DistanceThatNoDoubleHoldsIsAnError) {
  const auto refused = [](VectorMetric metric, double query, double row) {
    for (const int64_t k : {1, 5}) {
      VectorTopK topk(Queries({{query, 0}}, {.metric = metric, .k = k}), "emb", kManyHits);
      const Status status =
          topk.Add(Batch(Vectors(Element::kDouble, {{{1, 1}}, {{row, 1}}, {{0, 0}}})));
      EXPECT_EQ(GetErrorCode(status), ErrorCode::kInvalidArgument);
      EXPECT_THAT(status.message(), HasSubstr("distance of query 0 from the vector of record '1' "
                                              "in column 'emb'"));
    }
  };
  refused(VectorMetric::kL2, 1.7e308, -1.7e308);
  refused(VectorMetric::kDot, 1e200, 1e200);
}

TEST(VectorMagnitude, DotProductBelowTheRangeIsAnError) {
  VectorTopK topk(Queries({{1e-200, 0}}, {.metric = VectorMetric::kDot}), "emb", kManyHits);
  const Status status = topk.Add(Batch(Vectors(Element::kDouble, {{{1e-200, 0}}})));
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("a query of another length ranks the same"));
}

}  // namespace
}  // namespace firth
