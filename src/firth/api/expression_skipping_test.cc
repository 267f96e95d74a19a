// SPDX-License-Identifier: Apache-2.0
// Expression indexes in reads: what they rule out, and that rows are those of reads without.
// FIRTH_RANDOM_PREDICATES asks for more random predicates, FIRTH_RANDOM_SEED for others.
#include <arrow/array/util.h>
#include <arrow/compute/exec.h>
#include <arrow/compute/expression.h>
#include <arrow/table.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "firth/scan.h"
#include "firth/scan/predicate.h"
#include "firth/testing/golden.h"
#include "firth/testing/metadata_reads.h"

namespace firth {
namespace {

namespace cp = arrow::compute;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

int FromEnvironment(const char* name, int fallback) {
  const char* text = std::getenv(name);
  return text == nullptr ? fallback : std::atoi(text);
}

// Functions of a column of that type; {} stands for the column.
std::vector<const char*> FunctionsOf(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::STRING:
      return {"lower({})", "upper({})", "trim({})", "length({})", "substring({}, 1, 2)"};
    case arrow::Type::INT32:
    case arrow::Type::INT64:
      return {"from_unixtime({}, 'yyyy-MM-dd')", "from_unixtime({})", "abs({})"};
    case arrow::Type::DATE32:
    case arrow::Type::TIMESTAMP:
      return {"year({})", "hour({})", "date_format({}, 'yyyy/MM')", "day({})"};
    default:
      return {};
  }
}

std::string LiteralOf(const arrow::Scalar& scalar) {
  if (!arrow::is_string(scalar.type->id())) return scalar.ToString();
  std::string quoted = "'";
  for (const char c : scalar.ToString()) quoted += c == '\'' ? "''" : std::string(1, c);
  return quoted + "'";
}

// Random conditions on functions of a table's columns, with values that they have in some row, and
// texts beside them.
class ConditionMaker {
 public:
  ConditionMaker(const arrow::Table& rows, std::mt19937* random) : random_(*random) {
    const auto batch = *rows.CombineChunksToBatch();
    for (const auto& field : batch->schema()->fields()) {
      for (const char* function : FunctionsOf(*field->type())) {
        Call call{.text = fmt::format(fmt::runtime(function), "\"" + field->name() + "\""),
                  .literals = {}};
        const auto values = Evaluate(call.text, *batch);
        for (int64_t i = 0; i < values->length(); ++i) {
          if (values->IsValid(i)) call.literals.push_back(LiteralOf(**values->GetScalar(i)));
        }
        if (!call.literals.empty()) calls_.push_back(std::move(call));
      }
    }
  }

  std::string Make(int depth = 0) {
    const int kind = Pick(depth < 2 ? 6 : 3);
    if (kind == 3) return "(" + Make(depth + 1) + " AND " + Make(depth + 1) + ")";
    if (kind == 4) return "(" + Make(depth + 1) + " OR " + Make(depth + 1) + ")";
    if (kind == 5) return "NOT " + Comparison();
    return Comparison();
  }

  bool empty() const { return calls_.empty(); }

 private:
  struct Call {
    std::string text;
    std::vector<std::string> literals;
  };

  static std::shared_ptr<arrow::Array> Evaluate(const std::string& call,
                                                const arrow::RecordBatch& batch) {
    const auto condition = ParsePredicate(call + " IS NULL", *batch.schema());
    const auto bound = condition->call()->arguments[0].Bind(*batch.schema());
    const auto value = cp::ExecuteScalarExpression(*bound, cp::ExecBatch(batch));
    return value->make_array();
  }

  int Pick(size_t count) { return static_cast<int>(random_() % count); }
  std::string LiteralOfAny(const Call& call) {
    std::string literal = call.literals[static_cast<size_t>(Pick(call.literals.size()))];
    if (literal[0] == '\'' && Pick(3) == 0) literal.insert(literal.size() - 1, "q");
    return literal;
  }

