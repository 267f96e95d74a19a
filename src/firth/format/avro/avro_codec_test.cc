// SPDX-License-Identifier: Apache-2.0
// Random schemas and rows: the columnar encoder and decoder against each other, and against the
// readable codec of single datums.
#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "firth/format/avro/avro_codec.h"

namespace firth {
namespace {

using arrow::field;
using nlohmann::json;
using ::testing::HasSubstr;

// Makes types, and arrays of them, from a seed.
class Generator {
 public:
  explicit Generator(uint32_t seed) : random_(seed) {}

  int Below(int limit) { return static_cast<int>(random_() % static_cast<uint32_t>(limit)); }

  std::shared_ptr<arrow::DataType> Type(int depth) {
    const int kinds = depth > 0 ? 19 : 15;
    switch (Below(kinds)) {
      case 0:
        return arrow::boolean();
      case 1:
        return arrow::int32();
      case 2:
        return arrow::int64();
      case 3:
        return arrow::float32();
      case 4:
        return arrow::float64();
      case 5:
        return arrow::binary();
      case 6:
        return arrow::date32();
      case 7:
        return arrow::time64(arrow::TimeUnit::MICRO);
      case 8:
        return arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
      case 9:
        return arrow::timestamp(arrow::TimeUnit::MILLI);
      case 10: {
        const int precision = 1 + Below(38);
        return arrow::decimal128(precision, Below(precision + 1));
      }
      case 11: {
        const int precision = 39 + Below(38);
        return arrow::decimal256(precision, Below(precision + 1));
      }
      case 12:
        return arrow::fixed_size_binary(Below(4));
      case 13:
      case 14:
        return arrow::utf8();
      case 15:
        return arrow::list(field("element", Type(depth - 1), Below(2) == 0));
      case 16:
        return std::make_shared<arrow::MapType>(field("key", arrow::utf8(), false),
                                                field("value", Type(depth - 1), Below(2) == 0));
      default:
        return arrow::struct_(Fields(depth - 1, 1 + Below(3)));
    }
  }

  arrow::FieldVector Fields(int depth, int count) {
    arrow::FieldVector fields;
    for (int i = 0; i < count; ++i) {
      fields.push_back(field("f" + std::to_string(i), Type(depth), Below(3) > 0));
    }
    return fields;
  }

  std::shared_ptr<arrow::Schema> Schema() {
    arrow::FieldVector fields = Fields(2, 1 + Below(8));
    // Vectors are top-level columns only.
    fields.push_back(field(
        "v", arrow::fixed_size_list(field("element", arrow::float32(), false), 1 + Below(4))));
    return arrow::schema(std::move(fields));
  }

  std::shared_ptr<arrow::RecordBatch> Batch(const std::shared_ptr<arrow::Schema>& schema,
                                            int64_t rows) {
    arrow::ArrayVector columns;
    for (const auto& column : schema->fields()) {
      auto builder = *arrow::MakeBuilder(column->type());
      for (int64_t i = 0; i < rows; ++i) Append(*column, builder.get());
      columns.push_back(*builder->Finish());
    }
    return arrow::RecordBatch::Make(schema, rows, columns);
  }

 private:
  // Small and large numbers alike, so that varints of every length appear.
  int64_t Integer(int bits) {
    const int64_t value = static_cast<int64_t>((uint64_t{random_()} << 32) | random_());
    return value >> (64 - 1 - Below(bits));
  }

  std::string Text(bool ascii) {
    static const char* const kPieces[] = {"a",        "bc",           "hudi",
                                          "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"};
    std::string text;
    for (int i = Below(12); i > 0; --i) text += kPieces[Below(ascii ? 3 : 6)];
    return text;
  }

