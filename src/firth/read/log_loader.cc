// SPDX-License-Identifier: Apache-2.0
#include "firth/read/log_loader.h"

#include <arrow/array/builder_binary.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/byte_size.h>
#include <parquet/metadata.h>

#include <algorithm>

#include "firth/common/memory.h"
#include "firth/format/log/block_content.h"
#include "firth/read/block_checks.h"
#include "firth/read/output_stage.h"
#include "firth/read/row_number.h"

namespace firth {
namespace {

// Bytes of records decoded into one batch: text columns must stay below 2 GiB, and what is decoded
// in one go cannot be spilled in parts.
constexpr int64_t kMinBatchBytes = int64_t{1} << 16;
constexpr int64_t kMaxBatchBytes = int64_t{1} << 24;

}  // namespace

int64_t LogBatch::bytes() const {
  int64_t total = static_cast<int64_t>(ordering.flags.capacity() +
                                       (origin.capacity() + 2 * positions.capacity()) * 4);
  if (rows) total += arrow::util::TotalBufferSize(*rows);
  if (!rows && keys) total += arrow::util::TotalBufferSize(*keys);
  if (ordering.values) total += arrow::util::TotalBufferSize(*ordering.values);
  return total;
}

LogLoader::LogLoader(const ReadContext& context, const MergePlan& plan, LogScan scan,
                     ColumnConstants constants, const SliceReadOptions& options,
                     std::string base_instant, SliceReadMetrics* metrics)
    : context_(context),
      plan_(plan),
      scan_(std::move(scan)),
      constants_(std::move(constants)),
      options_(options),
      base_instant_(std::move(base_instant)),
      metrics_(metrics),
      last_block_(scan_.sources.size()) {
  for (size_t i = 0; i < scan_.blocks.size(); ++i) last_block_[scan_.blocks[i].source] = i + 1;
}

Result<std::optional<LogBatch>> LogLoader::Next() {
  while (true) {
    if (cursor_.block == nullptr) {
      if (next_block_ == scan_.blocks.size()) return std::nullopt;
      ARROW_RETURN_NOT_OK(OpenBlock(next_block_++));
    }
    const ScannedBlock& block = scan_.blocks[next_block_ - 1];
    const auto next = [&]() -> Result<std::optional<LogBatch>> {
      if (block.block.type == LogBlockType::kDelete) {
        ARROW_ASSIGN_OR_RAISE(LogBatch deletes, DeleteBatch());
        CloseBlock();
        return std::optional(std::move(deletes));
      }
      ARROW_ASSIGN_OR_RAISE(auto rows, NextRows());
      if (rows == nullptr) {
        CloseBlock();
        return std::nullopt;
      }
      ARROW_ASSIGN_OR_RAISE(LogBatch batch, DataBatch(std::move(rows)));
      return std::optional(std::move(batch));
    };
    Result<std::optional<LogBatch>> batch = next();
    if (!batch.ok()) {
      return WithContext(batch.status(),
                         fmt::format("{}: block at offset {}", scan_.sources[block.source].path,
                                     block.block.offset));
    }
    if (*batch && (*batch)->num_records() > 0) return batch;
  }
}

bool LogLoader::IsPartial() const { return cursor_.block->Get(LogHeaderKey::kIsPartial) == "true"; }

// A file is opened again when it was closed after the scan.
Status LogLoader::OpenSource(size_t number) {
  LogSource& source = scan_.sources[scan_.blocks[number].source];
  if (source.reader != nullptr) return Status::OK();
  ARROW_ASSIGN_OR_RAISE(auto file, context_.storage->OpenFile(source.path, source.size));
  return LogReader::Open(std::move(file), source.path).Value(&source.reader);
}

// A file is closed after its last block.
void LogLoader::CloseBlock() {
  cursor_ = Cursor{};
  const size_t source = scan_.blocks[next_block_ - 1].source;
  if (last_block_[source] == next_block_) scan_.sources[source].reader = nullptr;
}

Status LogLoader::OpenBlock(size_t number) {
  const ScannedBlock& block = scan_.blocks[number];
  const std::string& path = scan_.sources[block.source].path;
  cursor_ = Cursor{};
  cursor_.block = &block.block;
  ARROW_RETURN_NOT_OK(OpenSource(number));
  Status status;
  switch (block.block.type) {
    case LogBlockType::kAvroData:
      status = OpenAvro();
      break;
    case LogBlockType::kParquetData:
      status = OpenParquet();
      break;
    case LogBlockType::kDelete:
      return Status::OK();
    default:
      status = UnsupportedError("data block of type {}; firth merges avro and parquet blocks",
                                static_cast<int>(block.block.type));
  }
  return WithContext(status, fmt::format("{}: block at offset {}", path, block.block.offset));
}

// Which columns of the plan a partial block has.
void LogLoader::SetPresent(const arrow::Schema& file) {
  present_ = nullptr;
  if (!IsPartial()) return;
  auto present = std::make_shared<std::vector<bool>>();
  for (const auto& field : plan_.rows->fields()) {
    present->push_back(file.GetFieldIndex(field->name()) >= 0 || field->name() == kRowNumberColumn);
  }
  present_ = std::move(present);
}

Status LogLoader::OpenAvro() {
  ARROW_ASSIGN_OR_RAISE(cursor_.avro, AvroBlockReader::Open(log(), *cursor_.block));
  ReadPositions(cursor_.avro->num_records());
  const std::string_view text = cursor_.block->Get(LogHeaderKey::kSchema);
  const SchemaEvolution evolution(context_.schema, cursor_.block->Get(LogHeaderKey::kInstantTime),
                                  options_.latest_instant);
  std::string key = fmt::format(
      "{} {} {}", IsPartial(),
      evolution.renames() ? cursor_.block->Get(LogHeaderKey::kInstantTime) : std::string_view(),
      text);
  if (decoder_ != nullptr && key == decoder_key_) return Status::OK();
  ARROW_ASSIGN_OR_RAISE(AvroSchemaPtr writer, ParseAvroSchema(text));
  ARROW_RETURN_NOT_OK(CheckBlockSchema(
      context_, *writer, cursor_.block->Get(LogHeaderKey::kInstantTime), IsPartial()));
  if (evolution.renames()) writer = evolution.Rename(writer);
  decoder_ = nullptr;
  ARROW_ASSIGN_OR_RAISE(decoder_, AvroDecoder::Make(writer, plan_.rows, BatchPool()));
  decoder_key_ = std::move(key);
  fills_.clear();
  auto present = std::make_shared<std::vector<bool>>();
  for (int i = 0; i < plan_.rows->num_fields(); ++i) {
    const std::string& name = plan_.rows->field(i)->name();
    const bool in_block = writer->FindField(name) != nullptr;
    const auto constant = constants_.find(name);
    if (!in_block && constant != constants_.end()) fills_.emplace_back(i, constant->second);
    present->push_back(in_block || constant != constants_.end() || name == kRowNumberColumn);
  }
  present_ = IsPartial() ? std::move(present) : nullptr;
  return Status::OK();
}

Status LogLoader::OpenParquet() {
  const std::string& path = log().path();
  ParquetOptions parquet_options;
  parquet_options.batch_rows = options_.batch_rows;
  ARROW_ASSIGN_OR_RAISE(auto content, OpenBlockContent(log(), *cursor_.block));
  ARROW_ASSIGN_OR_RAISE(cursor_.parquet,
                        ParquetFile::Open(std::move(content), path, parquet_options));
  ReadPositions(cursor_.parquet->metadata().num_rows());
  const SchemaEvolution evolution(context_.schema, cursor_.block->Get(LogHeaderKey::kInstantTime),
                                  options_.latest_instant);
  const arrow::Schema& file = *cursor_.parquet->schema();
  ARROW_ASSIGN_OR_RAISE(SchemaReconciler reconciler,
                        SchemaReconciler::Make(file, plan_.rows, evolution, constants_, path));
  cursor_.reconciler = std::make_unique<SchemaReconciler>(std::move(reconciler));
  SetPresent(evolution.renames() ? *evolution.Rename(file) : file);
  decoder_ = nullptr;  // fills_ and present_ are no longer those of the Avro schema
  fills_.clear();
  return Status::OK();
}

Result<std::shared_ptr<arrow::RecordBatch>> LogLoader::NextRows() {
  return cursor_.parquet ? NextParquet() : NextAvro();
}

Result<std::shared_ptr<arrow::RecordBatch>> LogLoader::NextAvro() {
  const size_t max_bytes =
      static_cast<size_t>(std::clamp(options_.memory_budget / 4, kMinBatchBytes, kMaxBatchBytes));
  int64_t count = 0;
  for (size_t bytes = 0; count < options_.batch_rows && bytes < max_bytes; ++count) {
    ARROW_ASSIGN_OR_RAISE(const std::optional<std::string_view> record, cursor_.avro->Next());
    if (!record) break;
    bytes += record->size();
    ARROW_RETURN_NOT_OK(decoder_->Append(*record));
  }
  if (count == 0) return nullptr;
  ARROW_ASSIGN_OR_RAISE(auto rows, decoder_->Flush());
  if (fills_.empty()) return rows;
  arrow::ArrayVector columns = rows->columns();
  for (const auto& [column, value] : fills_) {
    ARROW_ASSIGN_OR_RAISE(columns[column], arrow::MakeArrayFromScalar(*value, rows->num_rows()));
  }
  return arrow::RecordBatch::Make(plan_.rows, rows->num_rows(), std::move(columns));
}

Result<std::shared_ptr<arrow::RecordBatch>> LogLoader::NextParquet() {
  while (true) {
    if (cursor_.row_group == nullptr) {
      if (cursor_.next_row_group == cursor_.parquet->metadata().num_row_groups()) return nullptr;
      ARROW_ASSIGN_OR_RAISE(cursor_.row_group,
                            cursor_.parquet->ReadRowGroup(cursor_.next_row_group++,
                                                          cursor_.reconciler->file_columns()));
    }
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(cursor_.row_group->ReadNext(&batch));
    if (batch == nullptr) {
      cursor_.row_group = nullptr;
    } else if (batch->num_rows() > 0) {
      return cursor_.reconciler->Apply(*batch);
    }
  }
}

// Positions are an optimisation: without a usable list the block is merged by key.
void LogLoader::ReadPositions(int64_t records) {
  if (!options_.position_merge || base_instant_.empty() || options_.instants) return;
  if (cursor_.block->Get(LogHeaderKey::kBaseFileInstantOfPositions) != base_instant_) return;
  const std::string_view text = cursor_.block->Get(LogHeaderKey::kRecordPositions);
  if (text.empty()) return;
  auto positions = DecodeRecordPositions(text, records);
  if (positions.ok() && static_cast<int64_t>(positions->size()) == records) {
    cursor_.positions = *std::move(positions);
  }
}

Result<LogBatch> LogLoader::DataBatch(std::shared_ptr<arrow::RecordBatch> rows) {
  const int64_t first = cursor_.done;
  const int64_t count = rows->num_rows();
  cursor_.done += count;
  metrics_->log_records.fetch_add(count, std::memory_order_relaxed);
  LogBatch batch;
  if (!cursor_.positions.empty()) {
    batch.positions.assign(cursor_.positions.begin() + first,
                           cursor_.positions.begin() + first + count);
  }
  ARROW_ASSIGN_OR_RAISE(rows, NumberRows(std::move(rows), kFirstLogRow + rows_));
  rows_ += count;
  if (options_.instants) {
    ARROW_ASSIGN_OR_RAISE(rows, KeepInstants(rows, *options_.instants));
  }
  batch.present = present_;
  ARROW_ASSIGN_OR_RAISE(batch.keys, plan_.keys.Of(*rows));
  ARROW_ASSIGN_OR_RAISE(batch.ordering, plan_.ordering.FromRows(*rows));
  ARROW_RETURN_NOT_OK(plan_.deletes.Mark(*rows, &batch.ordering.flags));
  batch.rows = std::move(rows);
  return batch;
}

Result<LogBatch> LogLoader::DeleteBatch() {
  ARROW_ASSIGN_OR_RAISE(const auto content, log().LoadContent(*cursor_.block));
  ARROW_ASSIGN_OR_RAISE(const std::vector<DeleteRecord> deletes,
                        DecodeDeleteBlock(std::string_view(*content)));
  metrics_->delete_records.fetch_add(static_cast<int64_t>(deletes.size()),
                                     std::memory_order_relaxed);
  LogBatch batch;
  arrow::StringBuilder keys;
  for (const DeleteRecord& entry : deletes) ARROW_RETURN_NOT_OK(keys.Append(entry.record_key));
  ARROW_ASSIGN_OR_RAISE(batch.keys, keys.Finish());
  ARROW_ASSIGN_OR_RAISE(batch.ordering, plan_.ordering.FromDeletes(deletes));
  ReadPositions(static_cast<int64_t>(deletes.size()));
  batch.positions = std::move(cursor_.positions);
  return batch;
}

}  // namespace firth
