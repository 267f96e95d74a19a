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
#include "firth/read/base_pruner.h"
#include "firth/read/schema_reconcile.h"
#include "firth/read/slice_reader.h"

namespace firth {

struct BaseBatch {
  std::shared_ptr<arrow::RecordBatch> rows;  // neighbours in the file; null at the end
  int64_t first_row = 0;                     // row number of the first one in the file
};

class BaseReader {
 public:
  /// `filter` is used to skip row groups and pages that cannot match, never to drop single rows;
  /// literal(true) reads everything. `constants` fill columns that the file lacks. A row number
  /// column among `wanted` gets the positions in the file.
  static Result<std::unique_ptr<BaseReader>> Open(const ReadContext& context, const BaseFile& file,
                                                  std::shared_ptr<arrow::Schema> wanted,
                                                  const ColumnConstants& constants,
                                                  const SliceReadOptions& options,
                                                  const arrow::compute::Expression& filter,
                                                  std::shared_ptr<SliceReadMetrics> metrics);

  /// Whether the columns of a row group are fetched before they are decoded: from anywhere but a
  /// local disk.
  static bool FetchesAhead(const Storage& storage);

  Result<BaseBatch> Next();

 private:
  BaseReader(std::shared_ptr<ParquetFile> file, SchemaReconciler reconciler,
             std::shared_ptr<SliceReadMetrics> metrics);

  Status OpenRowGroup();
  void CountPagesOf(int row_group);
  BaseBatch TakeRows();

  std::shared_ptr<ParquetFile> file_;
  SchemaReconciler reconciler_;
  std::shared_ptr<SliceReadMetrics> metrics_;
  std::optional<BasePruner> pruner_;  // refers to the two above
  std::unique_ptr<arrow::RecordBatchReader> current_;
  std::shared_ptr<arrow::RecordBatch> batch_;  // of current_, what is left of it
  std::vector<RowRange> ranges_;               // what is left of the rows that current_ gives
  size_t range_ = 0;
  int row_group_ = 0;                                       // the next one
  int64_t row_group_begin_ = 0, next_row_group_begin_ = 0;  // row numbers in the file
};

}  // namespace firth
