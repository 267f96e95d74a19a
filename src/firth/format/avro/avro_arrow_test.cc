// SPDX-License-Identifier: Apache-2.0
#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firth/format/avro/avro_schema.h"

namespace firth {
namespace {

using ::testing::HasSubstr;

std::shared_ptr<arrow::Schema> HudiColumns() {
  using arrow::field;
  const auto item = field("element", arrow::struct_({field("x", arrow::int32())}));
  return arrow::schema(
      {field("id", arrow::int32()), field("ok", arrow::boolean()), field("i64", arrow::int64()),
       field("f32", arrow::float32()), field("f64", arrow::float64()),
       field("d5", arrow::decimal128(5, 2)), field("d38", arrow::decimal128(38, 10)),
       field("d76", arrow::decimal256(76, 10)), field("s", arrow::utf8()),
       field("bin", arrow::binary()), field("dt", arrow::date32()),
       field("tsu", arrow::timestamp(arrow::TimeUnit::MICRO, "UTC")),
       field("ntz", arrow::timestamp(arrow::TimeUnit::MILLI)),
       field("tm", arrow::time32(arrow::TimeUnit::MILLI)), field("arrs", arrow::list(item)),
       field("m", std::make_shared<arrow::MapType>(field("key", arrow::utf8(), false),
                                                   field("value", arrow::int64()))),
       field("emb", arrow::fixed_size_list(field("element", arrow::float32(), false), 8)),
       field("emb2", arrow::fixed_size_list(field("element", arrow::float32(), false), 8)),
       field("key", arrow::utf8(), /*nullable=*/false)});
}

// The forms are those of the log header of golden table v9_mor_types and v9_mor_vector.
TEST(ArrowToAvroSchema, WritesTheFormOfHudi) {
  const AvroSchemaPtr schema = *ArrowToAvroSchema(*HudiColumns(), "t_record", "hoodie.t");
  const std::string text = FormatAvroSchema(*schema);
  for (
      const char* part :
      {R"({"type":"record","name":"t_record","namespace":"hoodie.t","fields":[{"name":"id","type":["null","int"],"default":null})",
       R"({"name":"d5","type":["null",{"type":"fixed","name":"fixed","namespace":"hoodie.t.t_record.d5","size":3,"logicalType":"decimal","precision":5,"scale":2}],"default":null})",
       R"({"name":"dt","type":["null",{"type":"int","logicalType":"date"}],"default":null})",
       R"({"name":"tsu","type":["null",{"type":"long","logicalType":"timestamp-micros"}],"default":null})",
       R"({"name":"ntz","type":["null",{"type":"long","logicalType":"local-timestamp-millis"}],"default":null})",
       R"({"name":"arrs","type":["null",{"type":"array","items":["null",{"type":"record","name":"arrs","namespace":"hoodie.t.t_record","fields":[{"name":"x","type":["null","int"],"default":null}]}]}],"default":null})",
       R"({"name":"m","type":["null",{"type":"map","values":["null","long"]}],"default":null})",
       R"({"name":"emb","type":["null",{"type":"fixed","name":"vector_float_8","namespace":"","size":32,"logicalType":"vector","dimension":8,"elementType":"FLOAT","storageBacking":"FIXED_BYTES"}],"default":null})",
       R"({"name":"emb2","type":["null","vector_float_8"],"default":null})",
       R"({"name":"key","type":"string"})"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

TEST(ArrowToAvroSchema, IsUndoneByAvroToArrowSchema) {
  const AvroSchemaPtr schema = *ArrowToAvroSchema(*HudiColumns(), "t_record", "hoodie.t");
  const AvroSchemaPtr parsed = *ParseAvroSchema(FormatAvroSchema(*schema));
  const auto back = *AvroToArrowSchema(*parsed);
  EXPECT_TRUE(back->Equals(*HudiColumns())) << back->ToString();
}

// What Avro 1.11 for Java says of these names.
TEST(ArrowToAvroSchema, TakesTheNamesThatJavaTakes) {
  const auto is_name = [](const char* name) {
    return ArrowToAvroSchema(arrow::Schema({arrow::field(name, arrow::int32())}), "r", "").ok();
  };
  for (const char* name : {"a", "_1", "é", "中", "x１", "Ж9"}) EXPECT_TRUE(is_name(name)) << name;
  for (const char* name : {"", "1", "a b", "a-b", "😀", "—", "x—y", "１", "²", "x½", "𝒳", "x😀",
                           "x\u200By", "\xFF", "a\xC3"}) {
    EXPECT_FALSE(is_name(name)) << name;
  }
}

TEST(ArrowToAvroSchema, NamesTheColumnThatHasNoAvroForm) {
  const auto error = [](const std::string& name, std::shared_ptr<arrow::DataType> type) {
    return ArrowToAvroSchema(arrow::Schema({arrow::field(name, std::move(type))}), "r", "")
        .status();
  };
  EXPECT_THAT(error("a", arrow::uint64()).message(), HasSubstr("column \"a\" has type uint64"));
  const Status nanos = error("t", arrow::timestamp(arrow::TimeUnit::NANO));
  EXPECT_EQ(GetErrorCode(nanos), ErrorCode::kUnsupported);
  EXPECT_THAT(GetRemedy(nanos), HasSubstr("microseconds"));
  EXPECT_EQ(GetErrorCode(error("a b", arrow::int32())), ErrorCode::kInvalidArgument);
  EXPECT_EQ(GetErrorCode(error("1a", arrow::int32())), ErrorCode::kInvalidArgument);
}

TEST(AvroToArrowSchema, RefusesVariantAndWideUnionsByName) {
  const auto error = [](std::string_view type) {
    const std::string text =
        fmt::format(R"({{"type":"record","name":"r","fields":[{{"name":"c","type":{}}}]}})", type);
    return AvroToArrowSchema(**ParseAvroSchema(text)).status();
  };
  const Status variant = error(
      R"({"type":"record","name":"v","logicalType":"variant","fields":[{"name":"metadata","type":"bytes"},{"name":"value","type":"bytes"}]})");
  EXPECT_EQ(GetErrorCode(variant), ErrorCode::kUnsupported);
  EXPECT_THAT(variant.message(), HasSubstr("column \"c\" is a VARIANT"));
  EXPECT_THAT(error(R"({"type":"array","items":["null","int","string"]})").message(),
              HasSubstr("column \"c.element\" is a union of several types"));
}

TEST(AvroToArrowSchema, MapsBlobEnumUuidAndReversedNull) {
  const auto schema = *AvroToArrowSchema(**ParseAvroSchema(
      R"({"type":"record","name":"r","fields":[{"name":"b","type":["null",{"type":"record","name":"b","logicalType":"blob","fields":[)"
      R"({"name":"type","type":{"type":"enum","name":"blob_storage_type","symbols":["INLINE","OUT_OF_LINE"]}},)"
      R"({"name":"data","type":["null","bytes"],"default":null}]}]},)"
      R"({"name":"u","type":[{"type":"string","logicalType":"uuid"},"null"]},)"
      R"({"name":"f","type":{"type":"fixed","name":"f","size":3}}]})"));
  EXPECT_EQ(schema->field(0)->type()->ToString(), "struct<type: string not null, data: binary>");
  EXPECT_EQ(schema->field(1)->ToString(), "u: string");
  EXPECT_EQ(schema->field(2)->ToString(), "f: fixed_size_binary[3] not null");
}

// The table of spec section 6.2, ends of each range.
TEST(MinDecimalBytes, IsTheFewestThatHoldThePrecision) {
  const std::pair<int, int> kSizes[] = {
      {1, 1},   {2, 1},   {3, 2},   {4, 2},   {5, 3},   {6, 3},   {7, 4},   {9, 4},   {10, 5},
      {11, 5},  {12, 6},  {14, 6},  {15, 7},  {16, 7},  {17, 8},  {18, 8},  {19, 9},  {21, 9},
      {22, 10}, {23, 10}, {24, 11}, {26, 11}, {27, 12}, {28, 12}, {29, 13}, {31, 13}, {32, 14},
      {33, 14}, {34, 15}, {35, 15}, {36, 16}, {38, 16}, {76, 32}};
  for (const auto& [precision, size] : kSizes) EXPECT_EQ(MinDecimalBytes(precision), size);
}

}  // namespace
}  // namespace firth
