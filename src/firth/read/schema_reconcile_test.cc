// SPDX-License-Identifier: Apache-2.0
// Columns of a file as columns of the query: by name, and by id where there is a history.
#include "firth/read/schema_reconcile.h"

#include <arrow/array.h>
#include <arrow/json/from_string.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "firth/common/arrow_init.h"

namespace firth {
namespace {

std::shared_ptr<arrow::Array> Json(const std::shared_ptr<arrow::DataType>& type,
                                   std::string_view json) {
  return arrow::json::ArrayFromJSONString(type, json).ValueOrDie();
}

// Version 1: a, b, s{x, y}. Version 2 (from instant 200): a renamed to c, b dropped, s.x renamed to
// s.z. Version 3 (from 300): a new column b.
TableSchema Evolved() {
  TableSchema schema;
  const auto field = [](int32_t id, std::string name, std::vector<InternalField> children = {}) {
    InternalField result;
    result.id = id;
    result.name = std::move(name);
    result.children = std::move(children);
    return result;
  };
  schema.history.resize(3);
  schema.history[0].version_id = 100;
  schema.history[0].fields = {field(0, "a"), field(1, "b"),
                              field(2, "s", {field(3, "x"), field(4, "y")})};
  schema.history[1].version_id = 200;
  schema.history[1].fields = {field(0, "c"), field(2, "s", {field(3, "z"), field(4, "y")})};
  schema.history[2].version_id = 300;
  schema.history[2].fields = {field(0, "c"), field(2, "s", {field(3, "z"), field(4, "y")}),
                              field(5, "b")};
  return schema;
}

std::shared_ptr<arrow::RecordBatch> Apply(const SchemaReconciler& reconciler,
                                          const arrow::RecordBatch& file) {
  return reconciler.Apply(*file.SelectColumns(reconciler.file_columns()).ValueOrDie()).ValueOrDie();
}

TEST(SchemaReconciler, FollowsRenamesDropsAndAdditionsById) {
  ASSERT_TRUE(InitializeArrow().ok());
  const TableSchema schema = Evolved();
  const auto old_struct =
      arrow::struct_({arrow::field("x", arrow::int32()), arrow::field("y", arrow::utf8())});
  const auto new_struct =
      arrow::struct_({arrow::field("z", arrow::int64()), arrow::field("y", arrow::utf8())});
  const auto file = arrow::RecordBatch::Make(
      arrow::schema({arrow::field("a", arrow::int32()), arrow::field("b", arrow::utf8()),
                     arrow::field("s", old_struct)}),
      1,
      {Json(arrow::int32(), "[7]"), Json(arrow::utf8(), R"(["old"])"),
       Json(old_struct, R"([{"x": 1, "y": "p"}])")});
  const auto wanted =
      arrow::schema({arrow::field("s", new_struct), arrow::field("b", arrow::utf8()),
                     arrow::field("c", arrow::int64())});
  const auto reconciler =
      SchemaReconciler::Make(*file->schema(), wanted, SchemaEvolution(schema, "150", ""), {}, "f")
          .ValueOrDie();
  const auto rows = Apply(reconciler, *file);
  EXPECT_TRUE(rows->ValidateFull().ok());
  EXPECT_TRUE(rows->column(0)->Equals(Json(new_struct, R"([{"z": 1, "y": "p"}])")));
  EXPECT_TRUE(rows->column(1)->Equals(Json(arrow::utf8(), "[null]")));
  EXPECT_TRUE(rows->column(2)->Equals(Json(arrow::int64(), "[7]")));
  // The dropped column is not even read.
  EXPECT_THAT(reconciler.file_columns(), testing::ElementsAre(0, 2));
}

TEST(SchemaReconciler, ATimeTravelSpeaksItsOwnVersion) {
  const TableSchema schema = Evolved();
  EXPECT_FALSE(SchemaEvolution(schema, "150", "180").renames());
  EXPECT_TRUE(SchemaEvolution(schema, "150", "250").renames());
  EXPECT_FALSE(SchemaEvolution(schema, "350", "").renames());
  EXPECT_FALSE(SchemaEvolution(TableSchema{}, "150", "").renames());
}

TEST(SchemaReconciler, FillsWhatTheFileLacks) {
  ASSERT_TRUE(InitializeArrow().ok());
  const auto file = arrow::RecordBatch::Make(arrow::schema({arrow::field("k", arrow::int32())}), 2,
                                             {Json(arrow::int32(), "[1, 2]")});
  const auto wanted = arrow::schema(
      {arrow::field("p", arrow::utf8()), arrow::field("n", arrow::list(arrow::int32()))});
  const auto reconciler =
      SchemaReconciler::Make(*file->schema(), wanted, SchemaEvolution(TableSchema{}, "", ""),
                             {{"p", arrow::MakeScalar("here")}}, "f")
          .ValueOrDie();
  EXPECT_THAT(reconciler.file_columns(), testing::IsEmpty());
  const auto rows =
      reconciler.Apply(*arrow::RecordBatch::Make(arrow::schema({}), 2, arrow::ArrayDataVector{}))
          .ValueOrDie();
  EXPECT_TRUE(rows->column(0)->Equals(Json(arrow::utf8(), R"(["here", "here"])")));
  EXPECT_EQ(rows->column(1)->null_count(), 2);
}

TEST(SchemaReconciler, NamesFileAndColumnOfAnImpossibleType) {
  const auto file = arrow::schema({arrow::field("c", arrow::boolean())});
  const Status status =
      SchemaReconciler::Make(*file, arrow::schema({arrow::field("c", arrow::int64())}),
                             SchemaEvolution(TableSchema{}, "", ""), {}, "p0/x.parquet")
          .status();
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kUnsupported);
  EXPECT_THAT(status.message(), testing::HasSubstr("p0/x.parquet: column \"c\""));
}

}  // namespace
}  // namespace firth
