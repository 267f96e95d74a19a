// SPDX-License-Identifier: Apache-2.0
// Pruning may keep too much and must never drop a row that matches: random filters against rows.
#include "firth/read/prune.h"

#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/compute/api_scalar.h>
#include <arrow/compute/exec.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "firth/common/arrow_init.h"

namespace firth {
namespace {

namespace cp = arrow::compute;

using Values = std::vector<std::optional<double>>;

std::shared_ptr<arrow::Schema> TwoColumns() {
  return arrow::schema({arrow::field("i", arrow::int64()), arrow::field("d", arrow::float64())});
}

std::shared_ptr<arrow::RecordBatch> Rows(const Values& values) {
  arrow::Int64Builder ints;
  arrow::DoubleBuilder doubles;
  for (const auto& value : values) {
    EXPECT_TRUE((value ? doubles.Append(*value) : doubles.AppendNull()).ok());
    EXPECT_TRUE((value && !std::isnan(*value) ? ints.Append(static_cast<int64_t>(*value))
                                              : ints.AppendNull())
                    .ok());
  }
  return arrow::RecordBatch::Make(TwoColumns(), static_cast<int64_t>(values.size()),
                                  {ints.Finish().ValueOrDie(), doubles.Finish().ValueOrDie()});
}

// As Parquet statistics: NaN is in no bound.
ColumnRange Range(const Values& values, bool is_int) {
  ColumnRange range;
  range.rows = static_cast<int64_t>(values.size());
  range.null_count = 0;
  range.has_nan = false;
  std::optional<double> min, max;
  for (const auto& value : values) {
    if (!value || (is_int && std::isnan(*value))) {
      ++range.null_count;
      continue;
    }
    if (std::isnan(*value)) {
      range.has_nan = true;
      continue;
    }
    min = std::min(min.value_or(*value), *value);
    max = std::max(max.value_or(*value), *value);
  }
  if (!min) return range;
  const auto scalar = [&](double v) -> std::shared_ptr<arrow::Scalar> {
    if (is_int) return arrow::MakeScalar(static_cast<int64_t>(v));
    return arrow::MakeScalar(v);
  };
  range.min = scalar(*min);
  range.max = scalar(*max);
  return range;
}

bool AnyMatches(const cp::Expression& bound, const std::shared_ptr<arrow::RecordBatch>& rows) {
  const arrow::Datum mask =
      cp::ExecuteScalarExpression(bound, *rows->schema(), arrow::Datum(rows)).ValueOrDie();
  if (mask.is_scalar()) {
    return mask.scalar()->is_valid && mask.scalar_as<arrow::BooleanScalar>().value;
  }
  return mask.array_as<arrow::BooleanArray>()->true_count() > 0;
}

class RandomFilters {
 public:
  explicit RandomFilters(unsigned seed) : random_(seed) {}

  int Pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

  cp::Expression Leaf() {
    static const char* kOps[] = {"equal",      "not_equal", "less",
                                 "less_equal", "greater",   "greater_equal"};
    const bool is_int = Pick(2) == 0;
    const cp::Expression field = cp::field_ref(is_int ? "i" : "d");
    if (Pick(8) == 0) return cp::is_null(field, Pick(2) == 0);
    if (Pick(8) == 0) return cp::is_valid(field);
    if (Pick(5) == 0) return In(field, is_int);
    if (Pick(10) == 0) return cp::call("is_nan", {cp::field_ref("d")});
    const int number = Pick(9) - 4;
    cp::Expression literal =
        is_int ? cp::literal(int64_t{number}) : cp::literal(number == 4 ? NAN : number * 1.0);
    if (Pick(12) == 0) literal = cp::literal(arrow::MakeNullScalar(arrow::int64()));
    if (Pick(4) == 0) return cp::call(kOps[Pick(6)], {literal, field});
    return cp::call(kOps[Pick(6)], {field, literal});
  }

  cp::Expression In(const cp::Expression& field, bool is_int) {
    arrow::ScalarVector set;
    for (int i = Pick(6); i > 0; --i) {
      const int number = Pick(17) - 8;
      set.push_back(is_int ? arrow::MakeScalar(int64_t{number}) : arrow::MakeScalar(number * 1.0));
    }
    const auto type = is_int ? arrow::int64() : arrow::float64();
    if (Pick(8) == 0) set.push_back(arrow::MakeNullScalar(type));
    return IsIn(field, type, std::move(set)).ValueOrDie();
  }

  cp::Expression Tree(int depth) {
    if (depth == 0) return Leaf();
    switch (Pick(5)) {
      case 0:
        return cp::and_(Tree(depth - 1), Tree(depth - 1));
      case 1:
        return cp::or_(Tree(depth - 1), Tree(depth - 1));
      case 2:
        return cp::not_(Tree(depth - 1));
      default:
        return Leaf();
    }
  }

  Values SomeValues() {
    Values values;
    const int base = Pick(9) - 4;
    for (int i = 0, n = 1 + Pick(4); i < n; ++i) {
      if (Pick(6) == 0) {
        values.emplace_back(std::nullopt);
      } else if (Pick(8) == 0) {
        values.emplace_back(NAN);
      } else if (Pick(8) == 0) {
        values.emplace_back(-0.0);
      } else {
        values.emplace_back(base + Pick(3));
      }
    }
    return values;
  }

