// SPDX-License-Identifier: Apache-2.0
// Slices of generated tables: projection, spilling, custom mergers, row numbers.
#include "firth/read/slice_reader.h"

#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/compute/api_scalar.h>
#include <arrow/filesystem/filesystem.h>
#include <arrow/filesystem/localfs.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "firth/common/memory.h"
#include "firth/read/row_number.h"
#include "firth/read/slice_test_util.h"
#include "firth/record_merger.h"
#include "firth/testing/table_builder.h"

namespace firth {
namespace {

namespace cp = arrow::compute;
using nlohmann::json;
using testing::TableBuilder;
using testing::TableSpec;

TEST(OpenSlice, KeepsTheOrderOfTheBaseFileAndAppendsWhatLogsBring) {
  const TempDir dir;
  TableBuilder builder(dir.table(), PlainSpec());
  builder.Insert(*PlainRows(0, 6, 1, 10, 0)).Upsert(*PlainRows(1, 2, 2, 20, 100)).Delete({"4"});
  ASSERT_TRUE(builder.status().ok()) << builder.status();
  SliceReadOptions options;
  options.columns = {"n", "id"};
  const std::vector<json> rows = OpenTable(dir.table()).Read(options).ValueOrDie();
  std::vector<std::pair<int64_t, int64_t>> got;
  for (const json& row : rows) got.emplace_back(row["id"], row["n"]);
  EXPECT_THAT(got, ::testing::ElementsAre(std::pair(0, 0), std::pair(2, 2), std::pair(5, 5),
                                          std::pair(1, 101), std::pair(3, 103)));
}

// PlainRows as a change log holds them: with the kind of each change.
std::shared_ptr<arrow::RecordBatch> Changes(int64_t first, int64_t ts,
                                            const std::vector<std::string>& kinds) {
  const auto rows = PlainRows(first, static_cast<int64_t>(kinds.size()), 1, ts, 0);
  arrow::StringBuilder operations;
  EXPECT_TRUE(operations.AppendValues(kinds).ok());
  return rows
      ->AddColumn(rows->num_columns(), arrow::field("_hoodie_operation", arrow::utf8()),
                  operations.Finish().ValueOrDie())
      .ValueOrDie();
}

TEST(OpenSlice, OperationColumnThatOnlyTheFilesNameMarksDeletes) {
  const TempDir dir;
  TableSpec spec = PlainSpec();
  spec.schema = Changes(0, 0, {})->schema();
  TableBuilder builder(dir.table(), spec);
  builder
      .Insert(*Changes(0, 10, {"I", "I", "I", "I", "D", "I"}))  // base rows are not tested
      .Upsert(*Changes(0, 20, {"U", "D", "-U"}))
      .Upsert(*Changes(5, 5, {"D"}));  // older than the row it deletes
  ASSERT_TRUE(builder.status().ok()) << builder.status();
  for (const int64_t budget : {int64_t{1} << 30, int64_t{300}}) {
    const OpenTable table(dir.table());
    // Commits of change logs do not name the column.
    for (auto* schema : {&table.context->schema.full, &table.context->schema.data}) {
      *schema = (*schema)->RemoveField((*schema)->num_fields() - 1).ValueOrDie();
    }
    SliceReadOptions options;
    options.columns = {"id", "ts"};
    options.filter = cp::greater_equal(cp::field_ref("n"), cp::literal(int64_t{0}));
    options.memory_budget = budget;
    std::map<int64_t, int64_t> times;
    for (const json& row : table.Read(options).ValueOrDie()) times[row["id"]] = row["ts"];
    EXPECT_THAT(times, ::testing::ElementsAre(std::pair(0, 20), std::pair(3, 10), std::pair(4, 10),
                                              std::pair(5, 10)))
        << "budget " << budget;
  }
}

// More log files than are kept open between scanning and loading.
TEST(OpenSlice, ReadsManyLogFiles) {
  const TempDir dir;
  TableBuilder builder(dir.table(), PlainSpec());
  builder.Insert(*PlainRows(0, 50, 1, 10, 0));
  for (int64_t i = 0; i < 100; ++i) builder.Upsert(*PlainRows(i % 50, 1, 1, 20 + i, 1'000 * i));
  ASSERT_TRUE(builder.status().ok()) << builder.status();
  const OpenTable table(dir.table());
  ASSERT_EQ(table.slices.size(), 1);
  EXPECT_EQ(table.slices[0].logs.size(), 100);
  const std::vector<json> rows = table.Read({}).ValueOrDie();
  EXPECT_EQ(rows.size(), 50);
  for (const json& row : rows) {
    const auto id = row["id"].get<int64_t>();
    EXPECT_EQ(row["n"], 1'000 * (50 + id) + id);
  }
}

TEST(OpenSlice, ReadsOnlyTheBytesOfTheWantedColumns) {
  const TempDir dir;
  arrow::FieldVector fields{arrow::field("id", arrow::int64())};
  arrow::ArrayVector columns;
  constexpr int64_t kRows = 5'000;
  for (int c = 0; c < 20; ++c) {
    arrow::Int64Builder values;
    for (int64_t i = 0; i < kRows; ++i) {
      ASSERT_TRUE(values.Append(c == 0 ? i : i * 2'654'435'761 % 1'000'003 * (c + 7)).ok());
    }
    columns.push_back(values.Finish().ValueOrDie());
    if (c > 0) fields.push_back(arrow::field(fmt::format("c{}", c), arrow::int64()));
  }
  TableSpec spec;
  spec.merge_on_read = false;
  spec.schema = arrow::schema(fields);
  TableBuilder builder(dir.table(), spec);
  builder.Insert(*arrow::RecordBatch::Make(spec.schema, kRows, columns));
  ASSERT_TRUE(builder.status().ok()) << builder.status();
  const OpenTable table(dir.table());
  const auto bytes_of = [&](std::vector<std::string> names) {
    const int64_t before = table.context->storage->counters().bytes_read;
    SliceReadOptions options;
    options.columns = std::move(names);
    EXPECT_EQ(table.Read(options).ValueOrDie().size(), kRows);
    return table.context->storage->counters().bytes_read - before;
  };
  const int64_t all = bytes_of(spec.schema->field_names());
  const int64_t two = bytes_of({"c3", "c9"});
  EXPECT_LT(two, all / 5);
}

TEST(OpenSlice, FilterSeesMergedRows) {
  const TempDir dir;
  TableBuilder builder(dir.table(), PlainSpec());
  builder.Insert(*PlainRows(0, 10, 1, 10, 0)).Upsert(*PlainRows(3, 1, 1, 20, 1'000));
  ASSERT_TRUE(builder.status().ok()) << builder.status();
  const OpenTable table(dir.table());
  SliceReadOptions options;
  options.columns = {"id"};
  options.filter = cp::equal(cp::field_ref("n"), cp::literal(int64_t{3}));
  EXPECT_EQ(table.Read(options).ValueOrDie().size(), 0);
  options.filter = cp::equal(cp::field_ref("n"), cp::literal(int64_t{1'003}));
  EXPECT_EQ(table.Read(options).ValueOrDie().size(), 1);
}

TEST(OpenSlice, UnknownColumnIsNamed) {
  const TempDir dir;
  TableBuilder builder(dir.table(), PlainSpec());
  builder.Insert(*PlainRows(0, 1, 1, 10, 0));
  SliceReadOptions options;
  options.columns = {"price"};
  const Status status = OpenTable(dir.table()).Read(options).status();
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kNotFound);
  EXPECT_THAT(status.message(), ::testing::HasSubstr("price"));
}

// A tenth of the records' bytes as budget: the same rows, and memory near it.
TEST(OpenSlice, SpillsWithinItsBudgetAndGivesTheSameRows) {
  const TempDir dir;
  TableBuilder builder(dir.table(), PlainSpec());
  builder.Insert(*PlainRows(0, 8'000, 2, 10, 0));
  for (int64_t round = 0; round < 4; ++round) {
    builder.Upsert(*PlainRows(round, 4'000, 3, 20 + round % 3, 1'000'000 * (round + 1)));
  }
  builder.Delete({"0", "2", "6", "77"});
  ASSERT_TRUE(builder.status().ok()) << builder.status();
  const OpenTable in_memory(dir.table());
  const auto expected = Sorted(in_memory.Read({}).ValueOrDie());
  EXPECT_EQ(in_memory.metrics->spilled_bytes, 0);

  const OpenTable spilled(dir.table());
  SliceReadOptions options;
  options.memory_budget = 200'000;
  options.batch_rows = 500;
  EXPECT_EQ(Sorted(spilled.Read(options).ValueOrDie()), expected);
  EXPECT_GT(spilled.metrics->spilled_bytes, options.memory_budget);
}

// There the base file's columns are fetched ahead; both together stay within the budget.
TEST(OpenSlice, LogRecordsHaveHalfOfTheBudgetOnObjectStores) {
  const TempDir dir;
  TableBuilder builder(dir.table(), PlainSpec());
  builder.Insert(*PlainRows(0, 2'000, 1, 10, 0)).Upsert(*PlainRows(0, 2'000, 1, 20, 1'000'000));
  ASSERT_TRUE(builder.status().ok()) << builder.status();
  const auto spilled = [&](bool remote, int64_t budget) {
    const OpenTable table(dir.table());
    if (remote) {
      // Any type but "local" is taken for an object store.
      table.context->storage =
          std::make_shared<Storage>(std::make_shared<arrow::fs::SubTreeFileSystem>(
                                        "/", std::make_shared<arrow::fs::LocalFileSystem>()),
                                    dir.table().substr(1));
    }
    SliceReadOptions options;
    options.memory_budget = budget;
    const std::vector<json> rows = table.Read(options).ValueOrDie();
    EXPECT_EQ(rows.size(), 2'000);
    for (const json& row : rows) EXPECT_EQ(row["ts"], 20);
    return table.metrics->spilled_bytes > 0;
  };
  int64_t enough = 1'000;  // a budget with which nothing is spilled, while half of it is too little
  while (spilled(/*remote=*/false, enough)) enough *= 2;
  EXPECT_TRUE(spilled(/*remote=*/true, enough));
  EXPECT_FALSE(spilled(/*remote=*/true, 2 * enough));
}

// Peak of the memory of batches after reading all columns of the table's slice.
int64_t PeakOfReading(const std::string& path, int64_t budget) {
  const OpenTable table(path);
  SliceReadOptions options;
  options.columns = table.context->schema.full->field_names();
  options.memory_budget = budget;
  options.batch_rows = 2'000;
  const auto stream =
      OpenSlice(table.context, table.slices[0], options, table.metrics).ValueOrDie();
  std::shared_ptr<arrow::RecordBatch> batch;
  do {
    if (!stream->ReadNext(&batch).ok()) std::exit(2);
  } while (batch != nullptr);
  return BatchPool()->max_memory();
}

// Reads in a fresh process, because the high-water mark only rises; the table is made by the
// parent and found through the environment.
TEST(OpenSliceDeathTest, SpillingBoundsThePeakOfMemory) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  constexpr const char* kVariable = "FIRTH_PEAK_TEST_TABLE";
  const TempDir dir;
  if (std::getenv(kVariable) == nullptr) {
    TableBuilder builder(dir.table(), PlainSpec());
    builder.Insert(*PlainRows(0, 40'000, 1, 10, 0));
    for (int64_t round = 0; round < 10; ++round) {
      builder.Upsert(*PlainRows(round * 4'000, 4'000, 1, 20, 1'000'000 * round));
    }
    ASSERT_TRUE(builder.status().ok()) << builder.status();
    setenv(kVariable, dir.table().c_str(), 1);
  }
  const auto measure = [&] {
    const char* path = std::getenv(kVariable);
    const int64_t spilled = PeakOfReading(path, 1 << 20);
    const int64_t in_memory = PeakOfReading(path, 1 << 30);
    std::fprintf(stderr, "peaks: %ld and %ld bytes\n", static_cast<long>(spilled),
                 static_cast<long>(in_memory));
    std::exit(2 * spilled < in_memory ? 0 : 1);
  };
  EXPECT_EXIT(measure(), ::testing::ExitedWithCode(0), "peaks");
  unsetenv(kVariable);
}

// Adds the counts of all versions.
class SumMerger : public RecordMerger {
 public:
  arrow::Result<MergedRecord> Merge(const RecordVersion& older,
                                    const RecordVersion& newer) const override {
    if (newer.is_delete) return MergedRecord{MergedRecord::Kind::kDelete, nullptr};
    if (older.is_delete) return MergedRecord{MergedRecord::Kind::kNewer, nullptr};
    const auto row = newer.batch->Slice(newer.row, 1);
    const int column = row->schema()->GetFieldIndex("n");
    const auto count = [&](const RecordVersion& version) {
      return static_cast<const arrow::Int64Array&>(*version.batch->column(column))
          .Value(version.row);
    };
    arrow::Int64Builder sum;
    ARROW_RETURN_NOT_OK(sum.Append(count(older) + count(newer)));
    ARROW_ASSIGN_OR_RAISE(auto array, sum.Finish());
    arrow::ArrayVector columns = row->columns();
    columns[column] = std::move(array);
    return MergedRecord{MergedRecord::Kind::kRow,
                        arrow::RecordBatch::Make(row->schema(), 1, std::move(columns))};
  }
};

TableSpec CustomSpec(const std::string& merger) {
  TableSpec spec = PlainSpec();
  spec.properties = {{"hoodie.record.merge.mode", "CUSTOM"},
                     {"hoodie.compaction.payload.class", merger},
                     {"hoodie.record.merge.strategy.id", "00000000-0000-0000-0000-000000000000"}};
  return spec;
}

TEST(OpenSlice, CustomMergeNeedsARegisteredMerger) {
  const TempDir dir;
  TableBuilder builder(dir.table(), CustomSpec("com.example.Unregistered"));
  builder.Insert(*PlainRows(0, 2, 1, 10, 0)).Upsert(*PlainRows(0, 1, 1, 20, 5));
  ASSERT_TRUE(builder.status().ok()) << builder.status();
  const Status status = OpenTable(dir.table()).Read({}).status();
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kUnsupported);
  EXPECT_THAT(status.message(), ::testing::HasSubstr("com.example.Unregistered"));
  EXPECT_THAT(GetRemedy(status), ::testing::HasSubstr("RegisterRecordMerger"));
}

TEST(OpenSlice, CustomMergerFoldsLogsAndThenTheBase) {
  RegisterRecordMerger("com.example.Sum", std::make_shared<SumMerger>());
  const TempDir dir;
  TableBuilder builder(dir.table(), CustomSpec("com.example.Sum"));
  builder.Insert(*PlainRows(0, 3, 1, 10, 100))
      .Upsert(*PlainRows(0, 2, 1, 20, 10))
      .Upsert(*PlainRows(1, 2, 1, 5, 1'000))
      .Delete({"2"});
  ASSERT_TRUE(builder.status().ok()) << builder.status();
  for (const int64_t budget : {int64_t{1} << 30, int64_t{300}}) {
    SliceReadOptions options;
    options.columns = {"id", "n"};
    options.memory_budget = budget;
    std::map<int64_t, int64_t> counts;
    for (const json& row : OpenTable(dir.table()).Read(options).ValueOrDie()) {
      counts[row["id"]] = row["n"];
    }
    EXPECT_THAT(counts,
                ::testing::ElementsAre(std::pair(0, 100 + 10), std::pair(1, 101 + 11 + 1'001)))
        << "budget " << budget;
  }
}

// Rows that were made by the merger lie between the versions of later blocks.
TEST(OpenSlice, CustomMergerSeesTheVersionsOfEveryLogBlock) {
  RegisterRecordMerger("com.example.Sum", std::make_shared<SumMerger>());
  const TempDir dir;
  TableBuilder builder(dir.table(), CustomSpec("com.example.Sum"));
  builder.Insert(*PlainRows(0, 6, 1, 10, 0));
  for (int64_t round = 1; round <= 4; ++round) {
    builder.Upsert(*PlainRows(round - 1, 3, 1, 20, 100 * round));
  }
  ASSERT_TRUE(builder.status().ok()) << builder.status();
  std::map<int64_t, int64_t> expected;
  for (int64_t id = 0; id < 6; ++id) {
    expected[id] = id;
    for (int64_t round = 1; round <= 4; ++round) {
      if (id >= round - 1 && id < round + 2) expected[id] += 100 * round + id;
    }
  }
  for (const int64_t budget : {int64_t{1} << 30, int64_t{300}}) {
    SliceReadOptions options;
    options.memory_budget = budget;
    options.row_numbers = true;
    std::map<int64_t, int64_t> sums;
    for (const json& row : OpenTable(dir.table()).Read(options).ValueOrDie()) {
      sums[row["id"]] = row["n"];
    }
    EXPECT_EQ(sums, expected) << "budget " << budget;
  }
}

// The number of each row by its id.
std::map<int64_t, int64_t> NumbersOf(const std::vector<json>& rows) {
  std::map<int64_t, int64_t> numbers;
  for (const json& row : rows) numbers[row["id"]] = row[kRowNumberColumn];
  return numbers;
}

TEST(OpenSlice, RowNumbersDependOnNeitherColumnsNorBatchesNorSpilling) {
  RegisterRecordMerger("com.example.Sum", std::make_shared<SumMerger>());
  TableSpec partial = PlainSpec();
  partial.properties = {
      {"hoodie.compaction.payload.class", "org.apache.hudi.common.model.PartialUpdateAvroPayload"}};
  for (const TableSpec& spec : {PlainSpec(), partial, CustomSpec("com.example.Sum")}) {
    const TempDir dir;
    TableBuilder builder(dir.table(), spec);
    builder.Insert(*PlainRows(0, 400, 1, 10, 0));
    for (int64_t round = 0; round < 3; ++round) {
      builder.Upsert(*PlainRows(round * 7, 60 + 20 * round, 3, 9 + round, 1'000));
    }
    builder.Delete({"7", "21", "300"});
    ASSERT_TRUE(builder.status().ok()) << builder.status();
    const OpenTable table(dir.table());
    ASSERT_EQ(table.slices.size(), 1);
    SliceReadOptions options;
    options.row_numbers = true;
    const std::map<int64_t, int64_t> expected = NumbersOf(table.Read(options).ValueOrDie());
    EXPECT_EQ(expected.at(1), 1) << "untouched rows have their position in the base file";
    std::set<int64_t> different;
    for (const auto& [id, number] : expected) different.insert(number);
    EXPECT_EQ(different.size(), expected.size());
    for (const std::vector<std::string>& columns :
         {std::vector<std::string>{"id"}, {"id", "n"}, {"name", "id", "_hoodie_commit_time"}}) {
      for (const int64_t budget : {int64_t{1} << 30, int64_t{3'000}}) {
        for (const int64_t batch_rows : {16'384, 37}) {
          options.columns = columns;
          options.memory_budget = budget;
          options.batch_rows = batch_rows;
          EXPECT_EQ(NumbersOf(table.Read(options).ValueOrDie()), expected)
              << columns.size() << " columns, budget " << budget << ", batches of " << batch_rows;
        }
      }
    }
  }
}

}  // namespace
}  // namespace firth
