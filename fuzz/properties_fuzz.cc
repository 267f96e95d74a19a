// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "firth/common/properties.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto parsed =
      firth::ParseProperties(std::string_view(reinterpret_cast<const char*>(data), size));
  // What was parsed must survive being written and parsed again.
  if (parsed.ok() &&
      firth::FormatProperties(*parsed) !=
          firth::FormatProperties(*firth::ParseProperties(firth::FormatProperties(*parsed)))) {
    std::abort();
  }
  return 0;
}
