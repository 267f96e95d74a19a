// SPDX-License-Identifier: Apache-2.0
// Searches of tables whose rows combine columns of several versions, against a full read of them.
// The two passes of a search read different columns: a row must stay the same row.
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_nested.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "firth/index/text/text_query.h"
#include "firth/scan.h"
#include "firth/search.h"
#include "firth/table.h"
#include "firth/testing/json_rows.h"
#include "firth/testing/reference_text_search.h"
#include "firth/testing/table_builder.h"

namespace firth {
namespace {

using nlohmann::json;

constexpr const char* kPayloads = "org.apache.hudi.common.model.";

std::shared_ptr<arrow::Schema> RowSchema() {
  return arrow::schema(
      {arrow::field("id", arrow::utf8()), arrow::field("ts", arrow::int64()),
       arrow::field("body", arrow::utf8()), arrow::field("emb", arrow::list(arrow::float32())),
       arrow::field("price", arrow::int64()), arrow::field("note", arrow::utf8())});
}

/// The key of a row that is written often, with a note so large that its logs outgrow a small
/// budget.
constexpr const char* kLargeKey = "k000";
constexpr size_t kLargeNote = 1'600'000;

/// Rows with those ids and values at random, many of them null: a null keeps the older value.
std::shared_ptr<arrow::RecordBatch> RandomRows(std::mt19937* random,
                                               const std::vector<std::string>& ids, double nulls) {
  constexpr const char* kWords[] = {"alpha", "beta", "gamma", "delta"};
  arrow::StringBuilder id, body, note;
  arrow::Int64Builder ts, price;
  auto elements = std::make_shared<arrow::FloatBuilder>();
  arrow::ListBuilder emb(arrow::default_memory_pool(), elements);
  std::bernoulli_distribution null(nulls);
  std::uniform_int_distribution<int> small(0, 3);
  bool ok = true;
  for (const std::string& key : ids) {
    ok &= id.Append(key).ok() && ts.Append(small(*random)).ok();
    const std::string text = fmt::format("{} {}", kWords[small(*random)], kWords[small(*random)]);
    ok &= (null(*random) ? body.AppendNull() : body.Append(text)).ok();
    const bool has_vector = !null(*random);
    ok &= emb.Append(has_vector).ok();
    for (int i = 0; has_vector && i < 2; ++i) {
      ok &= elements->Append(static_cast<float>(small(*random))).ok();
    }
    ok &= (null(*random) ? price.AppendNull() : price.Append(small(*random))).ok();
    const bool has_note = !null(*random) || key == kLargeKey;
    const std::string text_of_note(key == kLargeKey ? kLargeNote : 600, key.back());
    ok &= (has_note ? note.Append(text_of_note) : note.AppendNull()).ok();
  }
  EXPECT_TRUE(ok);
  return arrow::RecordBatch::Make(
      RowSchema(), static_cast<int64_t>(ids.size()),
      {id.Finish().ValueOrDie(), ts.Finish().ValueOrDie(), body.Finish().ValueOrDie(),
       emb.Finish().ValueOrDie(), price.Finish().ValueOrDie(), note.Finish().ValueOrDie()});
}

/// Some of the keys but for kLargeKey.
std::vector<std::string> RandomIds(std::mt19937* random, double share) {
  std::bernoulli_distribution chosen(share);
  std::vector<std::string> ids;
  for (int i = 1; i < 80; ++i) {
    if (chosen(*random)) ids.push_back(fmt::format("k{:03}", i * 37 % 80));
  }
  return ids;
}

std::vector<json> JsonRows(const arrow::Table& table) {
  std::vector<json> rows;
  testing::AppendJsonRows(*table.CombineChunksToBatch().ValueOrDie(), &rows);
  return rows;
}

struct Combining {
  const char* name;
  std::map<std::string, std::string> properties;
};

/// Threads and memory budget. A small budget spills in the pass over all columns only.
using Effort = std::pair<int, int64_t>;
constexpr int64_t kSmallBudget = int64_t{16} << 20;
constexpr Effort kEfforts[] = {{1, int64_t{1} << 30}, {4, int64_t{1} << 30}, {1024, kSmallBudget}};

class SearchCombiningTest : public ::testing::TestWithParam<std::tuple<Combining, bool>> {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    std::string name = fmt::format("firth-combining-{}-{}", getpid(), test->name());
    std::ranges::replace(name, '/', '-');
    dir_ = std::filesystem::temp_directory_path() / name;
    std::filesystem::remove_all(dir_);
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }

  Snapshot MakeTable(uint32_t seed) {
    testing::TableSpec spec;
    spec.schema = RowSchema();
    spec.ordering_field = "ts";
    spec.seed = seed;
    const auto& [combining, meta] = GetParam();
    spec.properties = combining.properties;
    if (!meta) spec.properties["hoodie.populate.meta.fields"] = "false";
    const std::string path = (dir_ / std::to_string(seed)).string();
    testing::TableBuilder builder(path, spec);
    std::mt19937 random(seed);
    std::vector<std::string> all = {kLargeKey};
    std::ranges::move(RandomIds(&random, 1), std::back_inserter(all));
    const std::vector<std::string> logged(all.end() - 20, all.end());
    all.resize(60);
    builder.Insert(*RandomRows(&random, all, 0.2), 2)
        .Insert(*RandomRows(&random, logged, 0.2), 1,
                /*log_only=*/true);
    for (int round = 0; round < 3; ++round) {
      std::vector<std::string> updated = RandomIds(&random, 0.5);
      updated.push_back(kLargeKey);
      builder.Upsert(*RandomRows(&random, updated, 0.6));
      builder.Delete(RandomIds(&random, 0.03));
    }
    EXPECT_TRUE(builder.status().ok()) << builder.status();
    return Table::Open(path).ValueOrDie().Pin().ValueOrDie();
  }

