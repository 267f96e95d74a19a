// SPDX-License-Identifier: Apache-2.0
// Avro records straight to and from Arrow columns, and object container files as JSON values.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "firth/common/bytes.h"
#include "firth/format/avro/avro_schema.h"

namespace firth {

/// Decodes binary records of one writer schema into Arrow columns of the wanted schema.
/// Fields are matched by name at every level; writer fields that are not wanted are skipped without
/// being built; wanted fields that the writer lacks become null. Numeric promotions and the
/// rewrites that Hudi allows (docs/format/avro.md) are applied while decoding.
class AvroDecoder {
 public:
  /// Errors: kUnsupported when a writer type cannot become the wanted type, naming the field.
  static Result<std::unique_ptr<AvroDecoder>> Make(AvroSchemaPtr writer,
                                                   std::shared_ptr<arrow::Schema> wanted,
                                                   arrow::MemoryPool* pool);
  virtual ~AvroDecoder() = default;

  /// Appends one record that must fill `datum` exactly. On an error the columns are unusable.
  virtual Status Append(std::string_view datum) = 0;
  /// Rows appended since the last Flush.
  virtual int64_t num_rows() const = 0;
  virtual Result<std::shared_ptr<arrow::RecordBatch>> Flush() = 0;
};

/// Encodes rows of record batches as binary records.
class AvroEncoder {
 public:
  /// Every field of `writer` must be a column of `schema` of the matching type.
  static Result<std::unique_ptr<AvroEncoder>> Make(AvroSchemaPtr writer,
                                                   std::shared_ptr<arrow::Schema> schema);
  virtual ~AvroEncoder() = default;
  /// Sets the batch whose rows follow. The batch must outlive the calls to Encode.
  virtual Status SetBatch(const arrow::RecordBatch& batch) = 0;
  virtual Status Encode(int64_t row, ByteWriter* out) const = 0;
};

/// One datum as JSON: records and maps are objects, unions are the bare branch value, bytes and
/// fixed are strings of the raw bytes (not UTF-8).
Result<nlohmann::json> DecodeAvroJson(const AvroSchema& schema, ByteReader& in);
Status EncodeAvroJson(const AvroSchema& schema, const nlohmann::json& value, ByteWriter* out);

/// An object container file (null, deflate, snappy and zstandard codecs).
struct AvroContainer {
  AvroSchemaPtr schema;
  std::vector<nlohmann::json> records;
};
Result<AvroContainer> ReadAvroContainer(std::string_view bytes);
/// Null codec, one block, as Hudi writes its timeline files. `sync` is 16 bytes.
Result<std::string> WriteAvroContainer(const AvroSchema& schema, std::string_view schema_json,
                                       const std::vector<nlohmann::json>& records,
                                       std::string_view sync);

}  // namespace firth
