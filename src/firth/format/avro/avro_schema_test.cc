// SPDX-License-Identifier: Apache-2.0
#include "firth/format/avro/avro_schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace firth {
namespace {

using ::testing::HasSubstr;

std::string RoundTrip(std::string_view text) {
  const Result<AvroSchemaPtr> schema = ParseAvroSchema(text);
  return schema.ok() ? FormatAvroSchema(**schema) : schema.status().ToString();
}

void ExpectError(std::string_view text, ErrorCode code, const std::string& message) {
  const Status status = ParseAvroSchema(text).status();
  ASSERT_FALSE(status.ok()) << text;
  EXPECT_EQ(GetErrorCode(status), code) << status.ToString();
  EXPECT_THAT(status.message(), HasSubstr(message));
}

// The forms that Hudi 1.2 writes: decimal on a fixed in the field's namespace, nested records named
// after their field, vectors outside every namespace.
constexpr std::string_view kHudiSchema =
    R"({"type":"record","name":"t_record","namespace":"hoodie.t","fields":[)"
    R"({"name":"id","type":["null","int"],"default":null},)"
    R"({"name":"d","type":["null",{"type":"fixed","name":"fixed","namespace":"hoodie.t.t_record.d",)"
    R"("size":3,"logicalType":"decimal","precision":5,"scale":2}],"default":null},)"
    R"({"name":"day","type":["null",{"type":"int","logicalType":"date"}],"default":null},)"
    R"({"name":"arrs","type":["null",{"type":"array","items":["null",{"type":"record",)"
    R"("name":"arrs","namespace":"hoodie.t.t_record","fields":[{"name":"x","type":"long"}]}]}],)"
    R"("default":null},)"
    R"({"name":"m","type":{"type":"map","values":["null","bytes"]}},)"
    R"({"name":"emb","type":{"type":"fixed","name":"vector_float_8","namespace":"","size":32,)"
    R"("logicalType":"vector","dimension":8,"elementType":"FLOAT","storageBacking":"FIXED_BYTES"}},)"
    R"({"name":"emb2","type":["null","vector_float_8"],"default":null},)"
    R"({"name":"again","type":"hoodie.t.t_record.arrs"},)"
    R"({"name":"kind","type":{"type":"enum","name":"kind","symbols":["A","B"]},"default":"A"}]})";

TEST(AvroSchema, HudiFormIsPrintedAsItWasRead) { EXPECT_EQ(RoundTrip(kHudiSchema), kHudiSchema); }

TEST(AvroSchema, ReferencesShareTheType) {
  const AvroSchemaPtr schema = *ParseAvroSchema(kHudiSchema);
  EXPECT_EQ(schema->FindField("emb2")->type->types[1], schema->FindField("emb")->type);
  EXPECT_EQ(schema->FindField("again")->type,
            schema->FindField("arrs")->type->types[1]->types[0]->types[1]);
  EXPECT_EQ(schema->FindField("emb")->type->full_name, "vector_float_8");
  EXPECT_EQ(schema->FindField("kind")->type->full_name, "hoodie.t.kind");
  EXPECT_EQ(schema->FindField("nothing"), nullptr);
}

TEST(AvroSchema, UnknownAttributesAreDropped) {
  EXPECT_EQ(RoundTrip(R"({"type":"string","avro.java.string":"String"})"), R"("string")");
  EXPECT_EQ(RoundTrip(R"({"type":{"type":"long","logicalType":"timestamp-micros","x":1}})"),
            R"({"type":"long","logicalType":"timestamp-micros"})");
}

TEST(AvroSchema, InvalidLogicalTypesLeaveThePlainType) {
  EXPECT_EQ(RoundTrip(R"({"type":"string","logicalType":"date"})"), R"("string")");
  EXPECT_EQ(RoundTrip(R"({"type":"int","logicalType":"no-such"})"), R"("int")");
  EXPECT_EQ(
      RoundTrip(R"({"type":"fixed","name":"f","size":2,"logicalType":"decimal","precision":5})"),
      R"({"type":"fixed","name":"f","size":2})");
  EXPECT_EQ(RoundTrip(R"({"type":"bytes","logicalType":"decimal","precision":4,"scale":5})"),
            R"("bytes")");
}

TEST(AvroSchema, RecursiveRecordIsUnsupported) {
  ExpectError(R"({"type":"record","name":"r","fields":[{"name":"next","type":["null","r"]}]})",
              ErrorCode::kUnsupported, "\"r\" contains itself");
}

TEST(AvroSchema, WhatIsNoSchemaIsCorrupt) {
  ExpectError("", ErrorCode::kCorrupt, "not JSON");
  ExpectError("{", ErrorCode::kCorrupt, "not JSON");
  ExpectError("3", ErrorCode::kCorrupt, "number");
  ExpectError(R"("nosuch")", ErrorCode::kCorrupt, "\"nosuch\" is not defined");
  ExpectError("[]", ErrorCode::kCorrupt, "no branches");
  ExpectError(R"([["int"]])", ErrorCode::kCorrupt, "branch of a union");
  ExpectError(R"({"type":"record","name":"r"})", ErrorCode::kCorrupt, "no list of fields");
  ExpectError(R"({"type":"record","fields":[]})", ErrorCode::kCorrupt, "no \"name\"");
  ExpectError(R"({"type":"array"})", ErrorCode::kCorrupt, "no \"items\"");
  ExpectError(R"({"type":"fixed","name":"f","size":-1})", ErrorCode::kCorrupt, "no size");
  ExpectError(R"({"type":"enum","name":"e","symbols":[1]})", ErrorCode::kCorrupt, "symbol");
  ExpectError(
      R"({"type":"record","name":"r","fields":[{"name":"a","type":"int"},{"name":"a","type":"int"}]})",
      ErrorCode::kCorrupt, "two fields \"a\"");
  ExpectError(R"([{"type":"fixed","name":"f","size":1},{"type":"fixed","name":"f","size":1}])",
              ErrorCode::kCorrupt, "defined twice");
  ExpectError(R"({"type":"fixed","name":"a..b","size":1})", ErrorCode::kCorrupt, "is empty");
  ExpectError(R"({"type":"fixed","name":"b.","size":1})", ErrorCode::kCorrupt, "is empty");
  ExpectError(
      R"({"type":"fixed","name":"v","size":8,"logicalType":"vector","dimension":3,"elementType":"FLOAT"})",
      ErrorCode::kCorrupt, "dimension 3");
}

TEST(AvroSchema, DepthAndExpandedSizeAreBounded) {
  std::string deep = R"("int")";
  for (int i = 0; i < 70; ++i) deep = R"({"type":"array","items":)" + deep + "}";
  ExpectError(deep, ErrorCode::kUnsupported, "nested deeper");
  ExpectError(std::string(100'000, '['), ErrorCode::kUnsupported, "nested deeper");
  // Each record holds two of the one before: 2^40 types in 41 short definitions.
  std::string wide = R"([{"type":"record","name":"r0","fields":[]})";
  for (int i = 1; i <= 40; ++i) {
    wide +=
        fmt::format(R"(,{{"type":"record","name":"r{0}","fields":[{{"name":"a","type":"r{1}"}},)"
                    R"({{"name":"b","type":"r{1}"}}]}})",
                    i, i - 1);
  }
  ExpectError(wide + "]", ErrorCode::kUnsupported, "more than");
}

TEST(AvroNonNull, FindsTheBranchInEitherOrder) {
  int null_branch = 7;
  EXPECT_EQ(AvroNonNull(**ParseAvroSchema(R"(["null","int"])"), &null_branch)->kind,
            AvroKind::kInt);
  EXPECT_EQ(null_branch, 0);
  EXPECT_EQ(AvroNonNull(**ParseAvroSchema(R"(["int","null"])"), &null_branch)->kind,
            AvroKind::kInt);
  EXPECT_EQ(null_branch, 1);
  EXPECT_EQ(AvroNonNull(**ParseAvroSchema(R"("int")"), &null_branch)->kind, AvroKind::kInt);
  EXPECT_EQ(null_branch, -1);
  EXPECT_EQ(AvroNonNull(**ParseAvroSchema(R"(["null","int","long"])"), &null_branch), nullptr);
}

}  // namespace
}  // namespace firth
