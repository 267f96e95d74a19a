// SPDX-License-Identifier: Apache-2.0
#include "bench_rows.h"

#include <arrow/array/array_binary.h>
#include <arrow/array/array_decimal.h>
#include <arrow/array/array_nested.h>
#include <arrow/array/array_primitive.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_decimal.h>
#include <arrow/array/builder_nested.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/util.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>

#include <array>
#include <chrono>
#include <nlohmann/json.hpp>
#include <string_view>

namespace firth::bench {
namespace {

constexpr std::array<std::string_view, 32> kWords = {
    "amber",  "basin",  "cedar",  "delta",  "ember",  "fjord",   "grove", "harbor",
    "inlet",  "jetty",  "kelp",   "lagoon", "marsh",  "narrow",  "ocean", "pier",
    "quay",   "river",  "sand",   "tide",   "upland", "valley",  "water", "yacht",
    "zephyr", "anchor", "breeze", "coast",  "drift",  "estuary", "foam",  "gull"};

// 2024-01-01T00:00:00Z.
constexpr int64_t kEpochMicros = 1'704'067'200'000'000;
constexpr int64_t kEpochDays = 19'723;
constexpr int64_t kMicrosPerYear = 365LL * 86'400 * 1'000'000;

// Purposes of hashes that are not columns.
constexpr int kUpdatePurpose = 100;
constexpr int kDeletePurpose = 101;
constexpr int kLatePurpose = 102;

arrow::FieldVector Fields() {
  const auto utc_micros = arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
  return {
      arrow::field("id", arrow::int64()),
      arrow::field("c_int", arrow::int32()),
      arrow::field("c_double", arrow::float64()),
      arrow::field("c_decimal", arrow::decimal128(10, 2)),
      arrow::field("c_time", utc_micros),
      arrow::field("c_name", arrow::utf8()),
      arrow::field("c_text", arrow::utf8()),
      arrow::field("c_city", arrow::utf8()),
      arrow::field("ts", arrow::int64()),
      arrow::field("part", arrow::utf8()),
      arrow::field("c_small", arrow::int32()),
      arrow::field("c_sparse", arrow::int32()),
      arrow::field("c_long", arrow::int64()),
      arrow::field("c_float", arrow::float32()),
      arrow::field("c_rate", arrow::float64()),
      arrow::field("c_amount", arrow::decimal128(18, 4)),
      arrow::field("c_date", arrow::date32()),
      arrow::field("c_flag", arrow::boolean()),
      arrow::field("c_code", arrow::utf8()),
      arrow::field("c_url", arrow::utf8()),
  };
}

/// splitmix64.
uint64_t Mix(uint64_t x) {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
  x = (x ^ x >> 27) * 0x94D049BB133111EB;
  return x ^ x >> 31;
}

/// 8 to 15 letters.
std::string Name(uint64_t hash) {
  std::string text(8 + hash % 8, ' ');
  for (char& c : text) {
    hash = hash * 6364136223846793005 + 1442695040888963407;
    c = static_cast<char>('a' + (hash >> 40) % 26);
  }
  return text;
}

/// 40 to 90 characters of words.
std::string Text(uint64_t hash) {
  const size_t wanted = 40 + hash % 45;
  std::string text;
  while (text.size() < wanted) {
    if (!text.empty()) text += ' ';
    hash = hash * 6364136223846793005 + 1442695040888963407;
    text += kWords[hash >> 40 & 31];
  }
  return text;
}

/// A column of fixed-width values, some of them null.
template <typename Builder, typename ValueOfHash>
Result<std::shared_ptr<arrow::Array>> Build(Builder builder, std::span<const uint64_t> hashes,
                                            uint64_t null_percent, ValueOfHash value_of) {
  ARROW_RETURN_NOT_OK(builder.Reserve(static_cast<int64_t>(hashes.size())));
  for (const uint64_t hash : hashes) {
    ARROW_RETURN_NOT_OK(Mix(hash) % 100 < null_percent ? builder.AppendNull()
                                                       : builder.Append(value_of(hash)));
  }
  return builder.Finish();
}

double Unit(uint64_t hash) { return static_cast<double>(hash >> 11) * 0x1.0p-53; }

using Array = Result<std::shared_ptr<arrow::Array>>;

Array StringColumn(std::string_view name, std::span<const uint64_t> hashes) {
  arrow::StringBuilder builder;
  if (name == "c_name") return Build(std::move(builder), hashes, 0, Name);
  if (name == "c_text") return Build(std::move(builder), hashes, 3, Text);
  if (name == "c_city") {
    return Build(std::move(builder), hashes, 1,
                 [](uint64_t hash) { return fmt::format("city-{:02}", hash % 60); });
  }
  if (name == "c_code") {
    return Build(std::move(builder), hashes, 0,
                 [](uint64_t hash) { return fmt::format("{:010X}", hash >> 24); });
  }
  return Build(std::move(builder), hashes, 10, [](uint64_t hash) {
    return fmt::format("https://example.org/{}/{:012x}", kWords[hash & 31], hash >> 16);
  });
}

Array DecimalColumn(const std::shared_ptr<arrow::DataType>& type, uint64_t limit,
                    std::span<const uint64_t> hashes) {
  return Build(arrow::Decimal128Builder(type), hashes, 2, [limit](uint64_t hash) {
    return arrow::Decimal128(static_cast<int64_t>(hash % limit) - static_cast<int64_t>(limit / 10));
  });
}

/// Elements lie between -1 and 1.
Array VectorColumn(int dimension, std::span<const uint64_t> hashes) {
  auto elements = std::make_shared<arrow::FloatBuilder>();
  arrow::ListBuilder builder(arrow::default_memory_pool(), elements);
  for (uint64_t hash : hashes) {
    ARROW_RETURN_NOT_OK(builder.Append());
    for (int i = 0; i < dimension; ++i) {
      hash = hash * 6364136223846793005 + 1442695040888963407;
      ARROW_RETURN_NOT_OK(elements->Append(static_cast<float>(2 * Unit(hash) - 1)));
    }
  }
  return builder.Finish();
}

}  // namespace

Status TableShape::Validate() const {
  const auto is_fraction = [](double value) { return value >= 0 && value <= 1; };
  if (rows < 0 || rows > 10'000'000'000) return InvalidError("rows is {}; 0 to 1e10", rows);
  if (columns != 10 && columns != 20) return InvalidError("columns is {}; 10 or 20", columns);
  if (dimension < 0 || dimension > 10'000) {
    return InvalidError("dimension is {}; 0 to 10000", dimension);
  }
  if (files < 1 || files > 100'000) return InvalidError("files is {}; 1 to 100000", files);
  if (partitions < 0 || partitions > files) {
    return InvalidError("partitions is {}; 0 to the {} files", partitions, files);
  }
  if (rounds < 0 || rounds > 1000) return InvalidError("rounds is {}; 0 to 1000", rounds);
  if (!is_fraction(update_fraction) || !is_fraction(delete_fraction) ||
      !is_fraction(late_fraction)) {
    return InvalidError("fractions are {}, {} and {}; each lies between 0 and 1", update_fraction,
                        delete_fraction, late_fraction);
  }
  return Status::OK();
}

BenchRows::BenchRows(const TableShape& shape) : shape_(shape) {
  arrow::FieldVector fields = Fields();
  fields.resize(static_cast<size_t>(shape.columns));
  if (shape.dimension > 0) fields.push_back(arrow::field("emb", arrow::list(arrow::float32())));
  schema_ = arrow::schema(std::move(fields));
}

std::vector<std::string> BenchRows::UniqueColumns() {
  return {"id",     "c_int",   "c_double", "c_decimal", "c_time",   "c_name",
          "c_text", "c_float", "c_rate",   "c_long",    "c_amount", "c_url"};
}

std::pair<int64_t, int64_t> BenchRows::IdsOf(int file) const {
  return {shape_.rows * file / shape_.files, shape_.rows * (file + 1) / shape_.files};
}

int BenchRows::FileOf(int64_t id) const {
  auto file = static_cast<int>(id * shape_.files / shape_.rows);
  while (id >= IdsOf(file).second) ++file;  // the quotient may be one too small
  return file;
}

std::string BenchRows::PartitionOf(int file) const {
  return fmt::format("p{}", shape_.partitions == 0 ? 0 : file % shape_.partitions);
}

uint64_t BenchRows::Hash(const RowVersion& row, int column) const {
  return Mix(Mix(shape_.seed * 1'000'003 + static_cast<uint64_t>(row.id)) +
             (static_cast<uint64_t>(row.version) << 16) + static_cast<uint64_t>(column));
}

bool BenchRows::Chance(const RowVersion& row, int purpose, double probability) const {
  return Unit(Hash(row, purpose)) < probability;
}

bool BenchRows::IsUpdated(int64_t id, int round) const {
  return Chance({id, round}, kUpdatePurpose, shape_.update_fraction);
}

bool BenchRows::IsDeleted(int64_t id, int round) const {
  return round == shape_.rounds && round > 0 && !IsUpdated(id, round) &&
         Chance({id, round}, kDeletePurpose, shape_.delete_fraction);
}

int64_t BenchRows::Ordering(const RowVersion& row) const {
  const int64_t first = 1'000'000 + static_cast<int64_t>(Hash({row.id, 0}, kLatePurpose) % 1000);
  if (row.version == 0) return first;
  const bool late = Chance(row, kLatePurpose, shape_.late_fraction);
  return late ? first - row.version : first + 10 * row.version;
}

std::optional<int> BenchRows::Winner(int64_t id, int round) const {
  if (IsDeleted(id, round)) return std::nullopt;
  RowVersion winner{id, 0};
  for (int version = 1; version <= round; ++version) {
    if (!IsUpdated(id, version)) continue;
    if (Ordering({id, version}) > Ordering(winner)) winner.version = version;
  }
  return winner.version;
}

Result<std::shared_ptr<arrow::RecordBatch>> BenchRows::Make(std::span<const RowVersion> rows,
                                                            int file) const {
  arrow::ArrayVector columns(static_cast<size_t>(schema_->num_fields()));
  for (int column = 0; column < schema_->num_fields(); ++column) {
    ARROW_ASSIGN_OR_RAISE(columns[static_cast<size_t>(column)], MakeColumn(column, rows, file));
  }
  return arrow::RecordBatch::Make(schema_, static_cast<int64_t>(rows.size()), std::move(columns));
}

Array BenchRows::MakeColumn(int column, std::span<const RowVersion> rows, int file) const {
  const arrow::Field& field = *schema_->field(column);
  const auto count = static_cast<int64_t>(rows.size());
  if (field.name() == "part") {
    return arrow::MakeArrayFromScalar(arrow::StringScalar(PartitionOf(file)), count);
  }
  if (field.name() == "id" || field.name() == "ts") {
    arrow::Int64Builder builder;
    ARROW_RETURN_NOT_OK(builder.Reserve(count));
    for (const RowVersion& row : rows) {
      builder.UnsafeAppend(field.name() == "id" ? row.id : Ordering(row));
    }
    return builder.Finish();
  }
  std::vector<uint64_t> hashes(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) hashes[i] = Hash(rows[i], column);
  switch (field.type()->id()) {
    case arrow::Type::STRING:
      return StringColumn(field.name(), hashes);
    case arrow::Type::DECIMAL128:
      return DecimalColumn(field.type(), field.name() == "c_decimal" ? 1'000'000'000 : 1ULL << 56,
                           hashes);
    case arrow::Type::INT32:
      return Build(arrow::Int32Builder(), hashes, field.name() == "c_sparse" ? 50 : 2,
                   [small = field.name() == "c_small"](uint64_t hash) {
                     return static_cast<int32_t>(small ? hash % 100 : hash >> 33);
                   });
    case arrow::Type::INT64:
      return Build(arrow::Int64Builder(), hashes, 0,
                   [](uint64_t hash) { return static_cast<int64_t>(hash >> 8); });
    case arrow::Type::DOUBLE:
      return Build(arrow::DoubleBuilder(), hashes, 2,
                   [](uint64_t hash) { return 1000 * Unit(hash) - 100; });
    case arrow::Type::FLOAT:
      return Build(arrow::FloatBuilder(), hashes, 0,
                   [](uint64_t hash) { return static_cast<float>(hash >> 44) / 16.0F; });
    case arrow::Type::LIST:
      return VectorColumn(shape_.dimension, hashes);
    case arrow::Type::BOOL:
      return Build(arrow::BooleanBuilder(), hashes, 5,
                   [](uint64_t hash) { return (hash >> 20 & 1) != 0; });
    case arrow::Type::DATE32:
      return Build(arrow::Date32Builder(), hashes, 0, [](uint64_t hash) {
        return static_cast<int32_t>(kEpochDays + static_cast<int64_t>(hash % 365));
      });
    case arrow::Type::TIMESTAMP:
      return Build(arrow::TimestampBuilder(field.type(), arrow::default_memory_pool()), hashes, 2,
                   [](uint64_t hash) {
                     return kEpochMicros + static_cast<int64_t>(hash >> 8) % kMicrosPerYear;
                   });
    default:
      return InternalError("column \"{}\" has no generator", field.name());
  }
}

namespace {

std::string DateText(int64_t days) {
  const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{days}}};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

// All timestamps of the tables are after 1970 and have a zone.
std::string TimeText(int64_t micros) {
  const int64_t seconds = micros / 1'000'000;
  return fmt::format("{}T{:02}:{:02}:{:02}.{:06}Z", DateText(seconds / 86'400), seconds / 3600 % 24,
                     seconds / 60 % 60, seconds % 60, micros % 1'000'000);
}

template <typename ArrayType>
auto ValueOf(const arrow::Array& column, int64_t row) {
  return static_cast<const ArrayType&>(column).Value(row);
}

Result<nlohmann::json> ValueToJson(const arrow::Array& column, int64_t row) {
  if (column.IsNull(row)) return nullptr;
  switch (column.type_id()) {
    case arrow::Type::STRING:
      return static_cast<const arrow::StringArray&>(column).GetString(row);
    case arrow::Type::DECIMAL128:
      return static_cast<const arrow::Decimal128Array&>(column).FormatValue(row);
    case arrow::Type::INT32:
      return ValueOf<arrow::Int32Array>(column, row);
    case arrow::Type::INT64:
      return ValueOf<arrow::Int64Array>(column, row);
    case arrow::Type::DOUBLE:
      return ValueOf<arrow::DoubleArray>(column, row);
    case arrow::Type::FLOAT:
      return static_cast<double>(ValueOf<arrow::FloatArray>(column, row));
    case arrow::Type::LIST: {
      nlohmann::json elements = nlohmann::json::array();
      const auto slice = static_cast<const arrow::ListArray&>(column).value_slice(row);
      for (int64_t i = 0; i < slice->length(); ++i) {
        elements.push_back(ValueOf<arrow::FloatArray>(*slice, i));
      }
      return elements;
    }
    case arrow::Type::BOOL:
      return ValueOf<arrow::BooleanArray>(column, row);
    case arrow::Type::DATE32:
      return DateText(ValueOf<arrow::Date32Array>(column, row));
    case arrow::Type::TIMESTAMP:
      return TimeText(ValueOf<arrow::TimestampArray>(column, row));
    default:
      return InternalError("type {} has no JSON form here", column.type()->ToString());
  }
}

}  // namespace

Result<std::string> RowToJson(const arrow::RecordBatch& rows, int64_t row) {
  nlohmann::ordered_json line;
  for (int column = 0; column < rows.num_columns(); ++column) {
    ARROW_ASSIGN_OR_RAISE(line[rows.column_name(column)], ValueToJson(*rows.column(column), row));
  }
  return line.dump();
}

}  // namespace firth::bench
