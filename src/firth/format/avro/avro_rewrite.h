// SPDX-License-Identifier: Apache-2.0
// Changes of type that Hudi allows beyond Avro's own promotions: through text, and of decimals.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>

#include "firth/common/bytes.h"
#include "firth/format/avro/avro_column.h"
#include "firth/format/avro/avro_schema.h"

namespace firth {

/// Whether Hudi turns values of `writer` (no union) into `wanted`; docs/format/avro.md has the
/// table.
bool AvroRewriteAllowed(const AvroSchema& writer, const arrow::DataType& wanted);

/// Reads one value of `writer` and appends it, rewritten, to `out`.
/// Errors: kCorrupt on bad bytes, kUnsupported when this value has no form in the wanted type.
Status AvroRewrite(const AvroSchema& writer, ByteReader& in, AvroColumn* out);

/// Appends a big-endian two's complement number to a decimal column.
/// Errors: kCorrupt when it has no bytes or more digits than the column.
Status AppendAvroDecimal(std::string_view big_endian, AvroColumn* out);

}  // namespace firth