  void Append(const arrow::Field& of, arrow::ArrayBuilder* builder) {
    if (of.nullable() && Below(4) == 0) {
      ASSERT_TRUE(builder->AppendNull().ok());
      return;
    }
    const arrow::DataType& type = *of.type();
    Status status;
    switch (type.id()) {
      case arrow::Type::LIST: {
        auto* list = static_cast<arrow::ListBuilder*>(builder);
        status = list->Append();
        for (int i = Below(4); i > 0; --i) Append(*type.field(0), list->value_builder());
        break;
      }
      case arrow::Type::MAP: {
        auto* map = static_cast<arrow::MapBuilder*>(builder);
        status = map->Append();
        const auto& map_type = static_cast<const arrow::MapType&>(type);
        for (int i = Below(4); i > 0; --i) {
          auto* keys = static_cast<arrow::StringBuilder*>(map->key_builder());
          ASSERT_TRUE(keys->Append(Text(false) + std::to_string(i)).ok());  // no two alike
          Append(*map_type.item_field(), map->item_builder());
        }
        break;
      }
      case arrow::Type::STRUCT: {
        auto* structs = static_cast<arrow::StructBuilder*>(builder);
        status = structs->Append();
        for (int i = 0; i < type.num_fields(); ++i) {
          Append(*type.field(i), structs->field_builder(i));
        }
        break;
      }
      case arrow::Type::FIXED_SIZE_LIST: {
        auto* list = static_cast<arrow::FixedSizeListBuilder*>(builder);
        status = list->Append();
        const auto& list_type = static_cast<const arrow::FixedSizeListType&>(type);
        for (int i = 0; i < list_type.list_size(); ++i) {
          Append(*type.field(0), list->value_builder());
        }
        break;
      }
      default:
        status = builder->AppendScalar(*Scalar(of.type()));
    }
    ASSERT_TRUE(status.ok()) << status.ToString();
  }

  std::shared_ptr<arrow::Scalar> Scalar(const std::shared_ptr<arrow::DataType>& type) {
    switch (type->id()) {
      case arrow::Type::BOOL:
        return arrow::MakeScalar(Below(2) == 0);
      case arrow::Type::INT32:
      case arrow::Type::DATE32:
        return *arrow::MakeScalar(type, static_cast<int32_t>(Integer(32)));
      case arrow::Type::TIME64:
        return *arrow::MakeScalar(type, (Integer(64) & ((int64_t{1} << 36) - 1)));  // of a day
      case arrow::Type::FLOAT:
        return arrow::MakeScalar(static_cast<float>(Integer(60)) / 64);
      case arrow::Type::DOUBLE:
        return arrow::MakeScalar(static_cast<double>(Integer(60)) / 64);
      case arrow::Type::STRING:
        return arrow::MakeScalar(Text(false));
      case arrow::Type::BINARY:
        return std::make_shared<arrow::BinaryScalar>(Text(false) + '\xFF');
      case arrow::Type::FIXED_SIZE_BINARY:
        return std::make_shared<arrow::FixedSizeBinaryScalar>(
            arrow::Buffer::FromString(std::string(static_cast<size_t>(type->byte_width()), 'x')),
            type);
      case arrow::Type::DECIMAL128:
      case arrow::Type::DECIMAL256: {
        std::string digits(1 + Below(static_cast<const arrow::DecimalType&>(*type).precision()),
                           '0');
        for (char& c : digits) c = static_cast<char>('0' + Below(10));
        if (Below(2) == 0) digits.insert(0, "-");
        if (type->id() == arrow::Type::DECIMAL128) {
          return *arrow::MakeScalar(type, *arrow::Decimal128::FromString(digits));
        }
        return *arrow::MakeScalar(type, *arrow::Decimal256::FromString(digits));
      }
      default:
        return *arrow::MakeScalar(type, Integer(64));
    }
  }

