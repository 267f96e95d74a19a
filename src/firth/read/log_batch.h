// SPDX-License-Identifier: Apache-2.0
// Records of one stretch of a log block, ready to be merged.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "firth/read/ordering.h"

namespace firth {

struct LogBatch {
  /// Columns of MergePlan::rows; null for entries of a delete block.
  std::shared_ptr<arrow::RecordBatch> rows;
  std::shared_ptr<arrow::Array> keys;  // utf8, one per record
  OrderingColumn ordering;             // one value and one set of flags per record
  /// Which columns a partial block has; null: all.
  std::shared_ptr<const std::vector<bool>> present;
  /// Where the records stood before a subset of a batch was taken; empty: here.
  std::vector<uint32_t> origin;
  /// Row numbers in the base file, one per record; empty when the block doesn't tell.
  std::vector<int64_t> positions;

  int64_t num_records() const { return static_cast<int64_t>(ordering.flags.size()); }
  /// Bytes held in memory.
  int64_t bytes() const;
};

}  // namespace firth
