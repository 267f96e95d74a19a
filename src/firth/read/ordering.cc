// SPDX-License-Identifier: Apache-2.0
#include "firth/read/ordering.h"

#include <arrow/array/array_binary.h>
#include <arrow/array/array_decimal.h>
#include <arrow/array/array_primitive.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/data.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/checked_cast.h>
#include <arrow/util/decimal.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace firth {
namespace {

using arrow::internal::checked_cast;
using Kind = OrderingValue::Kind;

// Decimals of delete blocks have this scale; columns are brought to it, or to their own if larger.
constexpr int32_t kDecimalScale = 15;

// The order of Java's Double.compareTo: -0.0 below 0.0, NaN above all.
int64_t OrderedBits(double value) {
  if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
  const auto bits = std::bit_cast<int64_t>(value);
  return bits >= 0 ? bits : bits ^ std::numeric_limits<int64_t>::max();
}

// Spark hands dates to the comparison as Integer and timestamps as Long.
Kind JavaClass(Kind kind) {
  switch (kind) {
    case Kind::kNull:
    case Kind::kDate:
    case Kind::kLocalDate:
      return Kind::kInt;
    case Kind::kTimeMicros:
    case Kind::kTimestampMicros:
      return Kind::kLong;
    default:
      return kind;
  }
}

uint8_t ClassFlag(Kind kind) {
  return static_cast<uint8_t>(static_cast<uint8_t>(JavaClass(kind)) << row_flag::kClassShift);
}

void AppendBigEndian(int64_t value, std::string* out) {
  const uint64_t swapped = __builtin_bswap64(static_cast<uint64_t>(value) ^ (uint64_t{1} << 63));
  out->append(reinterpret_cast<const char*>(&swapped), sizeof(swapped));
}

// 0x00 is escaped so that the terminator 0x00 0x00 sorts below every continuation.
void AppendText(std::string_view text, std::string* out) {
  for (const char c : text) {
    out->push_back(c);
    if (c == '\0') out->push_back('\xff');
  }
  out->append(2, '\0');
}

void AppendDecimal(const arrow::Decimal256& value, std::string* out) {
  std::array<uint8_t, 32> bytes = value.ToBytes();
  std::reverse(bytes.begin(), bytes.end());
  bytes[0] ^= 0x80;
  out->append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

template <typename ArrowType>
void Widen(const arrow::Array& column, int64_t* out) {
  const auto& typed = checked_cast<const arrow::NumericArray<ArrowType>&>(column);
  for (int64_t i = 0; i < typed.length(); ++i) {
    if constexpr (arrow::is_floating_type<ArrowType>::value) {
      out[i] = OrderedBits(typed.Value(i));
    } else {
      out[i] = typed.Value(i);
    }
  }
}

// Values of a narrow column as int64; those of null slots mean nothing.
void ToInt64(const arrow::Array& column, int64_t* out) {
  switch (column.type_id()) {
    case arrow::Type::BOOL:
      for (int64_t i = 0; i < column.length(); ++i) {
        out[i] = checked_cast<const arrow::BooleanArray&>(column).Value(i);
      }
      break;
    case arrow::Type::FLOAT:
      Widen<arrow::FloatType>(column, out);
      break;
    case arrow::Type::DOUBLE:
      Widen<arrow::DoubleType>(column, out);
      break;
    case arrow::Type::INT32:
    case arrow::Type::DATE32:
    case arrow::Type::TIME32:
      Widen<arrow::Int32Type>(column, out);
      break;
    default:
      Widen<arrow::Int64Type>(column, out);
  }
}

int64_t ZeroOf(bool floating) { return floating ? OrderedBits(0.0) : 0; }

// The number in a wrapper, in units of the column.
bool ToNumber(const OrderingValue& value, bool is_millis, int64_t* integer, double* floating) {
  switch (value.kind) {
    case Kind::kBoolean:
      *integer = std::get<bool>(value.value);
      break;
    case Kind::kInt:
    case Kind::kLong:
    case Kind::kDate:
    case Kind::kLocalDate:
    case Kind::kTimeMicros:
      *integer = std::get<int64_t>(value.value);
      break;
    case Kind::kTimestampMicros:
      *integer = std::get<int64_t>(value.value);
      if (is_millis) *integer = *integer / 1000 - (*integer % 1000 < 0 ? 1 : 0);
      break;
    case Kind::kNull:
      *integer = 0;
      break;
    case Kind::kFloat:
    case Kind::kDouble:
      *floating = std::get<double>(value.value);
      *integer = 0;
      return true;
    default:
      return false;
  }
  *floating = static_cast<double>(*integer);
  return true;
}

bool IsFloating(Kind kind) { return kind == Kind::kFloat || kind == Kind::kDouble; }

}  // namespace

Result<OrderingCodec::Component> OrderingCodec::MakeComponent(const arrow::Schema& rows,
                                                              const std::string& field) {
  Component component;
  arrow::FieldVector level = rows.fields();
  std::shared_ptr<arrow::DataType> type;
  std::string_view rest = field;
  while (!rest.empty()) {
    const size_t dot = rest.find('.');
    const std::string_view name = rest.substr(0, dot);
    const auto found =
        std::find_if(level.begin(), level.end(), [&](const auto& f) { return f->name() == name; });
    if (found == level.end()) return Component{};
    component.path.push_back(static_cast<int>(found - level.begin()));
    type = (*found)->type();
    level = type->fields();
    rest.remove_prefix(dot == std::string_view::npos ? rest.size() : dot + 1);
  }
  switch (type->id()) {
    case arrow::Type::BOOL:
      component.java_class = Kind::kBoolean;
      component.domain = Domain::kInteger;
      break;
    case arrow::Type::INT32:
    case arrow::Type::DATE32:
    case arrow::Type::TIME32:
      component.domain = Domain::kInteger;
      break;
    case arrow::Type::TIMESTAMP:
      component.is_millis =
          checked_cast<const arrow::TimestampType&>(*type).unit() == arrow::TimeUnit::MILLI;
      [[fallthrough]];
    case arrow::Type::INT64:
    case arrow::Type::TIME64:
      component.java_class = Kind::kLong;
      component.domain = Domain::kInteger;
      break;
    case arrow::Type::FLOAT:
    case arrow::Type::DOUBLE:
      component.java_class = type->id() == arrow::Type::FLOAT ? Kind::kFloat : Kind::kDouble;
      component.domain = Domain::kFloating;
      break;
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      component.java_class = type->id() == arrow::Type::STRING ? Kind::kString : Kind::kBytes;
      component.domain = Domain::kText;
      break;
    case arrow::Type::DECIMAL128:
      component.java_class = Kind::kDecimal;
      component.domain = Domain::kDecimal;
      component.scale = checked_cast<const arrow::Decimal128Type&>(*type).scale();
      break;
    default:
      return UnsupportedError("ordering field \"{}\" has type {}, which has no order", field,
                              type->ToString());
  }
  return component;
}

Result<OrderingCodec> OrderingCodec::Make(const arrow::Schema& rows,
                                          const std::vector<std::string>& fields) {
  OrderingCodec codec;
  for (const std::string& field : fields) {
    ARROW_ASSIGN_OR_RAISE(Component component, MakeComponent(rows, field));
    codec.components_.push_back(std::move(component));
  }
  codec.wide_ = fields.size() > 1 ||
                (fields.size() == 1 && (codec.components_[0].domain == Domain::kText ||
                                        codec.components_[0].domain == Domain::kDecimal));
  return codec;
}

Result<OrderingColumn> OrderingCodec::NarrowFromRows(const arrow::RecordBatch& rows) const {
  const Component& component = components_[0];
  const int64_t count = rows.num_rows();
  OrderingColumn result;
  if (component.domain == Domain::kMissing) {
    result.flags.assign(count, row_flag::kNatural | ClassFlag(Kind::kInt));
    ARROW_ASSIGN_OR_RAISE(auto zeros, arrow::AllocateBuffer(count * sizeof(int64_t)));
    std::fill_n(reinterpret_cast<int64_t*>(zeros->mutable_data()), count, 0);
    result.values = std::make_shared<arrow::Int64Array>(count, std::move(zeros));
    return result;
  }
  ARROW_ASSIGN_OR_RAISE(const auto column, arrow::FieldPath(component.path).GetFlattened(rows));
  const bool as_is = column->null_count() == 0 && component.java_class == Kind::kLong;
  if (as_is) {
    auto data = column->data()->Copy();
    data->type = arrow::int64();
    result.values = arrow::MakeArray(std::move(data));
    result.flags.assign(count, ClassFlag(component.java_class));
    return result;
  }
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer,
                        arrow::AllocateBuffer(count * sizeof(int64_t)));
  auto* values = reinterpret_cast<int64_t*>(buffer->mutable_data());
  ToInt64(*column, values);
  result.flags.assign(count, ClassFlag(component.java_class));
  for (int64_t i = 0; i < count; ++i) {
    const bool null = column->IsNull(i);
    if (null) values[i] = ZeroOf(component.domain == Domain::kFloating);
    // Integer 0 of an int column can't be told from the natural order.
    if (null || (component.java_class == Kind::kInt && values[i] == 0)) {
      result.flags[i] = row_flag::kNatural | ClassFlag(Kind::kInt);
    }
  }
  result.values = std::make_shared<arrow::Int64Array>(count, std::move(buffer));
  return result;
}

