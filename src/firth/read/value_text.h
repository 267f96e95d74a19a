// SPDX-License-Identifier: Apache-2.0
// Values as the text that Hudi's Java code makes of them: record keys, partition values, rewrites.
#pragma once

#include <arrow/type_fwd.h>

#include <string>

#include "firth/common/status.h"

namespace firth {

/// Java's Double.toString / Float.toString: "1.0", "1.0E10", "NaN", "Infinity".
std::string JavaText(double value);
std::string JavaText(float value);

/// Appends the text of a value that is not null (spec 01, 6.3): dates are ISO, timestamps their raw
/// number, decimals plain with their scale. Errors: kUnsupported for nested types.
Status AppendValueText(const arrow::Array& array, int64_t row, std::string* out);

}  // namespace firth
