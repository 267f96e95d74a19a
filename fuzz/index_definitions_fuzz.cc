// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "firth/metadata/index_definitions.h"
#include "firth/metadata/metadata_keys.h"

// The input is the text of index.json, and also the key of a secondary index: a key that can be
// taken apart names the same value and record when it is put together again.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto definitions = firth::ParseIndexDefinitions(text);
  if (definitions.ok()) {
    for (const auto& [name, definition] : *definitions) {
      if (name != definition.name) std::abort();
    }
  }
  const auto key = firth::ParseSecondaryKey(text);
  if (key.ok() && !(*firth::ParseSecondaryKey(firth::FormatSecondaryKey(*key)) == *key)) {
    std::abort();
  }
  firth::FileGroupOf(text, 7);
  return 0;
}
