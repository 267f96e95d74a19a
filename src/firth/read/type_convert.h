// SPDX-License-Identifier: Apache-2.0
// Columns of one type as another: what Hudi allows between the schema of a file and of its table.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <string_view>

#include "firth/common/status.h"

namespace firth {

/// Whether ConvertColumn knows how. `path` names the column in the error (kUnsupported).
Status CheckConvertible(const arrow::DataType& from, const arrow::DataType& to,
                        std::string_view path);

/// `column` with exactly the type `to`: struct children by name (missing ones null), every list
/// layout, promotions and rewrites of spec 02 section 5.3, fixed bytes as vectors, and timestamps
/// whose file annotation is known to lie (docs/format/parquet.md). Shares buffers where it can.
/// Errors: kUnsupported for other pairs, kCorrupt for values that do not fit.
Result<std::shared_ptr<arrow::Array>> ConvertColumn(const std::shared_ptr<arrow::Array>& column,
                                                    const std::shared_ptr<arrow::DataType>& to,
                                                    std::string_view path);

}  // namespace firth
