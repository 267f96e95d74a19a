// SPDX-License-Identifier: Apache-2.0
// Ranked full-text search of a snapshot.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <string_view>

#include "firth/common/status.h"
#include "firth/scan/pinned_snapshot.h"
#include "firth/search.h"

namespace firth {

/// The public SearchText, over the value that a snapshot holds.
Result<std::shared_ptr<arrow::Table>> SearchText(
    const std::shared_ptr<const PinnedSnapshot>& snapshot, std::string_view query_json,
    const SearchOptions& options, TextSearchReport* report);

}  // namespace firth
