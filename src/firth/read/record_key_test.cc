// SPDX-License-Identifier: Apache-2.0
// Keys of tables without meta columns, composed as Hudi's key generators do (spec 01, 6.3 to 6.5).
#include "firth/read/record_key.h"

#include <arrow/array.h>
#include <arrow/json/from_string.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace firth {
namespace {

std::vector<std::string> KeysOf(const TableConfig& config, const arrow::FieldVector& fields,
                                const std::vector<std::string>& columns) {
  arrow::ArrayVector arrays;
  for (size_t i = 0; i < fields.size(); ++i) {
    arrays.push_back(arrow::json::ArrayFromJSONString(fields[i]->type(), columns[i]).ValueOrDie());
  }
  const auto schema = arrow::schema(fields);
  const auto rows = arrow::RecordBatch::Make(schema, arrays[0]->length(), arrays);
  const auto keys = RecordKeys::Make(config, *schema).ValueOrDie().Of(*rows).ValueOrDie();
  std::vector<std::string> texts;
  for (int64_t i = 0; i < keys->length(); ++i) {
    texts.push_back(static_cast<const arrow::StringArray&>(*keys).GetString(i));
  }
  return texts;
}

TableConfig Virtual(KeyGenerator generator, std::vector<std::string> fields) {
  TableConfig config;
  config.version = 9;
  config.has_meta_fields = false;
  config.key_generator = generator;
  config.record_key_fields = std::move(fields);
  return config;
}

TEST(RecordKeys, SimpleKeysAreBareValues) {
  const TableConfig config = Virtual(KeyGenerator::kSimple, {"k"});
  EXPECT_THAT(KeysOf(config, {arrow::field("k", arrow::int64())}, {"[5, -1]"}),
              testing::ElementsAre("5", "-1"));
  EXPECT_THAT(KeysOf(config, {arrow::field("k", arrow::date32())}, {"[19000]"}),
              testing::ElementsAre("2022-01-08"));
  EXPECT_THAT(KeysOf(config, {arrow::field("k", arrow::decimal128(10, 2))}, {R"(["0.50"])"}),
              testing::ElementsAre("0.50"));
  EXPECT_THAT(KeysOf(config, {arrow::field("k", arrow::boolean())}, {"[true]"}),
              testing::ElementsAre("true"));
}

TEST(RecordKeys, SeveralFieldsAreNamed) {
  EXPECT_THAT(KeysOf(Virtual(KeyGenerator::kComplex, {"a", "b"}),
                     {arrow::field("b", arrow::utf8()), arrow::field("a", arrow::int32())},
                     {R"(["x", "", null])", "[1, 2, 3]"}),
              testing::ElementsAre("a:1,b:x", "a:2,b:__empty__", "a:3,b:__null__"));
}

TEST(RecordKeys, ComplexKeysOfOneFieldFollowTheTablesEncoding) {
  TableConfig config = Virtual(KeyGenerator::kComplex, {"id"});
  const arrow::FieldVector fields{arrow::field("id", arrow::int32())};
  EXPECT_THAT(KeysOf(config, fields, {"[5]"}), testing::ElementsAre("id:5"));
  config.version = 8;
  EXPECT_THAT(KeysOf(config, fields, {"[5]"}), testing::ElementsAre("5"));
}

TEST(RecordKeys, NestedFieldsAreFound) {
  EXPECT_THAT(KeysOf(Virtual(KeyGenerator::kSimple, {"s.k"}),
                     {arrow::field("s", arrow::struct_({arrow::field("k", arrow::utf8())}))},
                     {R"([{"k": "deep"}])"}),
              testing::ElementsAre("deep"));
}

TEST(RecordKeys, MetaColumnIsTakenAsItIs) {
  TableConfig config;
  config.record_key_fields = {"id"};
  EXPECT_THAT(KeysOf(config, {arrow::field("_hoodie_record_key", arrow::utf8())}, {R"(["a"])"}),
              testing::ElementsAre("a"));
}

TEST(RecordKeys, WithoutKeyFieldsIsRefused) {
  const Status status =
      RecordKeys::Make(Virtual(KeyGenerator::kAutoRecord, {}), *arrow::schema({})).status();
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace firth
