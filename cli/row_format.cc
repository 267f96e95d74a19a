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
#include <chrono>
#include <cmath>
#include <utility>

namespace firth::cli {
namespace {

using arrow::Array;

// --- pieces of text ------------------------------------------------------------------------------

template <typename Integer>
void AppendInteger(Integer value, std::string* out) {
  std::array<char, 24> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  out->append(buffer.data(), end);
}

// `value` with leading zeros up to `width` digits.
void AppendPadded(int64_t value, int width, std::string* out) {
  std::array<char, 24> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  const auto digits = static_cast<int>(end - buffer.data());
  if (digits < width) out->append(static_cast<size_t>(width - digits), '0');
  out->append(buffer.data(), end);
}

int64_t FloorDivide(int64_t value, int64_t divisor) {
  return value / divisor - (value % divisor < 0 ? 1 : 0);
}

// The proleptic Gregorian date of a day count, for every int64 of days that timestamps can have.
void AppendDate(int64_t days, std::string* out) {
  // Eras of 400 years, counted from 0000-03-01 (Howard Hinnant's civil_from_days).
  const int64_t shifted = days + 719'468;
  const int64_t era = FloorDivide(shifted, 146'097);
  const int64_t day_of_era = shifted - era * 146'097;
  const int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t month_index = (5 * day_of_year + 2) / 153;  // 0 is March
  const int64_t day = day_of_year - (153 * month_index + 2) / 5 + 1;
  const int64_t month = month_index < 10 ? month_index + 3 : month_index - 9;
  const int64_t year = year_of_era + era * 400 + (month <= 2 ? 1 : 0);
  if (year < 0) *out += '-';
  AppendPadded(year < 0 ? -year : year, 4, out);
  *out += '-';
  AppendPadded(month, 2, out);
  *out += '-';
  AppendPadded(day, 2, out);
}

int64_t UnitsPerSecond(arrow::TimeUnit::type unit) {
  constexpr std::array<int64_t, 4> kUnits = {1, 1'000, 1'000'000, 1'000'000'000};
  return kUnits[static_cast<size_t>(unit)];
}

// HH:MM:SS.ffffff, with nine digits for nanoseconds. `units` counts from midnight.
void AppendTimeOfDay(int64_t units, int64_t per_second, std::string* out) {
  const int64_t seconds = units / per_second;
  AppendPadded(seconds / 3600, 2, out);
  *out += ':';
  AppendPadded(seconds / 60 % 60, 2, out);
  *out += ':';
  AppendPadded(seconds % 60, 2, out);
  *out += '.';
  const int64_t fraction = units % per_second;
  if (per_second > 1'000'000) {
    AppendPadded(fraction, 9, out);
  } else {
    AppendPadded(fraction * (1'000'000 / per_second), 6, out);
  }
}

// Length of the valid UTF-8 sequence at the start of `text`, 0 when there is none.
size_t Utf8Length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const unsigned char second = byte(1);
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool surrogate = first == 0xED && second >= 0xA0;
  const bool beyond = first == 0xF4 && second >= 0x90;
  return overlong || surrogate || beyond ? 0 : length;
}

void AppendEscape(char c, std::string* out) {
  switch (c) {
    case '"':
      *out += "\\\"";
      return;
    case '\\':
      *out += "\\\\";
      return;
    case '\n':
      *out += "\\n";
      return;
    case '\t':
      *out += "\\t";
      return;
    case '\r':
      *out += "\\r";
      return;
    default:
      constexpr std::string_view kHex = "0123456789abcdef";
      const auto byte = static_cast<unsigned char>(c);
      *out += "\\u00";
      *out += kHex[byte >> 4];
      *out += kHex[byte & 15];
  }
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
      AppendDate(FloorDivide(values->Value(row), 86'400'000), out);
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

// Arrow's own Decimal::ToString switches to exponents for small numbers.
void AppendDecimal(std::string digits, int32_t scale, std::string* out) {
  const bool negative = digits.starts_with('-');
  if (negative) {
    *out += '-';
    digits.erase(0, 1);
  }
  if (scale <= 0) {
    *out += digits;
    if (digits != "0") out->append(static_cast<size_t>(-scale), '0');
    return;
  }
  const auto fraction = static_cast<size_t>(scale);
  if (digits.size() <= fraction) digits.insert(0, fraction + 1 - digits.size(), '0');
  out->append(digits, 0, digits.size() - fraction);
  *out += '.';
  out->append(digits, digits.size() - fraction, fraction);
}

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
    const int64_t value = values->Value(row);
    const int64_t days = FloorDivide(FloorDivide(value, per_second), 86'400);
    AppendDate(days, out);
    *out += 'T';
    // Through the seconds, because days * 86,400 * per_second may overflow at the ends.
    const int64_t seconds = FloorDivide(value, per_second);
    const int64_t fraction = value % per_second + (value % per_second < 0 ? per_second : 0);
    AppendTimeOfDay((seconds - days * 86'400) * per_second + fraction, per_second, out);
    if (zoned) *out += 'Z';
  }));
}

}  // namespace

void AppendJsonString(std::string_view text, std::string* out) {
  *out += '"';
  size_t start = 0;
  for (size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\') {
      ++i;
      continue;
    }
    const size_t valid = byte < 0x80 ? 0 : Utf8Length(text.substr(i));
    if (valid > 0) {
      i += valid;
      continue;
    }
    out->append(text, start, i - start);
    if (byte < 0x80) {
      AppendEscape(text[i], out);
    } else {
      *out += "\xEF\xBF\xBD";
    }
    start = ++i;
  }
  out->append(text, start);
  *out += '"';
}

void AppendDouble(double value, std::string* out) {
  if (!std::isfinite(value)) {
    *out += std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
    return;
  }
  // d.ddde+XX, which is then laid out as Python's repr does: 1.5, 1e+16, 1e-05.
  std::array<char, 32> buffer;
  const auto written = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                     std::chars_format::scientific);
  std::string_view text(buffer.data(), static_cast<size_t>(written.ptr - buffer.data()));
  const size_t e = text.find('e');
  int exponent = 0;
  const char* digits_of_exponent = text.data() + e + (text[e + 1] == '+' ? 2 : 1);
  std::from_chars(digits_of_exponent, written.ptr, exponent);
  constexpr int kSmallest = -4, kLargest = 16;
  if (exponent < kSmallest || exponent >= kLargest) {
    *out += text;
    return;
  }
  if (text[0] == '-') {
    *out += '-';
    text.remove_prefix(1);
  }
  std::string digits(1, text[0]);
  const size_t mantissa_end = text.find('e');
  if (mantissa_end > 2) digits += text.substr(2, mantissa_end - 2);
  if (exponent < 0) {
    *out += "0.";
    out->append(static_cast<size_t>(-exponent - 1), '0');
    *out += digits;
    return;
  }
  const auto whole = static_cast<size_t>(exponent) + 1;
  if (digits.size() <= whole) digits.append(whole + 1 - digits.size(), '0');
  out->append(digits, 0, whole);
  *out += '.';
  out->append(digits, whole);
}

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
