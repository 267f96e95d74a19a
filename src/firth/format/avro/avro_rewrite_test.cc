// SPDX-License-Identifier: Apache-2.0
// Changes of type between the writer's schema and the wanted one: Avro's promotions and the rewrite
// table of docs/format/avro.md. Expected values are Arrow's JSON form, written by hand.
#include <arrow/array.h>
#include <arrow/json/from_string.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firth/format/avro/avro_codec.h"

namespace firth {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

using Type = std::shared_ptr<arrow::DataType>;

std::string RecordOf(std::string_view type) {
  return fmt::format(R"({{"type":"record","name":"r","fields":[{{"name":"c","type":{}}}]}})", type);
}

// Encodes the values under the Avro type, each a record of one field, and reads them as `wanted`.
Result<std::shared_ptr<arrow::Array>> Rewrite(std::string_view type,
                                              const std::vector<json>& values, const Type& wanted) {
  ARROW_ASSIGN_OR_RAISE(const AvroSchemaPtr writer, ParseAvroSchema(RecordOf(type)));
  ARROW_ASSIGN_OR_RAISE(auto decoder,
                        AvroDecoder::Make(writer, arrow::schema({arrow::field("c", wanted)}),
                                          arrow::default_memory_pool()));
  for (const json& value : values) {
    ByteWriter out;
    ARROW_RETURN_NOT_OK(EncodeAvroJson(*writer, json{{"c", value}}, &out));
    ARROW_RETURN_NOT_OK(decoder->Append(out.bytes()));
  }
  ARROW_ASSIGN_OR_RAISE(const auto batch, decoder->Flush());
  ARROW_RETURN_NOT_OK(batch->ValidateFull());
  return batch->column(0);
}

void ExpectRewrite(std::string_view type, const std::vector<json>& values, const Type& wanted,
                   std::string_view expected) {
  const auto array = Rewrite(type, values, wanted);
  ASSERT_TRUE(array.ok()) << array.status().ToString();
  const auto want = arrow::json::ArrayFromJSONString(wanted, expected);
  ASSERT_TRUE(want.ok()) << want.status().ToString();
  EXPECT_TRUE((*array)->Equals(**want)) << (*array)->ToString();
}

void ExpectRefused(std::string_view type, const Type& wanted) {
  const Status status = Rewrite(type, {}, wanted).status();
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kUnsupported) << type << " to " << wanted->ToString();
  EXPECT_THAT(status.message(), HasSubstr("column \"c\""));
}

constexpr std::string_view kDate = R"({"type":"int","logicalType":"date"})";
constexpr std::string_view kDecimal =
    R"({"type":"fixed","name":"fixed","size":5,"logicalType":"decimal","precision":10,"scale":2})";
constexpr std::string_view kDecimalBytes =
    R"({"type":"bytes","logicalType":"decimal","precision":10,"scale":2})";
constexpr std::string_view kEnum = R"({"type":"enum","name":"e","symbols":["LOW","HIGH"]})";

TEST(AvroPromotion, NumbersWiden) {
  ExpectRewrite(R"("int")", {1, -2, 2147483647}, arrow::int64(), "[1, -2, 2147483647]");
  ExpectRewrite(R"("int")", {1, -2}, arrow::float32(), "[1, -2]");
  ExpectRewrite(R"("int")", {1, 2147483647}, arrow::float64(), "[1, 2147483647]");
  ExpectRewrite(R"("long")", {1, 1099511627776}, arrow::float32(), "[1, 1099511627776]");
  ExpectRewrite(R"("long")", {-5}, arrow::float64(), "[-5]");
  ExpectRewrite(kDate, {7}, arrow::int64(), "[7]");
}

// Golden table v9_mor_evolve_promote: 0.1f reads as the double 0.1, not 0.10000000149011612.
TEST(AvroPromotion, FloatWidensThroughDecimalText) {
  ExpectRewrite(R"("float")", {0.1f, 1.1f, -0.25f, 3e38f}, arrow::float64(),
                "[0.1, 1.1, -0.25, 3e38]");
}

TEST(AvroPromotion, TextAndBytesAreInterchangeable) {
  ExpectRewrite(R"("string")", {"ab"}, arrow::binary(), R"(["ab"])");
  ExpectRewrite(R"("bytes")", {"ab"}, arrow::utf8(), R"(["ab"])");
}

