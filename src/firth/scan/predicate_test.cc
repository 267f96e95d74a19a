// SPDX-License-Identifier: Apache-2.0
#include "firth/scan/predicate.h"

#include <arrow/array/array_primitive.h>
#include <arrow/array/util.h>
#include <arrow/compute/exec.h>
#include <arrow/compute/expression.h>
#include <arrow/compute/initialize.h>
#include <arrow/json/from_string.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <random>

namespace firth {
namespace {

using arrow::compute::Expression;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::shared_ptr<arrow::RecordBatch> MakeBatch(const arrow::FieldVector& fields,
                                              const std::vector<std::string>& json) {
  arrow::ArrayVector arrays;
  for (size_t i = 0; i < fields.size(); ++i) {
    arrays.push_back(arrow::json::ArrayFromJSONString(fields[i]->type(), json[i]).ValueOrDie());
  }
  const int64_t rows = arrays[0]->length();
  return arrow::RecordBatch::Make(arrow::schema(fields), rows, std::move(arrays));
}

// One letter a row: T, F or N (null); or the error.
std::string Evaluate(std::string_view where, const arrow::RecordBatch& batch) {
  static const Status initialized = arrow::compute::Initialize();
  if (!initialized.ok()) return initialized.ToString();
  Result<Expression> parsed = ParsePredicate(where, *batch.schema());
  if (!parsed.ok()) return parsed.status().message();
  Result<Expression> bound = parsed->Bind(*batch.schema());
  if (!bound.ok()) return "does not bind: " + bound.status().ToString();
  if (bound->type()->id() != arrow::Type::BOOL) return "is no condition";
  Result<arrow::Datum> value =
      arrow::compute::ExecuteScalarExpression(*bound, arrow::compute::ExecBatch(batch));
  if (!value.ok()) return "does not run: " + value.status().ToString();
  std::shared_ptr<arrow::Array> array =
      value->is_scalar() ? *arrow::MakeArrayFromScalar(*value->scalar(), batch.num_rows())
                         : value->make_array();
  const auto& booleans = static_cast<const arrow::BooleanArray&>(*array);
  std::string letters;
  for (int64_t i = 0; i < booleans.length(); ++i) {
    letters += booleans.IsNull(i) ? 'N' : booleans.Value(i) ? 'T' : 'F';
  }
  return letters;
}

//  row        0            1            2           3        4
//  id         1            2            3           null     -2147483648
//  big        1            9223372036854775807  -5  null     0
//  price      1.50         3.00         -0.01       null     99999999.99
//  f, d       0.5 / 0.5    NaN / NaN    -0.0 / 0.0  null     Infinity
//  name       'ann'        'Bob'        ''          null     'o''hara_%'
//  ok         true         false        null        true     false
//  day        2026-01-01   1969-12-31   2024-02-29  null     2026-01-31
//  at (UTC)   2026-01-01 12:00:00.500001 | 1969-12-31 23:59:59.999999 | 0 | null | 2026-01-31
//  local      the same without zone
//  bin        00ff         ''           ff          null     616263
//  s          {a: 1, in: {b: 'x'}}  {a: null, in: null}  {a: 3, in: {b: null}}  null  {a: 5, ..'y'}
//  tags       ["x"]        []           null        null     ["y", null]
const arrow::RecordBatch& Rows() {
  static const std::shared_ptr<arrow::RecordBatch> batch = MakeBatch(
      {arrow::field("id", arrow::int32()), arrow::field("big", arrow::int64()),
       arrow::field("price", arrow::decimal128(10, 2)), arrow::field("f", arrow::float32()),
       arrow::field("d", arrow::float64()), arrow::field("name", arrow::utf8()),
       arrow::field("ok", arrow::boolean()), arrow::field("day", arrow::date32()),
       arrow::field("at", arrow::timestamp(arrow::TimeUnit::MICRO, "UTC")),
       arrow::field("local", arrow::timestamp(arrow::TimeUnit::MILLI)),
       arrow::field("bin", arrow::binary()),
       arrow::field("s", arrow::struct_({arrow::field("a", arrow::int32()),
                                         arrow::field("in", arrow::struct_({arrow::field(
                                                                "b", arrow::utf8())}))})),
       arrow::field("tags", arrow::list(arrow::utf8())), arrow::field("select 1", arrow::int32())},
      {"[1, 2, 3, null, -2147483648]", "[1, 9223372036854775807, -5, null, 0]",
       R"(["1.50", "3.00", "-0.01", null, "99999999.99"])", "[0.5, NaN, -0.0, null, Inf]",
       "[0.5, NaN, 0.0, null, Inf]", R"(["ann", "Bob", "", null, "o'hara_%"])",
       "[true, false, null, true, false]", "[20454, -1, 19782, null, 20484]",
       "[1767268800500001, -1, 0, null, 1769817600000000]",
       "[1767268800500, -1, 0, null, 1769817600000]", R"(["\u0000x", "", "x", null, "abc"])",
       R"([{"a": 1, "in": {"b": "x"}}, {"a": null, "in": null}, {"a": 3, "in": {"b": null}}, null,
           {"a": 5, "in": {"b": "y"}}])",
       R"([["x"], [], null, null, ["y", null]])", "[10, 20, 30, 40, 50]"});
  return *batch;
}

