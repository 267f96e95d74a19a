// SPDX-License-Identifier: Apache-2.0
// Reads with data skipping give the rows of reads without: random predicates over every golden
// table with a metadata table. FIRTH_RANDOM_PREDICATES asks for more of them, FIRTH_RANDOM_SEED for
// others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "firth/scan.h"
#include "firth/testing/golden.h"
#include "firth/testing/metadata_reads.h"

namespace firth {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

int FromEnvironment(const char* name, int fallback) {
  const char* text = std::getenv(name);
  return text == nullptr ? fallback : std::atoi(text);
}

std::string Quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "''" : std::string(1, c);
  return quoted + "'";
}

// Predicates over the columns of a table, with literals that its rows have and ones beside them.
class PredicateMaker {
 public:
  PredicateMaker(std::shared_ptr<arrow::Table> rows, std::mt19937* random)
      : rows_(std::move(rows)), random_(*random) {
    for (int i = 0; i < rows_->num_columns(); ++i) {
      columns_.push_back(i);
      // Integers, whose statistics are used, as often as all others together.
      const bool integer = arrow::is_signed_integer(rows_->field(i)->type()->id());
      if (integer)
        columns_.insert(columns_.end(), static_cast<size_t>(rows_->num_columns()) / 2, i);
    }
  }

  std::string Make(int depth = 0) {
    const int kind = Pick(depth < 3 ? 7 : 3);
    if (kind == 3) return "(" + Make(depth + 1) + " AND " + Make(depth + 1) + ")";
    if (kind == 4) return "(" + Make(depth + 1) + " OR " + Make(depth + 1) + ")";
    if (kind == 5) return "NOT (" + Make(depth + 1) + ")";
    return Comparison();
  }

 private:
  int Pick(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }

  // A literal of the column's type; "" for types that have none.
  std::string Literal(int column) {
    const auto& chunks = rows_->column(column);
    const auto& type = *chunks->type();
    if (chunks->length() == 0 || arrow::is_nested(type.id())) return "";
    const auto scalar = *chunks->GetScalar(Pick(static_cast<int>(chunks->length())));
    if (!scalar->is_valid) return Pick(8) == 0 ? "NULL" : "";
    if (arrow::is_signed_integer(type.id())) {
      const int64_t value = std::stoll(scalar->ToString());
      return std::to_string(value + (Pick(2) == 0 ? 0 : Pick(5) - 2));
    }
    if (arrow::is_floating(type.id())) return Pick(6) == 0 ? "NaN" : Quoted(scalar->ToString());
    if (type.id() == arrow::Type::BOOL) return scalar->ToString();
    if (arrow::is_decimal(type.id())) return scalar->ToString();
    if (arrow::is_base_binary_like(type.id()) && !arrow::is_string(type.id())) return "X'61'";
    std::string text = scalar->ToString();
    if (arrow::is_string(type.id()) && Pick(3) == 0) text = text.substr(0, text.size() / 2);
    return Quoted(text);
  }

  std::string Comparison() {
    const int column = columns_[static_cast<size_t>(Pick(static_cast<int>(columns_.size())))];
    const std::string name = "\"" + rows_->field(column)->name() + "\"";
    const std::string a = Literal(column), b = Literal(column);
    const int kind = Pick(6);
    if (a.empty() || b.empty() || kind == 0) {
      return name + (Pick(2) == 0 ? " IS NULL" : " IS NOT NULL");
    }
    if (kind == 1) return name + (Pick(3) == 0 ? " NOT" : "") + " IN (" + a + ", " + b + ")";
    if (kind == 2) return name + " BETWEEN " + a + " AND " + b;
    constexpr const char* kOps[] = {" = ", " <> ", " < ", " <= ", " > ", " >= ", " <=> "};
    return name + kOps[Pick(7)] + a;
  }

  std::shared_ptr<arrow::Table> rows_;
  std::vector<int> columns_;  // to pick from
  std::mt19937& random_;
};

// What is read: any kind of query, at any moment.
struct Target {
  Snapshot snapshot;
  ScanOptions options;
};

std::vector<Target> TargetsOf(const Table& table) {
  const Snapshot latest = *table.Pin();
  std::vector<Target> targets = {{latest, {.with_meta = true}},
                                 {latest, {.query = QueryType::kReadOptimized, .with_meta = true}}};
  for (const TimelineEntry& entry : *table.Timeline()) {
    if (entry.state != "completed") continue;
    if (const auto then = table.Pin(entry.requested); then.ok()) {
      targets.push_back({*then, {.with_meta = true}});
    }
    if (table.info().has_meta_fields) {
      targets.push_back(
          {latest,
           {.query = QueryType::kIncremental, .with_meta = true, .begin = entry.completed}});
      targets.push_back({latest,
                         {.query = QueryType::kIncremental,
                          .with_meta = true,
                          .begin = "earliest",
                          .end = entry.completed}});
    }
  }
  return targets;
}