Status OrderingCodec::AppendWide(const Component& component, const arrow::Array& column,
                                 int64_t row, std::string* out) {
  switch (component.domain) {
    case Domain::kInteger:
    case Domain::kFloating: {
      int64_t value = ZeroOf(component.domain == Domain::kFloating);
      if (column.IsValid(row)) ToInt64(*column.Slice(row, 1), &value);
      AppendBigEndian(value, out);
      return Status::OK();
    }
    case Domain::kText:
      out->push_back(column.IsValid(row) ? '\1' : '\0');
      if (column.IsValid(row)) {
        AppendText(checked_cast<const arrow::BinaryArray&>(column).GetView(row), out);
      }
      return Status::OK();
    case Domain::kDecimal: {
      arrow::Decimal256 value;
      if (column.IsValid(row)) {
        const auto& decimals = checked_cast<const arrow::Decimal128Array&>(column);
        ARROW_ASSIGN_OR_RAISE(
            value, arrow::Decimal256(arrow::Decimal128(decimals.GetValue(row)))
                       .Rescale(component.scale, std::max(component.scale, kDecimalScale)));
      }
      AppendDecimal(value, out);
      return Status::OK();
    }
    case Domain::kMissing:
      break;
  }
  return Status::OK();
}

Result<OrderingColumn> OrderingCodec::WideFromRows(const arrow::RecordBatch& rows) const {
  std::vector<std::shared_ptr<arrow::Array>> columns;
  for (const Component& component : components_) {
    if (component.domain == Domain::kMissing) {
      columns.push_back(std::make_shared<arrow::NullArray>(rows.num_rows()));
      continue;
    }
    ARROW_ASSIGN_OR_RAISE(auto column, arrow::FieldPath(component.path).GetFlattened(rows));
    columns.push_back(std::move(column));
  }
  OrderingColumn result;
  result.flags.reserve(rows.num_rows());
  arrow::BinaryBuilder builder;
  std::string value;
  for (int64_t row = 0; row < rows.num_rows(); ++row) {
    value.clear();
    for (size_t i = 0; i < components_.size(); ++i) {
      const Kind kind = columns[i]->IsNull(row) ? Kind::kInt : components_[i].java_class;
      value.push_back(static_cast<char>(kind));
    }
    for (size_t i = 0; i < components_.size(); ++i) {
      ARROW_RETURN_NOT_OK(AppendWide(components_[i], *columns[i], row, &value));
    }
    ARROW_RETURN_NOT_OK(builder.Append(value));
    const bool natural = components_.size() == 1 && columns[0]->IsNull(row);
    result.flags.push_back(natural ? row_flag::kNatural : 0);
  }
  ARROW_ASSIGN_OR_RAISE(result.values, builder.Finish());
  return result;
}

