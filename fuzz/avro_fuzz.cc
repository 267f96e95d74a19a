// SPDX-License-Identifier: Apache-2.0
// Input: schema text, a zero byte, one datum. Both codecs must take the same bytes or refuse them.
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <cstdlib>

#include "firth/format/avro/avro_codec.h"

namespace {

// What prints must parse again to what printed it.
void CheckPrinting(const firth::AvroSchema& schema) {
  const std::string text = firth::FormatAvroSchema(schema);
  const auto again = firth::ParseAvroSchema(text);
  if (!again.ok() || firth::FormatAvroSchema(**again) != text) std::abort();
}

// Reads the datum as all columns, then as none: skipping must agree with reading on where it ends.
void DecodeColumns(const firth::AvroSchemaPtr& schema, std::string_view datum) {
  const auto wanted = firth::AvroToArrowSchema(*schema);
  if (!wanted.ok()) return;
  auto decoder = firth::AvroDecoder::Make(schema, *wanted, arrow::default_memory_pool());
  auto skipper = firth::AvroDecoder::Make(schema, arrow::schema({}), arrow::default_memory_pool());
  if (!decoder.ok() || !skipper.ok()) return;
  if (!(*decoder)->Append(datum).ok()) return;
  if (!(*skipper)->Append(datum).ok()) std::abort();
  const auto batch = (*decoder)->Flush();
  if (batch.ok() && !(*batch)->Validate().ok()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t zero = input.find('\0');
  const auto schema = firth::ParseAvroSchema(input.substr(0, zero));
  if (!schema.ok()) return 0;
  CheckPrinting(**schema);
  const std::string_view datum =
      zero == std::string_view::npos ? std::string_view() : input.substr(zero + 1);
  firth::ByteReader in(datum);
  const auto value = firth::DecodeAvroJson(**schema, in);
  if (value.ok()) {
    firth::ByteWriter out;
    (void)firth::EncodeAvroJson(**schema, *value, &out);
  }
  DecodeColumns(*schema, datum);
  return 0;
}
