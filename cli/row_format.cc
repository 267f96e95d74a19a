// SPDX-License-Identifier: Apache-2.0
#include "cli/row_format.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/base64.h>
#include <arrow/util/decimal.h>
#include <arrow/util/float16.h>
#include <arrow/visit_type_inline.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "cli/value_text.h"

namespace firth::cli {
namespace {

using arrow::Array;

int64_t UnitsPerSecond(arrow::TimeUnit::type unit) {
  constexpr std::array<int64_t, 4> kUnits = {1, 1'000, 1'000'000, 1'000'000'000};
  return kUnits[static_cast<size_t>(unit)];
}

int64_t DaysOfMilliseconds(int64_t value) {
  constexpr int64_t kPerDay = 86'400'000;
  return value / kPerDay - (value % kPerDay < 0 ? 1 : 0);
}

template <typename Integer>
void AppendInteger(Integer value, std::string* out) {
  std::array<char, 24> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  out->append(buffer.data(), end);
}

// --- writers -------------------------------------------------------------------------------------

// Null handling and quotes, around the text of one type. `Text` is called with (row, out).
template <typename Text>
class ScalarWriter : public ValueWriter {
 public:
  ScalarWriter(std::shared_ptr<Array> array, bool quoted, Text text)
      : array_(std::move(array)), quoted_(quoted), text_(std::move(text)) {}

  void Append(int64_t row, std::string* out) const override {
    if (array_->IsNull(row)) {
      *out += "null";
      return;
    }
    if (quoted_) *out += '"';
    text_(row, out);
    if (quoted_) *out += '"';
  }

 private:
  std::shared_ptr<Array> array_;  // keeps alive what text_ points to
  bool quoted_;
  Text text_;
};

template <typename Text>
std::unique_ptr<ValueWriter> Scalar(std::shared_ptr<Array> array, bool quoted, Text text) {
  return std::make_unique<ScalarWriter<Text>>(std::move(array), quoted, std::move(text));
}

class FloatingWriter : public ValueWriter {
 public:
  FloatingWriter(std::shared_ptr<Array> array, TextStyle style)
      : array_(std::move(array)), quote_special_(style == TextStyle::kJson) {}

  void Append(int64_t row, std::string* out) const override {
    if (array_->IsNull(row)) {
      *out += "null";
      return;
    }
    const double value = Value(row);
    const bool quoted = quote_special_ && !std::isfinite(value);
    if (quoted) *out += '"';
    AppendDouble(value, out);
    if (quoted) *out += '"';
  }

 private:
  double Value(int64_t row) const {
    switch (array_->type_id()) {
      case arrow::Type::FLOAT:
        return static_cast<double>(static_cast<const arrow::FloatArray&>(*array_).Value(row));
      case arrow::Type::DOUBLE:
        return static_cast<const arrow::DoubleArray&>(*array_).Value(row);
      default:
        return arrow::util::Float16::FromBits(
                   static_cast<const arrow::HalfFloatArray&>(*array_).Value(row))
            .ToDouble();
    }
  }

  std::shared_ptr<Array> array_;
  bool quote_special_;
};

class ListWriter : public ValueWriter {
 public:
  ListWriter(std::shared_ptr<Array> array, std::unique_ptr<ValueWriter> values)
      : array_(std::move(array)), values_(std::move(values)) {}

  void Append(int64_t row, std::string* out) const override {
    if (array_->IsNull(row)) {
      *out += "null";
      return;
    }
    const auto [begin, end] = Range(row);
    *out += '[';
    for (int64_t i = begin; i < end; ++i) {
      if (i > begin) *out += ',';
      values_->Append(i, out);
    }
    *out += ']';
  }

 private:
  template <typename ListArray>
  std::pair<int64_t, int64_t> RangeOf(int64_t row) const {
    const auto& list = static_cast<const ListArray&>(*array_);
    const int64_t begin = list.value_offset(row);
    return {begin, begin + list.value_length(row)};
  }

  std::pair<int64_t, int64_t> Range(int64_t row) const {
    switch (array_->type_id()) {
      case arrow::Type::LIST:
        return RangeOf<arrow::ListArray>(row);
      case arrow::Type::LARGE_LIST:
        return RangeOf<arrow::LargeListArray>(row);
      default:
        return RangeOf<arrow::FixedSizeListArray>(row);
    }
  }