Result<OrderingColumn> OrderingCodec::FromRows(const arrow::RecordBatch& rows) const {
  if (!empty()) return wide_ ? WideFromRows(rows) : NarrowFromRows(rows);
  OrderingColumn result;
  result.flags.assign(rows.num_rows(), row_flag::kNatural);
  return result;
}

bool OrderingCodec::NarrowValue(const Component& component, const OrderingValue& value,
                                int64_t* out) {
  double floating = 0;
  if (!ToNumber(value, component.is_millis, out, &floating)) return false;
  if (component.domain == Domain::kFloating) {
    *out = OrderedBits(floating);
    return true;
  }
  if (!IsFloating(value.kind)) return true;
  // A fraction against an integral column: only its floor is representable, and enough for "<=".
  if (!(std::fabs(floating) < 9.2e18)) return false;
  *out = static_cast<int64_t>(std::floor(floating));
  return true;
}

bool OrderingCodec::AppendWide(const Component& component, const OrderingValue& value,
                               std::string* out) {
  const bool is_text = value.kind == Kind::kString || value.kind == Kind::kBytes;
  switch (component.domain) {
    case Domain::kMissing:
      return true;
    case Domain::kInteger:
    case Domain::kFloating: {
      int64_t number = 0;
      if (!NarrowValue(component, value, &number)) return false;
      AppendBigEndian(number, out);
      return true;
    }
    case Domain::kText:
      if (!is_text && !value.IsDefault()) return false;
      out->push_back(is_text ? '\1' : '\0');
      if (is_text) AppendText(std::get<std::string>(value.value), out);
      return true;
    case Domain::kDecimal: {
      int64_t integer = 0;
      double floating = 0;
      int32_t scale = 0;
      arrow::Decimal256 decimal;
      if (value.kind == Kind::kDecimal) {
        const std::string& bytes = std::get<std::string>(value.value);
        auto parsed = arrow::Decimal256::FromBigEndian(
            reinterpret_cast<const uint8_t*>(bytes.data()), static_cast<int32_t>(bytes.size()));
        if (!parsed.ok()) return false;
        decimal = *parsed;
        scale = kDecimalScale;
      } else if (IsFloating(value.kind) ||
                 !ToNumber(value, component.is_millis, &integer, &floating)) {
        return false;
      } else {
        decimal = arrow::Decimal256(integer);
      }
      auto scaled = decimal.Rescale(scale, std::max(component.scale, kDecimalScale));
      if (!scaled.ok()) return false;
      AppendDecimal(*scaled, out);
      return true;
    }
  }
  return false;
}

