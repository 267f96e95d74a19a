// SPDX-License-Identifier: Apache-2.0
// Values of Arrow arrays as text: the one spelling that JSON, CSV and tables share.
//
// JSON: null, booleans and integers as usual; float and double as the shortest decimal that reads
// back as the same double (a float is widened first), with "NaN", "Infinity" and "-Infinity" as
// strings; decimals as strings with their scale; dates `YYYY-MM-DD`; timestamps
// `YYYY-MM-DDTHH:MM:SS.ffffff`, those with a zone in UTC and with a final Z; binary as base64;
// lists as arrays; structs and maps as objects, map keys sorted. Invalid UTF-8 becomes U+FFFD.
#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace firth::cli {

enum class TextStyle : uint8_t {
  kJson,  ///< a JSON value
  kBare,  ///< the same without quotes and escapes around scalars; nested values stay JSON
};

/// Appends values of one array. Made once per array, so that a value costs no type dispatch.
class ValueWriter {
 public:
  virtual ~ValueWriter() = default;
  /// Appends the value of `row`, `null` when it is null. 0 <= row < length.
  virtual void Append(int64_t row, std::string* out) const = 0;
};

/// Errors: NotImplemented for a type that has no text form (unions, intervals, ...).
arrow::Result<std::unique_ptr<ValueWriter>> MakeValueWriter(std::shared_ptr<arrow::Array> array,
                                                            TextStyle style);

/// Appends rows as JSON lines, `{"id":1,"name":"x"}` each.
class JsonRowWriter {
 public:
  explicit JsonRowWriter(const arrow::Schema& schema);
  arrow::Status Append(const arrow::RecordBatch& batch, std::string* out) const;

 private:
  std::vector<std::string> prefixes_;  // `{"id":`, `,"name":`
};

}  // namespace firth::cli
