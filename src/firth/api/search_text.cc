// SPDX-License-Identifier: Apache-2.0
#include "firth/api/table_impl.h"
#include "firth/search.h"
#include "firth/search/text_search.h"

namespace firth {

Result<std::shared_ptr<arrow::Table>> SearchText(const Snapshot& snapshot,
                                                 std::string_view query_json,
                                                 const SearchOptions& options,
                                                 TextSearchReport* report) {
  return SearchText(PinnedOf(snapshot), query_json, options, report);
}

}  // namespace firth
