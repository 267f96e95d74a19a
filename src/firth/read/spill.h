// SPDX-License-Identifier: Apache-2.0
// Log records beyond the memory budget, on disk in arrival order.
#pragma once

#include <arrow/io/type_fwd.h>
#include <arrow/ipc/type_fwd.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "firth/common/status.h"
#include "firth/read/log_batch.h"
#include "firth/read/merge_plan.h"

namespace firth {

/// Record batches of one schema in an Arrow IPC file that has no name and vanishes with the object.
class SpillFile {
 public:
  /// `dir` empty: the system's temporary folder.
  static Result<std::unique_ptr<SpillFile>> Create(const std::string& dir,
                                                   const std::shared_ptr<arrow::Schema>& schema);
  ~SpillFile();

  Status Append(const arrow::RecordBatch& batch);
  /// Ends writing; reading starts.
  Status Finish();
  int64_t bytes() const { return bytes_; }

  /// A reader of some columns (indices into the schema; empty: all).
  Result<std::shared_ptr<arrow::ipc::RecordBatchFileReader>> OpenReader(
      const std::vector<int>& columns) const;

 private:
  SpillFile(int fd, std::shared_ptr<arrow::io::FileOutputStream> stream,
            std::shared_ptr<arrow::ipc::RecordBatchWriter> writer);

  int fd_;
  std::shared_ptr<arrow::io::FileOutputStream> stream_;
  std::shared_ptr<arrow::ipc::RecordBatchWriter> writer_;
  int64_t bytes_ = 0;
};

/// Batches of a slice's logs in processing order: in memory up to a budget, then on disk.
class LogStore {
 public:
  /// `plan` outlives the store.
  LogStore(const MergePlan& plan, int64_t memory_budget, std::string spill_dir);

  Status Append(LogBatch batch);
  /// No more Append.
  Status Finish();

  bool spilled() const { return rows_file_ != nullptr; }
  int64_t num_records() const { return records_; }
  int64_t spilled_bytes() const;
  size_t num_batches() const { return entries_.size(); }

  /// All batches, when nothing was spilled; the store is empty then.
  std::vector<LogBatch> TakeAll() { return std::move(memory_); }

  /// Reads spilled batches in order, under `plan`, whose rows are some of the columns written.
  class Reader {
   public:
    /// Batch number `i`, with origin empty.
    Result<LogBatch> Read(size_t i) const;

   private:
    friend class LogStore;
    const LogStore* store_ = nullptr;
    const MergePlan* plan_ = nullptr;
    std::shared_ptr<arrow::ipc::RecordBatchFileReader> rows_, deletes_;
  };
  Result<Reader> OpenReader(const MergePlan& plan) const;

 private:
  struct Entry {
    bool is_delete_block = false;
    int index = 0;  // within its file
    std::shared_ptr<const std::vector<bool>> present;
  };

  Status StartSpilling();
  Status Write(const LogBatch& batch);

  const MergePlan& plan_;
  int64_t memory_budget_;
  std::string spill_dir_;
  int64_t memory_bytes_ = 0;
  int64_t records_ = 0;
  std::vector<LogBatch> memory_;
  std::vector<Entry> entries_;
  int rows_written_ = 0, deletes_written_ = 0;
  std::unique_ptr<SpillFile> rows_file_, deletes_file_;
};

}  // namespace firth
