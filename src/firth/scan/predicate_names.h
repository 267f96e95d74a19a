// SPDX-License-Identifier: Apache-2.0
// Finding the columns that a text names.
#pragma once

#include <arrow/compute/type_fwd.h>
#include <arrow/type_fwd.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "firth/common/status.h"

namespace firth::predicate {

/// The column of `schema` that a text names, blanks around it aside: the exact name wins, else the
/// only one that differs in case. Errors: as ColumnPath::Descend.
Result<std::shared_ptr<arrow::Field>> FindColumn(const arrow::Schema& schema,
                                                 std::string_view name);

/// A column, or a field inside of struct columns, found name by name.
class ColumnPath {
 public:
  /// Enters the column `name` of `schema`, or, from the second call on, the field `name` of the
  /// struct reached so far. The exact name wins; else the only one that differs in case.
  /// Errors (without position): no such name, with the nearest one and all there are; an ambiguous
  /// name; a parent that is no struct.
  Status Descend(const arrow::Schema& schema, std::string_view name);

  const std::shared_ptr<arrow::DataType>& type() const { return type_; }
  /// Dotted, as the schema spells it.
  std::string name() const;
  arrow::compute::Expression expression() const;

 private:
  std::vector<std::string> names_;
  std::shared_ptr<arrow::DataType> type_;
};

}  // namespace firth::predicate
