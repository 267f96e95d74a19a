// SPDX-License-Identifier: Apache-2.0
// A Parquet file as record batches: base files, and the images inside Parquet log blocks.
#pragma once

#include <arrow/io/type_fwd.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "firth/common/status.h"

namespace parquet {
class FileMetaData;
}

namespace firth {

struct ParquetOptions {
  /// Rows of one batch at most, fewer where rows are wide; a batch never crosses a row group.
  int64_t batch_rows = 65'536;
  /// Fetch the wanted column chunks of a row group in few large requests before decoding. For
  /// object stores; a local file is faster without.
  bool pre_buffer = false;
  /// With `pre_buffer`: chunks that are larger, all together, are read through windows instead.
  int64_t max_fetched_bytes = std::numeric_limits<int64_t>::max();
};

struct ParquetStatistics {
  std::shared_ptr<arrow::Scalar> min, max;  // bounds of the values; or null
  int64_t null_count = -1;                  // -1: unknown
};

/// Rows `begin` to `end`, that one excluded, counted from the start of a row group.
struct RowRange {
  int64_t begin = 0;
  int64_t end = 0;

  bool operator==(const RowRange&) const = default;
};

/// The data pages of a column in a row group.
struct ParquetPages {
  /// Where each page starts, then the number of rows in the row group. Strictly ascending from 0.
  std::vector<int64_t> first_rows;
  /// Of each page; empty where the file doesn't tell or the values can't be trusted.
  std::vector<ParquetStatistics> statistics;

  size_t size() const { return first_rows.size() - 1; }
};

/// An open file; its footer was read and checked. For one thread at a time.
class ParquetFile : public std::enable_shared_from_this<ParquetFile> {
 public:
  /// `path` is for messages. Errors: kCorrupt when it is no Parquet file, kIo, kUnsupported.
  static Result<std::shared_ptr<ParquetFile>> Open(
      std::shared_ptr<arrow::io::RandomAccessFile> file, std::string path,
      const ParquetOptions& options);
  virtual ~ParquetFile() = default;

  /// Columns as stored, in file order. Decimals are decimal128 however they are stored.
  virtual const std::shared_ptr<arrow::Schema>& schema() const = 0;
  virtual const parquet::FileMetaData& metadata() const = 0;
  /// Statistics of a column in a row group; nothing is set for nested columns and where the file
  /// doesn't tell or the values can't be trusted.
  virtual Result<ParquetStatistics> Statistics(int row_group, int column) const = 0;

  /// Streams one row group. `columns` are indices into schema(), ascending and without repeats;
  /// only their bytes are read. Without columns the batches have rows and no columns.
  virtual Result<std::unique_ptr<arrow::RecordBatchReader>> ReadRowGroup(
      int row_group, const std::vector<int>& columns) = 0;

  /// Reads the page indexes that Pages then tells of, in few requests: of `columns` where pages
  /// lie, of `bounded` among them also their statistics. Both as `columns` of ReadRowGroup.
  virtual Status LoadPages(const std::vector<int>& row_groups, const std::vector<int>& columns,
                           const std::vector<int>& bounded) = 0;
  /// The pages of a loaded column; nullptr for a nested column, and where the file has no page
  /// index or one that contradicts itself or the footer.
  virtual const ParquetPages* Pages(int row_group, int column) const = 0;

  /// As ReadRowGroup, of some rows only: `ranges` are ascending, apart from one another and not
  /// empty; a batch may span several. Of a column that has Pages only pages with wanted rows are
  /// read, of others all. Indexes that were not loaded are.
  virtual Result<std::unique_ptr<arrow::RecordBatchReader>> ReadRows(
      int row_group, const std::vector<RowRange>& ranges, const std::vector<int>& columns) = 0;
};

}  // namespace firth
