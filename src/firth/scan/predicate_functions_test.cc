// SPDX-License-Identifier: Apache-2.0
// Functions in predicates against what Spark SQL says, recorded by
// test/data/predicate_functions/record.py, and their errors.
#include "firth/scan/predicate_functions.h"

#include <arrow/array/array_binary.h>
#include <arrow/buffer.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "firth/scan/predicate_test_util.h"

namespace firth {
namespace {

using Json = nlohmann::json;

Json Recorded() {
  std::ifstream file(FIRTH_TEST_DATA_DIR "/predicate_functions/spark_3_5.json");
  return Json::parse(file);
}

std::shared_ptr<arrow::DataType> TypeOf(const std::string& column) {
  if (column == "s") return arrow::utf8();
  if (column == "n") return arrow::int64();
  if (column == "i") return arrow::int32();
  return column == "d" ? arrow::date32() : arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
}

std::string LiteralOf(const Json& value) {
  if (!value.is_string()) return value.is_null() ? "NULL" : value.dump();
  std::string quoted = "'";
  for (const char c : value.get<std::string>()) quoted += c == '\'' ? "''" : std::string(1, c);
  return quoted + "'";
}

// Python and Spark write \' in texts, firth doubles it.
std::string FirthForm(std::string expression) {
  for (size_t at = 0; (at = expression.find("\\'", at)) != std::string::npos; at += 2) {
    expression.replace(at, 2, "''");
  }
  return expression;
}

// The column is the first argument, of the innermost call.
std::string ColumnOf(const std::string& expression) {
  return expression.substr(expression.find_last_of('(', expression.find_first_of("),")) + 1, 1);
}

TEST(PredicateFunctions, GiveWhatSparkGives) {
  const Json recorded = Recorded();
  int compared = 0;
  for (const auto& [expression, results] : recorded["results"].items()) {
    const std::string column = ColumnOf(expression);
    const Json& values = recorded["values"][column];
    ASSERT_EQ(values.size(), results.size()) << expression;
    const auto batch = MakeBatch({arrow::field(column, TypeOf(column))}, {values.dump()});
    for (size_t row = 0; row < results.size(); ++row) {
      std::string expected;
      for (const Json& result : results) expected += result == results[row] ? 'T' : 'F';
      const std::string where = FirthForm(expression) + " <=> " + LiteralOf(results[row]);
      ASSERT_EQ(Evaluate(where, *batch), expected) << where << " from " << values[row];
      ++compared;
    }
  }
  EXPECT_GT(compared, 10'000);
}

// Moments without a zone and in other units mean the same.
TEST(PredicateFunctions, TakeTimesOfAnyUnit) {
  for (const auto unit : {arrow::TimeUnit::SECOND, arrow::TimeUnit::MILLI, arrow::TimeUnit::NANO}) {
    const auto batch =
        MakeBatch({arrow::field("t", arrow::timestamp(unit))},
                  {unit == arrow::TimeUnit::SECOND  ? "[-1, 1709164800, null]"
                   : unit == arrow::TimeUnit::MILLI ? "[-1, 1709164800999, null]"
                                                    : "[-1, 1709164800999999999, null]"});
    EXPECT_EQ(Evaluate("date_format(t, 'yyyy-MM-dd HH:mm:ss') = '1969-12-31 23:59:59'", *batch),
              "TFN");
    EXPECT_EQ(Evaluate("year(t) = 2024 AND month(t) = 2 AND day(t) = 29", *batch), "FTN");
  }
}

TEST(PredicateFunctions, CountTextsThatAreNoUtf8AsSparkDoes) {
  auto texts = std::make_shared<arrow::StringArray>(
      5, arrow::Buffer::FromVector(std::vector<int32_t>{0, 2, 4, 7, 11, 11}),
      arrow::Buffer::FromString("\x80\xC3\xC3\xA9\xE2\x82q\xF0q\xFFz"));
  const auto batch = arrow::RecordBatch::Make(arrow::schema({arrow::field("s", arrow::utf8())}), 5,
                                              arrow::ArrayVector{texts});
  EXPECT_EQ(Evaluate("length(s) = 2", *batch), "TFFFF");
  EXPECT_EQ(Evaluate("length(s) = 1", *batch), "FTTTF");
  EXPECT_EQ(Evaluate("substring(s, 2) <> ''", *batch), "TFFFF");
  EXPECT_EQ(Evaluate("lower(s) = 'x'", *batch), "FFFFF");
}

struct Case {
  const char* where;
  const char* expected;  // by hand, from the table in predicate_test_util.h
};

class PredicateFunctionTable : public testing::TestWithParam<Case> {};

TEST_P(PredicateFunctionTable, GivesTheRowsWorkedOutByHand) {
  EXPECT_EQ(Evaluate(GetParam().where, Rows()), GetParam().expected) << GetParam().where;
}

INSTANTIATE_TEST_SUITE_P(Conditions, PredicateFunctionTable,
                         testing::ValuesIn<Case>({
                             {"lower(name) = 'bob'", "FTFNF"},
                             {"LOWER( name )='bob'", "FTFNF"},
                             {"'bob' = lower(NAME)", "FTFNF"},
                             {"upper(name) IN ('ANN', 'BOB')", "TTFNF"},
                             {"upper(name) NOT IN ('ANN', NULL)", "FNNNN"},
                             {"lower(name) LIKE 'b%' OR lower(s.in.b) = 'x'", "TTNNF"},
                             {"upper(name) BETWEEN 'A' AND 'C'", "TTFNF"},
                             {"upper(name) IS NULL", "FFFTF"},
                             {"upper(name) IS NOT NULL", "TTTFT"},
                             {"lower(name) <=> NULL", "FFFTF"},
                             {"lower(name) = name", "TFTNT"},
                             {"lower(name) < upper(name)", "FFFNF"},
                             {"NOT lower(name) = 'bob'", "TFTNT"},
                             {"length(name) = 3", "TTFNF"},
                             {"length(name) < 2.5", "FFTNF"},
                             {"length(name) < id", "FFTNF"},
                             {"length(name) = 99999999999", "FFFNF"},
                             {"length(upper(trim(name))) IN (0, 8)", "FFTNT"},
                             {"substring(name, 2, 1) = 'n'", "TFFNF"},
                             {"substring(name, -1) = '%'", "FFFNT"},
                             {"substring(name, +1, 2.0) = 'Bo'", "FTFNF"},
                             {"abs(id) = 2", "FTFNF"},
                             {"abs(id) < 0", "FFFNT"},
                             {"abs(big) = 5", "FFTNF"},
                             {"abs(price) = 0.01", "FFTNF"},
                             {"abs(f) = NaN", "FTFNF"},
                             {"abs(d) <= 0.5", "TFTNF"},
                             {"year(day) = 2026", "TFFNT"},
                             {"month(day) >= 2", "FTTNF"},
                             {"day(at) = 31", "FTFNT"},
                             {"hour(at) = 12", "TFFNF"},
                             {"hour(day) = 0", "TTTNT"},
                             {"date_format(at, 'dd/MM/yyyy') = '31/12/1969'", "FTFNF"},
                             {"date_format(local, 'HH:mm') < '12:00'", "FFTNT"},
                             {"from_unixtime(id) = '1970-01-01 00:00:02'", "FTFNF"},
                             {"from_unixtime(big, 'yyyy-MM-dd') = '1969-12-31'", "FTTNF"},
                             {"from_unixtime(id, '''yyyy''') = 'yyyy'", "TTTNT"},
                         }));

INSTANTIATE_TEST_SUITE_P(
    Errors, PredicateFunctionTable,
    testing::ValuesIn<Case>({
        {"lower(id) = 'a'", "where: position 7: lower(text) takes a string, found type int32"},
        {"abs(name) = 1", "where: position 5: abs(number) takes a number, found type string"},
        {"year(id) = 1",
         "where: position 6: year(time) takes a date or timestamp, found type int32"},
        {"from_unixtime(price) = 'x'",
         "where: position 15: from_unixtime(seconds[, 'pattern']) takes an int or bigint, found "
         "type decimal128(10, 2)"},
        {"lower('A') = 'a'", "where: position 7: lower(text) takes a column, found a literal"},
        {"lower() = 'a'", "where: position 7: expected a column or a value, found )"},
        {"lower(name, 1) = 'a'", "where: position 11: expected ) of lower(text), found ,"},
        {"lower(name = 'a'", "where: position 12: expected ) of lower(text), found ="},
        {"substring(name) = 'a'",
         "where: position 15: expected , of substring(text, position[, length]), found )"},
        {"substring(name, 'x') = 'a'",
         "where: position 17: substring(text, position[, length]) takes a whole number as its "
         "position"},
        {"substring(name, 1, 1.5) = 'a'",
         "where: position 20: substring(text, position[, length]) takes a whole number as its "
         "length"},
        {"substring(name, NULL) = 'a'",
         "where: position 17: substring(text, position[, length]) takes a whole number as its "
         "position"},
        {"substring(name, 1, 2, 3) = 'a'",
         "where: position 21: expected ) of substring(text, position[, length]), found ,"},
        {"date_format(at) = 'a'",
         "where: position 15: expected , of date_format(time, 'pattern'), found )"},
        {"date_format(at, 5) = 'a'",
         "where: position 17: date_format(time, 'pattern') takes a pattern in single quotes"},
        {"date_format(at, 'yyyy-mmm') = 'a'",
         "where: position 17: the pattern 'yyyy-mmm' has \"mmm\"; possible are yyyy, MM, dd, HH, "
         "mm, "
         "ss and what is no letter or bracket between them"},
        {"date_format(at, 'yyyy''T') = 'a'",
         "where: position 17: the pattern 'yyyy'T' has a quote that stays open"},
        {"date_format(at, 'yyyy') = 2024",
         "where: position 27: date_format(at, 'yyyy') has type string: expected a string in single "
         "quotes, found the number 2024"},
        {"lower(nmae) = 'a'",
         "where: position 7: no column \"nmae\"; did you mean \"name\"? columns are id, big, "
         "price, "
         "f, d, name, ok, day, at, local, bin, s, tags, select 1"},
        {"lower(name)",
         "where: position 12: expected a comparison such as = or IN after lower(name) (string), "
         "found end of text"},
        {"id IN (abs(id))", "where: position 8: expected a literal, found abs(id)"},
        {"lower(name) = length(name)",
         "where: position 15: lower(name) and length(name): a value of type string cannot be "
         "compared with one of type int32"},
    }));

TEST(PredicateFunctions, TakeSlicesOfBatches) {
  const auto slice = Rows().Slice(1, 3);
  EXPECT_EQ(Evaluate("lower(name) = 'bob' OR length(name) = 0", *slice), "TTN");
  EXPECT_EQ(Evaluate("substring(name, 1, 1) = 'B'", *slice), "TFN");
  EXPECT_EQ(Evaluate("year(day) = 2024 OR day(at) = 31", *slice), "TTN");
  EXPECT_EQ(Evaluate("from_unixtime(id, 'ss') = '03'", *slice), "FTN");
  EXPECT_EQ(Evaluate("lower(name) = 'bob' AND hour(at) = 1", *Rows().Slice(2, 0)), "");
}

TEST(PredicateFunctions, NestToALimit) {
  std::string where;
  for (int i = 0; i < kMaxPredicateDepth; ++i) where += "lower(";
  const std::string closing(kMaxPredicateDepth, ')');
  EXPECT_EQ(Evaluate(where + "name" + closing + " = 'bob'", Rows()), "FTFNF");
  EXPECT_EQ(Evaluate("trim(" + where + "name" + closing + ") = 'bob'", Rows()),
            "where: position 600: calls are nested too deeply");
}

TEST(PredicateFunctions, ReferToTheirColumn) {
  const auto parsed =
      ParsePredicate("lower(name) = 'a' AND year(at) = 1 AND length(s.in.b) = 1", *Rows().schema());
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(ReferencedColumns(*parsed), (std::vector<std::string>{"name", "at", "s"}));
}

}  // namespace
}  // namespace firth