struct Case {
  const char* where;
  const char* expected;  // by hand, from the table above
};

class PredicateTable : public testing::TestWithParam<Case> {};

TEST_P(PredicateTable, GivesTheRowsWorkedOutByHand) {
  EXPECT_EQ(Evaluate(GetParam().where, Rows()), GetParam().expected) << GetParam().where;
}

INSTANTIATE_TEST_SUITE_P(Logic, PredicateTable,
                         testing::ValuesIn<Case>({
                             {"", "TTTTT"},
                             {"  \n", "TTTTT"},
                             {"true", "TTTTT"},
                             {"FALSE", "FFFFF"},
                             {"null", "NNNNN"},
                             {"ok", "TFNTF"},
                             {"NOT ok", "FTNFT"},
                             {"ok = true", "TFNTF"},
                             {"ok <> TRUE", "FTNFT"},
                             {"ok = 'false'", "FTNFT"},
                             {"ok IS TRUE", "TFFTF"},
                             {"ok is not true", "FTTFT"},
                             {"ok IS FALSE", "FTFFT"},
                             {"ok OR id = 3", "TFTTF"},
                             {"ok AND id = 3", "FFNNF"},
                             {"id = 1 OR id = 2 AND big < 0", "TFFNF"},
                             {"(id = 1 OR id = 2) AND big = 1", "TFFNF"},
                             {"NOT id = 1 AND id < 3", "FTFNT"},
                             {"NOT (id = 1 AND id < 3)", "FTTNT"},
                             {"not not (id=1)", "TFFNF"},
                             {"(id=1)or(id=2)", "TTFNF"},
                             {"1 = 1", "TTTTT"},
                             {"'a' = 'b' OR id = 2", "FTFNF"},
                             {"1 < 1.5", "TTTTT"},
                             {"NULL = id", "NNNNN"},
                             {"id = NULL", "NNNNN"},
                             {"id IS NULL", "FFFTF"},
                             {"id IS NOT NULL", "TTTFT"},
                             {"id <=> NULL", "FFFTF"},
                             {"id <=> 1", "TFFFF"},
                             {"1 <=> id", "TFFFF"},
                             {"NOT (id <=> 1)", "FTTTT"},
                             {"id <=> big", "TFFTF"},
                             {"id IS DISTINCT FROM 1", "FTTTT"},
                             {"id IS NOT DISTINCT FROM big", "TFFTF"},
                             {"tags IS NULL", "FFTTF"},
                             {"NULL <=> NULL", "TTTTT"},
                             {"NULL <=> 1", "FFFFF"},
                             {"id = 1 AND NULL", "NFFNF"},
                         }));