  std::shared_ptr<Array> array_;
  std::unique_ptr<ValueWriter> values_;
};

class MapWriter : public ValueWriter {
 public:
  MapWriter(std::shared_ptr<Array> array, std::unique_ptr<ValueWriter> keys,
            std::unique_ptr<ValueWriter> items)
      : array_(std::move(array)), keys_(std::move(keys)), items_(std::move(items)) {}

  void Append(int64_t row, std::string* out) const override {
    if (array_->IsNull(row)) {
      *out += "null";
      return;
    }
    const auto& map = static_cast<const arrow::MapArray&>(*array_);
    const int64_t begin = map.value_offset(row);
    std::vector<std::pair<std::string, int64_t>> entries(
        static_cast<size_t>(map.value_length(row)));
    for (size_t i = 0; i < entries.size(); ++i) {
      entries[i].second = begin + static_cast<int64_t>(i);
      keys_->Append(entries[i].second, &entries[i].first);
    }
    std::ranges::sort(entries);
    *out += '{';
    for (size_t i = 0; i < entries.size(); ++i) {
      if (i > 0) *out += ',';
      AppendJsonString(entries[i].first, out);
      *out += ':';
      items_->Append(entries[i].second, out);
    }
    *out += '}';
  }

 private:
  std::shared_ptr<Array> array_;
  std::unique_ptr<ValueWriter> keys_, items_;
};

class StructWriter : public ValueWriter {
 public:
  StructWriter(std::shared_ptr<Array> array, std::vector<std::unique_ptr<ValueWriter>> fields)
      : array_(std::move(array)), fields_(std::move(fields)) {
    for (const auto& field : array_->type()->fields()) {
      std::string prefix(prefixes_.empty() ? "{" : ",");
      AppendJsonString(field->name(), &prefix);
      prefixes_.push_back(prefix + ":");
    }
  }

  void Append(int64_t row, std::string* out) const override {
    if (array_->IsNull(row)) {
      *out += "null";
      return;
    }
    if (fields_.empty()) *out += '{';
    for (size_t i = 0; i < fields_.size(); ++i) {
      *out += prefixes_[i];
      fields_[i]->Append(row, out);
    }
    *out += '}';
  }

 private:
  std::shared_ptr<Array> array_;
  std::vector<std::unique_ptr<ValueWriter>> fields_;
  std::vector<std::string> prefixes_;
};

class DictionaryWriter : public ValueWriter {
 public:
  DictionaryWriter(std::shared_ptr<Array> array, std::unique_ptr<ValueWriter> values)
      : array_(std::move(array)), values_(std::move(values)) {}

  void Append(int64_t row, std::string* out) const override {
    if (array_->IsNull(row)) {
      *out += "null";
    } else {
      values_->Append(static_cast<const arrow::DictionaryArray&>(*array_).GetValueIndex(row), out);
    }
  }

 private:
  std::shared_ptr<Array> array_;
  std::unique_ptr<ValueWriter> values_;
};

// --- one writer per type -------------------------------------------------------------------------

class WriterFactory {
 public:
  WriterFactory(std::shared_ptr<Array> array, TextStyle style)
      : array_(std::move(array)), style_(style), json_(style == TextStyle::kJson) {}

  arrow::Result<std::unique_ptr<ValueWriter>> Make() {
    ARROW_RETURN_NOT_OK(arrow::VisitTypeInline(*array_->type(), this));
    return std::move(writer_);
  }

