// SPDX-License-Identifier: Apache-2.0
// The page indexes of a Parquet file, checked against its footer.
#pragma once

#include <arrow/io/caching.h>
#include <arrow/io/type_fwd.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "firth/format/parquet/parquet_file.h"

namespace parquet {
class Statistics;
}

namespace firth {

/// Pages and where they lie in the file.
struct ColumnPages : ParquetPages {
  int64_t dictionary_offset = 0;  // bytes before the first page; none when offsets starts here
  std::vector<int64_t> offsets;   // of each page, then the end of the last one: without gaps
};

/// A flat column whose index is wanted. `leaf` is an index into the file's leaf columns.
struct PageIndexRequest {
  int row_group = 0;
  int leaf = 0;
  bool statistics = false;
};

/// One per request; nullptr where there is no index that can be used. Errors: those of storage.
Result<std::vector<std::shared_ptr<const ColumnPages>>> LoadPageIndexes(
    const std::shared_ptr<arrow::io::RandomAccessFile>& file, const parquet::FileMetaData& metadata,
    const arrow::io::CacheOptions& cache_options, const std::vector<PageIndexRequest>& requests);

/// Drops ranges that are empty, sorts the others and says whether none overlaps another.
bool SortDisjoint(std::vector<arrow::io::ReadRange>* ranges);

/// What firth uses of Parquet's statistics. Types without a scalar form have no bounds.
ParquetStatistics FromParquet(const parquet::Statistics& statistics);

}  // namespace firth
