// SPDX-License-Identifier: Apache-2.0
// Arrow has more types than tables can store: what becomes of the others.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>

#include "firth/common/status.h"

namespace firth {

/// The schema with each type replaced by the one that tables store its values as: narrow and
/// unsigned integers by wider ones, float16 by float32, seconds and nanoseconds by microseconds,
/// large, viewed and dictionary-encoded forms by plain ones. Metadata of fields is dropped.
/// Errors: kInvalidArgument naming the column whose type has no such form, with a remedy.
Result<std::shared_ptr<arrow::Schema>> ToStoredTypes(const arrow::Schema& schema);

}  // namespace firth