  static std::vector<json> ReadAll(const Snapshot& snapshot) {
    const auto reader = snapshot.Plan({}).ValueOrDie().ReadAll().ValueOrDie();
    return JsonRows(*reader->ToTable().ValueOrDie());
  }

  std::filesystem::path dir_;
};

/// What a search returned is what the full read says, in the expected order.
void ExpectRows(const arrow::Table& found, const char* rank, const std::vector<json>& expected) {
  const std::vector<json> rows = JsonRows(found);
  ASSERT_EQ(rows.size(), expected.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    json row = rows[i];
    row.erase(rank);
    json wanted = json::object();
    for (const auto& [column, value] : row.items()) wanted[column] = expected[i].at(column);
    EXPECT_EQ(row, wanted) << "rank " << i;
  }
}

TEST_P(SearchCombiningTest, TextFindsTheRowsOfAFullRead) {
  for (const uint32_t seed : {1, 2, 3}) {
    const Snapshot snapshot = MakeTable(seed);
    const std::vector<json> all = ReadAll(snapshot);
    std::vector<testing::ReferenceTextSearch::Row> texts;
    for (const json& row : all) {
      auto& text = texts.emplace_back();
      if (row["body"].is_string()) text["body"] = row["body"].get<std::string>();
    }
    const std::string query = R"({"match":{"column":"body","query":"alpha"}})";
    std::vector<std::tuple<float, std::string, size_t>> ranked;
    for (const auto& [i, score] :
         testing::ReferenceTextSearch(texts).Scores(ParseTextQuery(query).ValueOrDie())) {
      ranked.emplace_back(-score, all[i]["id"].get<std::string>(), i);
    }
    std::ranges::sort(ranked);
    std::vector<json> expected;
    for (const auto& [score, id, i] : ranked) expected.push_back(all[i]);
    ASSERT_GT(expected.size(), 5);
    for (const auto& [threads, budget] : kEfforts) {
      for (const std::vector<std::string>& columns :
           {std::vector<std::string>{}, {"id"}, {"note", "id"}, {"price", "emb"}}) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed << " threads " << threads);
        SearchOptions options;
        options.k = 100;
        options.threads = threads;
        options.memory_budget = budget;
        options.columns = columns;
        TextSearchReport report;
        const auto found = SearchText(snapshot, query, options, &report);
        ASSERT_TRUE(found.ok()) << found.status();
        const bool reads_notes = columns.empty() || columns.front() == "note";
        EXPECT_EQ(report.scan.spilled_bytes > 0, budget == kSmallBudget && reads_notes);
        ExpectRows(**found, "_score", expected);
      }
    }
  }
}

TEST_P(SearchCombiningTest, VectorFindsTheRowsOfAFullRead) {
  for (const uint32_t seed : {1, 2, 3}) {
    const Snapshot snapshot = MakeTable(seed);
    const std::vector<json> all = ReadAll(snapshot);
    std::vector<std::tuple<double, std::string, size_t>> ranked;
    for (size_t i = 0; i < all.size(); ++i) {
      if (all[i]["emb"].is_null()) continue;
      const double x = all[i]["emb"][0], y = all[i]["emb"][1];
      ranked.emplace_back(std::hypot(x - 0.5, y - 3), all[i]["id"].get<std::string>(), i);
    }
    std::ranges::sort(ranked);
    ranked.resize(20);
    std::vector<json> expected;
    for (const auto& [distance, id, i] : ranked) expected.push_back(all[i]);
    for (const auto& [threads, budget] : kEfforts) {
      for (const std::vector<std::string>& columns :
           {std::vector<std::string>{}, {"id"}, {"note", "id"}, {"price", "body"}}) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed << " threads " << threads);
        VectorSearchOptions options;
        options.column = "emb";
        options.metric = VectorMetric::kL2;
        options.k = 20;
        options.threads = threads;
        options.memory_budget = budget;
        options.columns = columns;
        VectorSearchReport report;
        const auto found = SearchVector(snapshot, {{0.5, 3}, 2}, options, &report);
        ASSERT_TRUE(found.ok()) << found.status();
        const bool reads_notes = columns.empty() || columns.front() == "note";
        EXPECT_LE(report.scan.spilled_bytes > 0, budget == kSmallBudget && reads_notes);
        ExpectRows(**found, "_distance", expected);
      }
    }
  }
}

const Combining kCombining[] = {
    {"PartialUpdate",
     {{"hoodie.compaction.payload.class", std::string(kPayloads) + "PartialUpdateAvroPayload"}}},
    {"OverwriteNonDefaults",
     {{"hoodie.compaction.payload.class",
       std::string(kPayloads) + "OverwriteNonDefaultsWithLatestAvroPayload"}}},
    {"IgnoreDefaults", {{"hoodie.table.partial.update.mode", "IGNORE_DEFAULTS"}}},
    {"WholeRows", {}}};

INSTANTIATE_TEST_SUITE_P(Merges, SearchCombiningTest,
                         ::testing::Combine(::testing::ValuesIn(kCombining), ::testing::Bool()),
                         [](const auto& parameters) {
                           return std::string(std::get<0>(parameters.param).name) +
                                  (std::get<1>(parameters.param) ? "" : "WithVirtualKeys");
                         });

}  // namespace
}  // namespace firth
