// SPDX-License-Identifier: Apache-2.0
#include "firth/read/type_convert.h"

#include <arrow/array/array_nested.h>
#include <arrow/array/array_primitive.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/data.h>
#include <arrow/array/util.h>
#include <arrow/compute/cast.h>
#include <arrow/datum.h>
#include <arrow/extension_type.h>
#include <arrow/type.h>
#include <arrow/type_traits.h>
#include <arrow/util/checked_cast.h>

#include <string>

#include "firth/common/java_text.h"
#include "firth/read/value_text.h"

namespace firth {
namespace {

using arrow::Type;
using arrow::internal::checked_cast;
using ArrayPtr = std::shared_ptr<arrow::Array>;
using TypePtr = std::shared_ptr<arrow::DataType>;

enum class Conversion : uint8_t {
  kNone,    // not possible
  kSame,    // same bytes, other type object
  kCast,    // arrow::compute::Cast
  kStruct,  // by child name
  kList,    // child converted, layout kept
  kMap,
  kNulls,
  kVector,         // fixed bytes as a fixed-size list
  kFloatToDouble,  // through decimal text
  kToText,         // number as Java text
  kStorage,        // extension type: its storage
};

bool IsList(Type::type id) { return id == Type::LIST || id == Type::LARGE_LIST; }
bool IsText(Type::type id) { return id == Type::STRING || id == Type::BINARY; }
bool IsLong(Type::type id) { return id == Type::INT64 || id == Type::TIMESTAMP; }

Conversion TimestampConversion(const arrow::TimestampType& from, const arrow::TimestampType& to) {
  // Old writers annotate the milliseconds of a timestamp-millis column as micros: the table's
  // schema is right about them.
  const bool lies = from.unit() == arrow::TimeUnit::MICRO && to.unit() == arrow::TimeUnit::MILLI;
  return from.unit() == to.unit() || lies ? Conversion::kSame : Conversion::kCast;
}

Conversion NumberConversion(Type::type from, Type::type to) {
  if (from == Type::FLOAT && to == Type::DOUBLE) return Conversion::kFloatToDouble;
  if (to == Type::STRING) {
    return arrow::is_floating(from) ? Conversion::kToText : Conversion::kCast;
  }
  if (arrow::is_integer(from)) {
    return arrow::is_integer(to) || arrow::is_floating(to) || to == Type::DECIMAL128
               ? Conversion::kCast
               : Conversion::kNone;
  }
  return to == Type::DECIMAL128 ? Conversion::kCast : Conversion::kNone;
}

bool IsVectorOf(const arrow::DataType& from, const arrow::DataType& to) {
  if (from.id() != Type::FIXED_SIZE_BINARY || to.id() != Type::FIXED_SIZE_LIST) return false;
  const auto& list = checked_cast<const arrow::FixedSizeListType&>(to);
  return arrow::is_primitive(list.value_type()->id()) &&
         from.byte_width() == list.list_size() * list.value_type()->byte_width();
}

Conversion ScalarConversion(const arrow::DataType& from, const arrow::DataType& to) {
  const Type::type a = from.id(), b = to.id();
  if (a == Type::TIMESTAMP && b == Type::TIMESTAMP) {
    return TimestampConversion(checked_cast<const arrow::TimestampType&>(from),
                               checked_cast<const arrow::TimestampType&>(to));
  }
  if (IsLong(a) && IsLong(b)) return Conversion::kSame;  // local timestamps are stored bare
  if (IsText(a) && IsText(b)) return Conversion::kCast;
  if (a == Type::DICTIONARY) return Conversion::kCast;
  if (b == Type::INT32 && (a == Type::INT8 || a == Type::INT16)) return Conversion::kCast;
  if ((a == Type::DATE32 && b == Type::INT32) || (a == Type::INT32 && b == Type::DATE32)) {
    return Conversion::kSame;
  }
  if (a == Type::DATE32 && b == Type::INT64) return Conversion::kCast;
  if (arrow::is_numeric(a)) return NumberConversion(a, b);
  if (a == Type::DECIMAL128) {
    return b == Type::DECIMAL128 || b == Type::STRING ? Conversion::kCast : Conversion::kNone;
  }
  if (a == Type::STRING) {
    return b == Type::DATE32 || b == Type::DECIMAL128 ? Conversion::kCast : Conversion::kNone;
  }
  if (a == Type::DATE32 && b == Type::STRING) return Conversion::kCast;
  if (a == Type::FIXED_SIZE_BINARY && b == Type::BINARY) return Conversion::kCast;
  return Conversion::kNone;
}

Conversion FindConversion(const arrow::DataType& from, const arrow::DataType& to) {
  if (from.id() == Type::EXTENSION) return Conversion::kStorage;
  if (from.id() == Type::NA) return Conversion::kNulls;
  if (from.id() == Type::STRUCT && to.id() == Type::STRUCT) return Conversion::kStruct;
  if (IsList(from.id()) && from.id() == to.id()) return Conversion::kList;
  if (from.id() == Type::MAP && to.id() == Type::MAP) return Conversion::kMap;
  if (from.Equals(to)) return Conversion::kSame;
  if (IsVectorOf(from, to)) return Conversion::kVector;
  return ScalarConversion(from, to);
}

// The same buffers under another type of equal layout.
ArrayPtr Relabel(const arrow::Array& column, const TypePtr& to) {
  std::shared_ptr<arrow::ArrayData> data = column.data()->Copy();
  data->type = to;
  return arrow::MakeArray(std::move(data));
}

Result<ArrayPtr> WithChild(const arrow::Array& column, const TypePtr& to, std::string_view path) {
  std::shared_ptr<arrow::ArrayData> data = column.data()->Copy();
  data->type = to;
  ARROW_ASSIGN_OR_RAISE(const ArrayPtr child,
                        ConvertColumn(arrow::MakeArray(data->child_data[0]), to->field(0)->type(),
                                      fmt::format("{}.{}", path, to->field(0)->name())));
  data->child_data[0] = child->data();
  return arrow::MakeArray(std::move(data));
}

// Map entries are matched by position: their names differ between writers.
Result<ArrayPtr> ConvertMap(const arrow::Array& column, const TypePtr& to, std::string_view path) {
  std::shared_ptr<arrow::ArrayData> data = column.data()->Copy();
  data->type = to;
  std::shared_ptr<arrow::ArrayData> entries = data->child_data[0]->Copy();
  entries->type = to->field(0)->type();
  for (int i = 0; i < 2; ++i) {
    ARROW_ASSIGN_OR_RAISE(
        const ArrayPtr child,
        ConvertColumn(arrow::MakeArray(entries->child_data[i]), entries->type->field(i)->type(),
                      fmt::format("{}.{}", path, i == 0 ? "key" : "value")));
    entries->child_data[i] = child->data();
  }
  data->child_data[0] = std::move(entries);
  return arrow::MakeArray(std::move(data));
}

Result<ArrayPtr> ConvertStruct(const arrow::Array& column, const TypePtr& to,
                               std::string_view path) {
  const arrow::ArrayData& from = *column.data();
  const auto& from_type = checked_cast<const arrow::StructType&>(*from.type);
  arrow::ArrayDataVector children;
  for (const auto& field : to->fields()) {
    const int index = from_type.GetFieldIndex(field->name());
    ArrayPtr child;
    if (index < 0) {
      ARROW_ASSIGN_OR_RAISE(child,
                            arrow::MakeArrayOfNull(field->type(), from.offset + from.length));
    } else {
      ARROW_ASSIGN_OR_RAISE(child,
                            ConvertColumn(arrow::MakeArray(from.child_data[index]), field->type(),
                                          fmt::format("{}.{}", path, field->name())));
    }
    children.push_back(child->data());
  }
  std::shared_ptr<arrow::ArrayData> data = from.Copy();
  data->type = to;
  data->child_data = std::move(children);
  return arrow::MakeArray(std::move(data));
}

Result<ArrayPtr> ConvertVector(const arrow::Array& column, const TypePtr& to) {
  const arrow::ArrayData& from = *column.data();
  const auto& list = checked_cast<const arrow::FixedSizeListType&>(*to);
  const int64_t values = (from.offset + from.length) * list.list_size();
  auto child = arrow::ArrayData::Make(list.value_type(), values, {nullptr, from.buffers[1]}, 0);
  return arrow::MakeArray(arrow::ArrayData::Make(
      to, from.length, {from.buffers[0]}, {std::move(child)}, from.null_count.load(), from.offset));
}

Result<ArrayPtr> FloatToDouble(const arrow::FloatArray& column) {
  arrow::DoubleBuilder builder;
  ARROW_RETURN_NOT_OK(builder.Reserve(column.length()));
  for (int64_t i = 0; i < column.length(); ++i) {
    if (column.IsNull(i)) {
      builder.UnsafeAppendNull();
      continue;
    }
    builder.UnsafeAppend(WidenAsJavaText(column.Value(i)));
  }
  return builder.Finish();
}

Result<ArrayPtr> ToText(const arrow::Array& column) {
  arrow::StringBuilder builder;
  std::string text;
  for (int64_t i = 0; i < column.length(); ++i) {
    if (column.IsNull(i)) {
      ARROW_RETURN_NOT_OK(builder.AppendNull());
      continue;
    }
    text.clear();
    ARROW_RETURN_NOT_OK(AppendValueText(column, i, &text));
    ARROW_RETURN_NOT_OK(builder.Append(text));
  }
  return builder.Finish();
}

Result<ArrayPtr> CastColumn(const arrow::Array& column, const TypePtr& to, std::string_view path) {
  arrow::compute::CastOptions options = arrow::compute::CastOptions::Safe(to);
  // INT96 and nanosecond timestamps are cut to the unit of the table, as Spark does.
  options.allow_time_truncate = true;
  // Integers are rounded to the nearest float, as Java does.
  options.allow_float_truncate =
      arrow::is_integer(column.type_id()) && arrow::is_floating(to->id());
  auto cast = arrow::compute::Cast(arrow::Datum(column.data()), options);
  if (cast.ok()) return cast->make_array();
  return CorruptError("column \"{}\": {}", path, cast.status().message());
}

}  // namespace

Status CheckConvertible(const arrow::DataType& from, const arrow::DataType& to,
                        std::string_view path) {
  switch (FindConversion(from, to)) {
    case Conversion::kNone:
      return UnsupportedError("column \"{}\": the file has {}, which does not become {}", path,
                              from.ToString(), to.ToString());
    case Conversion::kStorage:
      return CheckConvertible(*checked_cast<const arrow::ExtensionType&>(from).storage_type(), to,
                              path);
    case Conversion::kStruct:
      for (const auto& field : to.fields()) {
        const auto source =
            checked_cast<const arrow::StructType&>(from).GetFieldByName(field->name());
        if (source == nullptr) continue;
        ARROW_RETURN_NOT_OK(CheckConvertible(*source->type(), *field->type(),
                                             fmt::format("{}.{}", path, field->name())));
      }
      return Status::OK();
    case Conversion::kList:
      return CheckConvertible(*from.field(0)->type(), *to.field(0)->type(),
                              fmt::format("{}.element", path));
    case Conversion::kMap: {
      const auto& a = checked_cast<const arrow::MapType&>(from);
      const auto& b = checked_cast<const arrow::MapType&>(to);
      ARROW_RETURN_NOT_OK(
          CheckConvertible(*a.key_type(), *b.key_type(), fmt::format("{}.key", path)));
      return CheckConvertible(*a.item_type(), *b.item_type(), fmt::format("{}.value", path));
    }
    default:
      return Status::OK();
  }
}

Result<ArrayPtr> ConvertColumn(const ArrayPtr& column, const TypePtr& to, std::string_view path) {
  if (column->type().get() == to.get()) return column;
  switch (FindConversion(*column->type(), *to)) {
    case Conversion::kSame:
      return Relabel(*column, to);
    case Conversion::kCast:
      return CastColumn(*column, to, path);
    case Conversion::kStruct:
      return ConvertStruct(*column, to, path);
    case Conversion::kList:
      return WithChild(*column, to, path);
    case Conversion::kMap:
      return ConvertMap(*column, to, path);
    case Conversion::kNulls:
      return arrow::MakeArrayOfNull(to, column->length());
    case Conversion::kVector:
      return ConvertVector(*column, to);
    case Conversion::kFloatToDouble:
      return FloatToDouble(checked_cast<const arrow::FloatArray&>(*column));
    case Conversion::kToText:
      return ToText(*column);
    case Conversion::kStorage:
      return ConvertColumn(checked_cast<const arrow::ExtensionArray&>(*column).storage(), to, path);
    case Conversion::kNone:
      break;
  }
  return CheckConvertible(*column->type(), *to, path);
}

}  // namespace firth
