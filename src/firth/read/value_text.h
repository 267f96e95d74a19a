// SPDX-License-Identifier: Apache-2.0
// Values as the text that Hudi's Java code makes of them: record keys, partition values, rewrites.
#pragma once

#include <arrow/type_fwd.h>

#include <string>

#include "firth/common/java_text.h"  // JavaText
#include "firth/common/status.h"

namespace firth {

/// Appends the text of a value that is not null (spec 01, 6.3): dates are ISO, timestamps their raw
/// number, decimals plain with their scale. Errors: kUnsupported for nested types.
Status AppendValueText(const arrow::Array& array, int64_t row, std::string* out);

}  // namespace firth
