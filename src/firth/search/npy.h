// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "firth/common/status.h"
#include "firth/search.h"

namespace firth {

/// The queries in the bytes of a NumPy array file (format 1.0 to 3.0): one vector, or a matrix with
/// one query a row. float16, float32, float64 of either byte order, C order.
/// @param name  for messages
/// Errors: kInvalidArgument for other types, shapes and orders, kCorrupt for a damaged file.
/// Source: NumPy documentation, numpy.lib.format, "Format Version 1.0".
Result<VectorQueries> ParseNpy(std::string_view bytes, std::string_view name);

}  // namespace firth
