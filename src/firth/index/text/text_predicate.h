// SPDX-License-Identifier: Apache-2.0
// Text predicates over columns: hudi_match and its relatives, row by row.
#pragma once

#include <arrow/type_fwd.h>

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "firth/index/text/bound_query.h"
#include "firth/index/text/column_scanner.h"

namespace firth {

/// Evaluates one query over batches. A pure function of each row's values; one per thread.
class TextPredicate {
 public:
  explicit TextPredicate(std::shared_ptr<const BoundQuery> query);

  /// @param columns  [columns of the query] strings (utf8, large_utf8 or utf8_view), equally long
  /// @return booleans; NULL where three-valued logic has no answer
  /// Errors: FTS_NOT_STRING_COLUMN, FTS_INVALID_UTF8_VALUE.
  Result<std::shared_ptr<arrow::Array>> Evaluate(
      const std::vector<std::shared_ptr<arrow::Array>>& columns);

 private:
  std::shared_ptr<const BoundQuery> query_;
  std::vector<ColumnScanner> scanners_;
  std::vector<ColumnFeatures> row_;
};

/// FTS_NOT_STRING_COLUMN unless the type is one of the string types.
Status CheckTextColumn(std::string_view column, const arrow::DataType& type);

/// Reads the strings of an array of any string type.
class TextValues {
 public:
  /// `array` must outlive the view. Errors: FTS_NOT_STRING_COLUMN.
  static Result<TextValues> Of(std::string_view column, const arrow::Array& array);

  bool IsNull(int64_t i) const;
  std::string_view operator[](int64_t i) const { return get_(*array_, i); }

 private:
  using Getter = std::string_view (*)(const arrow::Array&, int64_t);
  TextValues(const arrow::Array& array, Getter get) : array_(&array), get_(get) {}

  const arrow::Array* array_;
  Getter get_;
};

}  // namespace firth