uint8_t OrderingCodec::EncodeDelete(const OrderingValue& ordering, std::string* wide,
                                    int64_t* narrow) const {
  uint8_t flags = row_flag::kDelete | row_flag::kDeleteBlock;
  std::vector<OrderingValue> parts{ordering};
  if (ordering.kind == Kind::kArray) parts = std::get<std::vector<OrderingValue>>(ordering.value);
  if (!empty() && !wide_) flags |= ClassFlag(parts.empty() ? Kind::kNull : parts[0].kind);
  if (ordering.IsDefault() || empty()) return flags | row_flag::kNatural;

  bool comparable = parts.size() == components_.size();
  if (comparable && !wide_) comparable = NarrowValue(components_[0], parts[0], narrow);
  if (comparable && wide_) {
    for (const OrderingValue& part : parts) {
      wide->push_back(static_cast<char>(JavaClass(part.kind)));
    }
    for (size_t i = 0; comparable && i < parts.size(); ++i) {
      comparable = AppendWide(components_[i], parts[i], wide);
    }
  }
  return comparable ? flags : flags | row_flag::kIncomparable;
}

Result<OrderingColumn> OrderingCodec::FromDeletes(const std::vector<DeleteRecord>& deletes) const {
  OrderingColumn result;
  result.flags.reserve(deletes.size());
  std::vector<int64_t> narrow;
  arrow::BinaryBuilder wide;
  std::string text;
  for (const DeleteRecord& entry : deletes) {
    int64_t number = 0;
    text.clear();
    result.flags.push_back(EncodeDelete(entry.ordering, &text, &number));
    narrow.push_back(number);
    ARROW_RETURN_NOT_OK(wide.Append(text));
  }
  if (empty()) return result;
  if (wide_) {
    ARROW_ASSIGN_OR_RAISE(result.values, wide.Finish());
  } else {
    result.values = std::make_shared<arrow::Int64Array>(static_cast<int64_t>(narrow.size()),
                                                        arrow::Buffer::FromVector(narrow));
  }
  return result;
}

}  // namespace firth
