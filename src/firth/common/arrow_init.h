// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "firth/common/status.h"

namespace firth {

/// Registers Arrow's compute functions once per process; cheap afterwards. Whoever calls
/// arrow::compute (casts, filters, expressions) calls this first.
Status InitializeArrow();

}  // namespace firth
