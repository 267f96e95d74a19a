// SPDX-License-Identifier: Apache-2.0
#include "firth/index/vector/distance_kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace firth {
namespace {

constexpr size_t kDims[] = {0,  1,  2,  3,  4,  5,  7,  8,   9,   15,  16,  17,  31,  32,
                            33, 47, 48, 49, 63, 64, 65, 100, 127, 128, 129, 383, 384, 385};
constexpr size_t kRowCounts[] = {0, 1, 2, 3, 4, 5, 9};

std::vector<float> RandomFloats(size_t count, uint32_t seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& v : values) v = normal(engine);
  return values;
}

std::vector<float> RandomIntegers(size_t count, uint32_t seed) {
  std::mt19937 engine(seed);
  std::uniform_int_distribution<int> range(-20, 20);
  std::vector<float> values(count);
  for (float& v : values) v = static_cast<float>(range(engine));
  return values;
}

double L2(const float* a, const float* b, size_t dim) {
  double sum = 0;
  for (size_t i = 0; i < dim; ++i) sum += (double{a[i]} - b[i]) * (double{a[i]} - b[i]);
  return sum;
}
double Dot(const float* a, const float* b, size_t dim) {
  double sum = 0;
  for (size_t i = 0; i < dim; ++i) sum += double{a[i]} * b[i];
  return sum;
}
double AbsDot(const float* a, const float* b, size_t dim) {
  double sum = 0;
  for (size_t i = 0; i < dim; ++i) sum += std::abs(double{a[i]} * b[i]);
  return sum;
}

/// The error that the header promises.
double Allowed(double scale, size_t dim) {
  return scale * static_cast<double>(dim + 3) * std::ldexp(1.0, -24);
}

class DistanceKernelsTest : public testing::TestWithParam<DistanceKernels> {};

TEST_P(DistanceKernelsTest, SingleQueryIsWithinTheDocumentedError) {
  const DistanceKernels& kernels = GetParam();
  for (const size_t dim : kDims) {
    for (const size_t rows : kRowCounts) {
      SCOPED_TRACE(testing::Message() << "dim " << dim << " rows " << rows);
      const std::vector<float> query = RandomFloats(dim, 1), data = RandomFloats(rows * dim, 2);
      std::vector<float> l2(rows), dots(rows), norms(rows), only_norms(rows);
      kernels.l2_squared(query.data(), data.data(), rows, dim, l2.data());
      kernels.dot_and_norm(query.data(), data.data(), rows, dim, dots.data(), norms.data());
      kernels.norm_squared(data.data(), rows, dim, only_norms.data());
      for (size_t r = 0; r < rows; ++r) {
        const float* row = data.data() + r * dim;
        const double exact_l2 = L2(query.data(), row, dim), norm = Dot(row, row, dim);
        EXPECT_NEAR(l2[r], exact_l2, Allowed(exact_l2, dim));
        EXPECT_NEAR(dots[r], Dot(query.data(), row, dim),
                    Allowed(AbsDot(query.data(), row, dim), dim));
        EXPECT_NEAR(norms[r], norm, Allowed(norm, dim));
        EXPECT_NEAR(only_norms[r], norm, Allowed(norm, dim));
      }
    }
  }
}

TEST_P(DistanceKernelsTest, QueryBlockIsWithinTheDocumentedError) {
  const DistanceKernels& kernels = GetParam();
  for (const size_t dim : kDims) {
    for (const size_t rows : kRowCounts) {
      SCOPED_TRACE(testing::Message() << "dim " << dim << " rows " << rows);
      const std::vector<float> queries = RandomFloats(kQueryBlock * dim, 3);
      const std::vector<float> data = RandomFloats(rows * dim, 4);
      std::vector<float> l2(kQueryBlock * rows), dots(kQueryBlock * rows);
      kernels.l2_squared_block(queries.data(), data.data(), rows, dim, l2.data());
      kernels.dot_block(queries.data(), data.data(), rows, dim, dots.data());
      for (size_t q = 0; q < kQueryBlock; ++q) {
        for (size_t r = 0; r < rows; ++r) {
          const float* query = queries.data() + q * dim;
          const float* row = data.data() + r * dim;
          const double exact_l2 = L2(query, row, dim);
          EXPECT_NEAR(l2[q * rows + r], exact_l2, Allowed(exact_l2, dim));
          EXPECT_NEAR(dots[q * rows + r], Dot(query, row, dim),
                      Allowed(AbsDot(query, row, dim), dim));
        }
      }
    }
  }
}

