// SPDX-License-Identifier: Apache-2.0
// What the tests of vector search share: arrays of vectors, and the search by brute force.
#pragma once

#include <arrow/array/array_primitive.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_nested.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <ostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "firth/search/vector_topk.h"

namespace firth {

using Element = VectorColumn::Element;
using Row = std::optional<std::vector<double>>;

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr int64_t kManyHits = 1 << 20;

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

inline std::shared_ptr<arrow::Array> Vectors(Element element, const std::vector<Row>& rows,
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

inline std::shared_ptr<arrow::Array> Strings(const std::vector<std::string>& values) {
  arrow::StringBuilder builder;
  EXPECT_TRUE(builder.AppendValues(values).ok());
  return builder.Finish().ValueOrDie();
}

inline std::shared_ptr<arrow::BooleanArray> Booleans(const std::vector<bool>& values) {
  arrow::BooleanBuilder builder;
  EXPECT_TRUE(builder.AppendValues(values).ok());
  return std::static_pointer_cast<arrow::BooleanArray>(builder.Finish().ValueOrDie());
}

inline std::shared_ptr<arrow::Array> Numbers(int64_t first, int64_t count) {
  arrow::Int64Builder builder;
  for (int64_t i = 0; i < count; ++i) EXPECT_TRUE(builder.Append(first + i).ok());
  return builder.Finish().ValueOrDie();
}

inline std::vector<std::string> NumberedKeys(size_t count) {
  std::vector<std::string> keys(count);
  for (size_t i = 0; i < count; ++i) keys[i] = std::to_string(i);
  return keys;
}

inline double Reference(VectorMetric metric, const std::vector<double>& q,
                        const std::vector<double>& x) {
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
inline void PrintTo(const Expected& e, std::ostream* out) { *out << e.key << " at " << e.distance; }

inline std::vector<Expected> BruteForce(VectorMetric metric, const std::vector<double>& query,
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

inline std::vector<Expected> Simple(const std::vector<VectorHit>& hits) {
  std::vector<Expected> simple;
  for (const VectorHit& hit : hits) simple.push_back({hit.distance, hit.key});
  return simple;
}

inline std::shared_ptr<const VectorQuerySet> Queries(std::vector<std::vector<double>> queries,
                                                     VectorQuerySet::Options options) {
  VectorQueries all;
  all.dim = static_cast<int64_t>(queries.front().size());
  for (const auto& q : queries) all.values.insert(all.values.end(), q.begin(), q.end());
  return VectorQuerySet::Make(all, options).ValueOrDie();
}

inline VectorBatch Batch(std::shared_ptr<arrow::Array> vectors) {
  VectorBatch batch;
  batch.keys = Strings(NumberedKeys(vectors->length()));
  batch.vectors = std::move(vectors);
  return batch;
}

inline std::vector<double> RandomVector(std::mt19937& engine, size_t dim, Element element,
                                        bool integers) {
  std::vector<double> values(dim);
  std::normal_distribution<double> normal;
  std::uniform_int_distribution<int> small(-2, 2), bytes(-128, 127);
  for (double& v : values) {
    v = integers ? small(engine) : element == Element::kInt8 ? bytes(engine) : normal(engine);
    if (element == Element::kFloat) v = static_cast<float>(v);
  }
  return values;
}

}  // namespace firth
