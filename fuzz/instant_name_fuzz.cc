// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "firth/timeline/history.h"
#include "firth/timeline/instant.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view name(reinterpret_cast<const char*>(data), size);
  for (const auto layout : {firth::TimelineLayout::kV1, firth::TimelineLayout::kV2}) {
    const std::optional<firth::Instant> instant = firth::ParseInstantFileName(name, layout);
    if (!instant) continue;
    // Names that are accepted say their time and are completed exactly when they have another one.
    if (!name.starts_with(instant->requested)) std::abort();
    if (instant->is_completed() == instant->completed.empty()) std::abort();
  }
  if (const auto range = firth::ParseLsmFileName(name); range && range->first.empty()) std::abort();
  return 0;
}
