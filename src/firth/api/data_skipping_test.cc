// SPDX-License-Identifier: Apache-2.0
// Reads with data skipping give the rows of reads without: random predicates over every golden
// table with a metadata table. FIRTH_RANDOM_PREDICATES asks for more of them, FIRTH_RANDOM_SEED for
// others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "firth/index.h"
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

// Types whose statistics are used.
bool HasUsedStatistics(const arrow::DataType& type) {
  return arrow::is_signed_integer(type.id()) || arrow::is_floating(type.id()) ||
         arrow::is_decimal(type.id()) || arrow::is_string(type.id()) ||
         type.id() == arrow::Type::DATE32 || type.id() == arrow::Type::TIMESTAMP ||
         type.id() == arrow::Type::BOOL;
}

// Predicates over the columns of a table, with literals that its rows have and ones beside them.
class PredicateMaker {
 public:
  /// @param indexed columns that are asked for more often, if the table has them
  PredicateMaker(std::shared_ptr<arrow::Table> rows, const std::set<std::string>& indexed,
                 std::mt19937* random)
      : rows_(std::move(rows)), random_(*random) {
    for (int i = 0; i < rows_->num_columns(); ++i) {
      columns_.push_back(i);
      if (HasUsedStatistics(*rows_->field(i)->type())) columns_.insert(columns_.end(), 3, i);
      if (indexed.contains(rows_->field(i)->name())) columns_.insert(columns_.end(), 6, i);
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

  // A scalar's number, now and then one beside it.
  std::shared_ptr<arrow::Scalar> Beside(const std::shared_ptr<arrow::Scalar>& scalar) {
    if (Pick(2) == 0) return scalar;
    const auto number =
        scalar->CastTo(scalar->type->bit_width() == 32 ? arrow::int32() : arrow::int64());
    const int64_t value = number.ok() ? std::stoll((*number)->ToString()) : 0;
    const int64_t step = Pick(4) == 0 ? 1000 : 1;
    const auto moved = arrow::MakeScalar(value + (Pick(5) - 2) * step);
    const auto narrow = moved->CastTo((*number)->type);
    return narrow.ok() ? *(*narrow)->CastTo(scalar->type) : scalar;
  }

  // A text, what it begins with, or one beside it: characters from U+E000 on and those beyond
  // U+FFFF change places in UTF-16.
  std::string Text(std::string text) {
    if (Pick(3) == 0) {
      size_t end = static_cast<size_t>(Pick(static_cast<int>(text.size()) + 1));
      while (end > 0 && end < text.size() && (text[end] & 0xC0) == 0x80) --end;
      text.resize(end);
    }
    constexpr const char* kEnds[] = {" ",      "~",      "\u00e9",    "\ud7ff",
                                     "\ue000", "\uff5a", "\U0001f600"};
    if (Pick(4) == 0) text += kEnds[Pick(7)];
    if (Pick(12) == 0) text += std::string(5000, 'z');
    return Quoted(text);
  }

  // A literal of the column's type; "" for types that have none.
  std::string Literal(int column) {
    const auto& chunks = rows_->column(column);
    const auto& type = *chunks->type();
    if (chunks->length() == 0 || arrow::is_nested(type.id())) return "";
    const auto scalar = *chunks->GetScalar(Pick(static_cast<int>(chunks->length())));
    if (!scalar->is_valid) return Pick(8) == 0 ? "NULL" : "";
    if (arrow::is_signed_integer(type.id())) return Beside(scalar)->ToString();
    if (type.id() == arrow::Type::DATE32 || type.id() == arrow::Type::TIMESTAMP) {
      return Quoted(Beside(scalar)->ToString());
    }
    if (arrow::is_floating(type.id())) return Pick(6) == 0 ? "NaN" : Quoted(scalar->ToString());
    if (type.id() == arrow::Type::BOOL) return scalar->ToString();
    if (arrow::is_decimal(type.id())) return scalar->ToString() + (Pick(4) == 0 ? "01" : "");
    if (arrow::is_string(type.id())) return Text(scalar->ToString());
    if (arrow::is_base_binary_like(type.id())) return "X'61'";
    return Quoted(scalar->ToString());
  }

  // What begins with a literal, has it inside or ends with it; now and then with its %, _ and
  // backslashes as they are.
  std::string Pattern(const std::string& literal) {
    std::string pattern = Pick(3) == 0 ? "'%" : "'";
    const bool escaped = Pick(4) != 0;
    for (const char c : literal.substr(1, literal.size() - 2)) {
      if (escaped && (c == '\\' || c == '%' || c == '_')) pattern += '\\';
      pattern += c;
    }
    return pattern + (Pick(4) == 0 ? "'" : "%'");
  }

  std::string In(const std::string& name, int column) {
    std::string list;
    for (int i = Pick(Pick(8) == 0 ? 200 : 5); i >= 0; --i) {
      const std::string literal = Literal(column);
      if (!literal.empty()) list += (list.empty() ? "" : ", ") + literal;
    }
    if (list.empty()) return name + " IS NULL";
    return name + (Pick(3) == 0 ? " NOT" : "") + " IN (" + list + ")";
  }

  std::string Comparison() {
    const int column = columns_[static_cast<size_t>(Pick(static_cast<int>(columns_.size())))];
    const std::string name = "\"" + rows_->field(column)->name() + "\"";
    const std::string a = Literal(column), b = Literal(column);
    const int kind = Pick(7);
    if (a.empty() || b.empty() || kind == 0) {
      return name + (Pick(2) == 0 ? " IS NULL" : " IS NOT NULL");
    }
    if (kind == 1) return In(name, column);
    if (kind == 2) return name + (Pick(3) == 0 ? " NOT" : "") + " BETWEEN " + a + " AND " + b;
    if (kind == 3 && arrow::is_string(rows_->field(column)->type()->id())) {
      return name + (Pick(3) == 0 ? " NOT" : "") + " LIKE " + Pattern(a);
    }
    constexpr const char* kOps[] = {
        " = ", " <> ", " < ", " <= ", " > ", " >= ", " <=> ", " IS DISTINCT FROM "};
    return name + kOps[Pick(8)] + a;
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

// Columns that indexes of keys are of.
std::set<std::string> IndexedColumns(const Table& table) {
  std::set<std::string> columns = {"_hoodie_record_key"};
  const TableInfo info = table.info();
  columns.insert(info.record_key_fields.begin(), info.record_key_fields.end());
  const auto indexes = ListIndexes(*table.Pin());
  if (!indexes.ok()) return columns;
  for (const IndexInfo& index : *indexes) {
    if (index.type == "secondary_index") columns.insert(index.columns.begin(), index.columns.end());
  }
  return columns;
}

bool HasUniqueKeys(const arrow::Table& rows) {
  const auto keys = rows.GetColumnByName("_hoodie_record_key");
  std::set<std::string> seen;
  for (int64_t i = 0; keys != nullptr && i < keys->length(); ++i) {
    if (!seen.insert((*keys->GetScalar(i))->ToString()).second) return false;
  }
  return keys != nullptr;
}

struct Comparison {
  int64_t predicates = 0;
  int64_t skipped = 0;          // slices
  int64_t by_record_index = 0;  // plans for which it skipped some
};

void Add(const ScanReport& report, Comparison* result) {
  ++result->predicates;
  result->skipped += report.slices_pruned;
  result->by_record_index += std::ranges::count_if(report.notes, [](const std::string& note) {
    return note.starts_with("record index: ") && !note.starts_with("record index: 0 ");
  });
}

// Reads with random predicates with and without skipping; fails at the first difference.
void CompareSkipping(const Table& table, int predicates, std::mt19937* random,
                     const std::string& name, Comparison* result) {
  const std::vector<Target> targets = TargetsOf(table);
  const auto all = (*targets[0].snapshot.Read(targets[0].options))->ToTable();
  EXPECT_TRUE(all.ok()) << name << ": " << all.status();
  PredicateMaker maker(*all, IndexedColumns(table), random);
  const bool unique_keys = HasUniqueKeys(**all);
  for (int i = 0; i < predicates; ++i) {
    const Target& target = targets[(*random)() % targets.size()];
    ScanOptions options = target.options;
    options.threads = 1;
    options.where = maker.Make();
    options.unique_keys = unique_keys && (*random)() % 2 == 0;
    ScanOptions all_read = options;
    all_read.prune = all_read.use_metadata = false;
    const auto reference = target.snapshot.Plan(all_read);
    // What a cleaner took may lie in partitions that the predicate does not need.
    if (!reference.ok()) continue;
    const auto plan = target.snapshot.Plan(options);
    if (!plan.ok() || testing::SortedRows(*plan) != testing::SortedRows(*reference)) {
      ADD_FAILURE() << name << " as of " << target.snapshot.instant() << ": " << options.where
                    << ": " << plan.status();
      return;
    }
    Add(plan->Report(), result);
  }
}

TEST(DataSkipping, SkippingNeverChangesRows) {
  const std::vector<std::string> names = testing::GoldenNamesWithMetadata();
  if (names.empty()) GTEST_SKIP() << "no golden tables in " << testing::GoldenDir();
  const int seed = FromEnvironment("FIRTH_RANDOM_SEED", 4);
  const int wanted = FromEnvironment("FIRTH_RANDOM_PREDICATES", 500);
  RecordProperty("seed", seed);
  std::mt19937 random(static_cast<unsigned>(seed));
  const int each = (wanted + static_cast<int>(names.size()) - 1) / static_cast<int>(names.size());
  Comparison result;
  for (const std::string& name : names) {
    const testing::GoldenTable golden(name);
    CompareSkipping(*Table::Open(golden.root().string()), each, &random, name, &result);
    ASSERT_FALSE(HasFailure()) << "FIRTH_RANDOM_SEED=" << seed;
  }
  EXPECT_GT(result.predicates, wanted / 2);
  EXPECT_GT(result.skipped, 0);
  RecordProperty("predicates", static_cast<int>(result.predicates));
  RecordProperty("slices_skipped", static_cast<int>(result.skipped));
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
  EXPECT_EQ(PlanOf("qty = 123456 OR _hoodie_commit_seqno = 'x'").slices_pruned, 0);
  EXPECT_EQ(PlanOf("qty = 123456", /*prune=*/false).slices_pruned, 0);
  EXPECT_EQ(PlanOf("qty = 123456", true, /*use_metadata=*/false).slices_pruned, 0);
}

TEST_P(SkippingTest, StatisticsThatAreLostAreNotUsed) {
  std::filesystem::remove_all(table_->root() / ".hoodie/metadata/column_stats");
  const ScanReport report = PlanOf("qty = 123456");
  EXPECT_EQ(report.slices_pruned, 0);
  EXPECT_THAT(report.notes, Contains(HasSubstr("column statistics not used: ")));
}

// In version 6 log files grow, and their statistics may be of what they were.
TEST(DataSkipping, SlicesWithLogsOfVersion6AreAlwaysReadAndReported) {
  if (testing::GoldenNames().empty()) {
    GTEST_SKIP() << "no golden tables in " << testing::GoldenDir();
  }
  const testing::GoldenTable golden("v6_mor_mdt_full");
  const Snapshot snapshot = *Table::Open(golden.root().string())->Pin();
  const ScanReport report = snapshot.Plan({.where = "qty = 123456"})->Report();
  EXPECT_EQ(report.slices_pruned, 0);
  EXPECT_THAT(report.notes,
              Contains("column statistics not used: those of log files may not hold"));
}

INSTANTIATE_TEST_SUITE_P(Golden, SkippingTest, ::testing::Values("v9_cow_basic", "v9_mor_mdt_full"),
                         [](const auto& table) { return table.param; });

// Tables of the repository, unpacked.
class TablesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / fmt::format("firth_skipping_{}", getpid());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Table Unpack(const std::string& zip, const std::string& name) const {
    const std::string command =
        fmt::format("unzip -qq -o '{}/{}.zip' -d '{}'", FIRTH_TEST_DATA_DIR, zip, folder_.string());
    EXPECT_EQ(std::system(command.c_str()), 0);
    return *Table::Open((folder_ / name).string());
  }

  std::filesystem::path folder_;
};

TEST_F(TablesTest, SkippingByKeysNeverChangesRows) {
  const int seed = FromEnvironment("FIRTH_RANDOM_SEED", 4);
  std::mt19937 random(static_cast<unsigned>(seed));
  const int each = FromEnvironment("FIRTH_RANDOM_PREDICATES", 500) / 4;
  for (const std::string name : {"v9_cow_expr_index", "v9_cow_record_index_changes",
                                 "v9_cow_record_index_twice", "v9_mor_partitioned_rli"}) {
    const bool partitioned = name == "v9_mor_partitioned_rli";
    Comparison result;
    CompareSkipping(
        Unpack(partitioned ? "metadata/partitioned_record_index" : "tables/" + name, name), each,
        &random, name, &result);
    ASSERT_FALSE(HasFailure()) << "FIRTH_RANDOM_SEED=" << seed;
    EXPECT_TRUE(result.by_record_index > 0 || partitioned) << name;
  }
}

// Tables of the repository with statistics of many kinds, in files of either writer and in logs.
// What each predicate rules out was worked out from the rows that were written.
class StatsTablesTest : public TablesTest {
 protected:
  void SetUp() override {
    TablesTest::SetUp();
    for (const std::string name :
         {"v9_mor_stats_types", "v9_mor_stats_text", "v8_mor_stats_text"}) {
      Unpack("tables/" + name, name);
    }
  }

  Table Open(const std::string& name) const { return *Table::Open((folder_ / name).string()); }

  ScanReport PlanOf(const std::string& where, QueryType query = QueryType::kSnapshot,
                    const std::string& name = "v9_mor_stats_types") const {
    const Snapshot snapshot = *Open(name).Pin();
    const auto plan = snapshot.Plan({.query = query, .where = where});
    EXPECT_TRUE(plan.ok()) << plan.status();
    return plan->Report();
  }
};

TEST_F(StatsTablesTest, EachTypeIsUsedAsFarAsItIsSafe) {
  struct Case {
    const char* where;
    int skipped;  // of five slices
  };
  for (const Case& test : {
           Case{"day > '2090-01-01'", 3},  // of one file all dates are null, or were not recorded
           Case{"day < '1901-01-01' AND ts > 0", 3},
           Case{"at > '2090-01-01'", 4},
           Case{"at < '1930-12-31'", 5},
           Case{"wall >= '2044-12-31'", 4},
           Case{"d5 > 99", 3},
           Case{"d18 > 13000.5", 4},
           Case{"d18 BETWEEN 14000.1255 AND 14000.1255", 4},
           Case{"d38 > 100000000000000", 2},
           Case{"d20 < 0", 5},
           Case{"ok = true", 1},
           Case{"id IN (2, 21, 100)", 3},
           Case{"s > 'zzz'", 4},  // of one file all texts begin beyond ASCII
           Case{"f64 > 100", 3},
       }) {
    EXPECT_EQ(PlanOf(test.where).slices_pruned, test.skipped) << test.where;
  }
}

// Partitions: p0 has long texts and NaN in its second row group, p1 an emoji in the first and
// U+FF5A in the second, p2 an empty text and logs with either kind of character, p3 nulls and
// zeros, p4 characters beyond ASCII and a log of nulls, p5 texts that begin with an emoji.
TEST_F(StatsTablesTest, TextsAndFloatsAreUsedAsFarAsTheyAreSafe) {
  struct Case {
    const char* where;
    int skipped_v9, skipped_v8;  // of six slices
  };
  for (const Case& test : {
           Case{"s > 'zz'", 2, 2},
           Case{"s = 'alpha'", 1, 1},
           Case{"s LIKE 'nov%'", 2, 2},
           Case{"s >= 'mike\U0001f600' AND s < 'mikf'", 1, 1},
           Case{"s >= 'lima\U0001f600' AND s < 'lime'", 1, 1},
           Case{"s > '\u4e2d\u6587-9'", 3, 2},  // V8: p4's log may have values
           Case{"s IS NULL", 1, 1},
           Case{"d > 0", 1, 1},
           Case{"d < 0", 3, 3},
           Case{"d = 'NaN'", 4, 4},
           Case{"d BETWEEN 702.25 AND 702.75", 2, 2},
           Case{"f > 200", 3, 3},
           Case{"at < '1959-01-01'", 6, 5},  // V8: p1's microseconds could be milliseconds
           Case{"at > '2100-01-01'", 6, 1},
           Case{"_hoodie_record_key = '250'", 4, 4},
           Case{"_hoodie_commit_time > '2099'", 6, 6},
       }) {
    const auto skipped = [&](const char* name) {
      return PlanOf(test.where, QueryType::kSnapshot, name).slices_pruned;
    };
    EXPECT_EQ(skipped("v9_mor_stats_text"), test.skipped_v9) << test.where;
    EXPECT_EQ(skipped("v8_mor_stats_text"), test.skipped_v8) << test.where;
  }
}

TEST_F(StatsTablesTest, PartitionColumnsAreNotAskedFor) {
  const ScanReport report =
      PlanOf("part = 'p1' AND s IS NOT NULL", QueryType::kSnapshot, "v9_mor_stats_text");
  EXPECT_EQ(report.partitions_pruned, 5);
  EXPECT_THAT(report.notes, Contains("column statistics of s: 0 of 1 file slices skipped"));
}

// '1x' lies between keys of three slices.
TEST_F(StatsTablesTest, BloomFiltersRuleOutKeysOfSlicesWithoutLogs) {
  constexpr auto kBaseFiles = QueryType::kReadOptimized;
  const ScanReport report = PlanOf("_hoodie_record_key = '1x'", kBaseFiles);
  EXPECT_EQ(report.slices_pruned, 5);
  EXPECT_THAT(report.notes,
              Contains("column statistics of _hoodie_record_key: 2 of 5 file slices skipped"));
  EXPECT_THAT(report.notes,
              Contains("bloom filters: 3 of 3 file slices skipped, 3 of them without logs"));
  EXPECT_EQ(PlanOf("_hoodie_record_key = '1x'").slices_pruned, 2);
  EXPECT_EQ(PlanOf("_hoodie_record_key = '21'", kBaseFiles).slices_pruned, 4);
  EXPECT_EQ(PlanOf("_hoodie_record_key IN ('21', '3')", kBaseFiles).slices_pruned, 3);
  std::filesystem::remove_all(folder_ / "v9_mor_stats_types/.hoodie/metadata/bloom_filters");
  EXPECT_THAT(PlanOf("_hoodie_record_key = '1x'", kBaseFiles).notes,
              Contains(HasSubstr("bloom filters not used: its folder is missing")));
}

TEST_F(StatsTablesTest, SkippingNeverChangesRows) {
  std::mt19937 random(static_cast<unsigned>(FromEnvironment("FIRTH_RANDOM_SEED", 4)));
  Comparison result;
  for (const char* name : {"v9_mor_stats_types", "v9_mor_stats_text", "v8_mor_stats_text"}) {
    CompareSkipping(Open(name), /*predicates=*/100, &random, name, &result);
  }
  EXPECT_GT(result.skipped, 100);
}

}  // namespace
}  // namespace firth
