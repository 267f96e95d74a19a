// SPDX-License-Identifier: Apache-2.0
// Avro schemas as values: parsing, printing, and their Arrow counterparts.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "firth/common/status.h"

namespace firth {

enum class AvroKind : uint8_t {
  kNull, kBoolean, kInt, kLong, kFloat, kDouble, kBytes, kString,
  kFixed, kEnum, kRecord, kArray, kMap, kUnion,
};

enum class AvroLogical : uint8_t {
  kNone, kDecimal, kDate, kTimeMillis, kTimeMicros, kTimestampMillis, kTimestampMicros,
  kLocalTimestampMillis, kLocalTimestampMicros, kUuid,
  kVector, kBlob, kVariant,  // Hudi 1.2
};

struct AvroSchema;
using AvroSchemaPtr = std::shared_ptr<const AvroSchema>;

struct AvroField {
  std::string name;
  AvroSchemaPtr type;
  bool has_default = false;
  nlohmann::json default_value;  // as written in the schema
};

/// One node of a schema tree; named types are shared where the text refers back to them.
struct AvroSchema {
  AvroKind kind = AvroKind::kNull;
  AvroLogical logical = AvroLogical::kNone;
  std::string full_name;             // record, enum, fixed
  std::vector<AvroField> fields;     // record
  std::vector<AvroSchemaPtr> types;  // union branches; or one item (array) or value (map) type
  std::vector<std::string> symbols;  // enum
  int32_t size = 0;                  // fixed, bytes
  int32_t precision = 0, scale = 0;  // decimal
  int32_t dimension = 0;             // vector
  std::string element_type;          // vector: FLOAT, DOUBLE or INT8

  /// The field of that name, or nullptr.
  const AvroField* FindField(std::string_view name) const;
};

/// Errors: kCorrupt on anything that is not a schema; depth and size are bounded.
Result<AvroSchemaPtr> ParseAvroSchema(std::string_view json);
std::string FormatAvroSchema(const AvroSchema& schema);

/// Arrow schema of a record. [null, T] becomes nullable T; timestamps carry UTC, local timestamps
/// no zone; VECTOR becomes fixed_size_list; enum becomes utf8; uuid utf8; decimal decimal128.
/// Errors: kUnsupported for VARIANT and for unions of several non-null types, naming the field.
Result<std::shared_ptr<arrow::Schema>> AvroToArrowSchema(const AvroSchema& record);

/// The inverse, in the form Hudi writes (spec: [null, T] with default null, nested records named
/// after their field, decimals on minimal fixed).
Result<AvroSchemaPtr> ArrowToAvroSchema(const arrow::Schema& schema, std::string_view record_name,
                                        std::string_view name_space);

}  // namespace firth
