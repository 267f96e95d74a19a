// SPDX-License-Identifier: Apache-2.0
#include "firth/read/value_text.h"

#include <arrow/array/array_binary.h>
#include <arrow/array/array_decimal.h>
#include <arrow/array/array_primitive.h>
#include <arrow/type.h>
#include <arrow/util/checked_cast.h>

#include <chrono>

namespace firth {
namespace {

using arrow::internal::checked_cast;

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
