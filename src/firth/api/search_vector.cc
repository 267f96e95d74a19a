// SPDX-License-Identifier: Apache-2.0
#include "firth/api/table_impl.h"
#include "firth/search.h"
#include "firth/search/vector_search.h"

namespace firth {

Result<std::shared_ptr<arrow::Table>> SearchVector(const Snapshot& snapshot,
                                                   const VectorQueries& queries,
                                                   const VectorSearchOptions& options,
                                                   VectorSearchReport* report) {
  return SearchVector(PinnedOf(snapshot), queries, options, report);
}

}  // namespace firth
