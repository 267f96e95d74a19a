// SPDX-License-Identifier: Apache-2.0
#include "firth/search/text_scan.h"

#include <arrow/array/array_base.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "firth/testing/random_text_query.h"

namespace firth {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ReferenceRow = testing::ReferenceTextSearch::Row;

constexpr int64_t kBudget = int64_t{1} << 20;

Result<std::shared_ptr<const BoundQuery>> Bind(const TextQuery& query) {
  return BoundQuery::Bind(query, [](const std::string& column) -> Result<AnalyzedColumn> {
    return AnalyzedColumn{column, Analyzer::Default()};
  });
}

/// A row of a table of two text columns.
struct TestRow {
  ReferenceRow texts;
  std::string key;
  SliceName slice;
  int64_t row = 0;
  bool selected = true;
};

TextBatch MakeBatch(const BoundQuery& query, const std::vector<TestRow>& rows) {
  TextBatch batch;
  for (const BoundColumn& column : query.columns) {
    arrow::StringBuilder builder;
    for (const TestRow& row : rows) {
      const auto& text = row.texts.at(column.name);
      EXPECT_TRUE((text ? builder.Append(*text) : builder.AppendNull()).ok());
    }
    batch.columns.push_back(*builder.Finish());
  }
  arrow::StringBuilder keys;
  arrow::BooleanBuilder selected;
  for (const TestRow& row : rows) {
    EXPECT_TRUE(keys.Append(row.key).ok());
    EXPECT_TRUE(selected.Append(row.selected).ok());
  }
  batch.keys = *keys.Finish();
  batch.selected = *selected.Finish();
  arrow::Int64Builder numbers;
  for (const TestRow& row : rows) EXPECT_TRUE(numbers.Append(row.row).ok());
  batch.numbers = *numbers.Finish();
  return batch;
}

/// Feeds the rows in batches of one slice, each to one of `passes` by turns.
template <typename Pass>
void Feed(const BoundQuery& query, const std::vector<TestRow>& rows, std::vector<Pass>& passes) {
  size_t turn = 0;
  for (size_t begin = 0; begin < rows.size();) {
    size_t end = begin + 1;
    while (end < rows.size() && end - begin < 4 && rows[end].slice == rows[begin].slice) ++end;
    const std::vector<TestRow> some(rows.begin() + begin, rows.begin() + end);
    ASSERT_TRUE(passes[turn++ % passes.size()].Add(some[0].slice, MakeBatch(query, some)).ok());
    begin = end;
  }
}

TextHits Search(const TextQuery& query, const std::vector<TestRow>& rows, int64_t k, size_t threads,
                int64_t budget) {
  const auto bound = *Bind(query);
  std::vector<TextScan> scans;
  for (size_t i = 0; i < threads; ++i) scans.emplace_back(bound, budget);
  Feed(*bound, rows, scans);
  for (size_t i = 1; i < threads; ++i) scans[0].Merge(std::move(scans[i]));
  if (!scans[0].needs_second_pass()) return scans[0].Rank(k);
  const TextSecondPass::Plan plan(scans[0]);
  std::vector<TextSecondPass> passes;
  for (size_t i = 0; i < threads; ++i) passes.emplace_back(plan, k);
  Feed(*bound, rows, passes);
  for (size_t i = 1; i < threads; ++i) passes[0].Merge(std::move(passes[i]));
  return std::move(passes[0]).Finish();
}

std::vector<TestRow> OneColumn(const std::vector<std::optional<std::string>>& texts) {
  std::vector<TestRow> rows;
  for (const auto& text : texts) {
    const auto n = static_cast<int64_t>(rows.size());
    rows.push_back({{{"c", text}}, "k" + std::to_string(n), {"p", "f"}, n});
  }
  return rows;
}

std::vector<std::string> Keys(const TextHits& hits) {
  std::vector<std::string> keys;
  for (const TextHit& hit : hits.best) keys.push_back(hit.key);
  return keys;
}

// Worked with a calculator from the formula: N = 4 (NULL does not count), T = 7, avgdl = 1.75.
TEST(TextScan, ScoresByExactBm25OfAllRowsWithAValue) {
  const auto rows = OneColumn({"a b", "a a c d", std::nullopt, "x", ""});
  const TextHits hits = Search(*MakeMatchQuery("c", "a", ""), rows, 10, 1, kBudget);
  ASSERT_EQ(Keys(hits), (std::vector<std::string>{"k1", "k0"}));
  // idf = ln(1 + 2.5 / 2.5) = 0.693147; tf parts 2 / (2 + 0.3 + 0.9 * 4 / 1.75), 1 / (1 + 0.3 +
  // ...)
  EXPECT_NEAR(hits.best[0].score, 0.693147 * 2.2 * 2 / (2.3 + 0.9 * 4 / 1.75), 2e-6);
  EXPECT_NEAR(hits.best[1].score, 0.693147 * 2.2 * 1 / (1.3 + 0.9 * 2 / 1.75), 2e-6);
  EXPECT_EQ(hits.total, 2);
}

TEST(TextScan, FiltersApplyBeforeTopKAndNeverToStatistics) {
  auto rows = OneColumn({"a", "a b", "a b c", "d"});
  const TextHits all = Search(*MakeMatchQuery("c", "a", ""), rows, 10, 1, kBudget);
  rows[0].selected = false;
  const TextHits filtered = Search(*MakeMatchQuery("c", "a", ""), rows, 2, 1, kBudget);
  EXPECT_THAT(Keys(filtered), ElementsAre("k1", "k2"));
  EXPECT_EQ(filtered.best[0].score, all.best[1].score);
  EXPECT_EQ(filtered.total, 2);
}

TEST(TextScan, BreaksTiesByKeyBytesThenPartitionThenFileThenPosition) {
  std::vector<TestRow> rows;
  const auto add = [&](std::string key, std::string partition, std::string file, int64_t row) {
    rows.push_back({{{"c", "a"}}, std::move(key), {std::move(partition), std::move(file)}, row});
  };
  add("\xC3\xA9", "p", "f", 7);  // the largest bytes, although é sorts by e in dictionaries
  add("b", "q", "f", 0);
  add("b", "p", "g", 0);
  add("b", "p", "f", 9);
  add("B", "z", "z", 0);
  add("b", "p", "f", 2);
  const TextHits hits = Search(*MakeMatchQuery("c", "a", ""), rows, 5, 3, kBudget);
  std::vector<std::string> order;
  for (const TextHit& hit : hits.best) {
    order.push_back(hit.key + hit.slice.partition + hit.slice.file_id + std::to_string(hit.row));
  }
  EXPECT_THAT(order, ElementsAre("Bzz0", "bpf2", "bpf9", "bpg0", "bqf0"));
  EXPECT_EQ(hits.total, 6);
}

TEST(TextScan, LimitZeroIsEmptyAndStillCounts) {
  const TextHits hits =
      Search(*MakeMatchQuery("c", "a", ""), OneColumn({"a", "b", "a"}), 0, 1, kBudget);
  EXPECT_THAT(hits.best, IsEmpty());
  EXPECT_EQ(hits.total, 2);
}

TEST(TextScan, RankedFuzzyTakesTheMostSimilarTermsOfTheWholeTable) {
  const auto rows = OneColumn({"payment", "paymant", "payments", "paxment", "pamant"});
  const auto query = [](int expansions) {
    return *MakeMatchQuery("c", "payment",
                           "fuzziness=2,max_expansions=" + std::to_string(expansions));
  };
  const TextHits all = Search(query(50), rows, 10, 2, kBudget);
  EXPECT_EQ(all.total, 5);
  EXPECT_FALSE(all.expansions_capped);
  // Similarities: 1, 6/7, 6/7, 6/7, 2/3; ties by the bytes of the term: paxment, paymant, payments.
  const TextHits some = Search(query(3), rows, 10, 2, kBudget);
  EXPECT_THAT(Keys(some), ElementsAre("k0", "k1", "k3"));
  EXPECT_TRUE(some.expansions_capped);
}

TEST(TextScan, InvalidUtf8NamesColumnAndKeyEvenInRowsThatAreFilteredOut) {
  auto rows = OneColumn({"a", "b\xff"});
  rows[1].selected = false;
  const auto bound = *Bind(*MakeMatchQuery("c", "a", ""));
  TextScan scan(bound, kBudget);
  const Status status = scan.Add({"p", "f"}, MakeBatch(*bound, rows));
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kCorrupt);
  EXPECT_THAT(status.message(), ::testing::HasSubstr("FTS_INVALID_UTF8_VALUE"));
  EXPECT_THAT(status.message(), ::testing::HasSubstr("column \"c\" of record \"k1\""));
}

