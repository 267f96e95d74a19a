// SPDX-License-Identifier: Apache-2.0
// Several streams read side by side, handed out in order, within a bound on queued bytes.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <functional>
#include <memory>

#include "firth/common/status.h"

namespace firth {

/// Opens the stream number `i`, 0 <= i < count. Called from worker threads, each number once.
using OpenStream = std::function<Result<std::shared_ptr<arrow::RecordBatchReader>>(int64_t i)>;

struct ParallelReadOptions {
  int threads = 1;  // 1: no worker threads, streams are read by the caller
  /// Bytes of decoded batches that may wait for the caller, over all streams.
  int64_t queued_bytes = int64_t{256} << 20;
  int64_t limit = -1;  // stop after this many rows; negative: all
};

/// A stream of all batches, those of stream 0 first. The first error ends it. Destroying it stops
/// the workers. Empty batches are left out.
std::shared_ptr<arrow::RecordBatchReader> ReadInParallel(std::shared_ptr<arrow::Schema> schema,
                                                         int64_t count, OpenStream open,
                                                         ParallelReadOptions options);

}  // namespace firth
