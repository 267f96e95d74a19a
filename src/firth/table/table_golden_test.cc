// SPDX-License-Identifier: Apache-2.0
// Configuration, file slices and schemas of the golden tables against what real Hudi says.
#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "firth/table/file_system_view.h"
#include "firth/table/listing.h"
#include "firth/table/table_schema.h"
#include "firth/testing/golden.h"

namespace firth {
namespace {

using Json = nlohmann::json;
using Group = std::pair<std::string, std::string>;  // partition, file id

// A table is unpacked once for all tests.
std::string Unpacked(const std::string& name) {
  static std::map<std::string, testing::GoldenTable> tables;
  return tables.try_emplace(name, name).first->second.root().string();
}

Json Expected(const std::string& name) {
  return Json::parse(testing::ReadFileBytes(testing::GoldenDir() / (name + ".expected.json")));
}

class GoldenTableTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam().empty()) {
      GTEST_SKIP() << "no golden tables in " << testing::GoldenDir() << ": set FIRTH_SHARED";
    }
    expected_ = Expected(GetParam());
    const Result<std::shared_ptr<Storage>> storage = Storage::Open(Unpacked(GetParam()), {});
    ASSERT_TRUE(storage.ok()) << storage.status();
    storage_ = *storage;
    Result<TableConfig> config = TableConfig::Load(*storage_);
    ASSERT_TRUE(config.ok()) << config.status();
    config_ = *std::move(config);
    const Result<Timeline> timeline = Timeline::Load(storage_, config_.timeline);
    ASSERT_TRUE(timeline.ok()) << timeline.status();
    timeline_ = *timeline;
    const Result<ViewContext> context = LoadViewContext(timeline_);
    ASSERT_TRUE(context.ok()) << context.status();
    context_ = *context;
  }

  // Slices of all partitions.
  template <typename Function>
  std::map<Group, FileSlice> Slices(Function&& function, std::string_view as_of) {
    std::map<Group, FileSlice> slices;
    const Result<PartitionFiles> partitions = ListDataFiles(*storage_);
    EXPECT_TRUE(partitions.ok()) << partitions.status();
    for (const auto& [partition, files] : *partitions) {
      const Result<std::vector<FileSlice>> found =
          function(config_, timeline_, context_, partition, files, as_of);
      EXPECT_TRUE(found.ok()) << found.status();
      for (const FileSlice& slice : *found) slices[{slice.partition, slice.file_id}] = slice;
    }
    return slices;
  }

  Json expected_;
  std::shared_ptr<Storage> storage_;
  TableConfig config_;
  Timeline timeline_;
  ViewContext context_;
};

std::vector<std::string> LogNames(const FileSlice& slice) {
  std::vector<std::string> names;
  for (const LogFile& log : slice.logs) names.emplace_back(LastSegment(log.path));
  return names;
}

TEST_P(GoldenTableTest, KeepsAllProperties) {
  Properties expected;
  for (const auto& [key, value] : expected_.at("properties").items()) expected[key] = value;
  EXPECT_EQ(config_.properties, expected);
  EXPECT_EQ(config_.version, expected_.at("table_version"));
  EXPECT_EQ(config_.type == TableType::kMergeOnRead, expected_.at("table_type") == "MERGE_ON_READ");
}

TEST_P(GoldenTableTest, SnapshotSlicesAreThoseOfHudi) {
  std::map<Group, FileSlice> found = Slices(SnapshotSlices, "");
  for (const Json& group : expected_.at("file_slices")) {
    const Group id{group.at("partition"), group.at("file_id")};
    const auto slice = found.find(id);
    const Json wanted = group.value("snapshot", Json());
    SCOPED_TRACE(id.first + "/" + id.second);
    if (wanted.is_null()) {
      EXPECT_EQ(slice, found.end());
      continue;
    }
    ASSERT_NE(slice, found.end());
    const Json& base = wanted.at("base_file");
    EXPECT_EQ(slice->second.base_instant, wanted.at("base_instant"));
    EXPECT_EQ(slice->second.base ? Json(LastSegment(slice->second.base->path)) : Json(), base);
    std::vector<std::string> logs = wanted.at("log_files");
    std::erase_if(logs, [](const std::string& name) { return name.ends_with(".cdc"); });
    std::vector<std::string> found_logs = LogNames(slice->second);
    if (context_.pending_compactions.contains(id)) {
      // The recorded view had no pending instants and so lost the logs after the compaction.
      ASSERT_GE(found_logs.size(), logs.size());
      found_logs.resize(logs.size());
    }
    EXPECT_EQ(found_logs, logs);
    found.erase(slice);
  }
  EXPECT_THAT(found, ::testing::IsEmpty());
}

