// SPDX-License-Identifier: Apache-2.0
#include "firth/scan/parallel_reader.h"

#include <arrow/array/builder_primitive.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <vector>

namespace firth {
namespace {

std::shared_ptr<arrow::Schema> OneColumn() {
  return arrow::schema({arrow::field("v", arrow::int64())});
}

std::shared_ptr<arrow::RecordBatch> Batch(int64_t first, int64_t rows) {
  arrow::Int64Builder builder;
  for (int64_t i = 0; i < rows; ++i) EXPECT_TRUE(builder.Append(first + i).ok());
  return arrow::RecordBatch::Make(OneColumn(), rows, {*builder.Finish()});
}

// Stream i holds i % 4 batches of 1,000 values each, numbered across all streams.
struct Source {
  std::vector<std::vector<std::shared_ptr<arrow::RecordBatch>>> streams;
  int64_t rows = 0;

  explicit Source(int count) {
    for (int i = 0; i < count; ++i) {
      streams.emplace_back();
      for (int b = 0; b < i % 4; ++b, rows += 1000) streams.back().push_back(Batch(rows, 1000));
    }
  }
  OpenStream opener() const {
    return [this](int64_t i) {
      return arrow::RecordBatchReader::Make(streams[static_cast<size_t>(i)], OneColumn());
    };
  }
};

std::vector<int64_t> Drain(arrow::RecordBatchReader& reader, Status* status) {
  std::vector<int64_t> values;
  while (true) {
    std::shared_ptr<arrow::RecordBatch> batch;
    *status = reader.ReadNext(&batch);
    if (!status->ok() || batch == nullptr) return values;
    EXPECT_GT(batch->num_rows(), 0);
    const auto& column = static_cast<const arrow::Int64Array&>(*batch->column(0));
    values.insert(values.end(), column.raw_values(), column.raw_values() + column.length());
  }
}

TEST(ReadInParallel, KeepsTheOrderOfStreamsAtAnyThreadCountAndBudget) {
  const Source source(23);
  std::vector<int64_t> expected(static_cast<size_t>(source.rows));
  std::iota(expected.begin(), expected.end(), 0);
  for (const int threads : {1, 2, 5, 40}) {
    for (const int64_t budget : {int64_t{1}, int64_t{10'000}, int64_t{1} << 30}) {
      SCOPED_TRACE(testing::Message() << threads << " threads, " << budget << " bytes");
      Status status;
      const auto reader = ReadInParallel(OneColumn(), 23, source.opener(),
                                         {.threads = threads, .queued_bytes = budget});
      EXPECT_EQ(Drain(*reader, &status), expected);
      EXPECT_TRUE(status.ok());
    }
  }
}

TEST(ReadInParallel, LimitCutsInsideABatch) {
  const Source source(9);
  for (const int threads : {1, 3}) {
    for (const int64_t limit : {int64_t{0}, int64_t{1}, int64_t{1500}, int64_t{1'000'000}}) {
      Status status;
      const auto reader =
          ReadInParallel(OneColumn(), 9, source.opener(), {.threads = threads, .limit = limit});
      EXPECT_EQ(static_cast<int64_t>(Drain(*reader, &status).size()), std::min(limit, source.rows));
      EXPECT_TRUE(status.ok());
    }
  }
}

TEST(ReadInParallel, TheFirstErrorEndsTheStreamAfterTheBatchesBeforeIt) {
  const Source source(8);
  for (const int threads : {1, 4}) {
    const auto open = [&](int64_t i) -> Result<std::shared_ptr<arrow::RecordBatchReader>> {
      if (i == 3) return CorruptError("stream 3 is damaged");
      return source.opener()(i);
    };
    Status status;
    const auto reader = ReadInParallel(OneColumn(), 8, open, {.threads = threads});
    EXPECT_EQ(Drain(*reader, &status).size(), 3000u);  // streams 0, 1 and 2
    EXPECT_EQ(GetErrorCode(status), ErrorCode::kCorrupt);
  }
}

TEST(ReadInParallel, AbandonedReaderStopsItsWorkers) {
  const Source source(40);
  const auto reader =
      ReadInParallel(OneColumn(), 40, source.opener(), {.threads = 4, .queued_bytes = 1});
  std::shared_ptr<arrow::RecordBatch> batch;
  ASSERT_TRUE(reader->ReadNext(&batch).ok());
}  // the destructor must not hang

TEST(ReadInParallel, NoStreamsAreAnEmptyResult) {
  Status status;
  const auto reader = ReadInParallel(OneColumn(), 0, nullptr, {.threads = 4});
  EXPECT_TRUE(Drain(*reader, &status).empty());
  EXPECT_TRUE(status.ok());
  EXPECT_TRUE(reader->schema()->Equals(*OneColumn()));
}

}  // namespace
}  // namespace firth