  std::string Comparison() {
    const Call& call = calls_[static_cast<size_t>(Pick(calls_.size()))];
    const std::string a = LiteralOfAny(call), b = LiteralOfAny(call);
    switch (Pick(7)) {
      case 0:
        return call.text + (Pick(2) == 0 ? " IS NULL" : " IS NOT NULL");
      case 1:
        return call.text + (Pick(3) == 0 ? " NOT" : "") + " IN (" + a + ", " + b + ")";
      case 2:
        return call.text + " BETWEEN " + a + " AND " + b;
      case 3:
        if (a[0] == '\'') return call.text + " LIKE " + a.substr(0, a.size() - 1) + "%'";
        [[fallthrough]];
      default:
        constexpr const char* kOps[] = {" = ", " <> ", " < ", " <= ", " > ", " >= ", " <=> "};
        return call.text + kOps[Pick(7)] + a;
    }
  }

  std::vector<Call> calls_;
  std::mt19937& random_;
};

// The latest snapshot and those of the past.
std::vector<Snapshot> SnapshotsOf(const Table& table) {
  std::vector<Snapshot> snapshots = {*table.Pin()};
  for (const TimelineEntry& entry : *table.Timeline()) {
    if (entry.state != "completed") continue;
    if (auto then = table.Pin(entry.requested); then.ok()) snapshots.push_back(*std::move(then));
  }
  return snapshots;
}

// Slices skipped by `predicates` random predicates; fails where rows differ.
int64_t CompareRows(const Table& table, int predicates, const std::string& name,
                    std::mt19937* random) {
  const std::vector<Snapshot> snapshots = SnapshotsOf(table);
  ConditionMaker maker(**(*snapshots[0].Read({}))->ToTable(), random);
  int64_t skipped = 0;
  for (int i = 0; i < predicates && !maker.empty(); ++i) {
    const Snapshot& snapshot = snapshots[(*random)() % 2 == 0 ? 0 : (*random)() % snapshots.size()];
    ScanOptions options;
    options.where = maker.Make();
    options.threads = 1;
    if (i % 3 == 0) options.query = QueryType::kReadOptimized;
    if (i % 7 == 1 && table.info().has_meta_fields) {
      options.query = QueryType::kIncremental;
      options.begin = "earliest";
    }
    ScanOptions all_read = options;
    all_read.prune = all_read.use_metadata = false;
    const auto reference = snapshot.Plan(all_read);
    const auto plan = snapshot.Plan(options);
    // What a cleaner took may lie in partitions that the predicate does not need.
    if (!reference.ok()) continue;
    EXPECT_TRUE(plan.ok()) << name << ": " << options.where << plan.status();
    if (!plan.ok()) return skipped;
    EXPECT_EQ(testing::SortedRows(*plan), testing::SortedRows(*reference))
        << name << ": " << options.where;
    skipped += plan->Report().slices_pruned;
  }
  return skipped;
}

TEST(ExpressionSkipping, NeverChangesRowsOfGoldenTables) {
  const std::vector<std::string> names = testing::GoldenNamesWithMetadata();
  if (names.empty()) GTEST_SKIP() << "no golden tables in " << testing::GoldenDir();
  const int seed = FromEnvironment("FIRTH_RANDOM_SEED", 6);
  std::mt19937 random(static_cast<unsigned>(seed));
  const int each =
      FromEnvironment("FIRTH_RANDOM_PREDICATES", 300) / static_cast<int>(names.size()) + 1;
  for (const std::string& name : names) {
    const testing::GoldenTable golden(name);
    CompareRows(*Table::Open(golden.root().string()), each, name, &random);
    ASSERT_FALSE(HasFailure()) << "FIRTH_RANDOM_SEED=" << seed;
  }
}

// Tables of the repository. What each predicate rules out was worked out from the rows that were
// written.
class ExpressionTablesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / fmt::format("firth_expression_{}", getpid());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Table Unpack(const std::string& name) const {
    const std::string command = fmt::format("unzip -qq -o '{}/tables/{}.zip' -d '{}'",
                                            FIRTH_TEST_DATA_DIR, name, folder_.string());
    EXPECT_EQ(std::system(command.c_str()), 0);
    return *Table::Open((folder_ / name).string());
  }

