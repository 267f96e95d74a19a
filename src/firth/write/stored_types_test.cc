// SPDX-License-Identifier: Apache-2.0
#include "firth/write/stored_types.h"

#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firth/format/avro/avro_schema.h"

namespace firth {
namespace {

using arrow::TimeUnit;
using testing::HasSubstr;

Result<std::shared_ptr<arrow::DataType>> Stored(std::shared_ptr<arrow::DataType> type) {
  ARROW_ASSIGN_OR_RAISE(const auto schema,
                        ToStoredTypes(arrow::Schema({arrow::field("c", std::move(type))})));
  return schema->field(0)->type();
}

TEST(StoredTypes, ReplacesWhatTablesCantStore) {
  const std::pair<std::shared_ptr<arrow::DataType>, std::shared_ptr<arrow::DataType>> cases[] = {
      {arrow::int8(), arrow::int32()},
      {arrow::uint16(), arrow::int32()},
      {arrow::uint32(), arrow::int64()},
      {arrow::float16(), arrow::float32()},
      {arrow::date64(), arrow::date32()},
      {arrow::timestamp(TimeUnit::NANO), arrow::timestamp(TimeUnit::MICRO)},
      {arrow::timestamp(TimeUnit::SECOND, "Europe/Paris"),
       arrow::timestamp(TimeUnit::MICRO, "UTC")},
      {arrow::timestamp(TimeUnit::MILLI), arrow::timestamp(TimeUnit::MILLI)},
      {arrow::time64(TimeUnit::NANO), arrow::time64(TimeUnit::MICRO)},
      {arrow::large_utf8(), arrow::utf8()},
      {arrow::utf8_view(), arrow::utf8()},
      {arrow::dictionary(arrow::int32(), arrow::large_utf8()), arrow::utf8()},
      {arrow::large_list(arrow::int16()), arrow::list(arrow::field("element", arrow::int32()))},
      {arrow::fixed_size_list(arrow::float32(), 3),
       arrow::fixed_size_list(arrow::field("element", arrow::float32(), false), 3)},
      {arrow::struct_({arrow::field("a", arrow::uint8(), false)}),
       arrow::struct_({arrow::field("a", arrow::int32(), false)})},
      {arrow::map(arrow::large_utf8(), arrow::int8()), arrow::map(arrow::utf8(), arrow::int32())},
      {arrow::decimal64(10, 2), arrow::decimal128(10, 2)},
      {arrow::decimal256(38, 2), arrow::decimal128(38, 2)},
  };
  for (const auto& [given, stored] : cases) {
    const auto type = Stored(given);
    ASSERT_TRUE(type.ok()) << type.status();
    EXPECT_TRUE((*type)->Equals(*stored)) << (*type)->ToString();
    EXPECT_TRUE((*Stored(*type))->Equals(**type));  // stored types stay
    EXPECT_TRUE(ArrowToAvroSchema(arrow::Schema({arrow::field("c", *type)}), "r", "").ok());
  }
}

TEST(StoredTypes, NamesTheColumnThatHasNoForm) {
  const auto status = Stored(arrow::struct_({arrow::field("a", arrow::uint64())})).status();
  EXPECT_THAT(status.message(), HasSubstr("\"c.a\" has type uint64"));
  EXPECT_THAT(GetRemedy(status), HasSubstr("int64"));
  EXPECT_FALSE(Stored(arrow::null()).ok());
  EXPECT_FALSE(Stored(arrow::struct_({})).ok());
  EXPECT_FALSE(Stored(arrow::decimal256(39, 2)).ok());
  EXPECT_FALSE(Stored(arrow::duration(TimeUnit::SECOND)).ok());
  EXPECT_FALSE(Stored(arrow::map(arrow::int32(), arrow::utf8())).ok());
}

}  // namespace
}  // namespace firth