TEST(AvroPromotion, TextMustBeUtf8) {
  EXPECT_THAT(Rewrite(R"("bytes")", {"ok", "\xFF"}, arrow::utf8()).status().message(),
              HasSubstr("column \"c\" holds text that is not UTF-8"));
  // Both halves of one character, which is whole only when the values are put together.
  EXPECT_FALSE(Rewrite(R"("string")", {"\xC3", "\xA9"}, arrow::utf8()).ok());
}

TEST(AvroPromotion, InstantsKeepTheirMoment) {
  const auto millis = arrow::timestamp(arrow::TimeUnit::MILLI, "UTC");
  const auto micros = arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
  ExpectRewrite(R"({"type":"long","logicalType":"timestamp-millis"})", {1500, -1}, micros,
                "[1500000, -1000]");
  ExpectRewrite(R"({"type":"long","logicalType":"timestamp-micros"})", {1500999, -1}, millis,
                "[1500, -1]");
  ExpectRewrite(R"({"type":"int","logicalType":"time-millis"})", {1500},
                arrow::time64(arrow::TimeUnit::MICRO), "[1500000]");
  ExpectRewrite(R"({"type":"long","logicalType":"time-micros"})", {1500999},
                arrow::time32(arrow::TimeUnit::MILLI), "[1500]");
  EXPECT_THAT(
      Rewrite(R"({"type":"long","logicalType":"timestamp-millis"})", {int64_t{1} << 62}, micros)
          .status()
          .message(),
      HasSubstr("beyond 64 bits"));
}

TEST(AvroRewrite, ToTextTakesTheFormOfJava) {
  ExpectRewrite(R"("int")", {-7}, arrow::utf8(), R"(["-7"])");
  ExpectRewrite(R"("long")", {1099511627776}, arrow::utf8(), R"(["1099511627776"])");
  ExpectRewrite(R"("float")", {1.1f, 1e10f}, arrow::utf8(), R"(["1.1", "1.0E10"])");
  ExpectRewrite(R"("double")", {2.0, -0.001}, arrow::utf8(), R"(["2.0", "-0.001"])");
  ExpectRewrite(kDate, {0, 19723, -1}, arrow::utf8(),
                R"(["1970-01-01", "2024-01-01", "1969-12-31"])");
  ExpectRewrite(kEnum, {"HIGH", "LOW"}, arrow::utf8(), R"(["HIGH", "LOW"])");
  ExpectRewrite(kDecimal, {std::string("\0\0\0\x04\xD2", 5), "\xFF\xFF\xFF\xFF\xFB"}, arrow::utf8(),
                R"(["12.34", "-0.05"])");
  ExpectRewrite(kDecimalBytes, {"\x7B"}, arrow::utf8(), R"(["1.23"])");
}

TEST(AvroRewrite, NumbersAndTextRoundHalfUpToADecimal) {
  const auto decimal = arrow::decimal128(10, 2);
  ExpectRewrite(R"("int")", {3}, decimal, R"(["3.00"])");
  ExpectRewrite(R"("long")", {-3}, decimal, R"(["-3.00"])");
  ExpectRewrite(R"("float")", {1.1f}, decimal, R"(["1.10"])");
  ExpectRewrite(R"("double")", {0.125, -0.125, 1e-300}, decimal, R"(["0.13", "-0.13", "0.00"])");
  ExpectRewrite(R"("string")", {"1.005", "-1e3", "1E-999999999"}, decimal,
                R"(["1.01", "-1000.00", "0.00"])");
  ExpectRewrite(R"("string")", {"1.5"}, arrow::decimal256(50, 1), R"(["1.5"])");
  EXPECT_THAT(Rewrite(R"("string")", {"ten"}, decimal).status().message(),
              HasSubstr("\"ten\" is no"));
  EXPECT_FALSE(Rewrite(R"("double")", {1e9}, decimal).ok());
  EXPECT_FALSE(Rewrite(R"("string")", {"1e999999999"}, decimal).ok());
}

TEST(AvroRewrite, DecimalsRescaleExactlyOrNotAtAll) {
  const std::string value("\0\0\0\x04\xD2", 5);  // 12.34
  ExpectRewrite(kDecimal, {value}, arrow::decimal128(12, 4), R"(["12.3400"])");
  ExpectRewrite(kDecimal, {value}, arrow::decimal128(20, 2), R"(["12.34"])");
  ExpectRewrite(kDecimal, {value}, arrow::decimal256(40, 2), R"(["12.34"])");
  ExpectRewrite(kDecimalBytes, {"\x7B"}, arrow::decimal128(10, 2), R"(["1.23"])");
  EXPECT_THAT(Rewrite(kDecimal, {value}, arrow::decimal128(10, 1)).status().message(),
              HasSubstr("12.34 is not exact"));
}