TEST(DataSkipping, SkippingNeverChangesRows) {
  const std::vector<std::string> names = testing::GoldenNamesWithMetadata();
  if (names.empty()) GTEST_SKIP() << "no golden tables in " << testing::GoldenDir();
  const int seed = FromEnvironment("FIRTH_RANDOM_SEED", 4);
  const int wanted = FromEnvironment("FIRTH_RANDOM_PREDICATES", 500);
  RecordProperty("seed", seed);
  std::mt19937 random(static_cast<unsigned>(seed));
  const int each = (wanted + static_cast<int>(names.size()) - 1) / static_cast<int>(names.size());
  int64_t skipped = 0, predicates = 0;
  for (const std::string& name : names) {
    const testing::GoldenTable golden(name);
    const Table table = *Table::Open(golden.root().string());
    const std::vector<Target> targets = TargetsOf(table);
    const auto all = (*targets[0].snapshot.Read(targets[0].options))->ToTable();
    ASSERT_TRUE(all.ok()) << name << ": " << all.status();
    PredicateMaker maker(*all, &random);
    for (int i = 0; i < each; ++i) {
      const Target& target = targets[random() % targets.size()];
      ScanOptions options = target.options;
      options.threads = 1;
      options.where = maker.Make();
      SCOPED_TRACE(fmt::format("{} as of {}: {} (FIRTH_RANDOM_SEED={})", name,
                               target.snapshot.instant(), options.where, seed));
      ScanOptions all_read = options;
      all_read.prune = all_read.use_metadata = false;
      const auto reference = target.snapshot.Plan(all_read);
      // What a cleaner took may lie in partitions that the predicate does not need.
      if (!reference.ok()) continue;
      const auto plan = target.snapshot.Plan(options);
      ASSERT_TRUE(plan.ok()) << plan.status();
      ASSERT_EQ(testing::SortedRows(*plan), testing::SortedRows(*reference));
      ++predicates;
      skipped += plan->Report().slices_pruned;
    }
  }
  EXPECT_GT(predicates, wanted / 2);
  EXPECT_GT(skipped, 0);
  RecordProperty("predicates", static_cast<int>(predicates));
  RecordProperty("slices_skipped", static_cast<int>(skipped));
}

class SkippingTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (testing::GoldenNames().empty()) {
      GTEST_SKIP() << "no golden tables in " << testing::GoldenDir();
    }
    table_ = std::make_unique<testing::GoldenTable>(GetParam());
  }
  ScanReport PlanOf(const std::string& where, bool prune = true, bool use_metadata = true) {
    const Snapshot snapshot = *Table::Open(table_->root().string())->Pin();
    return snapshot.Plan({.where = where, .prune = prune, .use_metadata = use_metadata})->Report();
  }
  std::unique_ptr<testing::GoldenTable> table_;
};

// No row of the table has that value, and the statistics of all of its files say so.
TEST_P(SkippingTest, SlicesThatCannotMatchAreSkippedAndReported) {
  const ScanReport report = PlanOf("qty = 123456");
  EXPECT_GT(report.slices, 0);
  EXPECT_EQ(report.slices_pruned, report.slices);
  EXPECT_THAT(report.notes,
              Contains(HasSubstr(fmt::format(
                  "column statistics of qty: {0} of {0} file slices skipped", report.slices))));
  EXPECT_EQ(PlanOf("qty >= 0").slices_pruned, 0);
  EXPECT_EQ(PlanOf("qty = 123456 OR name = 'x'").slices_pruned, 0);
  EXPECT_EQ(PlanOf("qty = 123456", /*prune=*/false).slices_pruned, 0);
  EXPECT_EQ(PlanOf("qty = 123456", true, /*use_metadata=*/false).slices_pruned, 0);
}

TEST_P(SkippingTest, StatisticsThatAreLostAreNotUsed) {
  std::filesystem::remove_all(table_->root() / ".hoodie/metadata/column_stats");
  const ScanReport report = PlanOf("qty = 123456");
  EXPECT_EQ(report.slices_pruned, 0);
  EXPECT_THAT(report.notes, Contains(HasSubstr("column statistics not used: ")));
}

INSTANTIATE_TEST_SUITE_P(Golden, SkippingTest, ::testing::Values("v9_cow_basic", "v9_mor_mdt_full"),
                         [](const auto& table) { return table.param; });

}  // namespace
}  // namespace firth