 private:
  std::mt19937 random_;
};

TEST(CanMatch, NeverDropsAMatchingRow) {
  ASSERT_TRUE(InitializeArrow().ok());
  RandomFilters random(7);
  int dropped = 0;
  constexpr int kRounds = 4'000;
  for (int round = 0; round < kRounds; ++round) {
    const Values values = random.SomeValues();
    const auto rows = Rows(values);
    const cp::Expression bound = random.Tree(3).Bind(*rows->schema()).ValueOrDie();
    const bool can = CanMatch(bound, [&](const std::string& column) -> std::optional<ColumnRange> {
      return Range(values, column == "i");
    });
    dropped += !can;
    ASSERT_TRUE(can || !AnyMatches(bound, rows)) << bound.ToString() << "\n" << rows->ToString();
  }
  EXPECT_GT(dropped, kRounds / 20);  // it does prune
}

TEST(CanMatch, LargeSetsAreSearchedForAValueInTheRange) {
  arrow::ScalarVector set;
  for (int64_t i = 100'000; i > 0; --i) set.push_back(arrow::MakeScalar(i * 10));
  const cp::Expression filter =
      IsIn(cp::field_ref("i"), arrow::int64(), std::move(set)).ValueOrDie();
  const cp::Expression bound = filter.Bind(*TwoColumns()).ValueOrDie();
  const auto can = [&](int64_t min, int64_t max) {
    return CanMatch(bound, [&](const std::string&) -> std::optional<ColumnRange> {
      return ColumnRange{arrow::MakeScalar(min), arrow::MakeScalar(max), 0, 2};
    });
  };
  EXPECT_TRUE(can(10, 10));
  EXPECT_TRUE(can(1'000'000, 1'000'005));
  EXPECT_TRUE(can(-5, 2'000'000));
  EXPECT_FALSE(can(-5, 9));
  EXPECT_FALSE(can(500'001, 500'009));
  EXPECT_FALSE(can(1'000'001, 2'000'000));
}

// Texts of a few characters, among them those of patterns and beyond ASCII.
TEST(CanMatch, LikeNeverDropsAMatchingRow) {
  ASSERT_TRUE(InitializeArrow().ok());
  std::mt19937 random(5);
  const auto pick = [&](size_t count) { return static_cast<size_t>(random() % count); };
  const std::vector<std::string> alphabet = {
      "a", "b", "%", "_", "\\", "\xC3\xA9", "\xEF\xBD\x9A", "\xF0\x9F\x98\x80"};
  const auto text = [&] {
    std::string made;
    for (size_t i = pick(4); i > 0; --i) made += alphabet[pick(alphabet.size())];
    return made;
  };
  const auto schema = arrow::schema({arrow::field("s", arrow::utf8())});
  int dropped = 0;
  for (int round = 0; round < 3'000; ++round) {
    std::vector<std::string> values;
    for (size_t i = 0; i <= pick(3); ++i) values.push_back(text());
    std::string pattern;
    for (const char c : text()) pattern += (c == '\\' ? "\\" : "") + std::string(1, c);
    if (pick(2) == 0) pattern += '%';
    arrow::StringBuilder builder;
    ASSERT_TRUE(builder.AppendValues(values).ok());
    const auto rows = arrow::RecordBatch::Make(schema, static_cast<int64_t>(values.size()),
                                               {builder.Finish().ValueOrDie()});
    const cp::MatchSubstringOptions options(pattern, /*ignore_case=*/pick(8) == 0);
    const cp::Expression bound =
        cp::call("match_like", {cp::field_ref("s")}, options).Bind(*schema).ValueOrDie();
    const bool can = CanMatch(bound, [&](const std::string&) -> std::optional<ColumnRange> {
      const auto [min, max] = std::ranges::minmax(values);
      return ColumnRange{.min = std::make_shared<arrow::StringScalar>(min),
                         .max = std::make_shared<arrow::StringScalar>(max),
                         .null_count = 0,
                         .rows = rows->num_rows()};
    });
    dropped += !can;
    ASSERT_TRUE(can || !AnyMatches(bound, rows)) << pattern << "\n" << rows->ToString();
  }
  EXPECT_GT(dropped, 500);
}

TEST(CanMatch, UnknownColumnsCanAlwaysMatch) {
  const cp::Expression bound =
      cp::equal(cp::field_ref("i"), cp::literal(int64_t{1})).Bind(*TwoColumns()).ValueOrDie();
  EXPECT_TRUE(CanMatch(bound, [](const std::string&) { return std::nullopt; }));
}

TEST(BoundableColumns, AreThoseComparedThemselves) {
  const auto one = cp::literal(int64_t{1});
  const auto compared = [&](const char* column) { return cp::equal(cp::field_ref(column), one); };
  const cp::Expression filter =
      cp::and_({cp::or_(compared("b"), cp::greater(one, cp::field_ref("a"))), compared("b"),
                cp::equal(cp::call("abs", {cp::field_ref("c")}), one),
                cp::is_null(cp::field_ref("d")), cp::not_(compared("e"))});
  EXPECT_EQ(BoundableColumns(filter), (std::vector<std::string>{"b", "a", "d"}));
  EXPECT_TRUE(BoundableColumns(cp::literal(true)).empty());
}

}  // namespace
}  // namespace firth
