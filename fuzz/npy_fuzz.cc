// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "firth/search/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto queries =
      firth::ParseNpy(std::string_view(reinterpret_cast<const char*>(data), size), "input");
  // Whole vectors, and never more values than bytes were given.
  if (queries.ok() &&
      (queries->count() * queries->dim != static_cast<int64_t>(queries->values.size()) ||
       queries->values.size() > size)) {
    std::abort();
  }
  return 0;
}
