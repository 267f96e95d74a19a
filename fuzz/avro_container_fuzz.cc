// SPDX-License-Identifier: Apache-2.0
#include "firth/format/avro/avro_codec.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  (void)firth::ReadAvroContainer(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
