// SPDX-License-Identifier: Apache-2.0
// HFiles as Hudi fills them, in log blocks and in base files: the key of an entry is the record
// key, the value an Avro datum whose key field is empty, because the key has it already.
#pragma once

#include <arrow/io/type_fwd.h>
#include <arrow/type_fwd.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "firth/common/status.h"
#include "firth/format/avro/avro_codec.h"
#include "firth/format/hfile/hfile_reader.h"
#include "firth/format/hfile/hfile_writer.h"
#include "firth/format/log/log_format.h"

namespace firth {

/// The HFile in an HFile data block of `file`, which is read by ranges: nothing but the blocks that
/// are looked up. The path of `options` names the log file; its offset and length are set here.
Result<std::shared_ptr<const HFileReader>> OpenHFileBlock(
    std::shared_ptr<arrow::io::RandomAccessFile> file, const LogBlock& block,
    HFileReadOptions options = {});

struct HFileRecord {
  std::string_view key;
  std::string_view value;  // an Avro datum
};

/// Content of an HFile data block. `records` ascend by the bytes of their keys, which are unique.
/// @param schema_json  schema of the values; the same text goes into the header of the block
Result<std::string> EncodeHFileBlock(std::span<const HFileRecord> records,
                                     std::string_view schema_json, HFileWriteOptions options = {});

/// Entries of one HFile as rows. For one thread.
class HFileRecordDecoder {
 public:
  /// @param wanted     columns to decode, by name
  /// @param key_field  the column (string or binary) that takes the key of the entry, whatever the
  ///                   value holds; it may be absent from `wanted`
  /// Errors: kCorrupt when the file info lacks a schema, kUnsupported as AvroDecoder::Make.
  static Result<std::unique_ptr<HFileRecordDecoder>> Make(const HFileReader& file,
                                                          std::shared_ptr<arrow::Schema> wanted,
                                                          std::string_view key_field,
                                                          arrow::MemoryPool* pool);
  ~HFileRecordDecoder();

  /// Errors: as AvroDecoder::Append.
  Status Append(std::string_view key, std::string_view value);
  int64_t num_rows() const { return decoder_->num_rows(); }
  /// The rows so far; starts again, empty. Errors: kCorrupt when a key is not UTF-8.
  Result<std::shared_ptr<arrow::RecordBatch>> Flush();

 private:
  struct Keys;
  HFileRecordDecoder(std::unique_ptr<AvroDecoder> decoder, std::unique_ptr<Keys> keys);

  std::unique_ptr<AvroDecoder> decoder_;
  std::unique_ptr<Keys> keys_;  // null without a key column
};

}  // namespace firth
