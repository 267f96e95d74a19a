// SPDX-License-Identifier: Apache-2.0
// Whole log files as bytes: data, delete and command blocks (docs/format/log.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "firth/common/status.h"
#include "firth/format/log/log_format.h"

namespace firth {

/// One framed block. Errors: kInvalidArgument when it would reach 2 GiB.
Result<std::string> EncodeLogBlock(LogBlockType type, const LogHeader& header,
                                   std::string_view content);

/// Content of an Avro data block from already encoded records.
std::string EncodeAvroBlock(const std::vector<std::string>& records);

/// Content of a delete block.
std::string EncodeDeleteBlock(const std::vector<DeleteRecord>& records);

/// The header value for ascending row numbers.
Result<std::string> EncodeRecordPositions(const std::vector<int64_t>& positions);

}  // namespace firth
