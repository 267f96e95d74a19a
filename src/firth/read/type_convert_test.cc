// SPDX-License-Identifier: Apache-2.0
#include "firth/read/type_convert.h"

#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/json/from_string.h>
#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "firth/common/arrow_init.h"

namespace firth {
namespace {

using ArrayPtr = std::shared_ptr<arrow::Array>;
using TypePtr = std::shared_ptr<arrow::DataType>;

ArrayPtr Json(const TypePtr& type, std::string_view json) {
  return arrow::json::ArrayFromJSONString(type, json).ValueOrDie();
}

void ExpectConverts(const ArrayPtr& from, const ArrayPtr& to) {
  ASSERT_TRUE(InitializeArrow().ok());
  ASSERT_TRUE(CheckConvertible(*from->type(), *to->type(), "c").ok());
  const auto converted = ConvertColumn(from, to->type(), "c");
  ASSERT_TRUE(converted.ok()) << converted.status();
  EXPECT_TRUE((*converted)->ValidateFull().ok());
  EXPECT_TRUE((*converted)->Equals(to)) << (*converted)->ToString() << " is not " << to->ToString();
  EXPECT_EQ((*converted)->type().get(), to->type().get());
}

TEST(ConvertColumn, PromotesNumbers) {
  ExpectConverts(Json(arrow::int32(), "[1, null, -7]"), Json(arrow::int64(), "[1, null, -7]"));
  ExpectConverts(Json(arrow::int32(), "[1, null]"), Json(arrow::float64(), "[1, null]"));
  ExpectConverts(Json(arrow::int64(), "[5]"), Json(arrow::float32(), "[5]"));
  ExpectConverts(Json(arrow::int64(), "[5, null]"), Json(arrow::utf8(), R"(["5", null])"));
  ExpectConverts(Json(arrow::float64(), "[5, 1e10]"), Json(arrow::utf8(), R"(["5.0", "1.0E10"])"));
}

// (float) 16777217 is 16777216 in Java: the nearest, ties to the even one.
TEST(ConvertColumn, RoundsIntegersToTheNearestFloat) {
  ExpectConverts(Json(arrow::int32(), "[16777217, 16777219, -2147483647, null]"),
                 Json(arrow::float32(), "[16777216, 16777220, -2147483648, null]"));
  ExpectConverts(Json(arrow::int64(), "[9007199254740993, 9223372036854775807]"),
                 Json(arrow::float64(), "[9007199254740992, 9223372036854775808]"));
  ExpectConverts(Json(arrow::int64(), "[9007199791611905]"),
                 Json(arrow::float32(), "[9007200328482816]"));
}

// Hudi goes through decimal text: 1.1f is 1.1, not 1.10000002384185791015625.
TEST(ConvertColumn, WidensFloatsByTheirText) {
  ExpectConverts(Json(arrow::float32(), "[1.1, -0.3, null, 16777216]"),
                 Json(arrow::float64(), "[1.1, -0.3, null, 16777216]"));
  ExpectConverts(Json(arrow::float32(), "[1.401298464324817e-45, 1e10]"),
                 Json(arrow::float64(), "[1.4e-45, 1e10]"));
}

TEST(ConvertColumn, TakesTimestampsAtTheWordOfTheTable) {
  const auto micros = arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
  const auto millis = arrow::timestamp(arrow::TimeUnit::MILLI, "UTC");
  const auto local = arrow::timestamp(arrow::TimeUnit::MILLI);
  ExpectConverts(Json(arrow::int64(), "[1700000000123]"), Json(local, "[1700000000123]"));
  ExpectConverts(Json(millis, "[3]"), Json(micros, "[3000]"));
  // Annotated as micros, holding millis: the number stays.
  ExpectConverts(Json(micros, "[1700000000123]"), Json(millis, "[1700000000123]"));
}

TEST(ConvertColumn, MatchesStructFieldsByName) {
  const auto from =
      arrow::struct_({arrow::field("b", arrow::utf8()), arrow::field("x", arrow::int32()),
                      arrow::field("a", arrow::int32())});
  const auto to =
      arrow::struct_({arrow::field("a", arrow::int64()), arrow::field("b", arrow::utf8()),
                      arrow::field("c", arrow::float64())});
  const auto rows =
      Json(from, R"([{"b": "p", "x": 1, "a": 2}, null, {"b": null, "x": 3, "a": 4}])");
  const auto expected =
      Json(to, R"([{"a": 2, "b": "p", "c": null}, null, {"a": 4, "b": null, "c": null}])");
  ExpectConverts(rows, expected);
  ExpectConverts(rows->Slice(1), expected->Slice(1));
}

TEST(ConvertColumn, ConvertsInsideListsAndMaps) {
  ExpectConverts(
      Json(arrow::list(arrow::field("array", arrow::int32(), false)), "[[1, 2], null, []]"),
      Json(arrow::list(arrow::field("element", arrow::int64())), "[[1, 2], null, []]"));
  ExpectConverts(Json(arrow::map(arrow::utf8(), arrow::int32()), R"([[["k", 1]], null])"),
                 Json(arrow::map(arrow::utf8(), arrow::float64()), R"([[["k", 1]], null])"));
}

TEST(ConvertColumn, ReadsFixedBytesAsVectors) {
  const float values[] = {1.5F, -2.0F, 0.25F, 8.0F};
  std::string bytes(sizeof(values), '\0');
  std::memcpy(bytes.data(), values, sizeof(values));
  arrow::FixedSizeBinaryBuilder builder(arrow::fixed_size_binary(8));
  ASSERT_TRUE(builder.Append(bytes.substr(0, 8)).ok());
  ASSERT_TRUE(builder.AppendNull().ok());
  ASSERT_TRUE(builder.Append(bytes.substr(8, 8)).ok());
  const auto column = builder.Finish().ValueOrDie();
  const auto expected =
      Json(arrow::fixed_size_list(arrow::float32(), 2), "[[1.5, -2], null, [0.25, 8]]");
  ExpectConverts(column, expected);
  ExpectConverts(column->Slice(1), expected->Slice(1));
}

TEST(ConvertColumn, NamesTheColumnThatCannotBeConverted) {
  const auto from = arrow::struct_({arrow::field("a", arrow::utf8())});
  const auto to = arrow::struct_({arrow::field("a", arrow::boolean())});
  const Status status = CheckConvertible(*from, *to, "s");
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kUnsupported);
  EXPECT_THAT(status.message(), ::testing::HasSubstr("\"s.a\": the file has string"));
}

TEST(ConvertColumn, TextThatIsNoDateIsCorrupt) {
  ASSERT_TRUE(InitializeArrow().ok());
  const auto converted = ConvertColumn(Json(arrow::utf8(), R"(["soon"])"), arrow::date32(), "d");
  EXPECT_EQ(GetErrorCode(converted.status()), ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace firth
