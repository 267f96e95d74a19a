// SPDX-License-Identifier: Apache-2.0
// Query trees from any bytes: what is accepted has a canonical form that reads back as itself.
#include <cstdlib>

#include "firth/index/text/bound_query.h"
#include "firth/index/text/text_query.h"

namespace {

firth::Result<firth::AnalyzedColumn> WithDefaultAnalyzer(const std::string& column) {
  return firth::AnalyzedColumn{column, firth::Analyzer::Default()};
}

void CheckTree(std::string_view json) {
  const auto query = firth::ParseTextQuery(json);
  if (!query.ok()) return;
  const std::string canonical = firth::TextQueryToJson(*query);
  const auto again = firth::ParseTextQuery(canonical);
  if (!again.ok() || firth::TextQueryToJson(*again) != canonical) std::abort();
  static_cast<void>(firth::CheckRankedTextQuery(*query));
  static_cast<void>(firth::BoundQuery::Bind(*query, WithDefaultAnalyzer));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  CheckTree(bytes);
  const auto match = firth::MakeMatchQuery("c", "x", bytes);
  if (match.ok()) CheckTree(firth::TextQueryToJson(*match));
  return 0;
}