  std::filesystem::path folder_;
};

class ExpressionRowsTest : public ExpressionTablesTest,
                           public ::testing::WithParamInterface<const char*> {};

TEST_P(ExpressionRowsTest, SkippingNeverChangesRows) {
  const int seed = FromEnvironment("FIRTH_RANDOM_SEED", 6);
  std::mt19937 random(static_cast<unsigned>(seed));
  const int64_t skipped = CompareRows(
      Unpack(GetParam()), FromEnvironment("FIRTH_RANDOM_PREDICATES", 300), GetParam(), &random);
  ASSERT_FALSE(HasFailure()) << "FIRTH_RANDOM_SEED=" << seed;
  EXPECT_GT(skipped, 0);
}

INSTANTIATE_TEST_SUITE_P(Tables, ExpressionRowsTest,
                         ::testing::Values("v9_cow_expr_index", "v9_mor_expr_indexes",
                                           "v9_cow_expr_blooms"),
                         [](const auto& table) { return table.param; });

struct Case {
  const char* where;
  int skipped;  // of four slices
};

class ExpressionCasesTest : public ExpressionTablesTest {
 protected:
  void Check(const std::string& name, const std::vector<Case>& cases,
             QueryType query = QueryType::kSnapshot) const {
    const Snapshot snapshot = *Unpack(name).Pin();
    for (const Case& test : cases) {
      const auto plan = snapshot.Plan({.query = query, .where = test.where});
      ASSERT_TRUE(plan.ok()) << plan.status();
      EXPECT_EQ(plan->Report().slices, 4);
      EXPECT_EQ(plan->Report().slices_pruned, test.skipped) << test.where;
    }
  }

  std::vector<std::string> NotesOf(const std::string& name, const std::string& where) const {
    return (*Table::Open((folder_ / name).string())->Pin()).Plan({.where = where})->Report().notes;
  }
};

// Partitions: p0 has the turn of 2000 and nulls, p1 the end of February 2024 with a log, p2 March
// 2024 with a log of a moment in 2030, p3 July 2031 with a log of a delete, of which nothing is
// known. The indexes have texts of Los Angeles.
TEST_F(ExpressionCasesTest, BoundsRuleOutSlices) {
  Check("v9_mor_expr_indexes", {
                                   {"from_unixtime(n, 'yyyy-MM-dd') = '2010-01-15'", 3},
                                   {"from_unixtime(n, 'yyyy-MM-dd') = '2024-01-15'", 3},
                                   {"from_unixtime(n, 'yyyy-MM-dd') = '2024-02-28'", 2},
                                   {"from_unixtime(n, 'yyyy-MM-dd') IN ('2030-03-17')", 2},
                                   {"'2024-03-01' = FROM_UNIXTIME(n, 'yyyy-MM-dd')", 1},
                                   {"from_unixtime(n, 'yyyy-MM-dd') LIKE '2024-03%'", 1},
                                   {"from_unixtime(n, 'yyyy-MM-dd') > '2025'", 2},
                                   {"from_unixtime(n, 'yyyy-MM-dd') < '1999-12-30'", 0},
                                   {"from_unixtime(n, 'yyyy-MM-dd') BETWEEN '2003' AND '2004'", 3},
                                   {"from_unixtime(n, 'yyyy-MM-dd') = '+12345-01-01'", 0},
                                   {"from_unixtime(n, 'yyyy-MM-dd') IS NULL", 0},
                                   {"from_unixtime(n, 'yyyy-MM') = '2010-01'", 0},
                                   {"from_unixtime(n) = '2010-01-15 00:00:00'", 0},
                                   {"from_unixtime(ts, 'yyyy-MM-dd') = '2010-01-15'", 0},
                                   {"date_format(t, 'yyyy/MM') = '2012/01'", 3},
                                   {"NOT date_format(t, 'yyyy/MM') = '2012/01'", 0},
                                   {"year(t) = 2012 AND length(name) = 3", 3},
                                   {"year(t) = 2012 OR length(name) = 3", 0},
                                   {"year(t) = 2012 OR year(t) = 2010", 3},
                                   {"year(t) IN (2001, 2002)", 2},
                                   {"year(d) = 2012", 0},
                                   {"length(name) > 41", 3},
                                   {"hour(t) = 25", 0},
                                   {"upper(name) = 'X'", 0},
                               });
  constexpr auto kBaseFiles = QueryType::kReadOptimized;
  Check("v9_mor_expr_indexes",
        {
            {"from_unixtime(n, 'yyyy-MM-dd') = '2010-01-15'", 4},
            {"from_unixtime(n, 'yyyy-MM-dd') IS NULL", 3},
            {"substring(name, 1, 2) < 'A'", 1},  // p0 and p2 have emojis, p3 spaces
            {"substring(name, 1, 2) > '\uFB00'", 2},
            {"substring(name, 1, 3) < 'A'", 0},
        },
        kBaseFiles);
}

