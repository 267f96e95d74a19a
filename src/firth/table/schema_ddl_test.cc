// SPDX-License-Identifier: Apache-2.0
#include "firth/table/schema_ddl.h"

#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

namespace firth {
namespace {

using testing::HasSubstr;

std::shared_ptr<arrow::DataType> TypeOf(const std::string& ddl) {
  const auto schema = ParseSchemaDdl("c " + ddl);
  EXPECT_TRUE(schema.ok()) << ddl << ": " << schema.status();
  return schema.ok() ? (*schema)->field(0)->type() : nullptr;
}

std::string ErrorOf(const std::string& ddl) {
  const auto schema = ParseSchemaDdl(ddl);
  EXPECT_FALSE(schema.ok()) << ddl;
  return schema.status().message();
}

TEST(SchemaDdl, KnowsTheTypesOfSpark) {
  EXPECT_TRUE(TypeOf("boolean")->Equals(*arrow::boolean()));
  for (const char* narrow : {"tinyint", "byte", "smallint", "short", "int", "INTEGER"}) {
    EXPECT_TRUE(TypeOf(narrow)->Equals(*arrow::int32())) << narrow;
  }
  EXPECT_TRUE(TypeOf("bigint")->Equals(*arrow::int64()));
  EXPECT_TRUE(TypeOf("Long")->Equals(*arrow::int64()));
  EXPECT_TRUE(TypeOf("real")->Equals(*arrow::float32()));
  EXPECT_TRUE(TypeOf("double")->Equals(*arrow::float64()));
  EXPECT_TRUE(TypeOf("varchar(20)")->Equals(*arrow::utf8()));
  EXPECT_TRUE(TypeOf("char ( 1 )")->Equals(*arrow::utf8()));
  EXPECT_TRUE(TypeOf("binary")->Equals(*arrow::binary()));
  EXPECT_TRUE(TypeOf("date")->Equals(*arrow::date32()));
  EXPECT_TRUE(TypeOf("timestamp")->Equals(*arrow::timestamp(arrow::TimeUnit::MICRO, "UTC")));
  EXPECT_TRUE(TypeOf("timestamp_ntz")->Equals(*arrow::timestamp(arrow::TimeUnit::MICRO)));
  EXPECT_TRUE(TypeOf("decimal")->Equals(*arrow::decimal128(10, 0)));
  EXPECT_TRUE(TypeOf("decimal(38, 38)")->Equals(*arrow::decimal128(38, 38)));
}

TEST(SchemaDdl, NestsTypes) {
  EXPECT_TRUE(TypeOf("array<array<int>>")
                  ->Equals(*arrow::list(arrow::field(
                      "element", arrow::list(arrow::field("element", arrow::int32()))))));
  const auto map = TypeOf("map<string, struct<a:int, `b c`: string not null>>");
  EXPECT_EQ(map->ToString(), "map<string, struct<a: int32, b c: string not null>>");
  EXPECT_EQ(TypeOf("vector(384)")->ToString(), "fixed_size_list<element: float not null>[384]");
  EXPECT_EQ(TypeOf("VECTOR(2, int8)")->ToString(), "fixed_size_list<element: int8 not null>[2]");
}

TEST(SchemaDdl, ReadsNamesNullabilityAndComments) {
  const auto schema =
      *ParseSchemaDdl(" id bigint NOT NULL comment 'it\\'s', `a``b` string,\n größe int");
  ASSERT_EQ(schema->num_fields(), 3);
  EXPECT_EQ(schema->field_names(), (std::vector<std::string>{"id", "a`b", "größe"}));
  EXPECT_FALSE(schema->field(0)->nullable());
  EXPECT_TRUE(schema->field(1)->nullable());
}

TEST(SchemaDdl, SaysWhereAndWhatWasExpected) {
  EXPECT_EQ(ErrorOf(""), "the schema ends where a column name is expected");
  EXPECT_THAT(ErrorOf("id"), HasSubstr("ends where a type (boolean, tinyint"));
  EXPECT_THAT(ErrorOf("id text"), HasSubstr("has \"text\" at position 4, where a type"));
  EXPECT_THAT(ErrorOf("id int,"), HasSubstr("a column name"));
  EXPECT_THAT(ErrorOf("id int name string"), HasSubstr("\"name string\" at position 8"));
  EXPECT_THAT(ErrorOf("p decimal(39,2)"), HasSubstr("a number from 1 to 38"));
  EXPECT_THAT(ErrorOf("p decimal(4,5)"), HasSubstr("a number from 0 to 4"));
  EXPECT_THAT(ErrorOf("m map<int,int>"), HasSubstr("keys of maps are strings"));
  EXPECT_THAT(ErrorOf("v vector(0)"), HasSubstr("a number from 1 to 1048576"));
  EXPECT_THAT(ErrorOf("v vector(2, text)"), HasSubstr("float, double or int8"));
  EXPECT_THAT(ErrorOf("a array<int"), HasSubstr("ends where > is expected"));
  EXPECT_THAT(ErrorOf("`a int"), HasSubstr("a closing backquote"));
  EXPECT_THAT(ErrorOf("a int comment 'x"), HasSubstr("a closing quote"));
}

TEST(SchemaDdl, BoundsNesting) {
  std::string deep = "c ";
  for (int i = 0; i < 10'000; ++i) deep += "array<";
  EXPECT_THAT(ErrorOf(deep), HasSubstr("at most 32 nested types"));
}

TEST(SchemaDdl, AnyTextIsASchemaOrAnError) {
  const std::string pieces[] = {"id ", "int", ",",        "<",        ">",       "(",
                                "3",   ")",   "array",    "map",      "struct",  ":",
                                "`",   "'",   "not null", "comment ", "decimal", "é"};
  std::mt19937 random(7);
  for (int round = 0; round < 20'000; ++round) {
    std::string ddl;
    for (uint32_t i = random() % 12; i > 0; --i) ddl += pieces[random() % std::size(pieces)];
    const auto schema = ParseSchemaDdl(ddl);
    if (schema.ok()) {
      EXPECT_GT((*schema)->num_fields(), 0);
    } else {
      EXPECT_THAT(schema.status().message(), HasSubstr("is expected"));
    }
  }
}

}  // namespace
}  // namespace firth
