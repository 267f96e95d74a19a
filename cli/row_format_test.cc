// SPDX-License-Identifier: Apache-2.0
#include "cli/row_format.h"

#include <arrow/array/builder_binary.h>
#include <arrow/array/util.h>
#include <arrow/json/from_string.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cli/type_names.h"
#include "cli/value_text.h"

namespace firth::cli {
namespace {

using testing::ElementsAre;

std::shared_ptr<arrow::Array> FromJson(const std::shared_ptr<arrow::DataType>& type,
                                       std::string_view json) {
  return arrow::json::ArrayFromJSONString(type, json).ValueOrDie();
}

std::vector<std::string> Texts(const std::shared_ptr<arrow::Array>& array,
                               TextStyle style = TextStyle::kJson) {
  const auto writer = MakeValueWriter(array, style).ValueOrDie();
  std::vector<std::string> texts(static_cast<size_t>(array->length()));
  for (size_t i = 0; i < texts.size(); ++i) writer->Append(static_cast<int64_t>(i), &texts[i]);
  return texts;
}

std::string Text(double value) {
  std::string text;
  AppendDouble(value, &text);
  return text;
}

// Right-hand sides: what Python's repr() prints.
TEST(AppendDouble, SpellsAsPythonDoes) {
  const std::pair<double, const char*> cases[] = {
      {0.1, "0.1"},
      {1.0, "1.0"},
      {0.0, "0.0"},
      {-0.0, "-0.0"},
      {100.0, "100.0"},
      {123.456, "123.456"},
      {1e15, "1000000000000000.0"},
      {9999999999999998.0, "9999999999999998.0"},
      {1e16, "1e+16"},
      {1e22, "1e+22"},
      {123456789012345680.0, "1.2345678901234568e+17"},
      {1e-4, "0.0001"},
      {0.00012345, "0.00012345"},
      {1e-5, "1e-05"},
      {-1.5e-7, "-1.5e-07"},
      {5e-324, "5e-324"},
      {1.7976931348623157e308, "1.7976931348623157e+308"},
      {std::numeric_limits<double>::quiet_NaN(), "NaN"},
      {-std::numeric_limits<double>::infinity(), "-Infinity"},
  };
  for (const auto& [value, expected] : cases) EXPECT_EQ(Text(value), expected);
}

TEST(ValueWriter, WidensFloatsBeforePrinting) {
  EXPECT_THAT(Texts(FromJson(arrow::float32(), "[0.1, 3.4028235e38, 1e-45, 16777216, null]")),
              ElementsAre("0.10000000149011612", "3.4028234663852886e+38", "1.401298464324817e-45",
                          "16777216.0", "null"));
}

TEST(ValueWriter, QuotesSpecialFloatsInJsonOnly) {
  const auto array = FromJson(arrow::float64(), "[NaN, Inf, -Inf]");
  EXPECT_THAT(Texts(array), ElementsAre("\"NaN\"", "\"Infinity\"", "\"-Infinity\""));
  EXPECT_THAT(Texts(array, TextStyle::kBare), ElementsAre("NaN", "Infinity", "-Infinity"));
}

TEST(ValueWriter, PrintsIntegersOfEveryWidth) {
  EXPECT_THAT(Texts(FromJson(arrow::int8(), "[-128, 127]")), ElementsAre("-128", "127"));
  EXPECT_THAT(Texts(FromJson(arrow::int64(), "[-9223372036854775808, 9223372036854775807]")),
              ElementsAre("-9223372036854775808", "9223372036854775807"));
  EXPECT_THAT(Texts(FromJson(arrow::boolean(), "[true, false, null]")),
              ElementsAre("true", "false", "null"));
}

TEST(ValueWriter, PrintsDecimalsWithTheirScaleAndWithoutExponents) {
  EXPECT_THAT(Texts(FromJson(arrow::decimal128(10, 2), R"(["1.50", "-0.01", "0.00", "100.00"])")),
              ElementsAre("\"1.50\"", "\"-0.01\"", "\"0.00\"", "\"100.00\""));
  EXPECT_THAT(
      Texts(FromJson(arrow::decimal128(38, 18),
                     R"(["0.000000000000000001", "-12345678901234567890.000000000000000000"])"),
            TextStyle::kBare),
      ElementsAre("0.000000000000000001", "-12345678901234567890.000000000000000000"));
  EXPECT_THAT(Texts(FromJson(arrow::decimal128(5, 0), R"(["12345", "-7"])")),
              ElementsAre("\"12345\"", "\"-7\""));
}

TEST(ValueWriter, PrintsDatesAcrossTheCalendar) {
  EXPECT_THAT(Texts(FromJson(arrow::date32(), "[0, -1, 19782, -25508, -719162, 2932896]")),
              ElementsAre("\"1970-01-01\"", "\"1969-12-31\"", "\"2024-02-29\"", "\"1900-03-01\"",
                          "\"0001-01-01\"", "\"9999-12-31\""));
}

TEST(ValueWriter, PrintsTimestampsInMicrosecondsAndMarksTheZone) {
  const std::string_view json = "[0, -1, 1767268800500001]";
  EXPECT_THAT(Texts(FromJson(arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"), json)),
              ElementsAre("\"1970-01-01T00:00:00.000000Z\"", "\"1969-12-31T23:59:59.999999Z\"",
                          "\"2026-01-01T12:00:00.500001Z\""));
  EXPECT_THAT(Texts(FromJson(arrow::timestamp(arrow::TimeUnit::MILLI), "[-1, 1767268800500]"),
                    TextStyle::kBare),
              ElementsAre("1969-12-31T23:59:59.999000", "2026-01-01T12:00:00.500000"));
}

TEST(ValueWriter, SurvivesTheEndsOfTheTimestampRange) {
  const auto texts = Texts(FromJson(arrow::timestamp(arrow::TimeUnit::SECOND),
                                    "[-9223372036854775808, 9223372036854775807]"));
  EXPECT_THAT(texts, ElementsAre("\"-292277022657-01-27T08:29:52.000000\"",
                                 "\"292277026596-12-04T15:30:07.000000\""));
}

TEST(ValueWriter, EscapesStringsInJsonOnly) {
  const auto array = FromJson(arrow::utf8(), R"(["a\"b\\c\n\u0001\u007f", "grün 😀", ""])");
  EXPECT_THAT(Texts(array), ElementsAre("\"a\\\"b\\\\c\\n\\u0001\x7f\"", "\"grün 😀\"", "\"\""));
  EXPECT_THAT(Texts(array, TextStyle::kBare), ElementsAre("a\"b\\c\n\x01\x7f", "grün 😀", ""));
}

TEST(ValueWriter, ReplacesInvalidUtf8InJson) {
  arrow::StringBuilder builder;
  for (const char* text : {"a\xff"
                           "b",
                           "\xc0\x80", "\xed\xa0\x80", "\xf0\x9f\x98", "\xe2\x82\xac"}) {
    ASSERT_TRUE(builder.Append(text).ok());
  }
  EXPECT_THAT(Texts(builder.Finish().ValueOrDie()),
              ElementsAre("\"a\uFFFDb\"", "\"\uFFFD\uFFFD\"", "\"\uFFFD\uFFFD\uFFFD\"",
                          "\"\uFFFD\uFFFD\uFFFD\"", "\"€\""));
}

TEST(ValueWriter, PrintsBinaryAsBase64) {
  EXPECT_THAT(Texts(FromJson(arrow::binary(), R"(["", "f", "foobar", null])")),
              ElementsAre("\"\"", "\"Zg==\"", "\"Zm9vYmFy\"", "null"));
  EXPECT_THAT(Texts(FromJson(arrow::fixed_size_binary(3), R"(["foo"])")), ElementsAre("\"Zm9v\""));
}

TEST(ValueWriter, NestsListsStructsAndMaps) {
  const auto point = arrow::struct_(
      {arrow::field("x", arrow::int32()), arrow::field("y \"q\"", arrow::list(arrow::utf8()))});
  EXPECT_THAT(Texts(FromJson(point, R"([{"x": 1, "y \"q\"": ["a", null]}, null,
                                        {"x": null, "y \"q\"": null}])")),
              ElementsAre("{\"x\":1,\"y \\\"q\\\"\":[\"a\",null]}", "null",
                          "{\"x\":null,\"y \\\"q\\\"\":null}"));
  EXPECT_THAT(Texts(FromJson(arrow::map(arrow::utf8(), arrow::float64()),
                             R"([[["b", 2], ["a", null], ["B", NaN]], [], null])"),
                    TextStyle::kBare),
              ElementsAre("{\"B\":\"NaN\",\"a\":null,\"b\":2.0}", "{}", "null"));
  EXPECT_THAT(Texts(FromJson(arrow::fixed_size_list(arrow::float32(), 2), "[[1, 0.5], null]")),
              ElementsAre("[1.0,0.5]", "null"));
}

TEST(ValueWriter, FollowsSlices) {
  const auto list = FromJson(arrow::list(arrow::int32()), "[[1], [2, 3], null, []]");
  EXPECT_THAT(Texts(list->Slice(1, 3)), ElementsAre("[2,3]", "null", "[]"));
  const auto vectors = FromJson(arrow::fixed_size_list(arrow::int8(), 2), "[[1, 2], [3, 4]]");
  EXPECT_THAT(Texts(vectors->Slice(1)), ElementsAre("[3,4]"));
  const auto structs =
      FromJson(arrow::struct_({arrow::field("a", arrow::int32())}), R"([{"a": 1}, {"a": 2}])");
  EXPECT_THAT(Texts(structs->Slice(1)), ElementsAre("{\"a\":2}"));
  const auto maps =
      FromJson(arrow::map(arrow::utf8(), arrow::int32()), R"([[["a", 1]], [["b", 2]]])");
  EXPECT_THAT(Texts(maps->Slice(1)), ElementsAre("{\"b\":2}"));
}

TEST(ValueWriter, ReadsThroughDictionaries) {
  const auto array =
      arrow::json::DictArrayFromJSONString(arrow::dictionary(arrow::int8(), arrow::utf8()),
                                           "[1, null, 0]", R"(["x", "y"])")
          .ValueOrDie();
  EXPECT_THAT(Texts(array), ElementsAre("\"y\"", "null", "\"x\""));
}

TEST(ValueWriter, RefusesTypesWithoutATextForm) {
  const auto array = arrow::MakeArrayOfNull(arrow::month_interval(), 1).ValueOrDie();
  EXPECT_TRUE(MakeValueWriter(array, TextStyle::kJson).status().IsNotImplemented());
}

TEST(JsonRowWriter, WritesOneObjectALine) {
  const auto schema =
      arrow::schema({arrow::field("id", arrow::int32()), arrow::field("a \"b\"", arrow::utf8())});
  const auto batch = arrow::RecordBatch::Make(
      schema, 2,
      {FromJson(arrow::int32(), "[1, null]"), FromJson(arrow::utf8(), R"(["x", null])")});
  std::string text;
  ASSERT_TRUE(JsonRowWriter(*schema).Append(*batch, &text).ok());
  EXPECT_EQ(text,
            "{\"id\":1,\"a \\\"b\\\"\":\"x\"}\n"
            "{\"id\":null,\"a \\\"b\\\"\":null}\n");
}

TEST(SparkTypeName, WritesDdl) {
  const auto utc = arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
  const auto type =
      arrow::struct_({arrow::field("a", arrow::list(arrow::decimal128(10, 2))),
                      arrow::field("b", arrow::map(arrow::utf8(), utc)),
                      arrow::field("c", arrow::timestamp(arrow::TimeUnit::MILLI)),
                      arrow::field("d", arrow::fixed_size_list(arrow::float32(), 8)),
                      arrow::field("e", arrow::fixed_size_list(arrow::float64(), 4))});
  EXPECT_EQ(SparkTypeName(*type),
            "struct<a:array<decimal(10,2)>,b:map<string,timestamp>,c:timestamp_ntz,d:vector(8),"
            "e:vector(4, double)>");
  EXPECT_EQ(SparkTypeName(*arrow::int8()), "tinyint");
  EXPECT_EQ(SparkTypeName(*arrow::int64()), "bigint");
}

}  // namespace
}  // namespace firth::cli
