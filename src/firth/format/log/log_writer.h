// SPDX-License-Identifier: Apache-2.0
// Whole log files as bytes: data, delete and command blocks (docs/format/log.md). A log file is its
// blocks one after the other; data blocks come first, one delete block last.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "firth/common/status.h"
#include "firth/format/log/log_format.h"

namespace firth {

/// One framed block. The header must hold kInstantTime, and kSchema for Avro, HFile and CDC blocks.
/// Errors: kInvalidArgument for a missing header, kCorrupt as type, or when it would reach 2 GiB.
Result<std::string> EncodeLogBlock(LogBlockType type, const LogHeader& header,
                                   std::string_view content);

/// Content of an Avro data block from records that are already encoded.
std::string EncodeAvroBlock(const std::vector<std::string>& records);

/// Content of a delete block.
/// Errors: kInvalidArgument when an ordering value's kind and value don't belong together.
Result<std::string> EncodeDeleteBlock(const std::vector<DeleteRecord>& records);

/// The header value RECORD_POSITIONS.
/// @param positions strictly ascending row numbers of the base file, one for each record of the
/// block Errors: kInvalidArgument when they are negative or don't ascend.
Result<std::string> EncodeRecordPositions(const std::vector<int64_t>& positions);

}  // namespace firth