INSTANTIATE_TEST_SUITE_P(Numbers, PredicateTable,
                         testing::ValuesIn<Case>({
                             {"id = 2", "FTFNF"},
                             {"2 == id", "FTFNF"},
                             {"id != 2", "TFTNT"},
                             {"2 < id", "FFTNF"},
                             {"2 >= id", "TTFNT"},
                             {"id < 99999999999", "TTTNT"},
                             {"id > 99999999999", "FFFNF"},
                             {"id = 99999999999", "FFFNF"},
                             {"id <> 99999999999", "TTTNT"},
                             {"id >= -99999999999", "TTTNT"},
                             {"id <= -99999999999", "FFFNF"},
                             {"NOT (id > 99999999999)", "TTTNT"},
                             {"id = -2147483648", "FFFNT"},
                             {"id < 2.5", "TTFNT"},
                             {"id > 2.5", "FFTNF"},
                             {"id >= 2.5", "FFTNF"},
                             {"id <= 2.5", "TTFNT"},
                             {"id = 2.5", "FFFNF"},
                             {"id <> 2.5", "TTTNT"},
                             {"id = 2.000", "FTFNF"},
                             {"id = 20e-1", "FTFNF"},
                             {"id = .2E1", "FTFNF"},
                             {"id = +2", "FTFNF"},
                             {"id = '2'", "FTFNF"},
                             {"id = ' 2 '", "FTFNF"},
                             {"id < 1e400", "TTTNT"},
                             {"id > -1e99999999999999999999", "TTTNT"},
                             {"id > 1e-99999999999999999999", "TTTNF"},
                             {"id < NaN", "TTTNT"},
                             {"id < Infinity", "TTTNT"},
                             {"id > -Infinity", "TTTNT"},
                             {"big = 9223372036854775807", "FTFNF"},
                             {"big < 9223372036854775807", "TFTNT"},
                             {"big < 9223372036854775808", "TTTNT"},
                             {"big > -5.5", "TTTNT"},
                             {"big < -4.9", "FFTNF"},
                             {"price < 3", "TFTNF"},
                             {"price <= 3", "TTTNF"},
                             {"price = 1.5", "TFFNF"},
                             {"price = 1.500000", "TFFNF"},
                             {"price = 1.505", "FFFNF"},
                             {"price < 1.505", "TFTNF"},
                             {"price > 1.495", "TTFNT"},
                             {"price >= -0.015", "TTTNT"},
                             {"price < -0.005", "FFTNF"},
                             {"price <= -0.015", "FFFNF"},
                             {"price < 100000000", "TTTNT"},
                             {"price >= 99999999.99", "FFFNT"},
                             {"price > 99999999.99", "FFFNF"},
                             {"price > 99999999.995", "FFFNF"},
                             {"price = '3.00'", "FTFNF"},
                             {"price BETWEEN 1.5 AND 3", "TTFNF"},
                             {"price NOT BETWEEN 1.5 AND 3", "FFTNT"},
                             {"f = 0.5", "TFFNF"},
                             {"f = NaN", "FTFNF"},
                             {"f = 'nan'", "FTFNF"},
                             {"f = double('NaN')", "FTFNF"},
                             {"f = float('NaN')", "FTFNF"},
                             {"f = CAST('NaN' AS DOUBLE)", "FTFNF"},
                             {"f <> NaN", "TFTNT"},
                             {"f > 100", "FTFNT"},
                             {"f > Infinity", "FTFNF"},
                             {"f >= 'inf'", "FTFNT"},
                             {"f < NaN", "TFTNT"},
                             {"f <= NaN", "TTTNT"},
                             {"f > NaN", "FFFNF"},
                             {"f >= NaN", "FTFNF"},
                             {"f = 0", "FFTNF"},
                             {"f IN (0, NaN, 7)", "FTTNF"},
                             {"f NOT IN (0, NaN, 7)", "TFFNT"},
                             {"f IN (-0.0, 0.5)", "TFTNF"},
                             {"d IN (-0.0, 1)", "FFTNF"},
                             {"d = 5e-1", "TFFNF"},
                             {"d < 1e999", "TFTNF"},
                             {"d > -1e999", "TTTNT"},
                             {"d > 1e-999", "TTFNT"},
                             {"NaN = d", "FTFNF"},
                             {"f = d", "TTTNT"},
                             {"f <=> d", "TTTTT"},
                             {"f > d", "FFFNF"},
                             {"f < id", "TFTNF"},
                             {"id < d", "FTFNT"},
                             {"id = big", "TFFNF"},
                             {"big > id", "FTFNT"},
                             {"price > id", "TTFNT"},
                             {"price < d", "FTTNT"},
                             {"`select 1` = 20", "FTFFF"},
                             {"\"select 1\" > 30", "FFFTT"},
                             {"ID = 1", "TFFNF"},
                             {"s.a = 3", "FNTNF"},
                             {"S.A IS NULL", "FTFTF"},
                             {"s.in IS NULL", "FTFTF"},
                             {"s.`in`.b = 'x'", "TNNNF"},
                             {"s.in.b IS NOT NULL", "TFFFT"},
                             {"s.a < big", "FNFNF"},
                         }));

