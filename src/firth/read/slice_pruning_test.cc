// SPDX-License-Identifier: Apache-2.0
// Row groups and pages that cannot match: left out, and never missed.
#include <arrow/compute/api_scalar.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "firth/read/row_number.h"
#include "firth/read/slice_test_util.h"

namespace firth {
namespace {

namespace cp = arrow::compute;
using nlohmann::json;
using testing::TableBuilder;
using testing::TableSpec;

TEST(OpenSlice, FilterGivesTheSameRowsWithAndWithoutPruning) {
  const TempDir dir;
  TableSpec spec = PlainSpec();
  spec.merge_on_read = false;
  spec.row_group_rows = 100;
  TableBuilder builder(dir.table(), spec);
  builder.Insert(*PlainRows(0, 1'000, 1, 10, 0));
  ASSERT_TRUE(builder.status().ok()) << builder.status();
  const OpenTable table(dir.table());
  SliceReadOptions options;
  options.columns = {"name"};
  options.filter = cp::and_(cp::greater_equal(cp::field_ref("id"), cp::literal(int64_t{250})),
                            cp::less(cp::field_ref("id"), cp::literal(int64_t{430})));
  const auto pruned = table.Read(options).ValueOrDie();
  EXPECT_EQ(table.metrics->row_groups, 10);
  EXPECT_EQ(table.metrics->row_groups_pruned, 7);
  options.prune = false;
  EXPECT_EQ(table.Read(options).ValueOrDie(), pruned);
  EXPECT_EQ(pruned.size(), 180);
}

// `id` ascends with the rows, `n` is id as well, and the file has pages of 1,000 rows.
TEST(OpenSlice, SelectiveFilterReadsTheBytesOfFewPages) {
  constexpr int64_t kRows = 1'000'000;
  const TempDir dir;
  TableSpec spec = PlainSpec();
  spec.merge_on_read = false;
  spec.page_rows = 1'000;
  TableBuilder builder(dir.table(), spec);
  builder.Insert(*PlainRows(0, kRows, 1, 10, 0));
  ASSERT_TRUE(builder.status().ok()) << builder.status();
  const auto bytes_of = [&](bool prune) {
    const OpenTable table(dir.table());
    SliceReadOptions options;
    options.columns = {"id", "name", "n"};
    options.filter = cp::equal(cp::field_ref("id"), cp::literal(int64_t{765'432}));
    options.prune = prune;
    const int64_t before = table.context->storage->counters().bytes_read;
    EXPECT_EQ(table.Read(options).ValueOrDie().size(), 1);
    EXPECT_EQ(table.metrics->base_rows, prune ? 1'000 : kRows);
    EXPECT_EQ(table.metrics->pages - table.metrics->pages_pruned, prune ? 3 : 0);
    return table.context->storage->counters().bytes_read - before;
  };
  // Most of what is left are the dictionaries.
  EXPECT_LT(bytes_of(true), bytes_of(false) / 8);
}

// Ranges of two columns, of which one repeats, with gaps between the pages that can match.
TEST(OpenSlice, PagesNeverChangeRows) {
  const TempDir dir;
  TableSpec spec = PlainSpec();
  spec.merge_on_read = false;
  spec.row_group_rows = 700;
  spec.page_rows = 16;
  TableBuilder builder(dir.table(), spec);
  builder.Insert(*PlainRows(0, 2'000, 1, 10, 0));
  ASSERT_TRUE(builder.status().ok()) << builder.status();
  std::mt19937 random(3);
  int64_t pruned = 0;
  for (int round = 0; round < 100; ++round) {
    const auto near = [&](const char* column) {
      const auto value = static_cast<int64_t>(random() % 2'100);
      const auto width = static_cast<int64_t>(random() % 300);
      return cp::and_(cp::greater_equal(cp::field_ref(column), cp::literal(value)),
                      cp::less(cp::field_ref(column), cp::literal(value + width)));
    };
    const OpenTable table(dir.table());
    SliceReadOptions options;
    options.columns = random() % 2 == 0 ? std::vector<std::string>{"name"}
                                        : std::vector<std::string>{"n", "name", "id"};
    options.batch_rows = static_cast<int64_t>(1 + random() % 100);
    options.filter = random() % 2 == 0 ? cp::or_(near("id"), near("n"))
                                       : cp::and_(near("id"), cp::not_(near("n")));
    const auto rows = table.Read(options).ValueOrDie();
    pruned += table.metrics->pages_pruned;
    options.prune = false;
    EXPECT_EQ(table.Read(options).ValueOrDie(), rows) << options.filter.ToString();
  }
  EXPECT_GT(pruned, 1'000);
}

TEST(OpenSlice, RowNumbersOfABaseFileCountTheRowsThatPruningSkips) {
  const TempDir dir;
  TableSpec spec = PlainSpec();
  spec.merge_on_read = false;
  spec.row_group_rows = 100;
  spec.page_rows = 16;
  TableBuilder builder(dir.table(), spec);
  builder.Insert(*PlainRows(0, 1'000, 1, 10, 0));
  ASSERT_TRUE(builder.status().ok()) << builder.status();
  const OpenTable table(dir.table());
  SliceReadOptions options;
  options.columns = {"id"};
  options.row_numbers = true;
  options.filter = cp::and_(cp::greater_equal(cp::field_ref("id"), cp::literal(int64_t{250})),
                            cp::less(cp::field_ref("id"), cp::literal(int64_t{430})));
  const std::vector<json> rows = table.Read(options).ValueOrDie();
  EXPECT_EQ(table.metrics->row_groups_pruned, 7);
  EXPECT_GT(table.metrics->pages_pruned, 0);
  EXPECT_EQ(rows.size(), 180);
  for (const json& row : rows) EXPECT_EQ(row[kRowNumberColumn], row["id"]);
}

}  // namespace
}  // namespace firth