  arrow::Status Visit(const arrow::NullType&) {
    return Set(Scalar(array_, false, [](int64_t, std::string*) {}));
  }
  arrow::Status Visit(const arrow::BooleanType&) {
    const auto* values = Cast<arrow::BooleanArray>();
    return Set(Scalar(array_, false, [values](int64_t row, std::string* out) {
      *out += values->Value(row) ? "true" : "false";
    }));
  }
  template <typename T>
  std::enable_if_t<arrow::is_integer_type<T>::value, arrow::Status> Visit(const T&) {
    const auto* values = Cast<typename arrow::TypeTraits<T>::ArrayType>();
    return Set(Scalar(array_, false, [values](int64_t row, std::string* out) {
      AppendInteger(values->Value(row), out);
    }));
  }
  template <typename T>
  std::enable_if_t<arrow::is_floating_type<T>::value, arrow::Status> Visit(const T&) {
    return Set(std::make_unique<FloatingWriter>(array_, style_));
  }
  template <typename T>
  std::enable_if_t<arrow::is_decimal_type<T>::value, arrow::Status> Visit(const T& type);
  arrow::Status Visit(const arrow::StringType&) { return Text<arrow::StringArray>(); }
  arrow::Status Visit(const arrow::LargeStringType&) { return Text<arrow::LargeStringArray>(); }
  arrow::Status Visit(const arrow::StringViewType&) { return Text<arrow::StringViewArray>(); }
  arrow::Status Visit(const arrow::BinaryType&) { return Bytes<arrow::BinaryArray>(); }
  arrow::Status Visit(const arrow::LargeBinaryType&) { return Bytes<arrow::LargeBinaryArray>(); }
  arrow::Status Visit(const arrow::BinaryViewType&) { return Bytes<arrow::BinaryViewArray>(); }
  arrow::Status Visit(const arrow::FixedSizeBinaryType&) {
    return Bytes<arrow::FixedSizeBinaryArray>();
  }
  arrow::Status Visit(const arrow::Date32Type&) {
    const auto* values = Cast<arrow::Date32Array>();
    return Set(Scalar(array_, json_, [values](int64_t row, std::string* out) {
      AppendDate(values->Value(row), out);
    }));
  }
  arrow::Status Visit(const arrow::Date64Type&) {
    const auto* values = Cast<arrow::Date64Array>();
    return Set(Scalar(array_, json_, [values](int64_t row, std::string* out) {
      AppendDate(DaysOfMilliseconds(values->Value(row)), out);
    }));
  }
  arrow::Status Visit(const arrow::TimestampType& type);
  arrow::Status Visit(const arrow::Time32Type& type) {
    return Time<arrow::Time32Array>(type.unit());
  }
  arrow::Status Visit(const arrow::Time64Type& type) {
    return Time<arrow::Time64Array>(type.unit());
  }

  arrow::Status Visit(const arrow::ListType&) { return List(Cast<arrow::ListArray>()->values()); }
  arrow::Status Visit(const arrow::LargeListType&) {
    return List(Cast<arrow::LargeListArray>()->values());
  }
  arrow::Status Visit(const arrow::FixedSizeListType&) {
    return List(Cast<arrow::FixedSizeListArray>()->values());
  }
  arrow::Status Visit(const arrow::MapType&) {
    const auto* map = Cast<arrow::MapArray>();
    ARROW_ASSIGN_OR_RAISE(auto keys, MakeValueWriter(map->keys(), TextStyle::kBare));
    ARROW_ASSIGN_OR_RAISE(auto items, MakeValueWriter(map->items(), TextStyle::kJson));
    return Set(std::make_unique<MapWriter>(array_, std::move(keys), std::move(items)));
  }
  arrow::Status Visit(const arrow::StructType&) {
    std::vector<std::unique_ptr<ValueWriter>> fields;
    for (const auto& field : Cast<arrow::StructArray>()->fields()) {
      ARROW_ASSIGN_OR_RAISE(auto writer, MakeValueWriter(field, TextStyle::kJson));
      fields.push_back(std::move(writer));
    }
    return Set(std::make_unique<StructWriter>(array_, std::move(fields)));
  }
  arrow::Status Visit(const arrow::DictionaryType&) {
    ARROW_ASSIGN_OR_RAISE(auto values,
                          MakeValueWriter(Cast<arrow::DictionaryArray>()->dictionary(), style_));
    return Set(std::make_unique<DictionaryWriter>(array_, std::move(values)));
  }
  arrow::Status Visit(const arrow::ExtensionType&) {
    ARROW_ASSIGN_OR_RAISE(writer_,
                          MakeValueWriter(Cast<arrow::ExtensionArray>()->storage(), style_));
    return arrow::Status::OK();
  }
  arrow::Status Visit(const arrow::DataType& type) {
    return arrow::Status::NotImplemented("values of type ", type.ToString(), " have no text form");
  }

