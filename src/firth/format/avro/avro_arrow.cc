// SPDX-License-Identifier: Apache-2.0
// Avro schemas to Arrow schemas and back.
#include <arrow/type.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <utility>

#include "firth/format/avro/avro_schema.h"

namespace firth {
namespace {

using TypePtr = std::shared_ptr<arrow::DataType>;

Result<std::shared_ptr<arrow::Field>> ToArrowField(const std::string& name,
                                                   const AvroSchema& schema,
                                                   const std::string& path);

TypePtr VectorType(const AvroSchema& schema) {
  TypePtr element = schema.element_type == "DOUBLE" ? arrow::float64()
                    : schema.element_type == "INT8" ? arrow::int8()
                                                    : arrow::float32();
  return arrow::fixed_size_list(arrow::field("element", std::move(element), /*nullable=*/false),
                                schema.dimension);
}

Result<TypePtr> DecimalType(const AvroSchema& schema) {
  if (schema.precision <= arrow::Decimal128Type::kMaxPrecision) {
    return arrow::Decimal128Type::Make(schema.precision, schema.scale);
  }
  return arrow::Decimal256Type::Make(schema.precision, schema.scale);
}

TypePtr IntegerType(const AvroSchema& schema) {
  using arrow::TimeUnit;
  switch (schema.logical) {
    case AvroLogical::kDate:
      return arrow::date32();
    case AvroLogical::kTimeMillis:
      return arrow::time32(TimeUnit::MILLI);
    case AvroLogical::kTimeMicros:
      return arrow::time64(TimeUnit::MICRO);
    case AvroLogical::kTimestampMillis:
      return arrow::timestamp(TimeUnit::MILLI, "UTC");
    case AvroLogical::kTimestampMicros:
      return arrow::timestamp(TimeUnit::MICRO, "UTC");
    case AvroLogical::kLocalTimestampMillis:
      return arrow::timestamp(TimeUnit::MILLI);
    case AvroLogical::kLocalTimestampMicros:
      return arrow::timestamp(TimeUnit::MICRO);
    default:
      return schema.kind == AvroKind::kInt ? arrow::int32() : arrow::int64();
  }
}

Result<TypePtr> StructType(const AvroSchema& schema, const std::string& path) {
  if (schema.logical == AvroLogical::kVariant) {
    return UnsupportedError("column \"{}\" is a VARIANT, which firth does not read", path);
  }
  arrow::FieldVector fields;
  fields.reserve(schema.fields.size());
  for (const AvroField& field : schema.fields) {
    ARROW_ASSIGN_OR_RAISE(auto child,
                          ToArrowField(field.name, *field.type, path + "." + field.name));
    fields.push_back(std::move(child));
  }
  return arrow::struct_(std::move(fields));
}

// The type of a schema that is no union.
Result<TypePtr> ToArrowType(const AvroSchema& schema, const std::string& path) {
  switch (schema.kind) {
    case AvroKind::kNull:
      return arrow::null();
    case AvroKind::kBoolean:
      return arrow::boolean();
    case AvroKind::kInt:
    case AvroKind::kLong:
      return IntegerType(schema);
    case AvroKind::kFloat:
      return arrow::float32();
    case AvroKind::kDouble:
      return arrow::float64();
    case AvroKind::kBytes:
      if (schema.logical == AvroLogical::kDecimal) return DecimalType(schema);
      return arrow::binary();
    case AvroKind::kString:
    case AvroKind::kEnum:
      return arrow::utf8();
    case AvroKind::kFixed:
      if (schema.logical == AvroLogical::kDecimal) return DecimalType(schema);
      if (schema.logical == AvroLogical::kVector) return VectorType(schema);
      return arrow::fixed_size_binary(schema.size);
    case AvroKind::kRecord:
      return StructType(schema, path);
    case AvroKind::kArray: {
      ARROW_ASSIGN_OR_RAISE(auto item,
                            ToArrowField("element", *schema.types[0], path + ".element"));
      return arrow::list(std::move(item));
    }
    case AvroKind::kMap: {
      ARROW_ASSIGN_OR_RAISE(auto value, ToArrowField("value", *schema.types[0], path + ".value"));
      return TypePtr(std::make_shared<arrow::MapType>(
          arrow::field("key", arrow::utf8(), /*nullable=*/false), std::move(value)));
    }
    case AvroKind::kUnion:
      break;
  }
  return InternalError("column \"{}\": a union has no Arrow type of its own", path);
}

Result<std::shared_ptr<arrow::Field>> ToArrowField(const std::string& name,
                                                   const AvroSchema& schema,
                                                   const std::string& path) {
  int null_branch = -1;
  const AvroSchema* type = AvroNonNull(schema, &null_branch);
  if (type == nullptr) {
    constexpr size_t kShownBytes = 100;
    const std::string shown = FormatAvroSchema(schema);
    return UnsupportedError("column \"{}\" is a union of several types: {:.{}}{}", path, shown,
                            kShownBytes, shown.size() > kShownBytes ? "..." : "");
  }
  ARROW_ASSIGN_OR_RAISE(TypePtr arrow_type, ToArrowType(*type, path));
  const bool nullable = null_branch >= 0 || type->kind == AvroKind::kNull;
  return arrow::field(name, std::move(arrow_type), nullable);
}

AvroSchemaPtr Plain(AvroKind kind, AvroLogical logical = AvroLogical::kNone) {
  auto schema = std::make_shared<AvroSchema>();
  schema->kind = kind;
  schema->logical = logical;
  return schema;
}

// As Avro for Java has it, which looks at UTF-16 units: no letter lies beyond U+FFFF.
Status CheckName(std::string_view name, std::string_view what) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(name.data());
  const auto size = static_cast<int32_t>(name.size());
  bool valid = size > 0;
  for (int32_t at = 0; valid && at < size;) {
    const bool first = at == 0;
    UChar32 c = 0;
    U8_NEXT(bytes, at, size, c);
    valid = c == '_' || (c > 0 && c <= 0xFFFF && (first ? u_isalpha(c) : u_isalnum(c)));
  }
  if (valid) return Status::OK();
  return InvalidError(
      "{} \"{}\" is no Avro name: letters, digits and underscores, no digit in front", what, name);
}

// Turns Arrow types into Avro types. `name` and `space` are what a named type of this place is
// called: the field's name inside the full name of the record that holds it.
class ToAvro {
 public:
  Result<AvroSchemaPtr> Record(const arrow::FieldVector& fields, std::string full_name) {
    auto schema = std::make_shared<AvroSchema>();
    schema->kind = AvroKind::kRecord;
    schema->full_name = std::move(full_name);
    for (const auto& field : fields) {
      ARROW_RETURN_NOT_OK(CheckName(field->name(), "column"));
      AvroField out;
      out.name = field->name();
      ARROW_ASSIGN_OR_RAISE(out.type, Nullable(*field, field->name(), schema->full_name));
      out.has_default = field->nullable();  // the default is null
      schema->fields.push_back(std::move(out));
    }
    return schema;
  }

