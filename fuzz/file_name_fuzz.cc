// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "firth/table/file_system_view.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view path(reinterpret_cast<const char*>(data), size);
  const auto base = firth::ParseBaseFileName(path, 1);
  const auto log = firth::ParseLogFileName(path, 1);
  if (base && log) std::abort();
  if (base && (base->file_id.empty() || base->instant.empty())) std::abort();
  if (log && (log->file_id.empty() || log->instant.empty() || log->version < 0)) std::abort();
  return 0;
}
