// SPDX-License-Identifier: Apache-2.0
#include "cli/type_names.h"

#include <arrow/type.h>
#include <fmt/format.h>

namespace firth::cli {
namespace {

std::string VectorName(const arrow::FixedSizeListType& type) {
  switch (type.value_type()->id()) {
    case arrow::Type::FLOAT:
      return fmt::format("vector({})", type.list_size());
    case arrow::Type::DOUBLE:
      return fmt::format("vector({}, double)", type.list_size());
    case arrow::Type::INT8:
      return fmt::format("vector({}, int8)", type.list_size());
    default:
      return fmt::format("array<{}>", SparkTypeName(*type.value_type()));
  }
}

std::string StructName(const arrow::DataType& type) {
  std::string name = "struct<";
  for (const auto& field : type.fields()) {
    if (name.back() != '<') name += ',';
    name += field->name() + ":" + SparkTypeName(*field->type());
  }
  return name + ">";
}

}  // namespace

std::string SparkTypeName(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::BOOL:
      return "boolean";
    case arrow::Type::INT8:
      return "tinyint";
    case arrow::Type::INT16:
      return "smallint";
    case arrow::Type::INT32:
      return "int";
    case arrow::Type::INT64:
      return "bigint";
    case arrow::Type::FLOAT:
      return "float";
    case arrow::Type::DOUBLE:
      return "double";
    case arrow::Type::STRING:
    case arrow::Type::LARGE_STRING:
    case arrow::Type::STRING_VIEW:
      return "string";
    case arrow::Type::BINARY:
    case arrow::Type::LARGE_BINARY:
    case arrow::Type::BINARY_VIEW:
    case arrow::Type::FIXED_SIZE_BINARY:
      return "binary";
    case arrow::Type::DATE32:
    case arrow::Type::DATE64:
      return "date";
    case arrow::Type::TIMESTAMP:
      return static_cast<const arrow::TimestampType&>(type).timezone().empty() ? "timestamp_ntz"
                                                                               : "timestamp";
    case arrow::Type::DECIMAL128:
    case arrow::Type::DECIMAL256: {
      const auto& decimal = static_cast<const arrow::DecimalType&>(type);
      return fmt::format("decimal({},{})", decimal.precision(), decimal.scale());
    }
    case arrow::Type::LIST:
    case arrow::Type::LARGE_LIST:
      return fmt::format("array<{}>", SparkTypeName(*type.field(0)->type()));
    case arrow::Type::FIXED_SIZE_LIST:
      return VectorName(static_cast<const arrow::FixedSizeListType&>(type));
    case arrow::Type::MAP: {
      const auto& map = static_cast<const arrow::MapType&>(type);
      return fmt::format("map<{},{}>", SparkTypeName(*map.key_type()),
                         SparkTypeName(*map.item_type()));
    }
    case arrow::Type::STRUCT:
      return StructName(type);
    default:
      return type.ToString();
  }
}

}  // namespace firth::cli
