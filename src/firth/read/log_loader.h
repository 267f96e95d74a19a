// SPDX-License-Identifier: Apache-2.0
// The records of scanned log blocks, decoded column by column into the columns that are needed.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "firth/format/avro/avro_codec.h"
#include "firth/format/log/avro_block.h"
#include "firth/format/parquet/parquet_file.h"
#include "firth/read/log_batch.h"
#include "firth/read/log_scan.h"
#include "firth/read/merge_plan.h"
#include "firth/read/schema_reconcile.h"

namespace firth {

class LogLoader {
 public:
  /// The references outlive the loader. `constants` fill columns that blocks lack. Positions are
  /// given when they refer to the base file of `base_instant`.
  LogLoader(const ReadContext& context, const MergePlan& plan, LogScan scan,
            ColumnConstants constants, const SliceReadOptions& options, std::string base_instant,
            SliceReadMetrics* metrics);

  /// The next stretch of records in processing order, nullopt at the end.
  Result<std::optional<LogBatch>> Next();

 private:
  // Where the block at hand is read from; nothing is set between blocks.
  struct Cursor {
    const LogBlock* block = nullptr;
    std::optional<AvroBlockReader> avro;
    std::shared_ptr<ParquetFile> parquet;
    std::unique_ptr<SchemaReconciler> reconciler;  // Parquet
    std::unique_ptr<arrow::RecordBatchReader> row_group;
    int next_row_group = 0;
    std::vector<int64_t> positions;
    int64_t done = 0;  // records handed out
  };

  Status OpenBlock(size_t number);
  Status OpenSource(size_t number);
  void CloseBlock();
  Status OpenAvro();
  Status OpenParquet();
  Result<std::shared_ptr<arrow::RecordBatch>> NextRows();
  Result<std::shared_ptr<arrow::RecordBatch>> NextAvro();
  Result<std::shared_ptr<arrow::RecordBatch>> NextParquet();
  Result<LogBatch> DeleteBatch();
  Result<LogBatch> DataBatch(std::shared_ptr<arrow::RecordBatch> rows);
  const LogReader& log() const {
    return *scan_.sources[scan_.blocks[next_block_ - 1].source].reader;
  }
  void ReadPositions(int64_t records);
  void SetPresent(const arrow::Schema& file);
  bool IsPartial() const;

  const ReadContext& context_;
  const MergePlan& plan_;
  LogScan scan_;
  const ColumnConstants constants_;
  const SliceReadOptions& options_;
  std::string base_instant_;
  SliceReadMetrics* metrics_;
  std::vector<size_t> last_block_;  // per source: number of its last block, plus one
  size_t next_block_ = 0;
  int64_t rows_ = 0;  // of all data blocks, handed out
  Cursor cursor_;
  // The decoder is kept while blocks have the same schema.
  std::unique_ptr<AvroDecoder> decoder_;
  std::string decoder_key_;
  std::vector<std::pair<int, std::shared_ptr<arrow::Scalar>>> fills_;  // columns set from constants
  std::shared_ptr<const std::vector<bool>> present_;
};

}  // namespace firth
