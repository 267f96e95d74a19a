// SPDX-License-Identifier: Apache-2.0
// Vector search over array columns of generated tables, against a brute force of its own.
#include <arrow/array/array_binary.h>
#include <arrow/array/array_primitive.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_nested.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <arrow/util/checked_cast.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "firth/search.h"
#include "firth/table.h"
#include "firth/testing/table_builder.h"

namespace firth {
namespace {

using arrow::internal::checked_cast;
using ::testing::HasSubstr;

constexpr size_t kDim = 6;
using Vector = std::optional<std::vector<double>>;
using Ranked = std::vector<std::pair<double, std::string>>;

std::shared_ptr<arrow::Schema> RowSchema() {
  return arrow::schema({arrow::field("id", arrow::utf8()), arrow::field("part", arrow::utf8()),
                        arrow::field("f", arrow::list(arrow::float32())),
                        arrow::field("d", arrow::list(arrow::float64()))});
}

std::shared_ptr<arrow::RecordBatch> Rows(const std::map<std::string, Vector>& rows) {
  auto* pool = arrow::default_memory_pool();
  arrow::StringBuilder id, part;
  auto floats = std::make_shared<arrow::FloatBuilder>();
  auto doubles = std::make_shared<arrow::DoubleBuilder>();
  arrow::ListBuilder f(pool, floats), d(pool, doubles);
  bool ok = true;
  for (const auto& [key, vector] : rows) {
    ok &= id.Append(key).ok() && part.Append(fmt::format("p{}", key.back() % 3)).ok();
    ok &= f.Append(vector.has_value()).ok() && d.Append(vector.has_value()).ok();
    for (const double v : vector.value_or(std::vector<double>())) {
      ok &= floats->Append(static_cast<float>(v)).ok() && doubles->Append(v).ok();
    }
  }
  EXPECT_TRUE(ok);
  return arrow::RecordBatch::Make(RowSchema(), static_cast<int64_t>(rows.size()),
                                  {id.Finish().ValueOrDie(), part.Finish().ValueOrDie(),
                                   f.Finish().ValueOrDie(), d.Finish().ValueOrDie()});
}

Ranked ResultOf(const arrow::Table& table) {
  const auto batch = table.CombineChunksToBatch().ValueOrDie();
  const auto& ids = checked_cast<const arrow::StringArray&>(*batch->GetColumnByName("id"));
  const auto& distances =
      checked_cast<const arrow::DoubleArray&>(*batch->GetColumnByName("_distance"));
  Ranked ranked;
  for (int64_t i = 0; i < batch->num_rows(); ++i) {
    ranked.emplace_back(distances.Value(i), ids.GetString(i));
  }
  return ranked;
}

class SearchVectorListTest : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    testing::TableSpec spec;
    spec.merge_on_read = GetParam();
    spec.schema = RowSchema();
    spec.partition_field = "part";
    testing::TableBuilder builder(folder_.string(), spec);
    std::mt19937 engine(4);
    std::uniform_int_distribution<int> small(-2, 2);  // many equal distances
    const auto random = [&](size_t dim) {
      std::vector<double> vector(dim);
      for (double& v : vector) v = small(engine) * 0.5;
      return vector;
    };
    for (int i = 0; i < 240; ++i) rows_[fmt::format("k{}", i)] = random(kDim);
    rows_["k7"] = std::nullopt;
    rows_["k8"] = random(kDim + 1);
    rows_["k9"] = std::vector<double>();
    rows_["k10"]->front() = std::numeric_limits<double>::quiet_NaN();
    builder.Insert(*Rows(rows_), /*groups=*/3);
    std::map<std::string, Vector> updates;
    for (int i = 100; i < 130; ++i) updates[fmt::format("k{}", i)] = random(kDim);
    updates["k11"] = std::nullopt;
    builder.Upsert(*Rows(updates));
    for (const auto& [key, vector] : updates) rows_[key] = vector;
    ASSERT_TRUE(builder.status().ok()) << builder.status();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Ranked BruteForceL2(const std::vector<double>& query) const {
    Ranked ranked;
    for (const auto& [key, vector] : rows_) {
      if (!vector || vector->size() != query.size() || std::isnan(vector->front())) continue;
      double sum = 0;
      for (size_t i = 0; i < query.size(); ++i) {
        sum += (query[i] - (*vector)[i]) * (query[i] - (*vector)[i]);
      }
      ranked.emplace_back(std::sqrt(sum), key);
    }
    std::ranges::sort(ranked);
    return ranked;
  }

  Snapshot Pin() const { return Table::Open(folder_.string())->Pin().ValueOrDie(); }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / fmt::format("firth_search_vector_{}", getpid());
  std::map<std::string, Vector> rows_;
};

TEST_P(SearchVectorListTest, EqualsBruteForceWithAnyNumberOfThreads) {
  const VectorQueries query{{0.25, 0.25, -0.5, 0, 1, 0}, kDim};
  Ranked expected = BruteForceL2(query.values);
  expected.resize(60);
  for (const char* column : {"f", "d"}) {
    for (const int threads : {1, 4}) {
      VectorSearchOptions options;
      options.column = column;
      options.metric = VectorMetric::kL2;
      options.k = 60;
      options.columns = {"id"};
      options.threads = threads;
      VectorSearchReport report;
      const auto rows = SearchVector(Pin(), query, options, &report);
      ASSERT_TRUE(rows.ok()) << rows.status();
      EXPECT_EQ(ResultOf(**rows), expected);
      EXPECT_EQ(report.rows, 240);
      EXPECT_EQ(report.null_vectors, 2);
      EXPECT_EQ(report.wrong_length, 2);
      EXPECT_EQ(report.not_finite, 1);
    }
  }
}

TEST_P(SearchVectorListTest, DimensionThatNoRowHasNamesBoth) {
  VectorSearchOptions options;
  options.column = "d";
  const auto rows = SearchVector(Pin(), {{1, 2}, 2}, options);
  EXPECT_EQ(GetErrorCode(rows.status()), ErrorCode::kInvalidArgument);
  EXPECT_THAT(rows.status().message(), HasSubstr("queries have 2 dimensions, the vectors of"));
}

INSTANTIATE_TEST_SUITE_P(Types, SearchVectorListTest, ::testing::Bool(), [](const auto& type) {
  return type.param ? "MergeOnRead" : "CopyOnWrite";
});

}  // namespace
}  // namespace firth
