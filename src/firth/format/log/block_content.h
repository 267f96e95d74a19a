// SPDX-License-Identifier: Apache-2.0
// The content of a block as a file of its own: Parquet blocks hold whole Parquet files.
#pragma once

#include <arrow/io/type_fwd.h>

#include <memory>

#include "firth/common/status.h"
#include "firth/format/log/log_reader.h"

namespace firth {

/// Contents of up to 8 MiB are fetched at once, ranges of larger ones as they are read. `block` is
/// one that `log` returned; both outlive the file. Errors: kIo.
Result<std::shared_ptr<arrow::io::RandomAccessFile>> OpenBlockContent(const LogReader& log,
                                                                      const LogBlock& block);

}  // namespace firth
