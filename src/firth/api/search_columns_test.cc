// SPDX-License-Identifier: Apache-2.0
// Searched columns are found by name as the columns of a predicate and of the result are.
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_nested.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "firth/search.h"
#include "firth/table.h"
#include "firth/testing/table_builder.h"

namespace firth {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// Three rows; `ab` and `aB` are two columns.
std::shared_ptr<arrow::RecordBatch> Rows() {
  arrow::StringBuilder id, body, ab, other;
  auto elements = std::make_shared<arrow::FloatBuilder>();
  arrow::ListBuilder emb(arrow::default_memory_pool(), elements);
  bool ok = true;
  for (int i = 0; i < 3; ++i) {
    ok &= id.Append(fmt::format("k{}", i)).ok();
    ok &= body.Append(i == 1 ? "red fox" : "grey wolf").ok();
    ok &= ab.Append(i == 0 ? "left" : "none").ok();
    ok &= other.Append(i == 2 ? "left" : "none").ok();
    ok &= emb.Append().ok() && elements->AppendValues({1.0F, static_cast<float>(i)}).ok();
  }
  EXPECT_TRUE(ok);
  const auto schema =
      arrow::schema({arrow::field("id", arrow::utf8()), arrow::field("Body", arrow::utf8()),
                     arrow::field("ab", arrow::utf8()), arrow::field("aB", arrow::utf8()),
                     arrow::field("Emb", arrow::list(arrow::float32()))});
  return arrow::RecordBatch::Make(
      schema, 3,
      {id.Finish().ValueOrDie(), body.Finish().ValueOrDie(), ab.Finish().ValueOrDie(),
       other.Finish().ValueOrDie(), emb.Finish().ValueOrDie()});
}

// 60 rows; each has a body of 500,000 bytes.
std::shared_ptr<arrow::RecordBatch> WideRows() {
  constexpr int64_t kRows = 60;
  arrow::StringBuilder id, title, body;
  auto elements = std::make_shared<arrow::FloatBuilder>();
  arrow::ListBuilder emb(arrow::default_memory_pool(), elements);
  bool ok = true;
  for (int64_t i = 0; i < kRows; ++i) {
    ok &= id.Append(fmt::format("k{:02}", i)).ok() && title.Append("red fox").ok();
    ok &= body.Append(std::string(500'000, static_cast<char>('a' + i % 26))).ok();
    ok &= emb.Append().ok() && elements->AppendValues({1.0F, static_cast<float>(i)}).ok();
  }
  EXPECT_TRUE(ok);
  const auto schema = arrow::schema(
      {arrow::field("id", arrow::utf8()), arrow::field("title", arrow::utf8()),
       arrow::field("body", arrow::utf8()), arrow::field("emb", arrow::list(arrow::float32()))});
  return arrow::RecordBatch::Make(schema, kRows,
                                  {id.Finish().ValueOrDie(), title.Finish().ValueOrDie(),
                                   body.Finish().ValueOrDie(), emb.Finish().ValueOrDie()});
}

class SearchColumns : public ::testing::Test {
 protected:
  void SetUp() override { MakeTable(*Rows()); }

  void MakeTable(const arrow::RecordBatch& rows) const {
    std::filesystem::remove_all(dir_);
    testing::TableSpec spec;
    spec.schema = rows.schema();
    testing::TableBuilder builder(dir_.string(), spec);
    builder.Insert(rows);
    ASSERT_TRUE(builder.status().ok()) << builder.status();
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }

  arrow::Result<std::string> Text(const std::string& column, const std::string& word,
                                  TextSearchReport* report = nullptr) const {
    const std::string query =
        fmt::format(R"({{"match":{{"column":"{}","query":"{}"}}}})", column, word);
    return Ids(SearchText(Pin(), query, {.k = 3, .columns = {"id"}}, report));
  }

  arrow::Result<std::string> Nearest(const std::string& column) const {
    VectorSearchOptions options;
    options.column = column;
    options.k = 1;
    options.columns = {"ID"};
    return Ids(SearchVector(Pin(), {{0, 1}, 2}, options));
  }

  Snapshot Pin() const { return Table::Open(dir_.string())->Pin().ValueOrDie(); }

  // The keys found, one after the other.
  static arrow::Result<std::string> Ids(const arrow::Result<std::shared_ptr<arrow::Table>>& rows) {
    ARROW_RETURN_NOT_OK(rows.status());
    std::string ids;
    for (int64_t i = 0; i < (*rows)->num_rows(); ++i) {
      ARROW_ASSIGN_OR_RAISE(const auto id, (*rows)->GetColumnByName("id")->GetScalar(i));
      ids += id->ToString();
    }
    return ids;
  }

  const std::filesystem::path dir_ =
      std::filesystem::temp_directory_path() / fmt::format("firth-search-columns-{}", getpid());
};

TEST_F(SearchColumns, AreFoundInAnyCaseAndWithBlanks) {
  for (const char* name : {"Body", "body", "BODY", " body "}) {
    TextSearchReport report;
    const auto found = Text(name, "fox", &report);
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_EQ(*found, "k1") << name;
    ASSERT_EQ(report.columns.size(), 1U);
    EXPECT_EQ(report.columns[0].name, "Body") << "the name that the table has";
  }
  for (const char* name : {"Emb", "emb", "EMB", "emb "}) {
    const auto found = Nearest(name);
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_EQ(*found, "k2") << name;
  }
}

// All rows together have 30 MB, and 16 MiB are what an answer may have with the smallest budget.
TEST_F(SearchColumns, AnswersThatOutgrowTheBudgetAreAnErrorThatNamesTheRemedy) {
  MakeTable(*WideRows());
  const auto rows_of = [&](bool by_text, int64_t k, const std::vector<std::string>& columns,
                           int64_t budget) -> arrow::Result<int64_t> {
    VectorSearchOptions options;
    options.column = "emb";
    options.k = k;
    options.columns = columns;
    options.memory_budget = budget;
    ARROW_ASSIGN_OR_RAISE(const auto rows,
                          by_text
                              ? SearchText(Pin(), R"({"match":{"column":"title","query":"fox"}})",
                                           {.k = k, .columns = columns, .memory_budget = budget})
                              : SearchVector(Pin(), {{0, 1}, 2}, options));
    return rows->num_rows();
  };
  constexpr int64_t kSmall = int64_t{16} << 20;
  for (const bool by_text : {true, false}) {
    const auto refused = rows_of(by_text, 60, {}, kSmall);
    EXPECT_EQ(GetErrorCode(refused.status()), ErrorCode::kResourceExhausted) << refused.status();
    EXPECT_THAT(refused.status().message(), HasSubstr("a smaller k or radius, for fewer columns"));
    EXPECT_EQ(rows_of(by_text, 10, {}, kSmall).ValueOrDie(), 10);
    EXPECT_EQ(rows_of(by_text, 60, {"id", "title"}, kSmall).ValueOrDie(), 60);
    EXPECT_EQ(rows_of(by_text, 60, {}, int64_t{1} << 30).ValueOrDie(), 60);
  }
}

TEST_F(SearchColumns, TwoSpellingsOfOneColumnAreOneColumn) {
  TextSearchReport report;
  const auto found = SearchText(
      Pin(),
      R"({"or":[{"match":{"column":"body","query":"fox"}},{"match":{"column":"BODY","query":"wolf"}}]})",
      {.k = 3, .columns = {"id"}}, &report);
  EXPECT_EQ(found.ValueOrDie()->num_rows(), 3);
  EXPECT_EQ(report.columns.size(), 1U);
}

TEST_F(SearchColumns, AnExactNameWinsAndAnAmbiguousOneIsRefused) {
  EXPECT_EQ(Text("ab", "left").ValueOrDie(), "k0");
  EXPECT_EQ(Text("aB", "left").ValueOrDie(), "k2");
  const std::string why = "column \"AB\" is ambiguous: ab, aB fit";
  EXPECT_EQ(Text("AB", "left").status().message(), "FTS_UNKNOWN_COLUMN: " + why);
  EXPECT_EQ(Nearest("AB").status().message(), why);
  SearchOptions options;
  options.columns = {"AB"};
  const std::string query = R"({"match":{"column":"body","query":"fox"}})";
  EXPECT_EQ(SearchText(Pin(), query, options).status().message(), why);
  options = {.where = "AB = 'left'"};
  EXPECT_THAT(SearchText(Pin(), query, options).status().message(), HasSubstr(why));
}

TEST_F(SearchColumns, AMisspeltNameIsAnsweredWithTheNearestOne) {
  EXPECT_THAT(Text("bodi", "fox").status().message(),
              StartsWith("FTS_UNKNOWN_COLUMN: no column \"bodi\"; did you mean \"Body\"?"));
  EXPECT_THAT(Nearest("enb").status().message(),
              StartsWith("no column \"enb\"; did you mean \"Emb\"?"));
}

}  // namespace
}  // namespace firth
