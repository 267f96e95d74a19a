// SPDX-License-Identifier: Apache-2.0
#include "firth/format/parquet/parquet_file.h"

#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <parquet/arrow/writer.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

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

std::shared_ptr<arrow::Buffer> PlainImage(const arrow::Table& table) {
  const auto sink = arrow::io::BufferOutputStream::Create().ValueOrDie();
  const auto plain = parquet::WriterProperties::Builder().disable_dictionary()->build();
  EXPECT_TRUE(
      parquet::arrow::WriteTable(table, arrow::default_memory_pool(), sink, table.num_rows(), plain)
          .ok());
  return sink->Finish().ValueOrDie();
}

std::shared_ptr<arrow::Table> Texts(const std::vector<std::string>& values) {
  arrow::StringBuilder texts;
  EXPECT_TRUE(texts.AppendValues(values).ok());
  return arrow::Table::Make(arrow::schema({arrow::field("text", arrow::utf8())}),
                            {texts.Finish().ValueOrDie()});
}

// Rows of each batch of all rows of the first row group.
std::vector<int64_t> BatchesOf(ParquetFile* file, bool by_pages) {
  const int64_t rows = file->metadata().RowGroup(0)->num_rows();
  const auto stream =
      (by_pages ? file->ReadRows(0, {{0, rows}}, {0}) : file->ReadRowGroup(0, {0})).ValueOrDie();
  std::vector<int64_t> result;
  while (const auto batch = stream->Next().ValueOrDie()) result.push_back(batch->num_rows());
  EXPECT_EQ(std::accumulate(result.begin(), result.end(), int64_t{0}), rows);
  return result;
}

