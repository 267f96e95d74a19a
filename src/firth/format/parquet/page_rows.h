// SPDX-License-Identifier: Apache-2.0
// Some rows of a row group, from the pages that hold them.
#pragma once

#include <arrow/io/caching.h>
#include <arrow/io/type_fwd.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "firth/format/parquet/batch_size.h"
#include "firth/format/parquet/page_index.h"

namespace parquet {
class ArrowReaderProperties;
namespace arrow {
class FileReader;
}
}  // namespace parquet

namespace firth {

struct PageRowsJob {
  std::shared_ptr<arrow::io::RandomAccessFile> file;
  parquet::arrow::FileReader* reader = nullptr;  // of the whole file; outlives the stream
  int row_group = 0;
  std::vector<RowRange> ranges;
  std::vector<int> columns;                               // of the file's schema
  std::vector<std::vector<int>> leaves;                   // of each of `columns`
  std::vector<std::shared_ptr<const ColumnPages>> pages;  // of each; nullptr: it is read whole
  std::shared_ptr<arrow::Schema> schema;                  // of the batches
  BatchSize batch_size;
  bool read_ahead = false;        // ask for all pages at once, not when they are needed
  int64_t max_fetched_bytes = 0;  // if more are wanted, no piece is kept once it was decoded
  int64_t window_bytes = 0;       // of neighbouring pages, one request then
};

/// A stream of the rows of `job.ranges`. A page that holds other rows than its index says is an
/// error of the stream.
Result<std::unique_ptr<arrow::RecordBatchReader>> ReadPageRows(PageRowsJob job);

}  // namespace firth
