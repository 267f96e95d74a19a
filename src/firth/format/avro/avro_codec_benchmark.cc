// SPDX-License-Identifier: Apache-2.0
// Ten columns of common types, all nullable as Hudi writes them.
// Items are fields read (or rows, for the encoder), bytes are those of the Avro records.
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_decimal.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>
#include <benchmark/benchmark.h>

#include <random>

#include "firth/format/avro/avro_codec.h"

namespace firth {
namespace {

constexpr int64_t kRows = 20'000;

void Check(const Status& status) {
  if (!status.ok()) status.Abort();
}

template <typename Builder, typename Make>
std::shared_ptr<arrow::Array> Column(Builder builder, Make make) {
  std::mt19937_64 random(7);
  for (int64_t i = 0; i < kRows; ++i) {
    Check(random() % 16 == 0 ? builder.AppendNull() : builder.Append(make(random())));
  }
  return *builder.Finish();
}

std::shared_ptr<arrow::RecordBatch> MakeBatch() {
  using arrow::field;
  const auto micros = arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
  const auto decimal = arrow::decimal128(18, 4);
  const auto text = [](size_t length) {
    return [length](uint64_t r) {
      std::string value = fmt::format("{:016x}{:016x}", r, r * 31);
      return value.substr(0, length);
    };
  };
  const auto number = [](uint64_t r) { return static_cast<int64_t>(r >> (20 + r % 32)); };
  arrow::FieldVector fields;
  arrow::ArrayVector columns;
  const auto add = [&](const std::string& name, std::shared_ptr<arrow::Array> array) {
    fields.push_back(field(name, array->type()));
    columns.push_back(std::move(array));
  };
  add("id", Column(arrow::Int64Builder(), number));
  add("name", Column(arrow::StringBuilder(), text(12)));
  add("price", Column(arrow::DoubleBuilder(), [](uint64_t r) { return 0.25 * double(r >> 40); }));
  add("quantity", Column(arrow::Int32Builder(), [](uint64_t r) { return int32_t(r % 1000); }));
  add("ts", Column(arrow::TimestampBuilder(micros, arrow::default_memory_pool()),
                   [](uint64_t r) { return int64_t(1'700'000'000'000'000 + r % (1LL << 40)); }));
  add("amount", Column(arrow::Decimal128Builder(decimal),
                       [](uint64_t r) { return arrow::Decimal128(int64_t(r >> 20)); }));
  add("day", Column(arrow::Date32Builder(), [](uint64_t r) { return int32_t(18'000 + r % 2000); }));
  add("ok", Column(arrow::BooleanBuilder(), [](uint64_t r) { return r % 2 == 0; }));
  add("score", Column(arrow::FloatBuilder(), [](uint64_t r) { return float(r >> 44); }));
  add("note", Column(arrow::StringBuilder(), text(30)));
  return arrow::RecordBatch::Make(arrow::schema(fields), kRows, columns);
}

struct Data {
  std::shared_ptr<arrow::RecordBatch> batch = MakeBatch();
  AvroSchemaPtr writer = *ArrowToAvroSchema(*batch->schema(), "t_record", "hoodie.t");
  std::vector<std::string> rows;
  int64_t bytes = 0;

  Data() {
    const auto encoder = *AvroEncoder::Make(writer, batch->schema());
    Check(encoder->SetBatch(*batch));
    for (int64_t i = 0; i < kRows; ++i) {
      ByteWriter out;
      Check(encoder->Encode(i, &out));
      bytes += static_cast<int64_t>(out.size());
      rows.push_back(out.Finish());
    }
  }
};

const Data& TheData() {
  static const Data data;
  return data;
}

void Decode(benchmark::State& state, const std::vector<int>& columns) {
  const Data& data = TheData();
  const auto wanted = (*data.batch->SelectColumns(columns))->schema();
  const auto decoder = *AvroDecoder::Make(data.writer, wanted, arrow::default_memory_pool());
  for (auto _ : state) {
    for (const std::string& row : data.rows) Check(decoder->Append(row));
    benchmark::DoNotOptimize(*decoder->Flush());
  }
  state.SetItemsProcessed(state.iterations() * kRows * static_cast<int64_t>(columns.size()));
  state.SetBytesProcessed(state.iterations() * data.bytes);
}

void BM_AvroDecodeTenColumns(benchmark::State& state) {
  Decode(state, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
}
BENCHMARK(BM_AvroDecodeTenColumns);

void BM_AvroDecodeTwoOfTenColumns(benchmark::State& state) { Decode(state, {0, 4}); }
BENCHMARK(BM_AvroDecodeTwoOfTenColumns);

// One column alone, the rest skipped: what a type costs beyond skipping.
void BM_AvroDecodeOneColumn(benchmark::State& state) {
  Decode(state, {static_cast<int>(state.range(0))});
  state.SetLabel(TheData().batch->schema()->field(static_cast<int>(state.range(0)))->ToString());
}
BENCHMARK(BM_AvroDecodeOneColumn)->DenseRange(0, 9);

void BM_AvroEncodeTenColumns(benchmark::State& state) {
  const Data& data = TheData();
  const auto encoder = *AvroEncoder::Make(data.writer, data.batch->schema());
  for (auto _ : state) {
    Check(encoder->SetBatch(*data.batch));
    ByteWriter out;
    for (int64_t i = 0; i < kRows; ++i) Check(encoder->Encode(i, &out));
    benchmark::DoNotOptimize(out.bytes().data());
  }
  state.SetItemsProcessed(state.iterations() * kRows);
  state.SetBytesProcessed(state.iterations() * data.bytes);
}
BENCHMARK(BM_AvroEncodeTenColumns);

}  // namespace
}  // namespace firth
