// SPDX-License-Identifier: Apache-2.0
#include "firth/table/table_schema.h"

#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firth/testing/memory_storage.h"

namespace firth {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string Record(const std::string& fields) {
  return R"({"type":"record","name":"r","fields":[)" + fields + "]}";
}

std::string Field(const std::string& name) {
  return R"({"name":")" + name + R"(","type":["null","string"],"default":null})";
}

std::string Commit(const std::string& operation, const std::string& schema) {
  std::string escaped;
  for (const char c : schema) escaped += c == '"' ? std::string("\\\"") : std::string(1, c);
  return R"({"operationType":")" + operation + R"(","extraMetadata":{"schema":")" + escaped +
         R"("}})";
}

Result<TableSchema> Resolve(std::map<std::string, std::string> files, TableConfig config = {},
                            std::string_view as_of = "") {
  const std::shared_ptr<Storage> storage = testing::MemoryStorage(files);
  ARROW_ASSIGN_OR_RAISE(const Timeline timeline, Timeline::Load(storage, config.timeline));
  return ResolveTableSchema(*storage, config, timeline, as_of);
}

constexpr const char* kDir = ".hoodie/timeline/";

TEST(ResolveTableSchemaTest, TheNewestWriteThatCanChangeItDecides) {
  const std::map<std::string, std::string> files = {
      {std::string(kDir) + "01_02.commit", Commit("INSERT", Record(Field("a")))},
      {std::string(kDir) + "03_04.deltacommit",
       Commit("UPSERT", Record(Field("a") + "," + Field("b")))},
      {std::string(kDir) + "05_06.commit", Commit("COMPACT", Record(Field("a")))},
      {std::string(kDir) + "07_08.replacecommit", Commit("DELETE_PARTITION", "")},
      {std::string(kDir) + "09.inflight", Commit("INSERT", Record(Field("c")))},
  };
  const Result<TableSchema> schema = Resolve(files);
  ASSERT_TRUE(schema.ok()) << schema.status();
  EXPECT_THAT(schema->data->field_names(), ElementsAre("a", "b"));
  EXPECT_THAT(schema->full->field_names(),
              ElementsAre("_hoodie_commit_time", "_hoodie_commit_seqno", "_hoodie_record_key",
                          "_hoodie_partition_path", "_hoodie_file_name", "a", "b"));
  const Result<TableSchema> earlier = Resolve(files, {}, "02");
  ASSERT_TRUE(earlier.ok()) << earlier.status();
  EXPECT_THAT(earlier->data->field_names(), ElementsAre("a"));
}

TEST(ResolveTableSchemaTest, FallsBackToTheSchemaOfTheCreation) {
  TableConfig config;
  config.create_schema = Record(Field("_hoodie_commit_time") + "," + Field("a"));
  const Result<TableSchema> schema = Resolve({}, config);
  ASSERT_TRUE(schema.ok()) << schema.status();
  EXPECT_THAT(schema->data->field_names(), ElementsAre("a")) << "meta columns are no data";
}

TEST(ResolveTableSchemaTest, AnEmptyTableHasNoColumns) {
  const Result<TableSchema> schema = Resolve({});
  ASSERT_TRUE(schema.ok()) << schema.status();
  EXPECT_THAT(schema->data->field_names(), IsEmpty());
  EXPECT_EQ(schema->full->num_fields(), 5);
}

TEST(ResolveTableSchemaTest, AddsColumnsThatOnlyThePathsHold) {
  TableConfig config;
  config.create_schema = Record(Field("a"));
  config.partition_fields = {"a", "p"};
  config.drops_partition_columns = true;
  const Result<TableSchema> schema = Resolve({}, config);
  ASSERT_TRUE(schema.ok()) << schema.status();
  EXPECT_THAT(schema->data->field_names(), ElementsAre("a", "p"));
  EXPECT_TRUE(schema->data->field(1)->type()->Equals(arrow::utf8()));
}

TEST(ResolveTableSchemaTest, WhatIsNoRecordIsCorrupt) {
  TableConfig config;
  config.create_schema = R"("string")";
  EXPECT_EQ(GetErrorCode(Resolve({}, config).status()), ErrorCode::kCorrupt);
}

// Nested types in the form of Hudi's SerDeHelper.
constexpr const char* kHistory = R"({"schemas":[
  {"max_column_id":9,"version_id":20240102000000000,"type":"record","fields":[
    {"id":0,"name":"_hoodie_commit_time","optional":true,"type":"string","doc":""},
    {"id":1,"name":"renamed","optional":true,"type":{"type":"record","fields":[
      {"id":4,"name":"x","optional":true,"type":"int"}]}},
    {"id":2,"name":"list","optional":true,"type":
      {"type":"array","element_id":5,"element":"int","element_optional":true}},
    {"id":3,"name":"map","optional":true,"type":
      {"type":"map","key_id":6,"key":"string","value_id":7,"value":
        {"type":"array","element_id":8,"element":"long","element_optional":true},
       "value_optional":true}}]},
  {"max_column_id":1,"version_id":0,"type":"record","fields":[
    {"id":1,"name":"old","optional":true,"type":"int"}]}]})";