 private:
  Result<AvroSchemaPtr> Nullable(const arrow::Field& field, const std::string& name,
                                 const std::string& space) {
    ARROW_ASSIGN_OR_RAISE(AvroSchemaPtr type, Type(*field.type(), name, space));
    if (!field.nullable()) return type;
    auto schema = std::make_shared<AvroSchema>();
    schema->kind = AvroKind::kUnion;
    schema->types = {Plain(AvroKind::kNull), std::move(type)};
    return schema;
  }

  Result<AvroSchemaPtr> Items(AvroKind kind, const arrow::Field& item, const std::string& name,
                              const std::string& space) {
    auto schema = std::make_shared<AvroSchema>();
    schema->kind = kind;
    ARROW_ASSIGN_OR_RAISE(AvroSchemaPtr type, Nullable(item, name, space));
    schema->types.push_back(std::move(type));
    return schema;
  }

  static AvroSchemaPtr Fixed(int32_t size, const std::string& name, const std::string& space,
                             int32_t precision, int32_t scale) {
    auto schema = std::make_shared<AvroSchema>();
    schema->kind = AvroKind::kFixed;
    schema->full_name = fmt::format("{}.{}.fixed", space, name);
    schema->size = size;
    schema->precision = precision;
    schema->scale = scale;
    if (precision > 0) schema->logical = AvroLogical::kDecimal;
    return schema;
  }

  // Vectors of one shape share a type outside every namespace, as Hudi names them.
  Result<AvroSchemaPtr> Vector(const arrow::FixedSizeListType& type, const std::string& name) {
    auto schema = std::make_shared<AvroSchema>();
    schema->kind = AvroKind::kFixed;
    schema->logical = AvroLogical::kVector;
    schema->dimension = type.list_size();
    int32_t width = 0;
    switch (type.value_type()->id()) {
      case arrow::Type::FLOAT:
        schema->element_type = "FLOAT", width = 4;
        break;
      case arrow::Type::DOUBLE:
        schema->element_type = "DOUBLE", width = 8;
        break;
      case arrow::Type::INT8:
        schema->element_type = "INT8", width = 1;
        break;
      default:
        return Unsupported(type, name);
    }
    if (schema->dimension < 1 || schema->dimension > kMaxAvroFixedSize / width) {
      return UnsupportedError("column \"{}\" is a vector of dimension {}; must be 1 to {}", name,
                              schema->dimension, kMaxAvroFixedSize / width);
    }
    schema->size = schema->dimension * width;
    schema->full_name = fmt::format(
        "vector_{}_{}",
        type.value_type()->id() == arrow::Type::INT8 ? "int8" : type.value_type()->name(),
        schema->dimension);
    return schema;
  }

  static Status Unsupported(const arrow::DataType& type, const std::string& name) {
    return UnsupportedError("column \"{}\" has type {}, which has no Avro form", name,
                            type.ToString());
  }

