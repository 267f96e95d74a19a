// SPDX-License-Identifier: Apache-2.0
// Log blocks have no checksum. What a header says is compared with what the table says elsewhere,
// so that a damaged one is an error and never a wrong row: docs/format/log.md, "Damage".
#pragma once

#include <string_view>

#include "firth/format/avro/avro_schema.h"
#include "firth/format/log/log_format.h"
#include "firth/read/slice_reader.h"

namespace firth {

/// Instant, flags and lists in the header of a block of `log`. Blocks whose instant nobody has ever
/// committed are fine: they do not count. Errors: kCorrupt.
Status CheckBlockHeader(const ReadContext& context, const LogFile& log, const LogBlock& block);

/// The schema of an Avro data block: each of its columns is one of the table or of the commit
/// `instant` that wrote the block, by name and type at every level; unless the block is `partial`,
/// it has all columns of that commit. Cost: none when the schema is the table's; else one read of
/// the commit's metadata. Errors: kCorrupt naming the column.
Status CheckBlockSchema(const ReadContext& context, const AvroSchema& block,
                        std::string_view instant, bool partial);

}  // namespace firth