  std::mt19937 random_;
};

std::vector<std::string> EncodeRows(const AvroSchemaPtr& writer,
                                    const std::shared_ptr<arrow::RecordBatch>& batch) {
  std::vector<std::string> rows;
  auto encoder = AvroEncoder::Make(writer, batch->schema());
  EXPECT_TRUE(encoder.ok()) << encoder.status().ToString();
  if (!encoder.ok() || !(*encoder)->SetBatch(*batch).ok()) return rows;
  for (int64_t row = 0; row < batch->num_rows(); ++row) {
    ByteWriter out;
    const Status status = (*encoder)->Encode(row, &out);
    EXPECT_TRUE(status.ok()) << status.ToString();
    rows.push_back(out.Finish());
  }
  return rows;
}

Result<std::shared_ptr<arrow::RecordBatch>> DecodeRows(const AvroSchemaPtr& writer,
                                                       const std::shared_ptr<arrow::Schema>& wanted,
                                                       const std::vector<std::string>& rows) {
  ARROW_ASSIGN_OR_RAISE(auto decoder,
                        AvroDecoder::Make(writer, wanted, arrow::default_memory_pool()));
  for (const std::string& row : rows) ARROW_RETURN_NOT_OK(decoder->Append(row));
  EXPECT_EQ(decoder->num_rows(), static_cast<int64_t>(rows.size()));
  ARROW_ASSIGN_OR_RAISE(auto batch, decoder->Flush());
  EXPECT_EQ(decoder->num_rows(), 0);
  ARROW_RETURN_NOT_OK(batch->ValidateFull());
  return batch;
}

// What the readable codec gives for one Arrow value.
json ExpectedJson(const arrow::Array& array, int64_t row);

std::string BigEndian(const uint8_t* little, int32_t width, int32_t precision) {
  std::string bytes(reinterpret_cast<const char*>(little), static_cast<size_t>(width));
  std::ranges::reverse(bytes);
  return bytes.substr(bytes.size() - static_cast<size_t>(MinDecimalBytes(precision)));
}

json ExpectedItems(const arrow::Array& items, int64_t begin, int64_t end) {
  json out = json::array();
  for (int64_t i = begin; i < end; ++i) out.push_back(ExpectedJson(items, i));
  return out;
}

json ExpectedNested(const arrow::Array& array, int64_t row) {
  if (array.type_id() == arrow::Type::STRUCT) {
    json out = json::object();
    const auto& structs = static_cast<const arrow::StructArray&>(array);
    for (int i = 0; i < structs.num_fields(); ++i) {
      out[array.type()->field(i)->name()] = ExpectedJson(*structs.field(i), row);
    }
    return out;
  }
  if (array.type_id() == arrow::Type::MAP) {
    json out = json::object();
    const auto& map = static_cast<const arrow::MapArray&>(array);
    for (int64_t i = map.value_offset(row); i < map.value_offset(row + 1); ++i) {
      out[static_cast<const arrow::StringArray&>(*map.keys()).GetString(i)] =
          ExpectedJson(*map.items(), i);
    }
    return out;
  }
  const auto& list = static_cast<const arrow::ListArray&>(array);
  return ExpectedItems(*list.values(), list.value_offset(row), list.value_offset(row + 1));
}

json ExpectedJson(const arrow::Array& array, int64_t row) {
  if (array.IsNull(row)) return json();
  switch (array.type_id()) {
    case arrow::Type::BOOL:
      return static_cast<const arrow::BooleanArray&>(array).Value(row);
    case arrow::Type::INT32:
    case arrow::Type::DATE32:
      return array.data()->GetValues<int32_t>(1)[row];
    case arrow::Type::FLOAT:
      return static_cast<double>(array.data()->GetValues<float>(1)[row]);
    case arrow::Type::DOUBLE:
      return array.data()->GetValues<double>(1)[row];
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      return static_cast<const arrow::BinaryArray&>(array).GetString(row);
    case arrow::Type::FIXED_SIZE_BINARY:
      return static_cast<const arrow::FixedSizeBinaryArray&>(array).GetString(row);
    case arrow::Type::DECIMAL128:
    case arrow::Type::DECIMAL256:
      return BigEndian(static_cast<const arrow::FixedSizeBinaryArray&>(array).GetValue(row),
                       array.type()->byte_width(),
                       static_cast<const arrow::DecimalType&>(*array.type()).precision());
    case arrow::Type::FIXED_SIZE_LIST: {
      const auto& list = static_cast<const arrow::FixedSizeListArray&>(array);
      const auto& items = static_cast<const arrow::FloatArray&>(*list.values());
      return std::string(reinterpret_cast<const char*>(items.raw_values() + list.value_offset(row)),
                         sizeof(float) * static_cast<size_t>(list.value_length()));
    }
    case arrow::Type::LIST:
    case arrow::Type::MAP:
    case arrow::Type::STRUCT:
      return ExpectedNested(array, row);
    default:
      return array.data()->GetValues<int64_t>(1)[row];
  }
}

// Not-a-number as something that equals itself.
json Comparable(json value) {
  if (value.is_number_float() && std::isnan(value.get<double>())) return "NaN";
  if (value.is_structured()) {
    for (json& item : value) item = Comparable(item);
  }
  return value;
}

class AvroCodecRandom : public ::testing::TestWithParam<uint32_t> {
 protected:
  void SetUp() override {
    Generator generator(GetParam());
    schema_ = generator.Schema();
    batch_ = generator.Batch(schema_, 40);
    ASSERT_EQ(batch_->ValidateFull(), Status::OK());
    writer_ = *ArrowToAvroSchema(*schema_, "r", "firth");
    rows_ = EncodeRows(writer_, batch_);
    ASSERT_EQ(rows_.size(), 40u);
  }