  static Result<AvroSchemaPtr> Temporal(const arrow::DataType& type, const std::string& name) {
    using arrow::TimeUnit;
    if (type.id() == arrow::Type::TIMESTAMP) {
      const auto& timestamp = static_cast<const arrow::TimestampType&>(type);
      const bool local = timestamp.timezone().empty();
      if (timestamp.unit() == TimeUnit::MILLI) {
        return Plain(AvroKind::kLong,
                     local ? AvroLogical::kLocalTimestampMillis : AvroLogical::kTimestampMillis);
      }
      if (timestamp.unit() == TimeUnit::MICRO) {
        return Plain(AvroKind::kLong,
                     local ? AvroLogical::kLocalTimestampMicros : AvroLogical::kTimestampMicros);
      }
    } else {
      const TimeUnit::type unit = static_cast<const arrow::TimeType&>(type).unit();
      if (unit == TimeUnit::MILLI) return Plain(AvroKind::kInt, AvroLogical::kTimeMillis);
      if (unit == TimeUnit::MICRO) return Plain(AvroKind::kLong, AvroLogical::kTimeMicros);
    }
    return WithRemedy(Unsupported(type, name), "cast it to milliseconds or microseconds");
  }

  Result<AvroSchemaPtr> Type(const arrow::DataType& type, const std::string& name,
                             const std::string& space) {
    switch (type.id()) {
      case arrow::Type::BOOL:
        return Plain(AvroKind::kBoolean);
      case arrow::Type::INT8:
      case arrow::Type::INT16:
      case arrow::Type::INT32:
        return Plain(AvroKind::kInt);
      case arrow::Type::INT64:
        return Plain(AvroKind::kLong);
      case arrow::Type::FLOAT:
        return Plain(AvroKind::kFloat);
      case arrow::Type::DOUBLE:
        return Plain(AvroKind::kDouble);
      case arrow::Type::STRING:
      case arrow::Type::LARGE_STRING:
        return Plain(AvroKind::kString);
      case arrow::Type::BINARY:
      case arrow::Type::LARGE_BINARY:
        return Plain(AvroKind::kBytes);
      case arrow::Type::DATE32:
        return Plain(AvroKind::kInt, AvroLogical::kDate);
      case arrow::Type::TIME32:
      case arrow::Type::TIME64:
      case arrow::Type::TIMESTAMP:
        return Temporal(type, name);
      case arrow::Type::FIXED_SIZE_BINARY: {
        const int32_t width = static_cast<const arrow::FixedSizeBinaryType&>(type).byte_width();
        if (width > kMaxAvroFixedSize) return Unsupported(type, name);
        return Fixed(width, name, space, 0, 0);
      }
      case arrow::Type::DECIMAL128:
      case arrow::Type::DECIMAL256: {
        const auto& decimal = static_cast<const arrow::DecimalType&>(type);
        if (decimal.scale() < 0 || decimal.scale() > decimal.precision()) {
          return Unsupported(type, name);
        }
        return Fixed(MinDecimalBytes(decimal.precision()), name, space, decimal.precision(),
                     decimal.scale());
      }
      case arrow::Type::FIXED_SIZE_LIST:
        return Vector(static_cast<const arrow::FixedSizeListType&>(type), name);
      case arrow::Type::LIST:
      case arrow::Type::LARGE_LIST:
        return Items(AvroKind::kArray, *type.field(0), name, space);
      case arrow::Type::MAP: {
        const auto& map = static_cast<const arrow::MapType&>(type);
        if (map.key_type()->id() != arrow::Type::STRING) return Unsupported(type, name);
        return Items(AvroKind::kMap, *map.item_field(), name, space);
      }
      case arrow::Type::STRUCT:
        return Record(type.fields(), fmt::format("{}.{}", space, name));
      default:
        return Unsupported(type, name);
    }
  }
};

}  // namespace

Result<std::shared_ptr<arrow::Schema>> AvroToArrowSchema(const AvroSchema& record) {
  if (record.kind != AvroKind::kRecord) {
    return UnsupportedError("avro schema of rows is a {}; must be a record",
                            AvroKindName(record.kind));
  }
  arrow::FieldVector fields;
  fields.reserve(record.fields.size());
  for (const AvroField& field : record.fields) {
    ARROW_ASSIGN_OR_RAISE(auto arrow_field, ToArrowField(field.name, *field.type, field.name));
    fields.push_back(std::move(arrow_field));
  }
  return arrow::schema(std::move(fields));
}

Result<AvroSchemaPtr> ArrowToAvroSchema(const arrow::Schema& schema, std::string_view record_name,
                                        std::string_view name_space) {
  ARROW_RETURN_NOT_OK(CheckName(record_name, "record"));
  return ToAvro().Record(schema.fields(), name_space.empty()
                                              ? std::string(record_name)
                                              : fmt::format("{}.{}", name_space, record_name));
}

}  // namespace firth
