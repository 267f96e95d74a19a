// SPDX-License-Identifier: Apache-2.0
#include "firth/format/parquet/parquet_file.h"

#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/io/memory.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <parquet/arrow/writer.h>
#include <parquet/metadata.h>

#include <string>

namespace firth {
namespace {

constexpr int64_t kRows = 10;

// id: 0 to 9; s: {n: id}; name: text, null where id is odd. Row groups of four rows.
std::shared_ptr<arrow::Buffer> Image() {
  arrow::Int64Builder ids, numbers;
  arrow::StringBuilder names;
  for (int64_t i = 0; i < kRows; ++i) {
    EXPECT_TRUE(ids.Append(i).ok());
    EXPECT_TRUE(numbers.Append(-i).ok());
    EXPECT_TRUE((i % 2 == 0 ? names.Append("name " + std::to_string(i)) : names.AppendNull()).ok());
  }
  const auto nested =
      arrow::StructArray::Make({numbers.Finish().ValueOrDie()}, std::vector<std::string>{"n"})
          .ValueOrDie();
  const auto schema =
      arrow::schema({arrow::field("id", arrow::int64()), arrow::field("s", nested->type()),
                     arrow::field("name", arrow::utf8())});
  const auto table =
      arrow::Table::Make(schema, {ids.Finish().ValueOrDie(), nested, names.Finish().ValueOrDie()});
  const auto sink = arrow::io::BufferOutputStream::Create().ValueOrDie();
  EXPECT_TRUE(
      parquet::arrow::WriteTable(*table, arrow::default_memory_pool(), sink, /*chunk_size=*/4)
          .ok());
  return sink->Finish().ValueOrDie();
}

Result<std::shared_ptr<ParquetFile>> OpenImage(const std::shared_ptr<arrow::Buffer>& image,
                                               int64_t batch_rows = 3) {
  ParquetOptions options;
  options.batch_rows = batch_rows;
  return ParquetFile::Open(std::make_shared<arrow::io::BufferReader>(image), "a.parquet", options);
}

TEST(ParquetFile, BatchesStayWithinRowGroups) {
  const auto file = OpenImage(Image()).ValueOrDie();
  ASSERT_EQ(file->metadata().num_row_groups(), 3);
  std::vector<int64_t> sizes;
  for (int group = 0; group < 3; ++group) {
    const auto stream = file->ReadRowGroup(group, {0, 2}).ValueOrDie();
    std::shared_ptr<arrow::RecordBatch> batch;
    while (stream->ReadNext(&batch).ok() && batch != nullptr) {
      EXPECT_THAT(batch->schema()->field_names(), testing::ElementsAre("id", "name"));
      sizes.push_back(batch->num_rows());
    }
  }
  EXPECT_THAT(sizes, testing::ElementsAre(3, 1, 3, 1, 2));
}

TEST(ParquetFile, WithoutColumnsRowsAreStillCounted) {
  const auto file = OpenImage(Image()).ValueOrDie();
  const auto stream = file->ReadRowGroup(0, {}).ValueOrDie();
  int64_t rows = 0;
  std::shared_ptr<arrow::RecordBatch> batch;
  while (stream->ReadNext(&batch).ok() && batch != nullptr) rows += batch->num_rows();
  EXPECT_EQ(rows, 4);
}

TEST(ParquetFile, StreamOutlivesTheCallersHandle) {
  auto file = OpenImage(Image()).ValueOrDie();
  const auto stream = file->ReadRowGroup(1, {1}).ValueOrDie();
  file = nullptr;
  std::shared_ptr<arrow::RecordBatch> batch;
  ASSERT_TRUE(stream->ReadNext(&batch).ok());
  EXPECT_EQ(batch->num_rows(), 3);
}

TEST(ParquetFile, StatisticsBoundFlatColumns) {
  const auto file = OpenImage(Image()).ValueOrDie();
  const ParquetStatistics ids = file->Statistics(1, 0).ValueOrDie();
  EXPECT_EQ(ids.min->ToString(), "4");
  EXPECT_EQ(ids.max->ToString(), "7");
  EXPECT_EQ(ids.null_count, 0);
  EXPECT_EQ(file->Statistics(0, 2).ValueOrDie().null_count, 2);
  const ParquetStatistics nested = file->Statistics(0, 1).ValueOrDie();
  EXPECT_EQ(nested.min, nullptr);
  EXPECT_EQ(nested.null_count, -1);
}

// Whatever is cut off or flipped: an error or batches, never a crash.
TEST(ParquetFile, DamageIsAnErrorThatNamesTheFile) {
  const auto image = Image();
  for (int64_t size = 0; size < image->size(); ++size) {
    const auto file = OpenImage(arrow::SliceBuffer(image, 0, size));
    ASSERT_FALSE(file.ok()) << size;
    ASSERT_EQ(GetErrorCode(file.status()), ErrorCode::kCorrupt) << file.status();
    ASSERT_THAT(file.status().message(), testing::HasSubstr("a.parquet"));
  }
  std::string bytes = image->ToString();
  for (size_t i = 4; i < bytes.size(); i += 3) {
    bytes[i] = static_cast<char>(bytes[i] ^ 0x15);
    const auto file = OpenImage(arrow::Buffer::FromString(bytes));
    bytes[i] = static_cast<char>(bytes[i] ^ 0x15);
    if (!file.ok()) continue;
    for (int group = 0; group < (*file)->metadata().num_row_groups(); ++group) {
      const auto stream = (*file)->ReadRowGroup(group, {0});
      std::shared_ptr<arrow::RecordBatch> batch;
      while (stream.ok() && (*stream)->ReadNext(&batch).ok() && batch != nullptr) {
      }
    }
  }
}

}  // namespace
}  // namespace firth