INSTANTIATE_TEST_SUITE_P(Lists, PredicateTable,
                         testing::ValuesIn<Case>({
                             {"id IN (1, 3)", "TFTNF"},
                             {"id NOT IN (1, 3)", "FTFNT"},
                             {"id IN (1)", "TFFNF"},
                             {"id IN (1, NULL)", "TNNNN"},
                             {"id NOT IN (1, NULL)", "FNNNN"},
                             {"id IN (NULL)", "NNNNN"},
                             {"id IN (1.5, 99999999999)", "FFFNF"},
                             {"id NOT IN (1.5, 99999999999)", "TTTNT"},
                             {"id IN (1.0, 2.5)", "TFFNF"},
                             {"price IN (1.5, 3.001, 3)", "TTFNF"},
                             {"name IN ('ann', 'o''hara_%')", "TFFNT"},
                             {"name in ('')", "FFTNF"},
                             {"day IN ('2026-01-01', DATE '1969-12-31')", "TTFNF"},
                             {"ok IN (true, false)", "TTNTT"},
                             {"3 IN (1, 3)", "TTTTT"},
                             {"NULL IN (1, 3)", "NNNNN"},
                             {"bin IN (X'', X'616263')", "FTFNT"},
                             {"id BETWEEN 2 AND big", "FTFNF"},
                             {"2 BETWEEN 1 AND id", "FTTNF"},
                             {"id BETWEEN 3 AND 1", "FFFNF"},
                             {"id NOT BETWEEN 2 AND NULL", "TNNNT"},
                         }));

INSTANTIATE_TEST_SUITE_P(Texts, PredicateTable,
                         testing::ValuesIn<Case>({
                             {"name = 'ann'", "TFFNF"},
                             {"name < 'a'", "FTTNF"},
                             {"name >= 'Bob'", "TTFNT"},
                             {"name = 'o''hara_%'", "FFFNT"},
                             {"name LIKE 'a%'", "TFFNF"},
                             {"name NOT LIKE 'a%'", "FTTNT"},
                             {"name LIKE '%n'", "TFFNF"},
                             {"name LIKE '_ob'", "FTFNF"},
                             {"name LIKE '%ar%'", "FFFNT"},
                             {"name LIKE ''", "FFTNF"},
                             {"name LIKE '%'", "TTTNT"},
                             {"name LIKE '%\\_\\%'", "FFFNT"},
                             {"name LIKE '%!_!%' ESCAPE '!'", "FFFNT"},
                             {"name LIKE 'ANN'", "FFFNF"},
                             {"name ILIKE 'ANN'", "TFFNF"},
                             {"name LIKE NULL", "NNNNN"},
                             {"name LIKE 'an.'", "FFFNF"},
                             {"bin = X'616263'", "FFFNT"},
                             {"bin > x'00FF'", "FFTNT"},
                             {"bin = 'abc'", "FFFNT"},
                         }));