TEST_P(GoldenTableTest, ReadOptimizedSlicesAreThoseOfHudi) {
  std::map<Group, std::string> found, expected;
  for (const auto& [id, slice] : Slices(ReadOptimizedSlices, "")) {
    ASSERT_TRUE(slice.base.has_value());
    EXPECT_TRUE(slice.logs.empty());
    EXPECT_EQ(slice.base_instant, slice.base->instant);
    found[id] = LastSegment(slice.base->path);
  }
  for (const Json& group : expected_.at("file_slices")) {
    const Json name = group.value("read_optimized", Json());
    if (name.is_string()) expected[{group.at("partition"), group.at("file_id")}] = name;
  }
  EXPECT_EQ(found, expected);
}

// What the metadata table lists is what the writers committed.
TEST_P(GoldenTableTest, PendingCompactionsAreFoldedIntoTheSliceBefore) {
  if (context_.pending_compactions.empty()) return;
  const std::map<Group, FileSlice> found = Slices(SnapshotSlices, "");
  for (const auto& [id, instant] : context_.pending_compactions) {
    ASSERT_TRUE(found.contains(id)) << id.second;
    const FileSlice& slice = found.at(id);
    EXPECT_LT(slice.base_instant, instant);
    std::vector<std::string> committed;
    for (const auto& [name, size] : expected_.at("mdt").at("files").at(id.first).items()) {
      if (name.starts_with("." + id.second)) committed.push_back(name);
    }
    EXPECT_THAT(LogNames(slice), ::testing::UnorderedElementsAreArray(committed));
  }
}

// A metadata table is a merge-on-read table with HFiles, and each of its partitions has rows.
TEST_P(GoldenTableTest, MetadataTablesArePlannedLikeTables) {
  if (!storage_->Exists(".hoodie/metadata/.hoodie/hoodie.properties").ValueOr(false)) return;
  const std::shared_ptr<Storage> storage =
      *Storage::Open(Unpacked(GetParam()) + "/.hoodie/metadata", {});
  const Result<TableConfig> config = TableConfig::Load(*storage);
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_TRUE(config->is_metadata_table);
  EXPECT_EQ(config->version, config_.version);
  const Result<Timeline> timeline = Timeline::Load(storage, config->timeline);
  ASSERT_TRUE(timeline.ok()) << timeline.status();
  const Result<ViewContext> context = LoadViewContext(*timeline);
  ASSERT_TRUE(context.ok()) << context.status();
  const Result<PartitionFiles> files = ListDataFiles(*storage);
  ASSERT_TRUE(files.ok()) << files.status();
  std::vector<std::string> partitions;
  for (const auto& entry : *files) partitions.push_back(entry.first);
  const std::vector<std::string> expected = expected_.at("mdt").at("dirs");
  EXPECT_THAT(partitions, ::testing::IsSupersetOf(config_.metadata_partitions));
  EXPECT_THAT(partitions, ::testing::UnorderedElementsAreArray(expected));
  for (const std::string& partition : config_.metadata_partitions) {
    const Result<std::vector<FileSlice>> slices =
        SnapshotSlices(*config, *timeline, *context, partition, files->at(partition), "");
    ASSERT_TRUE(slices.ok()) << slices.status();
    EXPECT_FALSE(slices->empty()) << partition;
  }
}

// The recorded rows of a time travel say which files they came from, and nothing that was written
// later may be read.
TEST_P(GoldenTableTest, TimeTravelSlicesHoldTheRecordedRows) {
  for (const auto& [as_of, view] : expected_.at("time_travel").items()) {
    if (view.contains("error")) continue;
    SCOPED_TRACE(as_of);
    const std::map<Group, FileSlice> slices = Slices(SnapshotSlices, as_of);
    std::set<std::string> file_names;
    for (const auto& [id, slice] : slices) {
      file_names.insert(id.second);  // rows of log blocks name the group
      if (slice.base) file_names.emplace(LastSegment(slice.base->path));
      EXPECT_LE(slice.base_instant, as_of);
      for (const LogFile& log : slice.logs) EXPECT_LE(log.instant, as_of);
    }
    for (const Json& index : view.at("rows")) {
      const Json& row = expected_.at("rows").at(index.get<size_t>());
      if (!row.contains("_hoodie_file_name") || row.at("_hoodie_file_name").is_null()) continue;
      const std::string name = row.at("_hoodie_file_name");
      EXPECT_TRUE(file_names.contains(name)) << name;
    }
  }
}

