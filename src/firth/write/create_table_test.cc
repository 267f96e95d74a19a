// SPDX-License-Identifier: Apache-2.0
#include "firth/write/create_table.h"

#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firth/table/table_config.h"

namespace firth {
namespace {

using testing::HasSubstr;

TableDefinition Orders() {
  TableDefinition orders;
  orders.schema =
      arrow::schema({arrow::field("id", arrow::int64(), false), arrow::field("day", arrow::utf8()),
                     arrow::field("ts", arrow::int64()), arrow::field("price", arrow::float64()),
                     arrow::field("tags", arrow::list(arrow::utf8()))});
  orders.key = {"id"};
  orders.partition_by = {"day"};
  orders.ordering = {"ts"};
  return orders;
}

TableConfig ConfigOf(const TableDefinition& definition) {
  const auto properties = PropertiesOf(definition, "orders");
  EXPECT_TRUE(properties.ok()) << properties.status();
  return *TableConfig::FromProperties(*properties);
}

Status ErrorOf(const TableDefinition& definition) {
  return PropertiesOf(definition, "orders").status();
}

TEST(PropertiesOf, MakesAVersion9Table) {
  const TableConfig config = ConfigOf(Orders());
  EXPECT_EQ(config.name, "orders");
  EXPECT_EQ(config.version, 9);
  EXPECT_EQ(config.type, TableType::kCopyOnWrite);
  EXPECT_EQ(config.key_generator, KeyGenerator::kSimple);
  EXPECT_EQ(config.merge.mode, MergeMode::kEventTime);
  EXPECT_EQ(config.merge.ordering_fields, std::vector<std::string>{"ts"});
  EXPECT_TRUE(config.timeline_is_utc);
  EXPECT_EQ(config.Get("hoodie.table.format"), "native");
  EXPECT_FALSE(config.properties.contains("hoodie.compaction.payload.class"));
  EXPECT_THAT(config.create_schema,
              HasSubstr(R"("name":"orders_record","namespace":"hoodie.orders")"));
}

TEST(PropertiesOf, SpellsTheMergeModeOfVersion8AsItsReadersExpect) {
  TableDefinition definition = Orders();
  definition.version = 8;
  EXPECT_EQ(ConfigOf(definition).Get("hoodie.table.precombine.field"), "ts");
  EXPECT_EQ(ConfigOf(definition).merge.mode, MergeMode::kEventTime);
  definition.ordering.clear();
  const TableConfig config = ConfigOf(definition);
  EXPECT_EQ(config.merge.mode, MergeMode::kCommitTime);
  EXPECT_THAT(std::string(config.Get("hoodie.compaction.payload.class")),
              HasSubstr("OverwriteWithLatest"));
  EXPECT_FALSE(config.properties.contains("hoodie.table.format"));
}

TEST(PropertiesOf, ChoosesTheKeyGenerator) {
  TableDefinition definition = Orders();
  definition.partition_by.clear();
  EXPECT_EQ(ConfigOf(definition).key_generator, KeyGenerator::kNonPartitioned);
  definition = Orders();
  definition.key = {"id", "day"};
  EXPECT_EQ(ConfigOf(definition).key_generator, KeyGenerator::kComplex);
  definition = Orders();
  definition.partition_by = {"day", "ts"};
  EXPECT_EQ(ConfigOf(definition).key_generator, KeyGenerator::kComplex);
  definition.partition_by = {"day:SIMPLE", "ts:TIMESTAMP"};
  definition.properties = {{"hoodie.keygen.timebased.timestamp.type", "EPOCHMILLISECONDS"},
                           {"hoodie.keygen.timebased.output.dateformat", "yyyy/MM/dd"}};
  const TableConfig custom = ConfigOf(definition);
  EXPECT_EQ(custom.key_generator, KeyGenerator::kCustom);
  EXPECT_EQ(custom.partition_fields, (std::vector<std::string>{"day", "ts"}));
  definition = Orders();
  definition.partition_by = {"ts"};
  definition.properties = {{"hoodie.keygen.timebased.timestamp.type", "EPOCHMILLISECONDS"},
                           {"hoodie.keygen.timebased.output.dateformat", "yyyy/MM/dd"}};
  EXPECT_EQ(ConfigOf(definition).key_generator, KeyGenerator::kTimestamp);
  definition = Orders();
  definition.key.clear();
  definition.ordering.clear();
  EXPECT_TRUE(ConfigOf(definition).record_key_fields.empty());
}

TEST(PropertiesOf, NamesSchemasAsHudiDoes) {
  TableDefinition definition = Orders();
  definition.name = "2024-orders é";
  EXPECT_THAT(ConfigOf(definition).create_schema,
              HasSubstr("\"namespace\":\"hoodie.__024__orders"));
}

TEST(PropertiesOf, TakesFurtherProperties) {
  TableDefinition definition = Orders();
  definition.properties["hoodie.table.cdc.enabled"] = "true";
  definition.properties["hoodie.datasource.write.hive_style_partitioning"] = "true";
  EXPECT_TRUE(ConfigOf(definition).cdc_enabled);
  EXPECT_TRUE(ConfigOf(definition).hive_style);
}

TEST(PropertiesOf, RefusesWhatMakesNoSense) {
  const auto expect = [](auto change, const std::string& message) {
    TableDefinition definition = Orders();
    change(&definition);
    const Status status = ErrorOf(definition);
    ASSERT_FALSE(status.ok()) << message;
    EXPECT_THAT(status.message(), HasSubstr(message));
  };
  using Definition = TableDefinition*;
  expect([](Definition d) { d->schema = nullptr; }, "needs a schema");
  expect([](Definition d) { d->schema = arrow::schema({}); }, "no column");
  expect([](Definition d) { d->key = {"ID"}; },
         "key column \"ID\" is not in the schema, which has id");
  expect([](Definition d) { d->key = {"tags"}; }, "key column \"tags\" has type list");
  expect([](Definition d) { d->partition_by = {"day", "day"}; }, "given twice");
  expect([](Definition d) { d->partition_by = {"day:FOO"}; }, "must be column:SIMPLE or");
  expect([](Definition d) { d->partition_by = {"day:SIMPLE", "id"}; }, "partition \"id\": must be");
  expect([](Definition d) { d->partition_by = {"ts:TIMESTAMP"}; },
         "hoodie.keygen.timebased.timestamp.type is \"\"; must be one of UNIX_TIMESTAMP");
  expect(
      [](Definition d) {
        d->properties["hoodie.keygen.timebased.timestamp.type"] = "EPOCHMILLISECONDS";
      },
      "hoodie.keygen.timebased.output.dateformat is missing");
  expect([](Definition d) { d->ordering = {"no"}; }, "ordering column \"no\"");
  expect([](Definition d) { d->key.clear(); }, "the table has no key");
  expect([](Definition d) { d->properties["x"] = "1"; }, "begin with \"hoodie.\"");
  expect([](Definition d) { d->properties["hoodie.table.name"] = "y"; }, "what the name says");
  expect([](Definition d) { d->properties["hoodie.table.checksum"] = "1"; }, "kept by writers");
  expect([](Definition d) { d->properties["hoodie.populate.meta.fields"] = "maybe"; },
         "must be true or false");
  expect(
      [](Definition d) {
        d->schema =
            arrow::schema({arrow::field("a", arrow::int32()), arrow::field("A", arrow::int32())});
        d->key = d->partition_by = d->ordering = {};
      },
      "\"A\" is there twice");
  expect(
      [](Definition d) {
        const auto x = arrow::field("x", arrow::int32());
        d->schema = arrow::schema({arrow::field("a", arrow::list(arrow::struct_({x, x})))});
        d->key = d->partition_by = d->ordering = {};
      },
      "\"a.element.x\" is there twice");
  expect(
      [](Definition d) {
        d->schema = arrow::schema({arrow::field("id", arrow::binary_view())});
        d->partition_by = d->ordering = {};
      },
      "key column \"id\" has type binary");
  expect(
      [](Definition d) {
        d->schema = arrow::schema({arrow::field("_hoodie_x", arrow::int32())});
        d->key = d->partition_by = d->ordering = {};
      },
      "Hudi's own");
  expect(
      [](Definition d) {
        d->schema = arrow::schema({arrow::field("a b", arrow::int32())});
        d->key = d->partition_by = d->ordering = {};
      },
      "no Avro name");
  expect(
      [](Definition d) {
        d->schema = arrow::schema({arrow::field("_hoodie_is_deleted", arrow::int32())});
        d->key = d->partition_by = d->ordering = {};
      },
      "must be boolean");
}

TEST(PropertiesOf, WritesVersions8And9Only) {
  TableDefinition definition = Orders();
  definition.version = 6;
  EXPECT_EQ(GetErrorCode(ErrorOf(definition)), ErrorCode::kUnsupported);
  EXPECT_FALSE(GetRemedy(ErrorOf(definition)).empty());
  definition.version = 10;
  EXPECT_THAT(ErrorOf(definition).message(), HasSubstr("version is 10; firth writes 8 and 9"));
}

}  // namespace
}  // namespace firth