INSTANTIATE_TEST_SUITE_P(Times, PredicateTable,
                         testing::ValuesIn<Case>({
                             {"day = '2026-01-01'", "TFFNF"},
                             {"day = DATE '2026-1-1'", "TFFNF"},
                             {"day < date('2026-01-01')", "FTTNF"},
                             {"day > CAST('2025-12-31' AS DATE)", "TFFNT"},
                             {"day BETWEEN DATE '2024-02-29' AND '2026-01-30'", "TFTNF"},
                             {"day < '9999-12-31'", "TTTNT"},
                             {"day = '2026-01-01 12:00:00'", "FFFNF"},
                             {"day < '2026-01-01 12:00:00'", "TTTNF"},
                             {"day >= TIMESTAMP '2026-01-01 00:00:00'", "TFFNT"},
                             {"at = '2026-01-01 12:00:00.500001'", "TFFNF"},
                             {"at = TIMESTAMP '2026-01-01T12:00:00.500001Z'", "TFFNF"},
                             {"at = '2026-01-01 13:30:00.500001+01:30'", "TFFNF"},
                             {"at = '1970-01-01'", "FFTNF"},
                             {"at < '1970-01-01'", "FTFNF"},
                             {"at <= '1969-12-31 23:59:59.999999000'", "FTFNF"},
                             {"at < '1969-12-31 23:59:59.999999001'", "FTFNF"},
                             {"at = '2026-01-31 00:00 UTC'", "FFFNT"},
                             {"at >= '2026-01-31 02:00-0500'", "FFFNF"},
                             {"local = '1970-01-01 00:00:00.000'", "FFTNF"},
                             {"local > '1970-01-01 00:00:00.0005'", "TFFNT"},
                             {"local = '1970-01-01 00:00:00.0005'", "FFFNF"},
                             {"local <= TIMESTAMP_NTZ '1970-01-01 00:00:00.0005'", "FTTNF"},
                         }));

