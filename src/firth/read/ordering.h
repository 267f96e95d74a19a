// SPDX-License-Identifier: Apache-2.0
// Ordering values of records in a form that compares fast: docs/format/log.md, "Ordering values".
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "firth/common/status.h"
#include "firth/format/log/log_format.h"

namespace firth {

/// What merging must know of a version of a record besides its ordering value. The upper four bits
/// hold the Java class of a single ordering value: Hudi compares classes before values in one
/// place.
namespace row_flag {
inline constexpr uint8_t kDelete = 1;        // a tombstone
inline constexpr uint8_t kDeleteBlock = 2;   // it comes from a delete block
inline constexpr uint8_t kNatural = 4;       // its ordering is Hudi's natural order, Integer 0
inline constexpr uint8_t kIncomparable = 8;  // its ordering is of a foreign type
inline constexpr int kClassShift = 4;
}  // namespace row_flag

/// Ordering values of the rows of one batch.
struct OrderingColumn {
  /// int64 whose order is that of the values; or binary, one class byte per ordering field and then
  /// bytes that compare as the values do. Null when the table orders by commit time.
  std::shared_ptr<arrow::Array> values;
  std::vector<uint8_t> flags;
};

class OrderingCodec {
 public:
  /// `fields` are names or dotted paths; one that `rows` lacks counts as natural order in all rows.
  /// Errors: kUnsupported when a field has a type without an order.
  static Result<OrderingCodec> Make(const arrow::Schema& rows,
                                    const std::vector<std::string>& fields);

  bool empty() const { return components_.empty(); }
  /// Whether values are binary.
  bool wide() const { return wide_; }
  /// Class bytes in front of a binary value.
  size_t class_bytes() const { return components_.size(); }

  Result<OrderingColumn> FromRows(const arrow::RecordBatch& rows) const;
  Result<OrderingColumn> FromDeletes(const std::vector<DeleteRecord>& deletes) const;

 private:
  enum class Domain : uint8_t { kMissing, kInteger, kFloating, kText, kDecimal };
  struct Component {
    std::vector<int> path;  // in the batch
    Domain domain = Domain::kMissing;
    OrderingValue::Kind java_class = OrderingValue::Kind::kInt;
    int32_t scale = 0;       // kDecimal: of the column
    bool is_millis = false;  // a timestamp in milliseconds
  };

  static Result<Component> MakeComponent(const arrow::Schema& rows, const std::string& field);
  Result<OrderingColumn> NarrowFromRows(const arrow::RecordBatch& rows) const;
  Result<OrderingColumn> WideFromRows(const arrow::RecordBatch& rows) const;
  /// The flags of a delete, and its value in the form of the column.
  uint8_t EncodeDelete(const OrderingValue& ordering, std::string* wide, int64_t* narrow) const;
  static bool NarrowValue(const Component& component, const OrderingValue& value, int64_t* out);
  static bool AppendWide(const Component& component, const OrderingValue& value, std::string* out);
  static Status AppendWide(const Component& component, const arrow::Array& column, int64_t row,
                           std::string* out);

  std::vector<Component> components_;
  bool wide_ = false;
};

}  // namespace firth
