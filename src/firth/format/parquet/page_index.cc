// SPDX-License-Identifier: Apache-2.0
#include "firth/format/parquet/page_index.h"

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <arrow/scalar.h>
#include <parquet/arrow/reader.h>
#include <parquet/exception.h>
#include <parquet/metadata.h>
#include <parquet/page_index.h>
#include <parquet/properties.h>
#include <parquet/schema.h>
#include <parquet/statistics.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace firth {
namespace {

using arrow::io::ReadRange;

// An index is read whole; those of real files have some ten bytes a page.
constexpr int64_t kMaxIndexBytes = int64_t{64} << 20;

ReadRange IndexRange(const std::optional<parquet::IndexLocation>& location, int64_t file_size) {
  const bool usable = location && location->offset > 0 && location->length > 0 &&
                      location->length <= kMaxIndexBytes && location->offset <= file_size &&
                      location->length <= file_size - location->offset;
  return usable ? ReadRange{location->offset, location->length} : ReadRange{};
}

// Pages must follow one another from the first to the end of the chunk, as every writer puts them:
// then no page can be left out or named twice.
std::shared_ptr<ColumnPages> Locate(const parquet::OffsetIndex& index,
                                    const parquet::ColumnChunkMetaData& chunk, int64_t rows,
                                    int64_t file_size) {
  const std::vector<parquet::PageLocation>& locations = index.page_locations();
  int64_t start = chunk.data_page_offset();
  if (chunk.has_dictionary_page() && chunk.dictionary_page_offset() > 0) {
    start = std::min(start, chunk.dictionary_page_offset());
  }
  const int64_t size = chunk.total_compressed_size();
  if (locations.empty() || start < 0 || size < 0 || start > file_size || size > file_size - start) {
    return nullptr;
  }
  auto pages = std::make_shared<ColumnPages>();
  pages->dictionary_offset = start;
  int64_t next = locations.front().offset;
  if (next < start || locations.front().first_row_index != 0) return nullptr;
  for (const parquet::PageLocation& location : locations) {
    const bool ascends =
        pages->first_rows.empty() || location.first_row_index > pages->first_rows.back();
    if (!ascends || location.offset != next || location.compressed_page_size <= 0 ||
        location.compressed_page_size > start + size - next) {
      return nullptr;
    }
    pages->first_rows.push_back(location.first_row_index);
    pages->offsets.push_back(next);
    next += location.compressed_page_size;
  }
  if (next != start + size || pages->first_rows.back() >= rows) return nullptr;
  pages->first_rows.push_back(rows);
  pages->offsets.push_back(next);
  return pages;
}

bool CanBeTrusted(const parquet::ColumnIndex& index, const parquet::ColumnDescriptor& column,
                  const parquet::ColumnChunkMetaData& chunk, size_t pages) {
  if (column.column_order().get_order() != parquet::ColumnOrder::TYPE_DEFINED_ORDER ||
      column.sort_order() == parquet::SortOrder::UNKNOWN || index.null_pages().size() != pages ||
      index.encoded_min_values().size() != pages || index.encoded_max_values().size() != pages) {
    return false;
  }
  if (!index.has_null_counts()) return true;
  if (index.null_counts().size() != pages) return false;
  const std::shared_ptr<parquet::Statistics> statistics = chunk.statistics();
  if (statistics == nullptr || !statistics->HasNullCount()) return true;
  int64_t left = statistics->null_count();
  for (const int64_t count : index.null_counts()) {
    if (count < 0 || count > left) return false;
    left -= count;
  }
  return left == 0;
}

// Empty when the index says what cannot be.
std::vector<ParquetStatistics> StatisticsOf(const parquet::ColumnIndex& index,
                                            const parquet::ColumnDescriptor& column,
                                            const std::vector<int64_t>& first_rows) {
  std::vector<ParquetStatistics> result(index.null_pages().size());
  for (size_t i = 0; i < result.size(); ++i) {
    const int64_t rows = first_rows[i + 1] - first_rows[i];
    const bool all_null = index.null_pages()[i];
    const bool counted = index.has_null_counts();
    const int64_t nulls = counted ? index.null_counts()[i] : all_null ? rows : -1;
    if (nulls > rows || (all_null && nulls != rows)) return {};
    result[i].null_count = nulls;
    if (all_null || nulls == rows) continue;
    const auto statistics = parquet::Statistics::Make(
        &column, index.encoded_min_values()[i], index.encoded_max_values()[i],
        rows - std::max<int64_t>(nulls, 0), nulls, /*distinct_count=*/0, /*has_min_max=*/true,
        /*has_null_count=*/counted, /*has_distinct_count=*/false);
    ParquetStatistics bounds = FromParquet(*statistics);
    result[i].min = std::move(bounds.min);
    result[i].max = std::move(bounds.max);
  }
  return result;
}

// What one request reads: both ranges are empty when there is nothing to use.
struct IndexBytes {
  ReadRange offsets, columns;
};

class Loader {
 public:
  Loader(const std::shared_ptr<arrow::io::RandomAccessFile>& file,
         const parquet::FileMetaData& metadata, const arrow::io::CacheOptions& options)
      : metadata_(metadata), file_(file), cache_(file, file->io_context(), options) {}

