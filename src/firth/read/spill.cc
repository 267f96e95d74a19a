// SPDX-License-Identifier: Apache-2.0
#include "firth/read/spill.h"

#include <arrow/array/array_primitive.h>
#include <arrow/buffer.h>
#include <arrow/io/file.h>
#include <arrow/ipc/options.h>
#include <arrow/ipc/reader.h>
#include <arrow/ipc/writer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/checked_cast.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "firth/read/record_map.h"

namespace firth {
namespace {

using arrow::internal::checked_cast;

// A file that only the descriptor knows: nothing is left behind by a crash.
Result<int> OpenNameless(const std::string& dir) {
  std::error_code ignored;
  const std::string folder =
      dir.empty() ? std::filesystem::temp_directory_path(ignored).string() : dir;
  std::string path = folder + "/firth-spill-XXXXXX";
  const int fd = mkstemp(path.data());
  if (fd < 0) {
    return Error(ErrorCode::kIo, "spill folder {}: {}", folder, std::strerror(errno));
  }
  unlink(path.c_str());
  return fd;
}

std::shared_ptr<arrow::Schema> DeleteSchema(const OrderingCodec& ordering) {
  return arrow::schema(
      {arrow::field("key", arrow::utf8()),
       arrow::field("ordering", ordering.wide() ? arrow::binary() : arrow::int64()),
       arrow::field("flags", arrow::uint8())});
}

}  // namespace

SpillFile::SpillFile(int fd, std::shared_ptr<arrow::io::FileOutputStream> stream,
                     std::shared_ptr<arrow::ipc::RecordBatchWriter> writer)
    : fd_(fd), stream_(std::move(stream)), writer_(std::move(writer)) {}

SpillFile::~SpillFile() { close(fd_); }

Result<std::unique_ptr<SpillFile>> SpillFile::Create(const std::string& dir,
                                                     const std::shared_ptr<arrow::Schema>& schema) {
  ARROW_ASSIGN_OR_RAISE(const int fd, OpenNameless(dir));
  // The stream closes its own descriptor.
  ARROW_ASSIGN_OR_RAISE(auto stream, arrow::io::FileOutputStream::Open(dup(fd)));
  arrow::ipc::IpcWriteOptions options = arrow::ipc::IpcWriteOptions::Defaults();
  options.use_threads = false;
  ARROW_ASSIGN_OR_RAISE(auto writer, arrow::ipc::MakeFileWriter(stream, schema, options));
  return std::unique_ptr<SpillFile>(new SpillFile(fd, std::move(stream), std::move(writer)));
}

Status SpillFile::Append(const arrow::RecordBatch& batch) {
  return writer_->WriteRecordBatch(batch);
}

Status SpillFile::Finish() {
  ARROW_RETURN_NOT_OK(writer_->Close());
  ARROW_ASSIGN_OR_RAISE(bytes_, stream_->Tell());
  return stream_->Close();
}

Result<std::shared_ptr<arrow::ipc::RecordBatchFileReader>> SpillFile::OpenReader(
    const std::vector<int>& columns) const {
  ARROW_ASSIGN_OR_RAISE(auto file, arrow::io::ReadableFile::Open(dup(fd_)));
  arrow::ipc::IpcReadOptions options = arrow::ipc::IpcReadOptions::Defaults();
  options.use_threads = false;
  options.included_fields = columns;
  return arrow::ipc::RecordBatchFileReader::Open(std::move(file), options);
}

LogStore::LogStore(const MergePlan& plan, int64_t memory_budget, std::string spill_dir)
    : plan_(plan), memory_budget_(memory_budget), spill_dir_(std::move(spill_dir)) {}

Status LogStore::Append(LogBatch batch) {
  records_ += batch.num_records();
  if (spilled()) return Write(batch);
  memory_bytes_ += batch.bytes() + batch.num_records() * RecordMap::kBytesPerKey;
  memory_.push_back(std::move(batch));
  return memory_bytes_ > memory_budget_ ? StartSpilling() : Status::OK();
}

Status LogStore::StartSpilling() {
  ARROW_ASSIGN_OR_RAISE(rows_file_, SpillFile::Create(spill_dir_, plan_.rows));
  ARROW_ASSIGN_OR_RAISE(deletes_file_, SpillFile::Create(spill_dir_, DeleteSchema(plan_.ordering)));
  for (LogBatch& batch : memory_) {
    ARROW_RETURN_NOT_OK(Write(batch));
    batch = LogBatch{};
  }
  memory_.clear();
  return Status::OK();
}

Status LogStore::Write(const LogBatch& batch) {
  if (batch.rows) {
    entries_.push_back({false, rows_written_++, batch.present});
    return rows_file_->Append(*batch.rows);
  }
  entries_.push_back({true, deletes_written_++, nullptr});
  const int64_t count = batch.num_records();
  std::shared_ptr<arrow::Array> ordering = batch.ordering.values;
  if (ordering == nullptr) {
    ordering = std::make_shared<arrow::Int64Array>(
        count, arrow::Buffer::FromVector(std::vector<int64_t>(count)));
  }
  auto flags =
      std::make_shared<arrow::UInt8Array>(count, arrow::Buffer::FromVector(batch.ordering.flags));
  return deletes_file_->Append(*arrow::RecordBatch::Make(
      DeleteSchema(plan_.ordering), count, {batch.keys, std::move(ordering), std::move(flags)}));
}

Status LogStore::Finish() {
  if (!spilled()) return Status::OK();
  ARROW_RETURN_NOT_OK(rows_file_->Finish());
  return deletes_file_->Finish();
}

int64_t LogStore::spilled_bytes() const {
  return spilled() ? rows_file_->bytes() + deletes_file_->bytes() : 0;
}

Result<LogStore::Reader> LogStore::OpenReader(const MergePlan& plan) const {
  Reader reader;
  reader.store_ = this;
  reader.plan_ = &plan;
  std::vector<int> columns;
  for (const auto& field : plan.rows->fields()) {
    columns.push_back(plan_.rows->GetFieldIndex(field->name()));
  }
  ARROW_ASSIGN_OR_RAISE(reader.rows_, rows_file_->OpenReader(columns));
  ARROW_ASSIGN_OR_RAISE(reader.deletes_, deletes_file_->OpenReader({}));
  return reader;
}

Result<LogBatch> LogStore::Reader::Read(size_t i) const {
  const Entry& entry = store_->entries_[i];
  LogBatch batch;
  if (!entry.is_delete_block) {
    ARROW_ASSIGN_OR_RAISE(const auto rows, rows_->ReadRecordBatch(entry.index));
    batch.rows = arrow::RecordBatch::Make(plan_->rows, rows->num_rows(), rows->columns());
    batch.present = entry.present;
    ARROW_ASSIGN_OR_RAISE(batch.keys, plan_->keys.Of(*batch.rows));
    ARROW_ASSIGN_OR_RAISE(batch.ordering, plan_->ordering.FromRows(*batch.rows));
    ARROW_RETURN_NOT_OK(plan_->deletes.Mark(*batch.rows, &batch.ordering.flags));
    return batch;
  }
  ARROW_ASSIGN_OR_RAISE(const auto deletes, deletes_->ReadRecordBatch(entry.index));
  batch.keys = deletes->column(0);
  if (!plan_->ordering.empty()) batch.ordering.values = deletes->column(1);
  const auto& flags = checked_cast<const arrow::UInt8Array&>(*deletes->column(2));
  batch.ordering.flags.assign(flags.raw_values(), flags.raw_values() + flags.length());
  return batch;
}

}  // namespace firth