TEST_F(ExpressionCasesTest, BloomFiltersRuleOutSlicesForAsciiTexts) {
  Check("v9_cow_expr_blooms", {
                                  {"lower(name) = 'bob'", 3},
                                  {"lower(name) = 'BOB'", 4},
                                  {"lower(name) IN ('ada', 'nobody')", 2},
                                  {"lower(name) = 'iris'", 2},
                                  {"lower(name) = 'kiki'", 0},
                                  {"lower(name) = 'zo\u00eb'", 0},
                                  {"lower(name) LIKE 'b%'", 0},
                                  {"lower(name) = 'bob' AND length(name) = 9", 4},
                                  {"upper(name) = 'BOB' OR upper(name) = 'ADA'", 2},
                                  {"upper(name) = 'IRIS'", 0},
                                  {"length(name) IN (77, 78)", 4},
                                  {"trim(name) = 'nobody'", 0},
                                  {"from_unixtime(n, 'yyyy-MM-dd') = '2010-01-15'", 0},
                              });
}

TEST_F(ExpressionCasesTest, NotesSayWhatWasUsedAndWhyNot) {
  const std::string name = "v9_mor_expr_indexes";
  Unpack(name);
  EXPECT_THAT(
      NotesOf(name, "year(t) = 2012"),
      Contains("expression index expr_index_year_t of year(t): 3 of 4 file slices skipped"));
  EXPECT_THAT(NotesOf(name, "hour(t) = 25"),
              Contains("expression index expr_index_hour_t of hour(t) not used: its bounds depend "
                       "on the writer's time zone and calendar"));
  EXPECT_THAT(NotesOf(name, "day(t) = 25"),
              Contains("expression indexes not used: none is of a function in the predicate"));
  EXPECT_THAT(NotesOf(name, "id = 25"), Not(Contains(HasSubstr("expression"))));
  std::filesystem::remove_all(folder_ / name / ".hoodie/metadata/expr_index_year_t");
  EXPECT_THAT(NotesOf(name, "year(t) = 2012"),
              Contains("expression index expr_index_year_t of year(t) not used: its folder is "
                       "missing"));
  std::ofstream(folder_ / name / ".hoodie/.index_defs/index.json") << "damaged";
  EXPECT_THAT(NotesOf(name, "year(t) = 2012"),
              Contains(HasSubstr("expression indexes not used: ")));
}

}  // namespace
}  // namespace firth