  Result<std::vector<std::shared_ptr<const ColumnPages>>> Load(
      const std::vector<PageIndexRequest>& requests) {
    std::vector<std::shared_ptr<const ColumnPages>> result(requests.size());
    ARROW_ASSIGN_OR_RAISE(file_size_, file_->GetSize());
    std::vector<IndexBytes> bytes;
    std::vector<ReadRange> ranges;
    for (const PageIndexRequest& request : requests) {
      bytes.push_back(Find(request));
      ranges.push_back(bytes.back().offsets);
      ranges.push_back(bytes.back().columns);
    }
    if (!SortDisjoint(&ranges) || ranges.empty()) return result;
    ARROW_RETURN_NOT_OK(cache_.Cache(std::move(ranges)));
    for (size_t i = 0; i < requests.size(); ++i) {
      if (bytes[i].offsets.length == 0) continue;
      ARROW_ASSIGN_OR_RAISE(result[i], Parse(requests[i], bytes[i]));
    }
    return result;
  }

 private:
  IndexBytes Find(const PageIndexRequest& request) const {
    const auto chunk = metadata_.RowGroup(request.row_group)->ColumnChunk(request.leaf);
    if (chunk->crypto_metadata() != nullptr || !chunk->file_path().empty()) return {};
    IndexBytes bytes{IndexRange(chunk->GetOffsetIndexLocation(), file_size_), {}};
    if (bytes.offsets.length == 0) return {};
    if (request.statistics) bytes.columns = IndexRange(chunk->GetColumnIndexLocation(), file_size_);
    return bytes;
  }

  Result<std::shared_ptr<const ColumnPages>> Parse(const PageIndexRequest& request,
                                                   const IndexBytes& bytes) {
    ARROW_ASSIGN_OR_RAISE(const auto offsets, cache_.Read(bytes.offsets));
    std::shared_ptr<arrow::Buffer> columns;
    if (bytes.columns.length > 0) {
      ARROW_ASSIGN_OR_RAISE(columns, cache_.Read(bytes.columns));
    }
    const auto row_group = metadata_.RowGroup(request.row_group);
    const auto chunk = row_group->ColumnChunk(request.leaf);
    std::shared_ptr<ColumnPages> pages;
    // Bytes that are no index, and bounds that are no values, are thrown by Parquet.
    try {
      const auto index = parquet::OffsetIndex::Make(offsets->data(), offsets->size(),
                                                    parquet::default_reader_properties());
      pages = Locate(*index, *chunk, row_group->num_rows(), file_size_);
      if (pages != nullptr && columns != nullptr) {
        AddStatistics(*columns, *metadata_.schema()->Column(request.leaf), *chunk, pages.get());
      }
    } catch (const parquet::ParquetException&) {
      if (pages != nullptr) pages->statistics.clear();
    }
    return pages;
  }

  static void AddStatistics(const arrow::Buffer& bytes, const parquet::ColumnDescriptor& column,
                            const parquet::ColumnChunkMetaData& chunk, ColumnPages* pages) {
    if (column.physical_type() == parquet::Type::INT96) return;  // has no order
    const auto index = parquet::ColumnIndex::Make(column, bytes.data(), bytes.size(),
                                                  parquet::default_reader_properties());
    if (!CanBeTrusted(*index, column, chunk, pages->size())) return;
    pages->statistics = StatisticsOf(*index, column, pages->first_rows);
  }

  const parquet::FileMetaData& metadata_;
  std::shared_ptr<arrow::io::RandomAccessFile> file_;
  arrow::io::internal::ReadRangeCache cache_;
  int64_t file_size_ = 0;
};

}  // namespace

Result<std::vector<std::shared_ptr<const ColumnPages>>> LoadPageIndexes(
    const std::shared_ptr<arrow::io::RandomAccessFile>& file, const parquet::FileMetaData& metadata,
    const arrow::io::CacheOptions& cache_options, const std::vector<PageIndexRequest>& requests) {
  BEGIN_PARQUET_CATCH_EXCEPTIONS
  return Loader(file, metadata, cache_options).Load(requests);
  END_PARQUET_CATCH_EXCEPTIONS
}

bool SortDisjoint(std::vector<ReadRange>* ranges) {
  std::erase_if(*ranges, [](const ReadRange& range) { return range.length == 0; });
  std::ranges::sort(*ranges, {}, &ReadRange::offset);
  return std::ranges::adjacent_find(*ranges, [](const ReadRange& a, const ReadRange& b) {
           return b.offset < a.offset + a.length;
         }) == ranges->end();
}

ParquetStatistics FromParquet(const parquet::Statistics& statistics) {
  ParquetStatistics result;
  if (statistics.HasNullCount()) result.null_count = statistics.null_count();
  if (!statistics.HasMinMax()) return result;
  std::shared_ptr<arrow::Scalar> min, max;
  if (!parquet::arrow::StatisticsAsScalars(statistics, &min, &max).ok()) return result;
  result.min = std::move(min);
  result.max = std::move(max);
  return result;
}

}  // namespace firth