INSTANTIATE_TEST_SUITE_P(
    Errors, PredicateTable,
    testing::ValuesIn<Case>({
        {"id > 1 AND nmae = 'x'",
         "where: position 12: no column \"nmae\"; did you mean \"name\"? columns are id, big, "
         "price, f, "
         "d, name, ok, day, at, local, bin, s, tags, select 1"},
        {"name = \"ann\"",
         "where: position 8: no column \"ann\"; columns are id, big, price, f, d, name, ok, day, "
         "at, "
         "local, bin, s, tags, select 1; strings take single quotes"},
        {"s.x = 1", "where: position 3: no field \"x\"; fields are a, in"},
        {"id.x = 1", "where: position 4: \"id\" has type int32 and no field \"x\""},
        {"id <", "where: position 5: expected a column or a value, found end of text"},
        {"id",
         "where: position 3: expected a comparison such as = or IN after column \"id\" (int32), "
         "found end of text"},
        {"id = 'abc'",
         "where: position 6: column \"id\" has type int32: expected a number, found 'abc'"},
        {"name = 5",
         "where: position 8: column \"name\" has type string: expected a string in single "
         "quotes, found the number 5"},
        {"name LIKE 5", "where: position 11: LIKE needs a pattern in single quotes"},
        {"id LIKE 'a%'", "where: position 9: LIKE needs a string column, found type int32"},
        {"name LIKE 'a\\b'",
         "where: position 11: in the pattern 'a\\b' the escape \\ must come before "
         "%, _ or itself"},
        {"day = '2026-02-30'",
         "where: position 7: column \"day\" has type date32[day]: expected a date "
         "such as '2026-01-31', found '2026-02-30'"},
        {"local = '2026-01-01 00:00Z'",
         "where: position 9: column \"local\" has type timestamp[ms]: expected a timestamp without "
         "time zone, as the column has none, found '2026-01-01 00:00Z'"},
        {"(id = 1", "where: position 8: expected ), found end of text"},
        {"id = 1 id = 2", "where: position 8: expected AND, OR or the end, found \"id\""},
        {"id IN ()", "where: position 8: expected a column or a value, found )"},
        {"id IN (1; 2)", "where: position 9: unexpected character ';'"},
        {"name = 'ä' AND 'open", "where: position 16: the string that opens here has no closing '"},
        {"abs(id) = 1",
         "where: position 1: \"abs\" is no literal type; DATE, TIMESTAMP, DOUBLE, FLOAT "
         "and STRING are, and functions are not supported"},
        {"name = id",
         "where: position 8: columns \"name\" and \"id\": a value of type string cannot be "
         "compared with one of type int32"},
        {"tags = 'x'",
         "where: position 8: column \"tags\" has type list<item: string>: values of type "
         "list<item: string> cannot be compared; IS [NOT] NULL is possible"},
        {"bin = X'0'",
         "where: position 7: a binary literal needs an even number of hexadecimal digits"},
        {"id = 12abc",
         "where: position 8: a number is followed by a letter; names that start with a "
         "digit need quotes: \"1st\""},
        {"id NOT 3", "where: position 8: expected IN, BETWEEN or LIKE after NOT, found 3"},
        {"id IS 3",
         "where: position 7: expected NULL, TRUE, FALSE or DISTINCT FROM after IS, found 3"},
        {"id = = 1", "where: position 6: expected a column or a value, found ="},
        {"name = '\xff'", "where: the text is not valid UTF-8"},
        {"id IN (1, big)", "where: position 11: expected a literal, found column \"big\""},
    }));

// The order of Spark: NaN equals NaN and is above all; -0.0 equals 0.0.
int SparkOrder(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) - std::isnan(b);
  return a < b ? -1 : a > b ? 1 : 0;
}

bool Holds(std::string_view op, int order) {
  if (op == "=") return order == 0;
  if (op == "<>") return order != 0;
  if (op == "<") return order < 0;
  if (op == "<=") return order <= 0;
  if (op == ">") return order > 0;
  return order >= 0;
}

constexpr std::string_view kOps[] = {"=", "<>", "<", "<=", ">", ">="};

TEST(ParsePredicate, OrdersEveryPairOfFloatsAsSparkDoes) {
  const std::vector<std::string> texts = {"null", "NaN",  "-Inf", "-1.5", "-0.0",
                                          "0.0",  "0.25", "7",    "Inf"};
  std::string left_json, right_json;
  for (const std::string& left : texts) {
    for (const std::string& right : texts) {
      left_json += (left_json.empty() ? "[" : ",") + left;
      right_json += (right_json.empty() ? "[" : ",") + right;
    }
  }
  const auto value = [](const std::string& text) { return std::strtod(text.c_str(), nullptr); };
  for (const auto& type : {arrow::float32(), arrow::float64()}) {
    const auto batch = MakeBatch({arrow::field("a", type), arrow::field("b", arrow::float64())},
                                 {left_json + "]", right_json + "]"});
    for (const std::string_view op : kOps) {
      std::string with_column;
      for (const std::string& left : texts) {
        for (const std::string& right : texts) {
          with_column += left == "null" || right == "null"                  ? 'N'
                         : Holds(op, SparkOrder(value(left), value(right))) ? 'T'
                                                                            : 'F';
        }
      }
      EXPECT_EQ(Evaluate(fmt::format("a {} b", op), *batch), with_column) << op;
      for (const std::string& literal : texts) {
        std::string with_literal;
        for (const std::string& left : texts) {
          const bool null = left == "null" || literal == "null";
          const bool holds = !null && Holds(op, SparkOrder(value(left), value(literal)));
          with_literal += std::string(texts.size(), null ? 'N' : holds ? 'T' : 'F');
        }
        EXPECT_EQ(Evaluate(fmt::format("a {} {}", op, literal), *batch), with_literal)
            << op << " " << literal;
      }
    }
  }
}