 private:
  template <typename T>
  const T* Cast() const {
    return static_cast<const T*>(array_.get());
  }
  arrow::Status Set(std::unique_ptr<ValueWriter> writer) {
    writer_ = std::move(writer);
    return arrow::Status::OK();
  }
  template <typename ArrayType>
  arrow::Status Text() {
    const auto* values = Cast<ArrayType>();
    if (json_) {
      return Set(Scalar(array_, false, [values](int64_t row, std::string* out) {
        AppendJsonString(values->GetView(row), out);
      }));
    }
    return Set(Scalar(array_, false,
                      [values](int64_t row, std::string* out) { *out += values->GetView(row); }));
  }
  template <typename ArrayType>
  arrow::Status Bytes() {
    const auto* values = Cast<ArrayType>();
    return Set(Scalar(array_, json_, [values](int64_t row, std::string* out) {
      *out += arrow::util::base64_encode(std::string_view(values->GetView(row)));
    }));
  }
  template <typename ArrayType>
  arrow::Status Time(arrow::TimeUnit::type unit) {
    const auto* values = Cast<ArrayType>();
    const int64_t per_second = UnitsPerSecond(unit);
    return Set(Scalar(array_, json_, [values, per_second](int64_t row, std::string* out) {
      AppendTimeOfDay(values->Value(row), per_second, out);
    }));
  }
  arrow::Status List(std::shared_ptr<Array> values) {
    ARROW_ASSIGN_OR_RAISE(auto writer, MakeValueWriter(std::move(values), TextStyle::kJson));
    return Set(std::make_unique<ListWriter>(array_, std::move(writer)));
  }

  std::shared_ptr<Array> array_;
  TextStyle style_;
  bool json_;
  std::unique_ptr<ValueWriter> writer_;
};

template <typename T>
std::enable_if_t<arrow::is_decimal_type<T>::value, arrow::Status> WriterFactory::Visit(
    const T& type) {
  using Value = typename arrow::TypeTraits<T>::CType;
  const auto* values = Cast<typename arrow::TypeTraits<T>::ArrayType>();
  const int32_t scale = type.scale();
  return Set(Scalar(array_, json_, [values, scale](int64_t row, std::string* out) {
    AppendDecimal(Value(values->GetValue(row)).ToIntegerString(), scale, out);
  }));
}

arrow::Status WriterFactory::Visit(const arrow::TimestampType& type) {
  const auto* values = Cast<arrow::TimestampArray>();
  const int64_t per_second = UnitsPerSecond(type.unit());
  const bool zoned = !type.timezone().empty();
  return Set(Scalar(array_, json_, [values, per_second, zoned](int64_t row, std::string* out) {
    AppendTimestamp(values->Value(row), per_second, out);
    if (zoned) *out += 'Z';
  }));
}

}  // namespace

arrow::Result<std::unique_ptr<ValueWriter>> MakeValueWriter(std::shared_ptr<Array> array,
                                                            TextStyle style) {
  return WriterFactory(std::move(array), style).Make();
}

JsonRowWriter::JsonRowWriter(const arrow::Schema& schema) {
  for (const auto& field : schema.fields()) {
    std::string prefix(prefixes_.empty() ? "{" : ",");
    AppendJsonString(field->name(), &prefix);
    prefixes_.push_back(prefix + ":");
  }
}

arrow::Status JsonRowWriter::Append(const arrow::RecordBatch& batch, std::string* out) const {
  std::vector<std::unique_ptr<ValueWriter>> writers;
  for (const auto& column : batch.columns()) {
    ARROW_ASSIGN_OR_RAISE(auto writer, MakeValueWriter(column, TextStyle::kJson));
    writers.push_back(std::move(writer));
  }
  for (int64_t row = 0; row < batch.num_rows(); ++row) {
    if (writers.empty()) *out += '{';
    for (size_t i = 0; i < writers.size(); ++i) {
      *out += prefixes_[i];
      writers[i]->Append(row, out);
    }
    *out += "}\n";
  }
  return arrow::Status::OK();
}

}  // namespace firth::cli
