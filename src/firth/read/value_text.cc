// SPDX-License-Identifier: Apache-2.0
#include "firth/read/value_text.h"

#include <arrow/array/array_binary.h>
#include <arrow/array/array_decimal.h>
#include <arrow/array/array_primitive.h>
#include <arrow/type.h>
#include <arrow/util/checked_cast.h>

#include <charconv>
#include <chrono>
#include <cmath>

namespace firth {
namespace {

using arrow::internal::checked_cast;

// Shortest digits that read back as `value`, laid out as Java does: plain from 1e-3 below 1e7,
// otherwise d.dddE<n>.
template <typename T>
std::string JavaFloating(T value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  char buffer[64];
  const T magnitude = std::fabs(value);
  const bool plain = magnitude == 0 || (magnitude >= T(1e-3) && magnitude < T(1e7));
  const auto format = plain ? std::chars_format::fixed : std::chars_format::scientific;
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value, format).ptr;
  std::string text(buffer, end);
  if (plain) return text.find('.') == std::string::npos ? text + ".0" : text;
  const size_t e = text.find('e');
  std::string mantissa = text.substr(0, e);
  if (mantissa.find('.') == std::string::npos) mantissa += ".0";
  int exponent = 0;
  const char* digits = text.data() + e + (text[e + 1] == '+' ? 2 : 1);
  std::from_chars(digits, text.data() + text.size(), exponent);
  return mantissa + "E" + std::to_string(exponent);
}

std::string IsoDate(int32_t days) {
  const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{days}}};
  return fmt::format("{:04d}-{:02d}-{:02d}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

template <typename ArrayType>
void AppendNumber(const arrow::Array& array, int64_t row, std::string* out) {
  fmt::format_to(std::back_inserter(*out), "{}", checked_cast<const ArrayType&>(array).Value(row));
}

}  // namespace

std::string JavaText(double value) { return JavaFloating(value); }
std::string JavaText(float value) { return JavaFloating(value); }

Status AppendValueText(const arrow::Array& array, int64_t row, std::string* out) {
  switch (array.type_id()) {
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      out->append(checked_cast<const arrow::BinaryArray&>(array).GetView(row));
      return Status::OK();
    case arrow::Type::FIXED_SIZE_BINARY:
      out->append(checked_cast<const arrow::FixedSizeBinaryArray&>(array).GetView(row));
      return Status::OK();
    case arrow::Type::BOOL:
      out->append(checked_cast<const arrow::BooleanArray&>(array).Value(row) ? "true" : "false");
      return Status::OK();
    case arrow::Type::INT32:
      AppendNumber<arrow::Int32Array>(array, row, out);
      return Status::OK();
    case arrow::Type::INT64:
    case arrow::Type::TIMESTAMP:
    case arrow::Type::TIME64:
      AppendNumber<arrow::NumericArray<arrow::Int64Type>>(array, row, out);
      return Status::OK();
    case arrow::Type::TIME32:
      AppendNumber<arrow::NumericArray<arrow::Int32Type>>(array, row, out);
      return Status::OK();
    case arrow::Type::FLOAT:
      out->append(JavaText(checked_cast<const arrow::FloatArray&>(array).Value(row)));
      return Status::OK();
    case arrow::Type::DOUBLE:
      out->append(JavaText(checked_cast<const arrow::DoubleArray&>(array).Value(row)));
      return Status::OK();
    case arrow::Type::DATE32:
      out->append(IsoDate(checked_cast<const arrow::Date32Array&>(array).Value(row)));
      return Status::OK();
    case arrow::Type::DECIMAL128:
      out->append(checked_cast<const arrow::Decimal128Array&>(array).FormatValue(row));
      return Status::OK();
    default:
      return UnsupportedError("a value of type {} has no text form", array.type()->ToString());
  }
}

}  // namespace firth
