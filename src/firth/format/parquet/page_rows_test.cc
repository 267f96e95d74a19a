// SPDX-License-Identifier: Apache-2.0
// Any rows of a row group by pages: equal to the whole read, sliced.
#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_decimal.h>
#include <arrow/array/builder_nested.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <arrow/compare.h>
#include <arrow/io/memory.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <parquet/arrow/writer.h>
#include <parquet/metadata.h>
#include <parquet/page_index.h>
#include <parquet/properties.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <utility>

#include "firth/format/parquet/parquet_file.h"
#include "firth/testing/memory_storage.h"

namespace firth {
namespace {

constexpr int64_t kRows = 3'000;
constexpr int64_t kRowGroupRows = 1'700;

using Random = std::mt19937;

template <typename Builder, typename Value>
std::shared_ptr<arrow::Array> Column(std::unique_ptr<Builder> builder, bool nulls, Random* random,
                                     const Value& value) {
  for (int64_t i = 0; i < kRows; ++i) {
    const bool null = nulls && ((*random)() % 7 == 0 || (i > 400 && i < 700));
    EXPECT_TRUE((null ? builder->AppendNull() : builder->Append(value(i))).ok());
  }
  return builder->Finish().ValueOrDie();
}

std::string Text(int64_t i) {
  return "text number " + std::to_string(i) + std::string(static_cast<size_t>(i % 50), '.');
}

std::shared_ptr<arrow::Array> Lists(Random* random) {
  auto values = std::make_shared<arrow::Int64Builder>();
  arrow::ListBuilder lists(arrow::default_memory_pool(), values);
  for (int64_t i = 0; i < kRows; ++i) {
    const unsigned kind = (*random)() % 9;
    if (kind == 0) {
      EXPECT_TRUE(lists.AppendNull().ok());
      continue;
    }
    EXPECT_TRUE(lists.Append().ok());
    for (unsigned j = 1; j < kind; ++j) {
      EXPECT_TRUE(((*random)() % 5 == 0 ? values->AppendNull() : values->Append(i)).ok());
    }
  }
  return lists.Finish().ValueOrDie();
}

std::shared_ptr<arrow::Array> Structs(Random* random) {
  const auto pool = arrow::default_memory_pool();
  const auto number = Column(std::make_unique<arrow::Int32Builder>(pool), true, random,
                             [](int64_t i) { return static_cast<int32_t>(i); });
  const auto name = Column(std::make_unique<arrow::StringBuilder>(pool), true, random, Text);
  return arrow::StructArray::Make({number, name}, std::vector<std::string>{"n", "t"}).ValueOrDie();
}

// All physical types; with and without nulls; a dictionary that overflows ("text") and one that
// does not ("few").
std::shared_ptr<arrow::Table> Rows(unsigned seed) {
  Random random(seed);
  const auto pool = arrow::default_memory_pool();
  arrow::FieldVector fields;
  arrow::ArrayVector columns;
  const auto add = [&](const std::string& name, std::shared_ptr<arrow::Array> column) {
    fields.push_back(arrow::field(name, column->type(), column->null_count() > 0));
    columns.push_back(std::move(column));
  };
  const auto decimal = [&](int precision) {
    return Column(std::make_unique<arrow::Decimal128Builder>(arrow::decimal128(precision, 2), pool),
                  true, &random, [](int64_t i) { return arrow::Decimal128(i * 101 - 70'000); });
  };
  const auto timestamp = [&](arrow::TimeUnit::type unit) {
    return Column(std::make_unique<arrow::TimestampBuilder>(arrow::timestamp(unit), pool), true,
                  &random, [](int64_t i) { return i * 86'400'017; });
  };
  add("lists", Lists(&random));
  add("id", Column(std::make_unique<arrow::Int64Builder>(pool), false, &random,
                   [](int64_t i) { return i; }));
  add("int", Column(std::make_unique<arrow::Int32Builder>(pool), true, &random,
                    [&](int64_t) { return static_cast<int32_t>(random()); }));
  add("bool", Column(std::make_unique<arrow::BooleanBuilder>(pool), true, &random,
                     [&](int64_t i) { return i % 3 == 0; }));
  add("structs", Structs(&random));
  add("float", Column(std::make_unique<arrow::FloatBuilder>(pool), true, &random,
                      [](int64_t i) { return static_cast<float>(i) / 3; }));
  add("double", Column(std::make_unique<arrow::DoubleBuilder>(pool), true, &random, [](int64_t i) {
        return i % 11 == 0 ? std::numeric_limits<double>::quiet_NaN() : -0.1 * double(i);
      }));
  add("text", Column(std::make_unique<arrow::StringBuilder>(pool), false, &random, Text));
  add("few", Column(std::make_unique<arrow::StringBuilder>(pool), true, &random,
                    [](int64_t i) { return "v" + std::to_string(i / 100); }));
  add("binary", Column(std::make_unique<arrow::BinaryBuilder>(pool), true, &random, Text));
  add("fixed",
      Column(std::make_unique<arrow::FixedSizeBinaryBuilder>(arrow::fixed_size_binary(5), pool),
             true, &random, [](int64_t i) { return std::to_string(10'000 + i); }));
  add("date", Column(std::make_unique<arrow::Date32Builder>(pool), true, &random,
                     [](int64_t i) { return static_cast<int32_t>(i); }));
  add("micros", timestamp(arrow::TimeUnit::MICRO));
  add("nanos", timestamp(arrow::TimeUnit::NANO));
  add("decimal9", decimal(9));
  add("decimal18", decimal(18));
  add("decimal30", decimal(30));
  add("nothing", arrow::MakeArrayOfNull(arrow::int64(), kRows).ValueOrDie());
  return arrow::Table::Make(arrow::schema(std::move(fields)), std::move(columns));
}

struct WriterCase {
  const char* name;
  std::function<void(parquet::WriterProperties::Builder*)> set;
  std::function<void(parquet::ArrowWriterProperties::Builder*)> set_arrow;
};

std::shared_ptr<arrow::Buffer> Write(const arrow::Table& table, const WriterCase& writer) {
  parquet::WriterProperties::Builder properties;
  properties.enable_write_page_index()->write_batch_size(16)->data_pagesize(700);
  properties.max_row_group_length(kRowGroupRows)->dictionary_pagesize_limit(4'000);
  if (writer.set) writer.set(&properties);
  parquet::ArrowWriterProperties::Builder arrow_properties;
  if (writer.set_arrow) writer.set_arrow(&arrow_properties);
  const auto sink = arrow::io::BufferOutputStream::Create().ValueOrDie();
  const Status status =
      parquet::arrow::WriteTable(table, arrow::default_memory_pool(), sink, kRowGroupRows,
                                 properties.build(), arrow_properties.build());
  EXPECT_TRUE(status.ok()) << status;
  return sink->Finish().ValueOrDie();
}

Result<std::shared_ptr<ParquetFile>> OpenImage(const std::shared_ptr<arrow::Buffer>& image,
                                               ParquetOptions options = {.batch_rows = 100}) {
  return ParquetFile::Open(std::make_shared<arrow::io::BufferReader>(image), "a.parquet", options);
}

Result<std::shared_ptr<arrow::Table>> ToTable(
    Result<std::unique_ptr<arrow::RecordBatchReader>> stream) {
  ARROW_RETURN_NOT_OK(stream.status());
  return (*stream)->ToTable();
}

std::shared_ptr<arrow::Table> Slices(const arrow::Table& table,
                                     const std::vector<RowRange>& ranges) {
  std::vector<std::shared_ptr<arrow::Table>> slices{table.Slice(0, 0)};
  for (const RowRange& range : ranges) {
    slices.push_back(table.Slice(range.begin, range.end - range.begin));
  }
  return arrow::ConcatenateTables(slices).ValueOrDie();
}

bool SameRows(const arrow::Table& a, const arrow::Table& b) {
  return a.Equals(b, arrow::EqualOptions::Defaults().nans_equal(true));
}

std::vector<int> AllColumns(const ParquetFile& file) {
  std::vector<int> columns(static_cast<size_t>(file.schema()->num_fields()));
  for (size_t i = 0; i < columns.size(); ++i) columns[i] = static_cast<int>(i);
  return columns;
}

// Single rows, pieces of pages and long stretches.
std::vector<RowRange> SomeRanges(int64_t rows, Random* random) {
  std::vector<RowRange> ranges;
  const auto longest = static_cast<int64_t>(1 + (*random)() % 400);
  int64_t at = 0;
  while (true) {
    at += static_cast<int64_t>((*random)() % 600);
    const int64_t end = std::min(rows, at + 1 + static_cast<int64_t>((*random)() % longest));
    if (at >= end) return ranges;
    ranges.push_back({at, end});
    at = end;
  }
}

std::vector<int> SomeColumns(const ParquetFile& file, Random* random) {
  std::vector<int> columns = AllColumns(file);
  std::erase_if(columns, [&](int) { return (*random)() % 3 == 0; });
  return columns;
}

class ReadRowsOf : public ::testing::TestWithParam<WriterCase> {};

TEST_P(ReadRowsOf, AnyRangesEqualsTheWholeReadSliced) {
  const auto rows = Rows(3);
  const auto image = Write(*rows, GetParam());
  Random random(5);
  for (int round = 0; round < 60; ++round) {
    ParquetOptions options;
    options.batch_rows = static_cast<int64_t>(1 + random() % 500);
    options.pre_buffer = random() % 2 == 0;
    if (random() % 2 == 0) options.max_fetched_bytes = static_cast<int64_t>(random() % 20'000);
    const auto file = OpenImage(image, options).ValueOrDie();
    const int group = static_cast<int>(random() % 2);
    const std::vector<int> columns = SomeColumns(*file, &random);
    const auto whole = ToTable(file->ReadRowGroup(group, columns)).ValueOrDie();
    const auto ranges = SomeRanges(whole->num_rows(), &random);
    const auto some = ToTable(file->ReadRows(group, ranges, columns)).ValueOrDie();
    ASSERT_TRUE(some->ValidateFull().ok());
    ASSERT_TRUE(SameRows(*some, *Slices(*whole, ranges))) << round;
  }
}

TEST_P(ReadRowsOf, PagesHaveTheStatisticsOfTheirRows) {
  const auto rows = Rows(4);
  const auto file = OpenImage(Write(*rows, GetParam()), {.batch_rows = kRows}).ValueOrDie();
  for (const int group : {0, 1}) {
    const std::vector<int> columns = AllColumns(*file);
    ASSERT_TRUE(file->LoadPages({group}, columns, columns).ok());
    const auto whole = ToTable(file->ReadRowGroup(group, columns)).ValueOrDie();
    for (const int column : columns) {
      const auto& field = file->schema()->field(column);
      SCOPED_TRACE(field->ToString());
      const ParquetPages* pages = file->Pages(group, column);
      ASSERT_EQ(pages == nullptr, field->type()->num_fields() > 0);
      if (pages == nullptr) continue;
      EXPECT_EQ(pages->first_rows.front(), 0);
      EXPECT_EQ(pages->first_rows.back(), whole->num_rows());
      for (size_t i = 0; i < pages->statistics.size(); ++i) {
        const int64_t count = pages->first_rows[i + 1] - pages->first_rows[i];
        const auto page = whole->column(column)->Slice(pages->first_rows[i], count);
        EXPECT_EQ(pages->statistics[i].null_count, page->null_count()) << i;
        if (pages->statistics[i].min == nullptr) continue;
        const auto id = page->type()->id();
        if (id != arrow::Type::INT64 && id != arrow::Type::INT32) continue;
        for (int64_t row = 0; row < count; ++row) {
          const auto value = page->GetScalar(row).ValueOrDie();
          if (!value->is_valid) continue;
          const auto number = [](const arrow::Scalar& scalar) {
            return std::stoll(scalar.ToString());
          };
          EXPECT_LE(number(*pages->statistics[i].min), number(*value));
          EXPECT_GE(number(*pages->statistics[i].max), number(*value));
        }
      }
    }
    const ParquetPages* texts = file->Pages(group, file->schema()->GetFieldIndex("text"));
    EXPECT_GT(texts->size(), 3u);
    EXPECT_EQ(texts->statistics.size(), texts->size());
  }
}

INSTANTIATE_TEST_SUITE_P(
    Writers, ReadRowsOf,
    ::testing::Values(
        WriterCase{"plain_v1", [](auto* p) { p->disable_dictionary(); }, {}},
        WriterCase{"v2_zstd",
                   [](auto* p) {
                     p->data_page_version(parquet::ParquetDataPageVersion::V2)
                         ->compression(parquet::Compression::ZSTD);
                   },
                   {}},
        WriterCase{"snappy", [](auto* p) { p->compression(parquet::Compression::SNAPPY); }, {}},
        WriterCase{"gzip_int96", [](auto* p) { p->compression(parquet::Compression::GZIP); },
                   [](auto* p) { p->enable_deprecated_int96_timestamps(); }},
        WriterCase{"lz4_two_level", [](auto* p) { p->compression(parquet::Compression::LZ4); },
                   [](auto* p) { p->disable_compliant_nested_types(); }},
        WriterCase{
            "brotli_checksums",
            [](auto* p) { p->compression(parquet::Compression::BROTLI)->enable_page_checksum(); },
            {}},
        WriterCase{"delta_v2",
                   [](auto* p) {
                     p->disable_dictionary()
                         ->data_page_version(parquet::ParquetDataPageVersion::V2)
                         ->encoding("id", parquet::Encoding::DELTA_BINARY_PACKED)
                         ->encoding("text", parquet::Encoding::DELTA_BYTE_ARRAY)
                         ->encoding("binary", parquet::Encoding::DELTA_LENGTH_BYTE_ARRAY)
                         ->encoding("double", parquet::Encoding::BYTE_STREAM_SPLIT);
                   },
                   {}},
        WriterCase{"integer_decimals", [](auto* p) { p->enable_store_decimal_as_integer(); },
                   [](auto* p) { p->store_schema(); }}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(ReadRows, WithoutPageIndexAllIsReadAndSliced) {
  const auto image = Write(*Rows(3), {"", [](auto* p) { p->disable_write_page_index(); }, {}});
  const auto file = OpenImage(image).ValueOrDie();
  const std::vector<int> columns = AllColumns(*file);
  const auto whole = ToTable(file->ReadRowGroup(0, columns)).ValueOrDie();
  const std::vector<RowRange> ranges{{3, 4}, {900, 1'400}};
  const auto some = ToTable(file->ReadRows(0, ranges, columns)).ValueOrDie();
  EXPECT_TRUE(SameRows(*some, *Slices(*whole, ranges)));
  EXPECT_EQ(file->Pages(0, 1), nullptr);
}

TEST(ReadRows, WithoutColumnsRowsAreCounted) {
  const auto file = OpenImage(Write(*Rows(3), {})).ValueOrDie();
  EXPECT_EQ(ToTable(file->ReadRows(0, {{3, 4}, {9, 20}}, {})).ValueOrDie()->num_rows(), 12);
}

TEST(ReadRows, RangesOutsideOfTheRowGroupAreRefused) {
  const auto file = OpenImage(Write(*Rows(3), {})).ValueOrDie();
  for (const std::vector<RowRange>& ranges : std::vector<std::vector<RowRange>>{
           {{-1, 4}}, {{5, 5}}, {{5, 9}, {8, 10}}, {{0, kRowGroupRows + 1}}}) {
    EXPECT_EQ(GetErrorCode(file->ReadRows(0, ranges, {1}).status()), ErrorCode::kInvalidArgument);
  }
}

TEST(ReadRows, OneRowReadsOnePageOfEachColumn) {
  const auto image = Write(*Rows(3), {"", [](auto* p) { p->disable_dictionary(); }, {}});
  const auto storage = testing::MemoryStorage({{"a.parquet", image->ToString()}});
  const auto file =
      ParquetFile::Open(storage->OpenFile("a.parquet").ValueOrDie(), "a.parquet", {}).ValueOrDie();
  const int id = file->schema()->GetFieldIndex("id");
  const int text = file->schema()->GetFieldIndex("text");
  ASSERT_TRUE(file->LoadPages({0}, {id, text}, {}).ok());
  const int64_t before = storage->counters().bytes_read;
  const auto row = ToTable(file->ReadRows(0, {{1'234, 1'235}}, {id, text})).ValueOrDie();
  EXPECT_EQ(row->column(0)->GetScalar(0).ValueOrDie()->ToString(), "1234");
  EXPECT_EQ(row->column(1)->GetScalar(0).ValueOrDie()->ToString(), Text(1'234));
  EXPECT_LT(storage->counters().bytes_read - before, 2 * 2'000);  // pages have some 700 bytes
}

// The bytes of a column's offset index in a row group.
std::pair<int64_t, int64_t> OffsetIndexPlace(const ParquetFile& file, int row_group, int leaf) {
  const auto location =
      file.metadata().RowGroup(row_group)->ColumnChunk(leaf)->GetOffsetIndexLocation();
  return {location->offset, location->length};
}

// Every bit of the offset indexes flipped, and every byte of the pages they lead to: an error or
// the right rows.
TEST(ReadRows, DamagedOffsetIndexesGiveAnErrorOrTheRightRows) {
  const auto rows = Rows(3)->SelectColumns({1, 7}).ValueOrDie()->Slice(0, 600);
  const auto image = Write(*rows, {});
  const std::vector<RowRange> ranges{{50, 51}, {130, 290}, {500, 501}};
  const auto right = Slices(*rows, ranges);
  int damaged = 0, refused = 0;
  std::string bytes = image->ToString();
  const auto whole = OpenImage(image).ValueOrDie();
  for (const int leaf : {0, 1}) {
    const auto [offset, length] = OffsetIndexPlace(*whole, 0, leaf);
    for (int64_t bit = offset * 8; bit < (offset + length) * 8; ++bit) {
      const auto flip = [&] { bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ 1 << bit % 8); };
      flip();
      const auto file = OpenImage(arrow::Buffer::FromString(bytes)).ValueOrDie();
      const auto some = ToTable(file->ReadRows(0, ranges, {0, 1}));
      flip();
      ++damaged;
      refused += !some.ok();
      if (!some.ok()) {
        ASSERT_EQ(GetErrorCode(some.status()), ErrorCode::kCorrupt) << some.status();
        ASSERT_THAT(some.status().message(), ::testing::HasSubstr("a.parquet"));
      } else {
        ASSERT_TRUE((*some)->ReplaceSchemaMetadata(nullptr)->Equals(*right)) << bit;
      }
    }
  }
  EXPECT_GT(damaged, 500);
  EXPECT_GT(refused, 0);
}

TEST(ReadRows, DamagedFilesNeverCrash) {
  const auto rows = Rows(3)->Slice(0, 200);
  const auto image = Write(*rows, {});
  Random random(11);
  std::string bytes = image->ToString();
  const auto length = static_cast<size_t>(bytes.size());
  for (int round = 0; round < 3'000; ++round) {
    // Half of them in the footer and the indexes.
    const size_t at = random() % 2 == 0 ? random() % length : length - 1 - random() % (length / 3);
    const char before = std::exchange(bytes[at], static_cast<char>(random()));
    const auto file = OpenImage(arrow::Buffer::FromString(bytes));
    bytes[at] = before;
    if (!file.ok() || (*file)->metadata().num_row_groups() == 0) continue;
    const std::vector<int> columns = AllColumns(**file);
    ARROW_UNUSED((*file)->LoadPages({0}, columns, columns));
    ARROW_UNUSED(ToTable((*file)->ReadRows(0, {{10, 11}, {90, 150}}, columns)).status());
  }
}

}  // namespace
}  // namespace firth
