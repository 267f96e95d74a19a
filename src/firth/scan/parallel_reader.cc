// SPDX-License-Identifier: Apache-2.0
#include "firth/scan/parallel_reader.h"

#include <arrow/record_batch.h>
#include <arrow/util/byte_size.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace firth {
namespace {

using BatchPtr = std::shared_ptr<arrow::RecordBatch>;

// Reads one stream after the other on the caller's thread.
class SequentialReader : public arrow::RecordBatchReader {
 public:
  SequentialReader(std::shared_ptr<arrow::Schema> schema, int64_t count, OpenStream open)
      : schema_(std::move(schema)), count_(count), open_(std::move(open)) {}

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  Status ReadNext(BatchPtr* out) override {
    *out = nullptr;
    while (true) {
      if (!current_) {
        if (next_ == count_) return Status::OK();
        ARROW_ASSIGN_OR_RAISE(current_, open_(next_++));
      }
      ARROW_RETURN_NOT_OK(current_->ReadNext(out));
      if (*out == nullptr) {
        current_.reset();
      } else if ((*out)->num_rows() > 0) {
        return Status::OK();
      }
    }
  }

 private:
  std::shared_ptr<arrow::Schema> schema_;
  int64_t count_;
  OpenStream open_;
  int64_t next_ = 0;
  std::shared_ptr<arrow::RecordBatchReader> current_;
};

// What the workers and the caller share. A worker takes the lowest stream not yet taken; since the
// caller drains streams in order, the stream it waits for is always being read.
class WorkQueue {
 public:
  WorkQueue(int64_t count, OpenStream open, int64_t queued_bytes)
      : open_(std::move(open)), streams_(static_cast<size_t>(count)), budget_(queued_bytes) {}

  void RunWorker() {
    while (true) {
      size_t index;
      {
        std::lock_guard lock(mutex_);
        if (stopped_ || taken_ == streams_.size()) return;
        index = taken_++;
      }
      Finish(index, ReadStream(index));
    }
  }

  // The next batch in order; nullptr at the end.
  Result<BatchPtr> Next() {
    std::unique_lock lock(mutex_);
    while (front_ < streams_.size()) {
      Stream& stream = streams_[front_];
      changed_.wait(lock, [&] { return !stream.batches.empty() || stream.end.has_value(); });
      if (!stream.batches.empty()) {
        Queued queued = std::move(stream.batches.front());
        stream.batches.pop_front();
        queued_ -= queued.bytes;
        changed_.notify_all();
        return std::move(queued.batch);
      }
      ARROW_RETURN_NOT_OK(*stream.end);
      ++front_;
      changed_.notify_all();  // the new front stream may now exceed the budget
    }
    return nullptr;
  }

  void Stop() {
    std::lock_guard lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }

 private:
  struct Queued {
    BatchPtr batch;
    int64_t bytes;
  };
  struct Stream {
    std::deque<Queued> batches;
    std::optional<Status> end;
  };

  Status ReadStream(size_t index) {
    ARROW_ASSIGN_OR_RAISE(const auto reader, open_(static_cast<int64_t>(index)));
    while (true) {
      BatchPtr batch;
      ARROW_RETURN_NOT_OK(reader->ReadNext(&batch));
      if (batch == nullptr) return Status::OK();
      if (batch->num_rows() == 0) continue;
      ARROW_ASSIGN_OR_RAISE(const int64_t bytes, arrow::util::ReferencedBufferSize(*batch));
      if (!Push(index, {std::move(batch), bytes})) return Status::OK();
    }
  }

  // False when the caller went away.
  bool Push(size_t index, Queued queued) {
    std::unique_lock lock(mutex_);
    // The front stream may always hold one batch, else a full queue of later streams would block
    // it.
    changed_.wait(lock, [&] {
      return stopped_ || queued_ + queued.bytes <= budget_ ||
             (index == front_ && streams_[index].batches.empty());
    });
    if (stopped_) return false;
    queued_ += queued.bytes;
    streams_[index].batches.push_back(std::move(queued));
    changed_.notify_all();
    return true;
  }

  void Finish(size_t index, Status status) {
    std::lock_guard lock(mutex_);
    streams_[index].end = std::move(status);
    changed_.notify_all();
  }

  OpenStream open_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Stream> streams_;
  size_t taken_ = 0;
  size_t front_ = 0;
  int64_t queued_ = 0;
  int64_t budget_;
  bool stopped_ = false;
};

class ThreadedReader : public arrow::RecordBatchReader {
 public:
  ThreadedReader(std::shared_ptr<arrow::Schema> schema, int64_t count, OpenStream open,
                 const ParallelReadOptions& options)
      : schema_(std::move(schema)), queue_(count, std::move(open), options.queued_bytes) {
    const int64_t threads = std::min<int64_t>(options.threads, count);
    for (int64_t i = 0; i < threads; ++i) workers_.emplace_back([this] { queue_.RunWorker(); });
  }

  ~ThreadedReader() override {
    queue_.Stop();
    for (std::thread& worker : workers_) worker.join();
  }

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  Status ReadNext(BatchPtr* out) override {
    ARROW_ASSIGN_OR_RAISE(*out, queue_.Next());
    return Status::OK();
  }

 private:
  std::shared_ptr<arrow::Schema> schema_;
  WorkQueue queue_;
  std::vector<std::thread> workers_;
};

class LimitedReader : public arrow::RecordBatchReader {
 public:
  LimitedReader(std::shared_ptr<arrow::RecordBatchReader> reader, int64_t limit)
      : schema_(reader->schema()), reader_(std::move(reader)), left_(limit) {}

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  Status ReadNext(BatchPtr* out) override {
    *out = nullptr;
    if (left_ == 0) {
      reader_.reset();  // stops the workers
      return Status::OK();
    }
    ARROW_RETURN_NOT_OK(reader_->ReadNext(out));
    if (*out == nullptr) return Status::OK();
    if ((*out)->num_rows() > left_) *out = (*out)->Slice(0, left_);
    left_ -= (*out)->num_rows();
    return Status::OK();
  }

 private:
  std::shared_ptr<arrow::Schema> schema_;
  std::shared_ptr<arrow::RecordBatchReader> reader_;
  int64_t left_;
};

}  // namespace

std::shared_ptr<arrow::RecordBatchReader> ReadInParallel(std::shared_ptr<arrow::Schema> schema,
                                                         int64_t count, OpenStream open,
                                                         ParallelReadOptions options) {
  std::shared_ptr<arrow::RecordBatchReader> reader;
  if (options.threads <= 1 || count <= 1) {
    reader = std::make_shared<SequentialReader>(std::move(schema), count, std::move(open));
  } else {
    reader = std::make_shared<ThreadedReader>(std::move(schema), count, std::move(open), options);
  }
  if (options.limit < 0) return reader;
  return std::make_shared<LimitedReader>(std::move(reader), options.limit);
}

}  // namespace firth