std::vector<TestRow> RandomRows(testing::RandomTextSearch& random) {
  std::vector<TestRow> rows;
  for (int i = 0; i < 40; ++i) {
    TestRow row{random.Row(), "k" + std::to_string(random.Below(12)), {"p", "f"}, i};
    if (random.Below(2) == 0) row.slice = {"p" + std::to_string(random.Below(3)), "f"};
    row.selected = random.Below(5) != 0;
    rows.push_back(std::move(row));
  }
  return rows;
}

/// The answer by definition: score every row, sort all, cut.
TextHits Expected(const TextQuery& query, const std::vector<TestRow>& rows, size_t k) {
  std::vector<ReferenceRow> texts;
  for (const TestRow& row : rows) texts.push_back(row.texts);
  TextHits out;
  for (const auto& [i, score] : testing::ReferenceTextSearch(texts).Scores(query)) {
    const TestRow& row = rows[i];
    if (row.selected) out.best.push_back({score, row.key, row.slice, row.row});
  }
  out.total = static_cast<int64_t>(out.best.size());
  std::ranges::sort(out.best, {}, [](const TextHit& hit) {
    return std::tuple(-hit.score, hit.key, hit.slice.partition, hit.slice.file_id, hit.row);
  });
  if (out.best.size() > k) out.best.resize(k);
  return out;
}

TEST(TextScan, EqualsTheDefinitionToTheBitForAnyThreadsAndBudget) {
  int matched = 0;
  for (uint32_t seed = 0; seed < 100; ++seed) {
    testing::RandomTextSearch random(seed);
    const std::vector<TestRow> rows = RandomRows(random);
    for (int i = 0; i < 4; ++i) {
      const TextQuery query = random.Query(/*ranked=*/true);
      ASSERT_TRUE(CheckRankedTextQuery(query).ok());
      SCOPED_TRACE(::testing::Message() << "seed " << seed << ": " << TextQueryToJson(query));
      const size_t k = 1 + random.Below(12);
      const TextHits expected = Expected(query, rows, k);
      matched += !expected.best.empty();
      const size_t threads = 1 + random.Below(3);
      for (const int64_t budget : {kBudget, int64_t{0}}) {
        const TextHits hits = Search(query, rows, static_cast<int64_t>(k), threads, budget);
        ASSERT_EQ(hits.total, expected.total) << "budget " << budget;
        ASSERT_EQ(hits.best, expected.best) << "budget " << budget;
      }
    }
  }
  EXPECT_GT(matched, 200);  // the generator must not miss the point
}

}  // namespace
}  // namespace firth