TEST(ParquetFile, RowsOfMegabytesComeInBatchesOfOneOrTwo) {
  const std::vector<std::string> values(8, std::string(2'200'000, 'x'));
  const auto file = OpenImage(PlainImage(*Texts(values)), /*batch_rows=*/1'000).ValueOrDie();
  for (const bool by_pages : {false, true}) {
    EXPECT_THAT(BatchesOf(file.get(), by_pages), ::testing::Each(1));
  }
}

// The file has 20 kB, its rows have 320 MB.
TEST(ParquetFile, RepeatedWideTextsComeInSmallBatches) {
  constexpr int64_t kWidth = 20'000, kMost = int64_t{9} << 20;
  const auto table = Texts(std::vector<std::string>(16'384, std::string(kWidth, 'x')));
  const auto sink = arrow::io::BufferOutputStream::Create().ValueOrDie();
  ASSERT_TRUE(parquet::arrow::WriteTable(*table, arrow::default_memory_pool(), sink, 16'384).ok());
  const auto image = sink->Finish().ValueOrDie();
  ASSERT_LT(image->size(), 10 * kWidth);
  const auto file = OpenImage(image, /*batch_rows=*/16'384).ValueOrDie();
  for (const bool by_pages : {false, true}) {
    EXPECT_THAT(BatchesOf(file.get(), by_pages), ::testing::Each(::testing::Le(kMost / kWidth)));
  }
}

TEST(ParquetFile, RepeatedNarrowTextsSoonComeInBatchesOfTheWantedSize) {
  std::vector<std::string> values;
  for (int64_t i = 0; i < 100'000; ++i) values.push_back("city " + std::to_string(i % 1'000));
  const auto sink = arrow::io::BufferOutputStream::Create().ValueOrDie();
  ASSERT_TRUE(
      parquet::arrow::WriteTable(*Texts(values), arrow::default_memory_pool(), sink, 100'000).ok());
  const auto file = OpenImage(sink->Finish().ValueOrDie(), /*batch_rows=*/16'384).ValueOrDie();
  for (const bool by_pages : {false, true}) {
    const std::vector<int64_t> batches = BatchesOf(file.get(), by_pages);
    EXPECT_LE(batches.size(), 7 + 5);  // 7 are the fewest
    EXPECT_EQ(*std::ranges::max_element(batches), 16'384);
  }
}

TEST(ParquetFile, BatchesOfWideRowsHaveFewerRows) {
  constexpr int64_t kWidth = 10'000;
  arrow::StringBuilder texts;
  arrow::Int64Builder numbers;
  for (int64_t i = 0; i < 2'000; ++i) {
    ASSERT_TRUE(texts.Append(std::to_string(i) + std::string(kWidth, 'x')).ok());
    ASSERT_TRUE(numbers.Append(i).ok());
  }
  const auto schema =
      arrow::schema({arrow::field("text", arrow::utf8()), arrow::field("n", arrow::int64())});
  const auto table =
      arrow::Table::Make(schema, {texts.Finish().ValueOrDie(), numbers.Finish().ValueOrDie()});
  const auto file = OpenImage(PlainImage(*table), /*batch_rows=*/1'000).ValueOrDie();
  const auto first_batch = [&](const std::vector<int>& columns) {
    const auto whole = file->ReadRowGroup(0, columns).ValueOrDie()->Next().ValueOrDie();
    const auto some = file->ReadRows(0, {{0, 1'999}}, columns).ValueOrDie()->Next().ValueOrDie();
    EXPECT_EQ(some->num_rows(), whole->num_rows());
    return whole->num_rows();
  };
  const int64_t rows = first_batch({0, 1});
  EXPECT_LE(rows * kWidth, int64_t{5} << 20);
  EXPECT_GE(rows * kWidth, int64_t{3} << 20);
  EXPECT_EQ(first_batch({1}), 1'000) << "columns that are not read do not count";
}

// A file in memory that remembers the largest piece that was read of it.
class MeteredFile : public arrow::io::RandomAccessFile {
 public:
  explicit MeteredFile(std::shared_ptr<arrow::Buffer> image) : image_(std::move(image)) {}
  int64_t largest_read() const { return largest_; }

  Status Close() override { return Status::OK(); }
  bool closed() const override { return false; }
  Result<int64_t> Tell() const override { return position_; }
  Status Seek(int64_t position) override {
    position_ = position;
    return Status::OK();
  }
  Result<int64_t> GetSize() override { return image_->size(); }
  Result<int64_t> Read(int64_t count, void* out) override {
    ARROW_ASSIGN_OR_RAISE(const int64_t read, ReadAt(position_, count, out));
    position_ += read;
    return read;
  }
  Result<std::shared_ptr<arrow::Buffer>> Read(int64_t count) override {
    ARROW_ASSIGN_OR_RAISE(auto piece, ReadAt(position_, count));
    position_ += piece->size();
    return piece;
  }
  Result<int64_t> ReadAt(int64_t position, int64_t count, void* out) override {
    ARROW_ASSIGN_OR_RAISE(const auto piece, ReadAt(position, count));
    std::memcpy(out, piece->data(), static_cast<size_t>(piece->size()));
    return piece->size();
  }
  Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t position, int64_t count) override {
    count = std::min(count, image_->size() - position);
    largest_ = std::max(largest_.load(), count);
    return arrow::SliceBuffer(image_, position, count);
  }

 private:
  std::shared_ptr<arrow::Buffer> image_;
  int64_t position_ = 0;
  std::atomic<int64_t> largest_ = 0;  // chunks are fetched by threads of Arrow
};

struct FetchCase {
  const char* name;
  bool pre_buffer, by_pages;
};

class FetchLimit : public ::testing::TestWithParam<FetchCase> {};

INSTANTIATE_TEST_SUITE_P(Ways, FetchLimit,
                         ::testing::Values(FetchCase{"chunks", true, false},
                                           FetchCase{"pages_ahead", true, true},
                                           FetchCase{"pages", false, true}),
                         [](const auto& test) { return std::string(test.param.name); });

// Three row groups: one of 16 MB between small ones.
TEST_P(FetchLimit, ColumnsThatDoNotFitAreNeverFetchedAsAWhole) {
  constexpr int64_t kLimit = int64_t{4} << 20;
  const auto schema = arrow::schema({arrow::field("n", arrow::int64())});
  const auto sink = arrow::io::BufferOutputStream::Create().ValueOrDie();
  const auto plain = parquet::WriterProperties::Builder()
                         .disable_dictionary()
                         ->enable_write_page_index()
                         ->max_row_group_length(4'000'000)
                         ->build();
  const auto writer =
      parquet::arrow::FileWriter::Open(*schema, arrow::default_memory_pool(), sink, plain)
          .ValueOrDie();
  int64_t next = 0;
  for (const int64_t rows : {1'000, 2'000'000, 1'000}) {
    arrow::Int64Builder numbers;
    for (int64_t i = 0; i < rows; ++i) ASSERT_TRUE(numbers.Append(next++).ok());
    const auto table = arrow::Table::Make(schema, {numbers.Finish().ValueOrDie()});
    ASSERT_TRUE(writer->WriteTable(*table, rows).ok());
  }
  ASSERT_TRUE(writer->Close().ok());
  const auto image = sink->Finish().ValueOrDie();
  for (const int64_t limit : {kLimit, std::numeric_limits<int64_t>::max()}) {
    const auto input = std::make_shared<MeteredFile>(image);
    const ParquetOptions options{.pre_buffer = GetParam().pre_buffer, .max_fetched_bytes = limit};
    const auto file = ParquetFile::Open(input, "a.parquet", options).ValueOrDie();
    int64_t expected = 0;
    for (int group = 0; group < 3; ++group) {
      const std::vector<RowRange> all{{0, file->metadata().RowGroup(group)->num_rows()}};
      const auto stream =
          (GetParam().by_pages ? file->ReadRows(group, all, {0}) : file->ReadRowGroup(group, {0}))
              .ValueOrDie();
      while (const auto batch = stream->Next().ValueOrDie()) {
        const auto& numbers = static_cast<const arrow::Int64Array&>(*batch->column(0));
        for (int64_t i = 0; i < numbers.length(); ++i) ASSERT_EQ(numbers.Value(i), expected++);
      }
    }
    EXPECT_EQ(expected, next);
    EXPECT_EQ(input->largest_read() <= kLimit, limit == kLimit) << input->largest_read();
  }
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
