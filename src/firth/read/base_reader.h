// SPDX-License-Identifier: Apache-2.0
// The base file of a slice as batches of the wanted schema.
#pragma once

#include <arrow/compute/expression.h>
#include <arrow/type_fwd.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "firth/format/parquet/parquet_file.h"
#include "firth/read/schema_reconcile.h"
#include "firth/read/slice_reader.h"

namespace firth {

struct BaseBatch {
  std::shared_ptr<arrow::RecordBatch> rows;  // null at the end
  /// Row number of the first one in the file; the others follow it there without gaps.
  int64_t first_row = 0;
};

class BaseReader {
 public:
  /// `filter` is used to skip row groups that cannot match, never to drop single rows;
  /// literal(true) reads everything. `constants` fill columns that the file lacks. A row number
  /// column among `wanted` gets the positions in the file.
  static Result<std::unique_ptr<BaseReader>> Open(const ReadContext& context, const BaseFile& file,
                                                  std::shared_ptr<arrow::Schema> wanted,
                                                  const ColumnConstants& constants,
                                                  const SliceReadOptions& options,
                                                  const arrow::compute::Expression& filter,
                                                  std::shared_ptr<SliceReadMetrics> metrics);

  Result<BaseBatch> Next();

 private:
  BaseReader(std::shared_ptr<ParquetFile> file, SchemaReconciler reconciler,
             std::shared_ptr<SliceReadMetrics> metrics);

  Status Prune(const arrow::compute::Expression& filter,
               const std::optional<InstantFilter>& instants);

  std::shared_ptr<ParquetFile> file_;
  SchemaReconciler reconciler_;
  std::shared_ptr<SliceReadMetrics> metrics_;
  std::vector<bool> pruned_;  // per row group
  std::unique_ptr<arrow::RecordBatchReader> current_;
  int row_group_ = 0;          // the next one
  int64_t position_ = 0;       // of the next batch of current_
  int64_t next_position_ = 0;  // where row_group_ starts
};

}  // namespace firth
