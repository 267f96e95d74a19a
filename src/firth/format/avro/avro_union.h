// SPDX-License-Identifier: Apache-2.0
// Small facts about schemas that the columnar decoder and encoder share.
#pragma once

#include <cstdint>

#include "firth/format/avro/avro_schema.h"

namespace firth {

/// A schema seen as optional: T, or a union of T and null in either order with the bytes that
/// select its branches (the zigzag forms of 0 and 1). `type` is nullptr for any other union.
struct AvroOptional {
  const AvroSchema* type = nullptr;
  bool is_union = false;
  uint8_t null_byte = 0;  // nothing is null when it equals value_byte
  uint8_t value_byte = 0;
};

inline AvroOptional ViewAsOptional(const AvroSchema& schema) {
  AvroOptional view;
  int null_branch = -1;
  view.type = AvroNonNull(schema, &null_branch);
  view.is_union = schema.kind == AvroKind::kUnion;
  view.null_byte = null_branch == 1 ? 2 : 0;
  view.value_byte = null_branch == 0 && schema.types.size() == 2 ? 2 : 0;
  return view;
}

inline bool IsAvroMillis(AvroLogical logical) {
  return logical == AvroLogical::kTimestampMillis || logical == AvroLogical::kLocalTimestampMillis;
}
inline bool IsAvroMicros(AvroLogical logical) {
  return logical == AvroLogical::kTimestampMicros || logical == AvroLogical::kLocalTimestampMicros;
}

/// The schema of every map's keys.
inline const AvroSchema& AvroMapKey() {
  static const AvroSchema kKey = [] {
    AvroSchema key;
    key.kind = AvroKind::kString;
    return key;
  }();
  return kKey;
}

}  // namespace firth