// Small integers make every sum exact, so all levels must agree with scalar to the bit.
TEST_P(DistanceKernelsTest, EqualsScalarOnIntegers) {
  const DistanceKernels& kernels = GetParam();
  const DistanceKernels& scalar = AvailableDistanceKernels().front();
  ASSERT_EQ(scalar.level, SimdLevel::kScalar);
  constexpr size_t kRows = 7;
  for (const size_t dim : kDims) {
    SCOPED_TRACE(dim);
    const std::vector<float> queries = RandomIntegers(kQueryBlock * dim, 5);
    const std::vector<float> data = RandomIntegers(kRows * dim, 6);
    std::vector<float> a(kQueryBlock * kRows), b(kQueryBlock * kRows);
    kernels.l2_squared_block(queries.data(), data.data(), kRows, dim, a.data());
    scalar.l2_squared_block(queries.data(), data.data(), kRows, dim, b.data());
    EXPECT_EQ(a, b);
    kernels.dot_block(queries.data(), data.data(), kRows, dim, a.data());
    scalar.dot_block(queries.data(), data.data(), kRows, dim, b.data());
    EXPECT_EQ(a, b);
    kernels.l2_squared(queries.data(), data.data(), kRows, dim, a.data());
    scalar.l2_squared(queries.data(), data.data(), kRows, dim, b.data());
    EXPECT_EQ(a, b);
  }
}

// The scan relies on it: a finite result proves that no element of the row is NaN or infinite.
TEST_P(DistanceKernelsTest, NonFiniteElementGivesNonFiniteResult) {
  const DistanceKernels& kernels = GetParam();
  for (const size_t dim : {size_t{1}, size_t{9}, size_t{33}, size_t{70}}) {
    for (size_t at = 0; at < dim; ++at) {
      for (const float bad :
           {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
            -std::numeric_limits<float>::infinity()}) {
        std::vector<float> row(dim, 0.5f);
        row[at] = bad;
        for (const float q : {0.0f, 1.0f}) {
          const std::vector<float> query(dim, q);
          float l2, dot, norm;
          kernels.l2_squared(query.data(), row.data(), 1, dim, &l2);
          kernels.dot_and_norm(query.data(), row.data(), 1, dim, &dot, &norm);
          EXPECT_FALSE(std::isfinite(l2));
          EXPECT_FALSE(std::isfinite(dot));
          EXPECT_FALSE(std::isfinite(norm));
        }
      }
    }
  }
}

TEST_P(DistanceKernelsTest, AnyAlignmentAndNothingBeyondTheRow) {
  const DistanceKernels& kernels = GetParam();
  constexpr size_t kDim = 19;
  for (size_t shift = 0; shift < 8; ++shift) {
    // Sized to the element, so that a sanitizer sees a read past the end.
    std::vector<float> row(shift + kDim, 2.0f), query(shift + kDim, 1.0f);
    float out;
    kernels.l2_squared(query.data() + shift, row.data() + shift, 1, kDim, &out);
    EXPECT_EQ(out, static_cast<float>(kDim));
  }
}

TEST_P(DistanceKernelsTest, ConversionsRoundToNearest) {
  const DistanceKernels& kernels = GetParam();
  std::vector<int8_t> bytes;
  for (int v = -128; v < 128; ++v) bytes.push_back(static_cast<int8_t>(v));
  std::vector<float> out(bytes.size());
  kernels.floats_from_int8(bytes.data(), bytes.size(), out.data());
  for (size_t i = 0; i < bytes.size(); ++i) EXPECT_EQ(out[i], static_cast<float>(bytes[i]));

  const std::vector<double> doubles = {0.1, -1e300, 1e-300, 16777217.0, -0.0, 3.5, 1.0 / 3};
  kernels.floats_from_double(doubles.data(), doubles.size(), out.data());
  EXPECT_EQ(out[0], 0.1f);
  EXPECT_EQ(out[1], -std::numeric_limits<float>::infinity());
  EXPECT_EQ(out[2], 0.0f);
  EXPECT_EQ(out[3], 16777216.0f);
  EXPECT_TRUE(std::signbit(out[4]));
  EXPECT_EQ(out[6], static_cast<float>(1.0 / 3));
}

INSTANTIATE_TEST_SUITE_P(Levels, DistanceKernelsTest,
                         testing::ValuesIn(AvailableDistanceKernels().begin(),
                                           AvailableDistanceKernels().end()),
                         [](const testing::TestParamInfo<DistanceKernels>& level) {
                           return std::string(SimdLevelName(level.param.level));
                         });

TEST(BestDistanceKernels, IsNotAboveTheAllowedLevel) {
  EXPECT_LE(BestDistanceKernels().level, MaxSimdLevel());
}

}  // namespace
}  // namespace firth
