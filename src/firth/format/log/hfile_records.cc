// SPDX-License-Identifier: Apache-2.0
#include "firth/format/log/hfile_records.h"

#include <arrow/array/builder_binary.h>
#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/utf8.h>

#include <utility>

#include "firth/format/avro/avro_schema.h"

namespace firth {
namespace {

constexpr std::string_view kSchema = "schema";

}  // namespace

Result<std::shared_ptr<const HFileReader>> OpenHFileBlock(
    std::shared_ptr<arrow::io::RandomAccessFile> file, const LogBlock& block,
    HFileReadOptions options) {
  if (block.type != LogBlockType::kHfileData) {
    return InvalidError("{}: {} block at offset {} is no HFile", options.path,
                        LogBlockTypeName(block.type), block.offset);
  }
  options.offset = block.content_offset;
  options.length = block.content_length;
  return HFileReader::Open(std::move(file), std::move(options));
}

Result<std::string> EncodeHFileBlock(std::span<const HFileRecord> records,
                                     std::string_view schema_json, HFileWriteOptions options) {
  ARROW_ASSIGN_OR_RAISE(const auto sink, arrow::io::BufferOutputStream::Create());
  ARROW_ASSIGN_OR_RAISE(const auto writer, HFileWriter::Make(sink, options));
  for (const HFileRecord& record : records) {
    ARROW_RETURN_NOT_OK(writer->Append(record.key, record.value));
  }
  writer->AddInfo(kSchema, schema_json);
  ARROW_RETURN_NOT_OK(writer->Finish());
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Buffer> content, sink->Finish());
  return content->ToString();
}

/// The column of keys: text as a rule, of the type that is wanted.
struct HFileRecordDecoder::Keys {
  int column = 0;
  bool is_text = true;
  std::unique_ptr<arrow::BinaryBuilder> builder;
};

HFileRecordDecoder::HFileRecordDecoder(std::unique_ptr<AvroDecoder> decoder,
                                       std::unique_ptr<Keys> keys)
    : decoder_(std::move(decoder)), keys_(std::move(keys)) {}

HFileRecordDecoder::~HFileRecordDecoder() = default;

Result<std::unique_ptr<HFileRecordDecoder>> HFileRecordDecoder::Make(
    const HFileReader& file, std::shared_ptr<arrow::Schema> wanted, std::string_view key_field,
    arrow::MemoryPool* pool) {
  const auto schema = file.info().find(kSchema);
  if (schema == file.info().end()) {
    return CorruptError("{}: file info without a schema", file.path());
  }
  ARROW_ASSIGN_OR_RAISE(const AvroSchemaPtr writer, ParseAvroSchema(schema->second));
  std::unique_ptr<Keys> keys;
  const int column = wanted->GetFieldIndex(std::string(key_field));
  if (column >= 0) {
    const arrow::Type::type type = wanted->field(column)->type()->id();
    keys = std::make_unique<Keys>();
    keys->column = column;
    keys->is_text = type == arrow::Type::STRING;
    if (keys->is_text) {
      keys->builder = std::make_unique<arrow::StringBuilder>(pool);
    } else if (type == arrow::Type::BINARY) {
      keys->builder = std::make_unique<arrow::BinaryBuilder>(pool);
    } else {
      return InvalidError("key column {} is {}; string and binary are possible", key_field,
                          wanted->field(column)->type()->ToString());
    }
  }
  ARROW_ASSIGN_OR_RAISE(auto decoder, AvroDecoder::Make(writer, std::move(wanted), pool));
  return std::unique_ptr<HFileRecordDecoder>(
      new HFileRecordDecoder(std::move(decoder), std::move(keys)));
}

Status HFileRecordDecoder::Append(std::string_view key, std::string_view value) {
  ARROW_RETURN_NOT_OK(decoder_->Append(value));
  if (keys_ == nullptr) return Status::OK();
  if (keys_->is_text && !arrow::util::ValidateUTF8(key)) {
    return CorruptError("record key of {} bytes isn't UTF-8", key.size());
  }
  return keys_->builder->Append(key);
}

Result<std::shared_ptr<arrow::RecordBatch>> HFileRecordDecoder::Flush() {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::RecordBatch> rows, decoder_->Flush());
  if (keys_ == nullptr) return rows;
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Array> keys, keys_->builder->Finish());
  return rows->SetColumn(keys_->column, rows->schema()->field(keys_->column), keys);
}

}  // namespace firth
