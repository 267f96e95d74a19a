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
///
/// Fields are matched by name at every level; writer fields that are not wanted are skipped without
/// being built; wanted fields that the writer lacks become null. Where types differ, the promotions
/// and rewrites of docs/format/avro.md section 4 apply. Bytes are untrusted: any datum gives rows
/// or an error, in time and memory bounded by its size and the width of the schemas. One decoder
/// serves one thread; decoders share nothing.
class AvroDecoder {
 public:
  /// Errors: kUnsupported when a writer type cannot become the wanted type, naming the field.
  static Result<std::unique_ptr<AvroDecoder>> Make(AvroSchemaPtr writer,
                                                   std::shared_ptr<arrow::Schema> wanted,
                                                   arrow::MemoryPool* pool);
  virtual ~AvroDecoder() = default;

  /// Appends one record that must fill `datum` exactly.
  /// Errors: kCorrupt on bytes that break the encoding, kUnsupported on a value that has no form in
  /// the wanted type, kResourceExhausted beyond the 2 GiB of a column; all name the column. The
  /// columns are unusable afterwards.
  virtual Status Append(std::string_view datum) = 0;
  /// Rows appended since the last Flush.
  virtual int64_t num_rows() const = 0;
  /// The rows so far; the decoder starts again, empty.
  /// Errors: kCorrupt when a text column holds bytes that are not UTF-8.
  virtual Result<std::shared_ptr<arrow::RecordBatch>> Flush() = 0;
};

/// Encodes rows of record batches as binary records.
class AvroEncoder {
 public:
  /// Every field of `writer` must be a column of `schema` of the matching type; other columns are
  /// left out. Errors: kInvalidArgument when one is missing, kUnsupported when its type differs.
  static Result<std::unique_ptr<AvroEncoder>> Make(AvroSchemaPtr writer,
                                                   std::shared_ptr<arrow::Schema> schema);
  virtual ~AvroEncoder() = default;
  /// Sets the batch whose rows follow. The batch must outlive the calls to Encode.
  virtual Status SetBatch(const arrow::RecordBatch& batch) = 0;
  /// Appends one row. Errors: kInvalidArgument on a null or a value that the schema does not allow,
  /// naming the column; `out` then ends inside the record.
  virtual Status Encode(int64_t row, ByteWriter* out) const = 0;
};

/// One datum as JSON: records and maps are objects, unions are the bare branch value, bytes and
/// fixed are strings of the raw bytes (not UTF-8). Reads on from `in` and leaves it behind the
/// datum.
Result<nlohmann::json> DecodeAvroJson(const AvroSchema& schema, ByteReader& in);
/// The inverse. A union takes its first branch that accepts the value; a missing member of a record
/// takes the field's default, else null. Errors: kInvalidArgument, naming the field.
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
