// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/type_fwd.h>

namespace firth {

/// Where the columns of decoded and merged batches live: the C heap, unless the user chose a pool
/// by ARROW_DEFAULT_MEMORY_POOL.
arrow::MemoryPool* BatchPool();

}  // namespace firth