TEST(ParseSchemaHistoryTest, ReadsVersionsInOrder) {
  const Result<std::vector<InternalSchema>> history = ParseSchemaHistory(kHistory);
  ASSERT_TRUE(history.ok()) << history.status();
  ASSERT_EQ(history->size(), 2u);
  EXPECT_EQ((*history)[0].version_id, 0);
  EXPECT_EQ((*history)[0].fields[0].name, "old");
  const InternalSchema& newer = (*history)[1];
  EXPECT_EQ(newer.version_id, 20240102000000000);
  ASSERT_EQ(newer.fields.size(), 4u);
  EXPECT_EQ(newer.fields[1].id, 1);
  EXPECT_EQ(newer.fields[1].children[0].name, "x");
  EXPECT_EQ(newer.fields[2].children[0].name, "element");
  EXPECT_EQ(newer.fields[2].children[0].id, 5);
  ASSERT_EQ(newer.fields[3].children.size(), 2u);
  EXPECT_EQ(newer.fields[3].children[0].id, 6);
  EXPECT_EQ(newer.fields[3].children[1].name, "value");
  EXPECT_EQ(newer.fields[3].children[1].children[0].id, 8);
}

TEST(ParseSchemaHistoryTest, WhatIsMissingIsNamed) {
  for (const auto& [text, message] : std::vector<std::pair<std::string, std::string>>{
           {"", "not JSON"},
           {"{}", "\"schemas\" is missing"},
           {R"({"schemas":[{"fields":[]}]})", "\"version_id\" is missing"},
           {R"({"schemas":[{"version_id":1}]})", "\"fields\" is missing"},
           {R"({"schemas":[{"version_id":1,"fields":[{"id":-1,"name":"a","type":"int"}]}]})",
            "\"id\" is -1"},
           {R"({"schemas":[{"version_id":1,"fields":[{"id":1,"name":"a","type":{"type":"x"}}]}]})",
            "none of record, array and map"}}) {
    const Status status = ParseSchemaHistory(text).status();
    EXPECT_EQ(GetErrorCode(status), ErrorCode::kCorrupt);
    EXPECT_THAT(status.message(), HasSubstr(message));
  }
}

TEST(ParseSchemaHistoryTest, NestingIsBounded) {
  std::string type = "\"int\"";
  for (int i = 0; i < 100; ++i) {
    type = R"({"type":"array","element_id":1,"element":)" + type + "}";
  }
  const Status status =
      ParseSchemaHistory(R"({"schemas":[{"version_id":1,"fields":[{"id":1,"name":"a","type":)" +
                         type + "}]}]}")
          .status();
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kCorrupt);
}

TEST(TableSchemaTest, HistoryAtTakesTheVersionOfTheTime) {
  TableSchema schema;
  EXPECT_EQ(schema.HistoryAt("20240101000000000"), nullptr);
  schema.history = *ParseSchemaHistory(kHistory);
  EXPECT_EQ(schema.HistoryAt("20240101000000000")->version_id, 0);
  EXPECT_EQ(schema.HistoryAt("20240102000000000")->version_id, 20240102000000000);
  EXPECT_EQ(schema.HistoryAt("20250101000000000001")->version_id, 20240102000000000);
}

TEST(ResolveTableSchemaTest, TakesTheNewestCommittedHistory) {
  const auto versions = [](int64_t id) {
    return fmt::format(R"({{"schemas":[{{"version_id":{},"fields":[]}}]}})", id);
  };
  const std::map<std::string, std::string> files = {
      {std::string(kDir) + "01_02.commit", ""},
      {std::string(kDir) + "03_04.commit", ""},
      {".hoodie/.schema/01_011.schemacommit", versions(1)},
      {".hoodie/.schema/03_031.schemacommit", versions(3)},
      {".hoodie/.schema/05_051.schemacommit", versions(5)},  // its commit never completed
      {".hoodie/.schema/05.schemacommit.inflight", ""}};
  const Result<TableSchema> latest = Resolve(files);
  ASSERT_TRUE(latest.ok()) << latest.status();
  ASSERT_EQ(latest->history.size(), 1u);
  EXPECT_EQ(latest->history[0].version_id, 3);
  const Result<TableSchema> earlier = Resolve(files, {}, "02");
  ASSERT_TRUE(earlier.ok()) << earlier.status();
  EXPECT_EQ(earlier->history[0].version_id, 1);
}

}  // namespace
}  // namespace firth