  std::shared_ptr<arrow::Schema> schema_;
  std::shared_ptr<arrow::RecordBatch> batch_;
  AvroSchemaPtr writer_;
  std::vector<std::string> rows_;
};

TEST_P(AvroCodecRandom, DecodesWhatWasEncoded) {
  const auto decoded = DecodeRows(writer_, schema_, rows_);
  ASSERT_TRUE(decoded.ok()) << decoded.status().ToString();
  EXPECT_TRUE((*decoded)->Equals(*batch_)) << (*decoded)->ToString() << batch_->ToString();
}

TEST_P(AvroCodecRandom, BytesMeanTheSameToTheReadableCodec) {
  for (size_t row = 0; row < rows_.size(); ++row) {
    ByteReader in(rows_[row]);
    const auto read = DecodeAvroJson(*writer_, in);
    ASSERT_TRUE(read.ok()) << read.status().ToString();
    EXPECT_TRUE(in.AtEnd());
    for (int i = 0; i < batch_->num_columns(); ++i) {
      EXPECT_EQ(read->at(schema_->field(i)->name()),
                ExpectedJson(*batch_->column(i), static_cast<int64_t>(row)));
    }
    ByteWriter again;
    ASSERT_TRUE(EncodeAvroJson(*writer_, *read, &again).ok());
    EXPECT_EQ(again.size(), rows_[row].size());  // maps may change their order
  }
}

TEST_P(AvroCodecRandom, SlicesEncodeAsTheirRows) {
  const std::vector<std::string> rows = EncodeRows(writer_, batch_->Slice(7, 20));
  EXPECT_EQ(rows, std::vector<std::string>(rows_.begin() + 7, rows_.begin() + 27));
}

TEST_P(AvroCodecRandom, ProjectionIsTheFullDecodeThenASelection) {
  std::mt19937 random(GetParam());
  for (int round = 0; round < 4; ++round) {
    std::vector<int> columns;
    for (int i = 0; i < schema_->num_fields(); ++i) {
      if (random() % 2 == 0) columns.push_back(i);
    }
    std::shuffle(columns.begin(), columns.end(), random);
    const auto selected = *batch_->SelectColumns(columns);
    const auto decoded = DecodeRows(writer_, selected->schema(), rows_);
    ASSERT_TRUE(decoded.ok()) << decoded.status().ToString();
    EXPECT_TRUE((*decoded)->Equals(*selected));
  }
}

TEST_P(AvroCodecRandom, EveryTruncationIsAnError) {
  for (const std::string& row : rows_) {
    for (size_t size = 0; size < row.size(); ++size) {
      const Status status = DecodeRows(writer_, schema_, {row.substr(0, size)}).status();
      ASSERT_FALSE(status.ok());
      ASSERT_EQ(GetErrorCode(status), ErrorCode::kCorrupt) << status.ToString();
      ASSERT_FALSE(DecodeRows(writer_, arrow::schema({}), {row.substr(0, size)}).ok());
    }
    ASSERT_FALSE(DecodeRows(writer_, schema_, {row + '\0'}).ok());
  }
}

TEST_P(AvroCodecRandom, FlippedBitsGiveAnErrorOrTheRowsOfTheReadableCodec) {
  std::mt19937 random(GetParam());
  for (const std::string& original : rows_) {
    if (original.empty()) continue;
    for (int round = 0; round < 30; ++round) {
      std::string row = original;
      row[random() % row.size()] ^= static_cast<char>(1 << (random() % 8));
      const auto decoded = DecodeRows(writer_, schema_, {row});
      if (!decoded.ok()) continue;
      ByteReader in(row);
      const auto read = DecodeAvroJson(*writer_, in);
      ASSERT_TRUE(read.ok()) << read.status().ToString();
      for (int i = 0; i < schema_->num_fields(); ++i) {
        EXPECT_EQ(Comparable(read->at(schema_->field(i)->name())),
                  Comparable(ExpectedJson(*(*decoded)->column(i), 0)));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, AvroCodecRandom, ::testing::Range(1u, 25u));

}  // namespace
}  // namespace firth