// Integers and decimals against literals with up to three fraction digits, compared in thousandths.
TEST(ParsePredicate, ComparesExactTypesByValueAtEveryBoundary) {
  std::mt19937 random(7);
  struct Kind {
    std::shared_ptr<arrow::DataType> type;
    __int128 max;         // in units
    int64_t thousandths;  // in a unit
    bool twos_complement;
  };
  const Kind kinds[] = {{arrow::int8(), 127, 1000, true},
                        {arrow::int16(), 32767, 1000, true},
                        {arrow::int32(), 2147483647, 1000, true},
                        {arrow::int64(), std::numeric_limits<int64_t>::max(), 1000, true},
                        {arrow::decimal128(4, 2), 9999, 10, false},
                        {arrow::decimal128(18, 0), 999999999999999999, 1000, false}};
  const auto print = [](__int128 thousandths) {
    const bool negative = thousandths < 0;
    if (negative) thousandths = -thousandths;
    return fmt::format("{}{}.{:03}", negative ? "-" : "", static_cast<uint64_t>(thousandths / 1000),
                       static_cast<int>(thousandths % 1000));
  };
  for (const Kind& kind : kinds) {
    const __int128 min = kind.twos_complement ? -kind.max - 1 : -kind.max;
    const std::vector<__int128> values = {min, min + 1, -1, 0, 1, 2, kind.max - 1, kind.max};
    std::string json;
    for (const __int128 unit : values) {
      std::string text = print(unit * kind.thousandths);
      text.resize(text.size() - (kind.thousandths == 1000 ? 4 : 1));
      const bool decimal = arrow::is_decimal(kind.type->id());
      json += (json.empty() ? "[" : ",") + (decimal ? "\"" + text + "\"" : text);
    }
    const auto batch = MakeBatch({arrow::field("c", kind.type)}, {json + "]"});
    for (const __int128 base : values) {
      for (const int delta : {-1001, -1000, -999, -10, -5, -1, 0, 1, 5, 10, 999, 1000, 1001}) {
        const __int128 literal = base * kind.thousandths + delta;
        const std::string_view op = kOps[random() % std::size(kOps)];
        std::string expected;
        for (const __int128 unit : values) {
          const __int128 difference = unit * kind.thousandths - literal;
          expected += Holds(op, difference < 0 ? -1 : difference > 0) ? 'T' : 'F';
        }
        const std::string where = fmt::format("c {} {}", op, print(literal));
        EXPECT_EQ(Evaluate(where, *batch), expected) << kind.type->ToString() << " " << where;
      }
    }
  }
}