TEST(AvroRewrite, BytesBecomeTheUnscaledDecimal) {
  ExpectRewrite(R"("bytes")", {"\x04\xD2", "\xFF"}, arrow::decimal128(10, 2),
                R"(["12.34", "-0.01"])");
  EXPECT_FALSE(Rewrite(R"("bytes")", {""}, arrow::decimal128(10, 2)).ok());
  EXPECT_FALSE(Rewrite(R"("bytes")", {std::string(40, '\x11')}, arrow::decimal128(10, 2)).ok());
}

TEST(AvroRewrite, TextBecomesADate) {
  ExpectRewrite(R"("string")", {"2024-01-01", "1969-12-31"}, arrow::date32(), "[19723, -1]");
  for (const char* text : {"", "2024", "2024-1", "2024-13-01", "2023-02-29", "2024-01-01x",
                           "99999999999-01-01", "-"}) {
    EXPECT_FALSE(Rewrite(R"("string")", {text}, arrow::date32()).ok()) << text;
  }
}

// The crosses of the table.
TEST(AvroRewrite, OtherChangesAreRefusedByName) {
  ExpectRefused(R"("long")", arrow::int32());
  ExpectRefused(R"("double")", arrow::float32());
  ExpectRefused(R"("float")", arrow::int64());
  ExpectRefused(R"("string")", arrow::int64());
  ExpectRefused(R"("int")", arrow::binary());
  ExpectRefused(R"("boolean")", arrow::utf8());
  ExpectRefused(kDecimal, arrow::float64());
  ExpectRefused(kDate, arrow::float64());
  ExpectRefused(kEnum, arrow::int32());
  ExpectRefused(R"({"type":"array","items":"int"})", arrow::int32());
  ExpectRefused(R"("int")", arrow::list(arrow::int32()));
  ExpectRefused(R"(["null","int","string"])", arrow::utf8());
  ExpectRefused(R"("int")", arrow::uint64());
  ExpectRefused(R"({"type":"record","name":"v","logicalType":"variant","fields":[]})",
                arrow::struct_({arrow::field("value", arrow::binary())}));
}

TEST(AvroNulls, EitherOrderOfTheUnionAndMissingFields) {
  const auto wanted = arrow::schema(
      {arrow::field("b", arrow::int32()), arrow::field("missing", arrow::utf8()),
       arrow::field("a", arrow::int64()), arrow::field("n", arrow::null()),
       arrow::field("s", arrow::struct_({arrow::field("y", arrow::list(arrow::int32())),
                                         arrow::field("x", arrow::int32())}))});
  const AvroSchemaPtr writer = *ParseAvroSchema(
      R"({"type":"record","name":"r","fields":[{"name":"a","type":["null","int"]},)"
      R"({"name":"skipped","type":["null","string"]},{"name":"n","type":"null"},)"
      R"({"name":"s","type":["null",{"type":"record","name":"s","fields":[)"
      R"({"name":"x","type":["int","null"]},{"name":"z","type":"string"}]}]},)"
      R"({"name":"b","type":["int","null"]}]})");
  auto decoder = *AvroDecoder::Make(writer, wanted, arrow::default_memory_pool());
  for (const json& row :
       {json{{"a", 1}, {"b", nullptr}, {"s", nullptr}},
        json{{"a", nullptr}, {"b", 2}, {"s", {{"x", 3}, {"z", "zz"}}}, {"skipped", "text"}}}) {
    ByteWriter out;
    ASSERT_EQ(EncodeAvroJson(*writer, row, &out), Status::OK());
    ASSERT_EQ(decoder->Append(out.bytes()), Status::OK());
  }
  const auto batch = *decoder->Flush();
  ASSERT_EQ(batch->ValidateFull(), Status::OK());
  const auto expected = *arrow::json::ArrayFromJSONString(arrow::struct_(wanted->fields()),
                                                          R"([{"a": 1}, {"b": 2, "s": {"x": 3}}])");
  EXPECT_TRUE((*batch->ToStructArray())->Equals(*expected)) << batch->ToString();
}

