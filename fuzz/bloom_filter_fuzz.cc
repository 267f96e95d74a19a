// SPDX-License-Identifier: Apache-2.0
#include <arrow/util/base64.h>

#include <cstdint>
#include <string_view>

#include "firth/metadata/bloom_filter.h"

// The input is a serialised filter, and also its Base64 text.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const char* type : {"SIMPLE", "DYNAMIC_V0"}) {
    const auto filter = firth::BloomFilter::Parse(type, arrow::util::base64_encode(bytes));
    if (filter.ok()) filter->MightContain(bytes);
    const auto text = firth::BloomFilter::Parse(type, bytes);
    if (text.ok()) text->MightContain("");
  }
  return 0;
}