TEST(ParsePredicate, KnowsTheRarerTypes) {
  const auto batch = MakeBatch(
      {arrow::field("fixed", arrow::fixed_size_binary(3)),
       arrow::field("text", arrow::large_utf8()), arrow::field("tiny", arrow::int8()),
       arrow::field("wide", arrow::decimal256(50, 1)),
       arrow::field("seconds", arrow::timestamp(arrow::TimeUnit::SECOND, "UTC")),
       arrow::field("price", arrow::decimal128(10, 2)), arrow::field("plain", arrow::utf8())},
      {R"(["abc", "xyz", null])", R"(["a", "b", null])", "[1, -128, null]",
       R"(["1000000000000000000000000000000000000000.5", "1.5", null])", "[0, 1, null]",
       R"(["1.00", "1.50", null])", R"(["b", "b", null])"});
  EXPECT_EQ(Evaluate("fixed = X'616263'", *batch), "TFN");
  EXPECT_EQ(Evaluate("fixed IN (X'616263', X'78797A')", *batch), "TTN");
  EXPECT_THAT(Evaluate("fixed = X'61'", *batch), HasSubstr("expected exactly 3 bytes"));
  EXPECT_EQ(Evaluate("text > 'a'", *batch), "FTN");
  EXPECT_EQ(Evaluate("text LIKE '_'", *batch), "TTN");
  EXPECT_EQ(Evaluate("text = plain", *batch), "FTN");
  EXPECT_EQ(Evaluate("tiny < -128.5", *batch), "FFN");
  EXPECT_EQ(Evaluate("tiny >= -128", *batch), "TTN");
  EXPECT_EQ(Evaluate("wide > 999999999999999999999999999999999999999.99", *batch), "TFN");
  EXPECT_EQ(Evaluate("wide = price", *batch), "FTN");
  EXPECT_EQ(Evaluate("tiny = price", *batch), "TFN");
  EXPECT_EQ(Evaluate("seconds <= '1970-01-01 00:00:00.9'", *batch), "TFN");
}

TEST(ParsePredicate, TakesAHundredThousandValues) {
  std::string where = "id IN (";
  for (int i = 3; i < 100'003; ++i) where += std::to_string(i) + ",";
  EXPECT_EQ(Evaluate(where + "7)", Rows()), "FFTNF");
}

TEST(ParsePredicate, TakesALongChainButNoDeepNesting) {
  std::string chain = "id = 3";
  for (int i = 0; i < 20'000; ++i) chain += " OR id = " + std::to_string(i + 10);
  EXPECT_EQ(Evaluate(chain, Rows()), "FFTNF");

  const auto nested = [](int levels) {
    return std::string(static_cast<size_t>(levels), '(') + "ok" +
           std::string(static_cast<size_t>(levels), ')');
  };
  EXPECT_EQ(Evaluate(nested(kMaxPredicateDepth), Rows()), "TFNTF");
  EXPECT_EQ(Evaluate(nested(kMaxPredicateDepth + 1), Rows()),
            "where: position 101: conditions are nested deeper than 100 levels");
}

TEST(ParsePredicate, NeedsAnUnambiguousName) {
  const auto batch =
      MakeBatch({arrow::field("Ab", arrow::int32()), arrow::field("aB", arrow::int32())},
                {"[1, 2]", "[2, 1]"});
  EXPECT_EQ(Evaluate("aB = 1", *batch), "FT");
  EXPECT_EQ(Evaluate("ab = 1", *batch),
            "where: position 1: column \"ab\" is ambiguous: Ab, aB fit");
}

TEST(SplitConjuncts, TakesOutermostAndsApart) {
  const auto parsed =
      ParsePredicate("id = 1 AND (big = 2 OR ok) AND (f = 3 AND d = 4)", *Rows().schema());
  ASSERT_TRUE(parsed.ok());
  std::vector<std::vector<std::string>> columns;
  for (const Expression& conjunct : SplitConjuncts(*parsed)) {
    columns.push_back(ReferencedColumns(conjunct));
  }
  EXPECT_THAT(columns, ElementsAre(ElementsAre("id"), ElementsAre("big", "ok"), ElementsAre("f"),
                                   ElementsAre("d")));
}

TEST(ReferencedColumns, NamesEachTopLevelColumnOnce) {
  const auto parsed =
      ParsePredicate("s.a = 1 AND s.in.b = 'x' AND NAME = 'y' AND f > 1", *Rows().schema());
  ASSERT_TRUE(parsed.ok());
  EXPECT_THAT(ReferencedColumns(*parsed), ElementsAre("s", "name", "f"));
  EXPECT_THAT(ReferencedColumns(*ParsePredicate("", *Rows().schema())), IsEmpty());
}

}  // namespace
}  // namespace firth
