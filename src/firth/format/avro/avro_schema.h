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
  kNull,
  kBoolean,
  kInt,
  kLong,
  kFloat,
  kDouble,
  kBytes,
  kString,
  kFixed,
  kEnum,
  kRecord,
  kArray,
  kMap,
  kUnion,
};

/// What a logicalType says about a value. Attributes that Avro calls invalid (a decimal of too many
/// digits for its fixed, a date on a string) and unknown names leave the plain type.
enum class AvroLogical : uint8_t {
  kNone,
  kDecimal,
  kDate,
  kTimeMillis,
  kTimeMicros,
  kTimestampMillis,
  kTimestampMicros,
  kLocalTimestampMillis,
  kLocalTimestampMicros,
  kUuid,
  kVector,
  kBlob,
  kVariant,  // the last three: Hudi 1.2
};

struct AvroSchema;
using AvroSchemaPtr = std::shared_ptr<const AvroSchema>;

struct AvroField {
  std::string name;
  AvroSchemaPtr type;
  bool has_default = false;
  nlohmann::json default_value;  // as written in the schema
};

/// One node of a schema tree; named types are shared where the text refers back to them. There are
/// no cycles: a record inside itself is refused, so that every walk of a tree ends.
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

/// Bounds of a schema, so that no text makes a walk of its tree expensive.
inline constexpr int kMaxAvroDepth = 64;
inline constexpr int64_t kMaxAvroNodes = 1
                                         << 17;  // references to a named type count its nodes again
inline constexpr int32_t kMaxAvroFixedSize = 1 << 20;

/// "long", "array", ... as schemas spell it.
std::string_view AvroKindName(AvroKind kind);

/// The one type besides null of a union [null, T] or [T, null]; `schema` itself when it is no
/// union; nullptr for a union of another form. `null_branch` gets the branch that stands for null,
/// or -1.
const AvroSchema* AvroNonNull(const AvroSchema& schema, int* null_branch);

/// The fewest bytes of two's complement that hold every decimal of `precision` digits, as Hudi
/// sizes decimals in Avro and Parquet.
int32_t MinDecimalBytes(int32_t precision);

/// Errors: kCorrupt on anything that is not a schema, kUnsupported on a record inside itself and on
/// schemas beyond the bounds above. Doc, aliases and unknown attributes are dropped.
Result<AvroSchemaPtr> ParseAvroSchema(std::string_view json);

/// The text of a schema in the form of Avro's own library: each named type where it is first met,
/// later its name.
std::string FormatAvroSchema(const AvroSchema& schema);

/// Arrow schema of a record. [null, T] becomes nullable T; timestamps carry UTC, local timestamps
/// no zone; VECTOR becomes fixed_size_list; enum becomes utf8; uuid utf8; decimal decimal128, or
/// decimal256 beyond 38 digits.
/// Errors: kUnsupported for VARIANT and for unions of several non-null types, naming the field.
Result<std::shared_ptr<arrow::Schema>> AvroToArrowSchema(const AvroSchema& record);

/// The inverse, in the form Hudi writes: [null, T] with default null for what is nullable, nested
/// records named after their field, decimals on minimal fixed.
/// Errors: kUnsupported for Arrow types that have no Avro form, kInvalidArgument for names that
/// Avro does not allow; both name the column.
Result<AvroSchemaPtr> ArrowToAvroSchema(const arrow::Schema& schema, std::string_view record_name,
                                        std::string_view name_space);

}  // namespace firth
