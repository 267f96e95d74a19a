// SPDX-License-Identifier: Apache-2.0
// Exact vector search by reading every row: the answer that an index must reproduce.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>

#include "firth/common/status.h"
#include "firth/scan/pinned_snapshot.h"
#include "firth/search.h"

namespace firth {

/// The public SearchVector, over the value that a snapshot holds.
Result<std::shared_ptr<arrow::Table>> SearchVector(
    const std::shared_ptr<const PinnedSnapshot>& snapshot, const VectorQueries& queries,
    const VectorSearchOptions& options, VectorSearchReport* report);

}  // namespace firth
