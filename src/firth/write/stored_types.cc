// SPDX-License-Identifier: Apache-2.0
#include "firth/write/stored_types.h"

#include <arrow/type.h>
#include <arrow/util/checked_cast.h>

#include <string>
#include <utility>

namespace firth {
namespace {

using arrow::internal::checked_cast;
using FieldPtr = std::shared_ptr<arrow::Field>;
using TypePtr = std::shared_ptr<arrow::DataType>;

Result<TypePtr> StoredType(const TypePtr& type, const std::string& column);

Result<FieldPtr> StoredField(const arrow::Field& field, const std::string& column) {
  ARROW_ASSIGN_OR_RAISE(TypePtr type, StoredType(field.type(), column));
  return arrow::field(field.name(), std::move(type), field.nullable());
}

Status NoForm(const arrow::DataType& type, const std::string& column, std::string remedy) {
  return WithRemedy(
      InvalidError("column \"{}\" has type {}, which tables can't store", column, type.ToString()),
      std::move(remedy));
}

Result<TypePtr> StoredList(const arrow::Field& element, const std::string& column) {
  ARROW_ASSIGN_OR_RAISE(TypePtr type, StoredType(element.type(), column + ".element"));
  return arrow::list(arrow::field("element", std::move(type), element.nullable()));
}

Result<TypePtr> StoredStruct(const arrow::DataType& type, const std::string& column) {
  if (type.num_fields() == 0) return NoForm(type, column, "leave it out: it holds nothing");
  arrow::FieldVector fields;
  for (const FieldPtr& field : type.fields()) {
    ARROW_ASSIGN_OR_RAISE(FieldPtr stored, StoredField(*field, column + "." + field->name()));
    fields.push_back(std::move(stored));
  }
  return arrow::struct_(std::move(fields));
}

Result<TypePtr> StoredMap(const arrow::MapType& type, const std::string& column) {
  ARROW_ASSIGN_OR_RAISE(const TypePtr key, StoredType(type.key_type(), column + ".key"));
  if (key->id() != arrow::Type::STRING) {
    return NoForm(type, column, "keys of maps must be texts: cast them");
  }
  ARROW_ASSIGN_OR_RAISE(TypePtr value, StoredType(type.item_type(), column + ".value"));
  return TypePtr(std::make_shared<arrow::MapType>(
      arrow::field("key", key, /*nullable=*/false),
      arrow::field("value", std::move(value), type.item_field()->nullable())));
}

TypePtr StoredTimestamp(const arrow::TimestampType& type) {
  const auto unit = type.unit() == arrow::TimeUnit::MILLI ? type.unit() : arrow::TimeUnit::MICRO;
  // Avro knows moments and local times, no zones.
  return type.timezone().empty() ? arrow::timestamp(unit) : arrow::timestamp(unit, "UTC");
}

// Types without children.
TypePtr StoredScalarType(const TypePtr& type) {
  switch (type->id()) {
    case arrow::Type::INT8:
    case arrow::Type::INT16:
    case arrow::Type::UINT8:
    case arrow::Type::UINT16:
      return arrow::int32();
    case arrow::Type::UINT32:
      return arrow::int64();
    case arrow::Type::HALF_FLOAT:
      return arrow::float32();
    case arrow::Type::DATE64:
      return arrow::date32();
    case arrow::Type::TIMESTAMP:
      return StoredTimestamp(checked_cast<const arrow::TimestampType&>(*type));
    case arrow::Type::TIME32:
      return arrow::time32(arrow::TimeUnit::MILLI);
    case arrow::Type::TIME64:
      return arrow::time64(arrow::TimeUnit::MICRO);
    case arrow::Type::LARGE_STRING:
    case arrow::Type::STRING_VIEW:
      return arrow::utf8();
    case arrow::Type::LARGE_BINARY:
    case arrow::Type::BINARY_VIEW:
      return arrow::binary();
    default:
      return type;
  }
}

Result<TypePtr> StoredType(const TypePtr& type, const std::string& column) {
  switch (type->id()) {
    case arrow::Type::UINT64:
      return NoForm(*type, column, "cast it to int64, or to decimal128(20, 0)");
    case arrow::Type::NA:
      return NoForm(*type, column, "cast it to the type that its values will have");
    case arrow::Type::DURATION:
    case arrow::Type::INTERVAL_MONTHS:
    case arrow::Type::INTERVAL_DAY_TIME:
    case arrow::Type::INTERVAL_MONTH_DAY_NANO:
      return NoForm(*type, column, "cast it to int64");
    case arrow::Type::DECIMAL32:
    case arrow::Type::DECIMAL64:
    case arrow::Type::DECIMAL256: {
      const auto& decimal = checked_cast<const arrow::DecimalType&>(*type);
      if (decimal.precision() <= arrow::Decimal128Type::kMaxPrecision) {
        return arrow::decimal128(decimal.precision(), decimal.scale());
      }
      return NoForm(*type, column, "cast it to a decimal of at most 38 digits");
    }
    case arrow::Type::DICTIONARY:
      return StoredType(checked_cast<const arrow::DictionaryType&>(*type).value_type(), column);
    case arrow::Type::LIST:
    case arrow::Type::LARGE_LIST:
    case arrow::Type::LIST_VIEW:
    case arrow::Type::LARGE_LIST_VIEW:
      return StoredList(*type->field(0), column);
    case arrow::Type::FIXED_SIZE_LIST: {
      const auto& list = checked_cast<const arrow::FixedSizeListType&>(*type);
      return arrow::fixed_size_list(arrow::field("element", list.value_type(), /*nullable=*/false),
                                    list.list_size());
    }
    case arrow::Type::MAP:
      return StoredMap(checked_cast<const arrow::MapType&>(*type), column);
    case arrow::Type::STRUCT:
      return StoredStruct(*type, column);
    default:
      return StoredScalarType(type);
  }
}

}  // namespace

Result<std::shared_ptr<arrow::Schema>> ToStoredTypes(const arrow::Schema& schema) {
  arrow::FieldVector fields;
  for (const FieldPtr& field : schema.fields()) {
    ARROW_ASSIGN_OR_RAISE(FieldPtr stored, StoredField(*field, field->name()));
    fields.push_back(std::move(stored));
  }
  return arrow::schema(std::move(fields));
}

}  // namespace firth
