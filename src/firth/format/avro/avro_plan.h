// SPDX-License-Identifier: Apache-2.0
// What a decoder does with each part of a record, worked out once from the two schemas.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "firth/format/avro/avro_column.h"
#include "firth/format/avro/avro_schema.h"

namespace firth {

enum class AvroOp : uint8_t {
  // Parts that nobody wants. Runs of equal steps are one step with a count.
  kSkipVarint,
  kSkipFixed,  // `size` bytes
  kSkipBytes,
  kSkipRecord,
  kSkipList,
  kSkipUnion,
  // Values. From varints:
  kInt32,
  kInt32ToInt64,
  kInt32ToFloat,
  kInt32ToDouble,
  kInt64,
  kInt64ToFloat,
  kInt64ToDouble,
  kMillisToMicros,  // int or long times 1000
  kMicrosToMillis,  // down to the millisecond that holds it
  kTimeMicrosToMillis,
  kEnum,
  // From fixed widths:
  kNull,
  kBoolean,
  kFixed,          // floats, doubles, fixed bytes and vectors, byte for byte
  kFloatToDouble,  // through decimal text
  kDecimal64,      // at most 8 bytes into 128 bits
  kDecimal,        // any other fixed
  // From a length:
  kBytes,
  kDecimalBytes,
  kRewrite,
  // Nested:
  kRecord,
  kList,
};

struct AvroStep;

/// Steps that consume one value of some schema.
struct AvroProgram {
  std::vector<AvroStep> steps;
  int64_t min_bytes = 0;  // no value has fewer
};

struct AvroStep {
  AvroOp op = AvroOp::kNull;
  bool nullable = false;               // a branch byte comes first
  uint8_t null_byte = 0;               // of that branch
  uint8_t value_byte = 0;              // the other one
  int32_t count = 1;                   // kSkipVarint, kSkipFixed, kSkipBytes
  int32_t size = 0;                    // fixed widths
  int64_t limit = 0;                   // kDecimal64: the first magnitude that has too many digits
  AvroColumn* column = nullptr;        // values only
  const AvroSchema* writer = nullptr;  // kEnum, kRewrite
  std::vector<AvroProgram> bodies;     // of a record or list: one; of a union: one a branch
};

/// The program of a record, and the column of structs that it fills.
struct AvroPlan {
  AvroProgram program;
  std::unique_ptr<AvroColumn> rows;
};

/// Matches fields by name at every level. The plan refers to `writer`, which must outlive it.
/// Errors: kUnsupported when a writer type cannot become the wanted type, naming the field.
Result<AvroPlan> MakeAvroPlan(const AvroSchema& writer, const arrow::FieldVector& wanted,
                              arrow::MemoryPool* pool);

}  // namespace firth
