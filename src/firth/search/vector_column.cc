// SPDX-License-Identifier: Apache-2.0
#include "firth/search/vector_column.h"

#include <arrow/array/array_base.h>
#include <arrow/array/array_nested.h>
#include <arrow/array/array_primitive.h>
#include <arrow/type.h>
#include <arrow/util/checked_cast.h>

namespace firth {
namespace {

using arrow::internal::checked_cast;

std::optional<VectorColumn::Element> ElementOf(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::FIXED_SIZE_LIST:
    case arrow::Type::LIST:
    case arrow::Type::LARGE_LIST:
      break;
    default:
      return std::nullopt;
  }
  switch (checked_cast<const arrow::BaseListType&>(type).value_type()->id()) {
    case arrow::Type::FLOAT:
      return VectorColumn::Element::kFloat;
    case arrow::Type::DOUBLE:
      return VectorColumn::Element::kDouble;
    case arrow::Type::INT8:
      return VectorColumn::Element::kInt8;
    default:
      return std::nullopt;
  }
}

Status NoVectors(const arrow::DataType& type, std::string_view column) {
  return InvalidError(
      "column '{}' of type {} holds no vectors; a vector column is VECTOR(D), array<float>, "
      "array<double> or a list of int8",
      column, type.ToString());
}

}  // namespace

Result<std::optional<int64_t>> VectorDimension(const arrow::DataType& type,
                                               std::string_view column) {
  if (!ElementOf(type)) return NoVectors(type, column);
  if (type.id() != arrow::Type::FIXED_SIZE_LIST) return std::optional<int64_t>();
  return std::optional<int64_t>(checked_cast<const arrow::FixedSizeListType&>(type).list_size());
}

Result<VectorColumn> VectorColumn::Make(const arrow::Array& array, std::string_view name) {
  const std::optional<Element> element = ElementOf(*array.type());
  if (!element) return NoVectors(*array.type(), name);
  VectorColumn column;
  column.element_ = *element;
  column.length_ = array.length();
  column.rows_ = &array;
  if (array.type_id() == arrow::Type::FIXED_SIZE_LIST) {
    const auto& list = checked_cast<const arrow::FixedSizeListArray&>(array);
    column.fixed_size_ = list.value_length();
    column.first_ = list.value_offset(0);
    column.elements_ = list.values().get();
  } else if (array.type_id() == arrow::Type::LIST) {
    const auto& list = checked_cast<const arrow::ListArray&>(array);
    column.offsets_ = list.raw_value_offsets();
    column.elements_ = list.values().get();
  } else {
    const auto& list = checked_cast<const arrow::LargeListArray&>(array);
    column.offsets64_ = list.raw_value_offsets();
    column.elements_ = list.values().get();
  }
  switch (*element) {
    case Element::kFloat:
      column.values_ = reinterpret_cast<const char*>(
          checked_cast<const arrow::FloatArray&>(*column.elements_).raw_values());
      break;
    case Element::kDouble:
      column.values_ = reinterpret_cast<const char*>(
          checked_cast<const arrow::DoubleArray&>(*column.elements_).raw_values());
      break;
    case Element::kInt8:
      column.values_ = reinterpret_cast<const char*>(
          checked_cast<const arrow::Int8Array&>(*column.elements_).raw_values());
      break;
  }
  return column;
}

bool VectorColumn::IsNull(int64_t row) const { return rows_->IsNull(row); }

bool VectorColumn::AllComplete(int64_t size) const {
  return fixed_size_ == size && rows_->null_count() == 0 && elements_->null_count() == 0;
}

int64_t VectorColumn::Begin(int64_t row) const {
  if (offsets_ != nullptr) return offsets_[row];
  if (offsets64_ != nullptr) return offsets64_[row];
  return first_ + row * fixed_size_;
}

bool VectorColumn::HasNullElement(int64_t row) const {
  if (elements_->null_count() == 0) return false;
  for (int64_t i = Begin(row); i < Begin(row + 1); ++i) {
    if (elements_->IsNull(i)) return true;
  }
  return false;
}

const void* VectorColumn::Data(int64_t row) const {
  constexpr int64_t kWidth[] = {sizeof(float), sizeof(double), sizeof(int8_t)};
  return values_ + Begin(row) * kWidth[static_cast<size_t>(element_)];
}

}  // namespace firth