TEST(AvroUnions, OfSeveralTypesAreSkippedWhenNotWanted) {
  const AvroSchemaPtr writer =
      *ParseAvroSchema(R"({"type":"record","name":"r","fields":[{"name":"u","type":["null","int",)"
                       R"({"type":"map","values":"string"}]},{"name":"c","type":"int"}]})");
  auto decoder = *AvroDecoder::Make(writer, arrow::schema({arrow::field("c", arrow::int32())}),
                                    arrow::default_memory_pool());
  for (const json& value : {json(), json(5), json{{"k", "v"}}}) {
    ByteWriter out;
    ASSERT_EQ(EncodeAvroJson(*writer, json{{"u", value}, {"c", 9}}, &out), Status::OK());
    ASSERT_EQ(decoder->Append(out.bytes()), Status::OK());
  }
  EXPECT_EQ((*decoder->Flush())->column(0)->ToString(),
            (*arrow::json::ArrayFromJSONString(arrow::int32(), "[9, 9, 9]"))->ToString());
}

TEST(AvroVectors, FillFixedSizeLists) {
  const std::string type =
      R"({"type":"fixed","name":"v","size":16,"logicalType":"vector","dimension":2,"elementType":"DOUBLE"})";
  std::string bytes(16, '\0');
  const double values[2] = {1.5, -2};
  std::memcpy(bytes.data(), values, sizeof(values));
  ExpectRewrite(R"(["null",)" + type + "]", {bytes, nullptr},
                arrow::fixed_size_list(arrow::float64(), 2), "[[1.5, -2], null]");
  ExpectRefused(type, arrow::fixed_size_list(arrow::float32(), 4));
}

Status DecodeOne(std::string_view type, const Type& wanted, const std::string& bytes) {
  auto decoder =
      *AvroDecoder::Make(*ParseAvroSchema(RecordOf(type)),
                         arrow::schema({arrow::field("c", wanted)}), arrow::default_memory_pool());
  return decoder->Append(bytes);
}

TEST(AvroDecoder, ErrorsNameTheColumnAndTheByte) {
  EXPECT_EQ(DecodeOne(R"("string")", arrow::utf8(),
                      "\x08"
                      "abc")
                .message(),
            "column \"c\": the bytes end inside the value at byte 0 of an avro record of 4");
  EXPECT_THAT(DecodeOne(R"(["null","int"])", arrow::int32(), "\x04").message(),
              HasSubstr("no such branch"));
  EXPECT_THAT(DecodeOne(R"("int")", arrow::int32(), "\x02\x02").message(),
              HasSubstr("ends at byte 1"));
  EXPECT_THAT(DecodeOne(R"("boolean")", arrow::boolean(), "\x02").message(), HasSubstr("boolean"));
}

// Who skips the list goes by that size, so both must agree on where it ends.
TEST(AvroDecoder, ListBlocksHaveTheSizeTheyClaim) {
  const auto decode = [](int64_t claimed) {
    ByteWriter list;
    for (const int64_t number : {int64_t{-2}, claimed, int64_t{5}, int64_t{6}, int64_t{0}}) {
      list.PutZigZag(number);
    }
    return DecodeOne(R"({"type":"array","items":"int"})", arrow::list(arrow::int32()),
                     list.bytes());
  };
  EXPECT_EQ(decode(2), Status::OK());
  EXPECT_THAT(decode(1).message(), HasSubstr("another size"));
  EXPECT_FALSE(decode(3).ok());
}

TEST(AvroDecoder, ListsNeverClaimMoreItemsThanBytes) {
  ByteWriter many;
  many.PutZigZag(int64_t{1} << 40);
  EXPECT_FALSE(
      DecodeOne(R"({"type":"array","items":"int"})", arrow::list(arrow::int32()), many.bytes())
          .ok());
  const Type empty = arrow::list(arrow::struct_(arrow::FieldVector{}));
  constexpr std::string_view kEmpty =
      R"({"type":"array","items":{"type":"record","name":"e","fields":[]}})";
  EXPECT_THAT(DecodeOne(kEmpty, empty, many.bytes()).message(), HasSubstr("too many empty items"));
  ByteWriter few;
  few.PutZigZag(100);
  few.PutZigZag(0);
  EXPECT_EQ(DecodeOne(kEmpty, empty, few.bytes()), Status::OK());
}

}  // namespace
}  // namespace firth
