// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>

#include "firth/table/table_schema.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto history =
      firth::ParseSchemaHistory(std::string_view(reinterpret_cast<const char*>(data), size));
  if (history.ok() && !std::ranges::is_sorted(*history, {}, &firth::InternalSchema::version_id)) {
    std::abort();
  }
  return 0;
}
