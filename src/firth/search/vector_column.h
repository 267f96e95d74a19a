// SPDX-License-Identifier: Apache-2.0
// A column of vectors, seen as rows of elements in memory.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "firth/common/status.h"

namespace firth {

/// A view of fixed_size_list, list or large_list of float, double or int8. Does not own the array.
class VectorColumn {
 public:
  enum class Element : uint8_t { kFloat, kDouble, kInt8 };

  /// Errors: kInvalidArgument, naming the column, when the array's type holds no vectors.
  static Result<VectorColumn> Make(const arrow::Array& array, std::string_view name);

  Element element() const { return element_; }
  int64_t length() const { return length_; }
  bool IsNull(int64_t row) const;
  /// Whether every row has `size` elements and there are no nulls at all.
  bool AllComplete(int64_t size) const;
  /// Elements of row `row`; of a null row undefined.
  int64_t Size(int64_t row) const { return Begin(row + 1) - Begin(row); }
  /// Whether an element of the row is null (its value in memory is then undefined).
  bool HasNullElement(int64_t row) const;
  /// The first element of a row, in the type of element(). Rows that follow each other without a
  /// gap, as all do in arrays that were not filtered, lie one after the other.
  const void* Data(int64_t row) const;
  /// Position of the row's first element; Begin(row) + Size(row) == Begin(row + 1).
  int64_t Begin(int64_t row) const;

 private:
  VectorColumn() = default;

  Element element_ = Element::kFloat;
  int64_t length_ = 0;
  int64_t fixed_size_ = 0;              // of fixed_size_list
  int64_t first_ = 0;                   // elements in front of row 0 of a fixed_size_list
  const int32_t* offsets_ = nullptr;    // of list, at row 0
  const int64_t* offsets64_ = nullptr;  // of large_list, at row 0
  const arrow::Array* rows_ = nullptr;
  const arrow::Array* elements_ = nullptr;
  const char* values_ = nullptr;  // element 0
};

/// The dimension that a column's type fixes: VECTOR(D) and fixed_size_list. nullopt for lists.
/// Errors: kInvalidArgument, naming `column`, when the type holds no vectors.
Result<std::optional<int64_t>> VectorDimension(const arrow::DataType& type,
                                               std::string_view column);

}  // namespace firth