// Spark's JSON form of a type in the form of its DDL.
std::string Ddl(const Json& type) {
  if (type.is_string()) {
    static const std::map<std::string, std::string> kNames = {
        {"integer", "int"}, {"long", "bigint"}, {"short", "smallint"}, {"byte", "tinyint"}};
    const auto found = kNames.find(type);
    return found == kNames.end() ? type.get<std::string>() : found->second;
  }
  if (type.at("type") == "array") return "array<" + Ddl(type.at("elementType")) + ">";
  if (type.at("type") == "map") {
    return "map<" + Ddl(type.at("keyType")) + "," + Ddl(type.at("valueType")) + ">";
  }
  std::string fields;
  for (const Json& field : type.at("fields")) {
    fields += (fields.empty() ? "" : ",") + field.at("name").get<std::string>() + ":" +
              Ddl(field.at("type"));
  }
  return "struct<" + fields + ">";
}

std::string Ddl(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::BOOL:
      return "boolean";
    case arrow::Type::INT32:
      return "int";
    case arrow::Type::INT64:
      return "bigint";
    case arrow::Type::FLOAT:
      return "float";
    case arrow::Type::DOUBLE:
      return "double";
    case arrow::Type::STRING:
      return "string";
    case arrow::Type::BINARY:
      return "binary";
    case arrow::Type::DATE32:
      return "date";
    case arrow::Type::TIMESTAMP:
      return static_cast<const arrow::TimestampType&>(type).timezone().empty() ? "timestamp_ntz"
                                                                               : "timestamp";
    case arrow::Type::DECIMAL128: {
      const auto& decimal = static_cast<const arrow::Decimal128Type&>(type);
      return fmt::format("decimal({},{})", decimal.precision(), decimal.scale());
    }
    case arrow::Type::LIST:
    case arrow::Type::FIXED_SIZE_LIST:
      return "array<" + Ddl(*type.field(0)->type()) + ">";
    case arrow::Type::MAP: {
      const auto& map = static_cast<const arrow::MapType&>(type);
      return "map<" + Ddl(*map.key_type()) + "," + Ddl(*map.item_type()) + ">";
    }
    case arrow::Type::STRUCT: {
      std::string fields;
      for (const auto& field : type.fields()) {
        fields += (fields.empty() ? "" : ",") + field->name() + ":" + Ddl(*field->type());
      }
      return "struct<" + fields + ">";
    }
    default:
      return type.ToString();
  }
}

TEST_P(GoldenTableTest, SchemaIsThatOfSpark) {
  const Result<TableSchema> schema = ResolveTableSchema(*storage_, config_, timeline_, "");
  ASSERT_TRUE(schema.ok()) << schema.status();
  std::vector<std::string> expected, found;
  for (const Json& field : expected_.at("schema")) {
    const std::string name = field.at("name");
    if (IsMetaField(name)) continue;
    std::string type = Ddl(field.at("type"));
    // Spark shows what the path says, firth what the files hold.
    if (GetParam() == "v9_mor_keygen_timestamp" && name == "ems") type = "bigint";
    expected.push_back(name + " " + type);
  }
  for (const auto& field : schema->data->fields()) {
    EXPECT_TRUE(field->nullable()) << field->name();
    found.push_back(field->name() + " " + Ddl(*field->type()));
  }
  EXPECT_EQ(found, expected);
  ASSERT_EQ(schema->full->num_fields(), schema->data->num_fields() + 5);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(schema->full->field(i)->name(), MetaFieldNames()[i]);
}

// Rows of a time travel have the columns of their time.
TEST_P(GoldenTableTest, TimeTravelSchemaIsThatOfItsTime) {
  for (const auto& [as_of, view] : expected_.at("time_travel").items()) {
    if (view.contains("error") || view.at("rows").empty()) continue;
    SCOPED_TRACE(as_of);
    const Result<TableSchema> schema = ResolveTableSchema(*storage_, config_, timeline_, as_of);
    ASSERT_TRUE(schema.ok()) << schema.status();
    std::set<std::string> expected, found;
    const size_t first = view.at("rows").at(0);
    for (const auto& [name, value] : expected_.at("rows").at(first).items()) {
      if (!IsMetaField(name)) expected.insert(name);
    }
    for (const std::string& name : schema->data->field_names()) found.insert(name);
    EXPECT_EQ(found, expected);
  }
}

std::vector<std::string> Names() {
  std::vector<std::string> names = testing::ReadableGoldenNames();
  if (names.empty()) names.emplace_back();
  return names;
}

std::string TestName(const ::testing::TestParamInfo<std::string>& param) {
  return param.param.empty() ? "none" : param.param;
}

INSTANTIATE_TEST_SUITE_P(All, GoldenTableTest, ::testing::ValuesIn(Names()), TestName);

}  // namespace
}  // namespace firth
