// SPDX-License-Identifier: Apache-2.0
#include "firth/format/parquet/parquet_file.h"

#include <arrow/io/interfaces.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/byte_size.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>
#include <parquet/exception.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>
#include <parquet/statistics.h>

#include <algorithm>
#include <map>
#include <utility>

#include "firth/common/memory.h"
#include "firth/format/parquet/batch_size.h"
#include "firth/format/parquet/page_index.h"
#include "firth/format/parquet/page_rows.h"

namespace firth {
namespace {

// What one request reads of a column that is not fetched as a whole.
constexpr int64_t kLocalWindowBytes = int64_t{256} << 10;
constexpr int64_t kRemoteWindowBytes = int64_t{2} << 20;

// Decoding takes several times the memory of its batch: batches of wide rows are of fewer rows.
constexpr int64_t kMaxBatchBytes = int64_t{4} << 20;

// Arrow reports damage inside a file as IOError or Invalid; without a failing disk both mean that
// the bytes are wrong. Genuine I/O errors carry an errno detail and keep their code.
Status Explain(const Status& status, std::string_view path) {
  if (status.ok()) return status;
  if (status.detail() != nullptr) return WithContext(status, path);
  if (status.IsIOError() || status.IsInvalid() || status.IsSerializationError()) {
    return CorruptError("{}: {}", path, status.message());
  }
  if (status.IsNotImplemented()) return UnsupportedError("{}: {}", path, status.message());
  return WithContext(status, path);
}

void CollectLeaves(const parquet::arrow::SchemaField& field, std::vector<int>* leaves) {
  if (field.is_leaf()) leaves->push_back(field.column_index);
  for (const parquet::arrow::SchemaField& child : field.children) CollectLeaves(child, leaves);
}

// Batches of a row group without any column: only their row counts matter.
class RowCountReader : public arrow::RecordBatchReader {
 public:
  RowCountReader(int64_t rows, int64_t batch_rows) : remaining_(rows), batch_rows_(batch_rows) {}
  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }
  Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    const int64_t rows = std::min(remaining_, batch_rows_);
    remaining_ -= rows;
    *batch =
        rows == 0 ? nullptr : arrow::RecordBatch::Make(schema_, rows, arrow::ArrayDataVector{});
    return Status::OK();
  }

 private:
  std::shared_ptr<arrow::Schema> schema_ = arrow::schema({});
  int64_t remaining_;
  int64_t batch_rows_;
};

// Whether a chunk has texts or bytes of which its size counts some once, whatever rows have them.
bool RepeatsTexts(const parquet::FileMetaData& metadata, int leaf,
                  const parquet::ColumnChunkMetaData& chunk) {
  if (metadata.schema()->Column(leaf)->physical_type() != parquet::Type::BYTE_ARRAY) return false;
  return std::ranges::any_of(chunk.encodings(), [](parquet::Encoding::type encoding) {
    return encoding == parquet::Encoding::PLAIN_DICTIONARY ||
           encoding == parquet::Encoding::RLE_DICTIONARY;
  });
}

// Keeps the file alive as long as its stream and names it in errors.
class RowGroupStream : public arrow::RecordBatchReader {
 public:
  RowGroupStream(std::shared_ptr<ParquetFile> file, std::string path,
                 std::unique_ptr<arrow::RecordBatchReader> inner)
      : file_(std::move(file)), path_(std::move(path)), inner_(std::move(inner)) {}
  std::shared_ptr<arrow::Schema> schema() const override { return inner_->schema(); }
  Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    return Explain(inner_->ReadNext(batch), path_);
  }

 private:
  std::shared_ptr<ParquetFile> file_;
  std::string path_;
  std::unique_ptr<arrow::RecordBatchReader> inner_;
};

// Arrow's stream of a row group; it asks its reader for the size of every batch.
class SizedStream : public arrow::RecordBatchReader {
 public:
  SizedStream(parquet::arrow::FileReader* reader, BatchSize size,
              std::unique_ptr<arrow::RecordBatchReader> inner)
      : reader_(reader), size_(size), inner_(std::move(inner)) {}
  std::shared_ptr<arrow::Schema> schema() const override { return inner_->schema(); }
  Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    reader_->set_batch_size(size_.rows());
    ARROW_RETURN_NOT_OK(inner_->ReadNext(batch));
    if (*batch == nullptr) return Status::OK();
    ARROW_ASSIGN_OR_RAISE(const int64_t bytes, arrow::util::ReferencedBufferSize(**batch));
    size_.Saw((*batch)->num_rows(), bytes);
    return Status::OK();
  }

 private:
  parquet::arrow::FileReader* reader_;
  BatchSize size_;
  std::unique_ptr<arrow::RecordBatchReader> inner_;
};

class ParquetFileImpl : public ParquetFile {
 public:
  ParquetFileImpl(std::shared_ptr<arrow::io::RandomAccessFile> file, std::string path,
                  ParquetOptions options, std::unique_ptr<parquet::arrow::FileReader> reader)
      : file_(std::move(file)),
        path_(std::move(path)),
        options_(options),
        reader_(std::move(reader)) {}

  Status Init() {
    ARROW_RETURN_NOT_OK(Explain(reader_->GetSchema(&schema_), path_));
    metadata_ = reader_->parquet_reader()->metadata();
    const auto& fields = reader_->manifest().schema_fields;
    leaves_.resize(fields.size());
    for (size_t i = 0; i < fields.size(); ++i) CollectLeaves(fields[i], &leaves_[i]);
    return Status::OK();
  }

  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }
  const parquet::FileMetaData& metadata() const override { return *metadata_; }
  Result<ParquetStatistics> Statistics(int row_group, int column) const override {
    ParquetStatistics result;
    if (IsNested(column)) return result;
    const int leaf = leaves_[column].front();
    BEGIN_PARQUET_CATCH_EXCEPTIONS
    const auto chunk = metadata_->RowGroup(row_group)->ColumnChunk(leaf);
    const std::shared_ptr<parquet::Statistics> statistics = chunk->statistics();
    if (statistics == nullptr || !chunk->is_stats_set()) return result;
    return FromParquet(*statistics);
    END_PARQUET_CATCH_EXCEPTIONS
    return result;
  }

  Result<std::unique_ptr<arrow::RecordBatchReader>> ReadRowGroup(
      int row_group, const std::vector<int>& columns) override {
    if (columns.empty()) {
      return std::make_unique<RowCountReader>(metadata_->RowGroup(row_group)->num_rows(),
                                              options_.batch_rows);
    }
    std::vector<int> leaves;
    for (const int column : columns) {
      leaves.insert(leaves.end(), leaves_[column].begin(), leaves_[column].end());
    }
    ARROW_RETURN_NOT_OK(Explain(Fetch(row_group, leaves), path_));
    ARROW_ASSIGN_OR_RAISE(const BatchSize size, SizeOfBatches(row_group, leaves));
    auto inner = reader_->GetRecordBatchReader({row_group}, leaves);
    if (!inner.ok()) return Explain(inner.status(), path_);
    return std::make_unique<RowGroupStream>(
        shared_from_this(), path_,
        std::make_unique<SizedStream>(reader_.get(), size, *std::move(inner)));
  }

  Status LoadPages(const std::vector<int>& row_groups, const std::vector<int>& columns,
                   const std::vector<int>& bounded) override {
    std::vector<PageIndexRequest> requests;
    std::vector<Place> places;
    for (const int row_group : row_groups) {
      for (const int column : columns) {
        // The rows of a page are its values where nothing repeats.
        const bool repeats =
            metadata_->schema()->Column(leaves_[column].front())->max_repetition_level() > 0;
        if (IsNested(column) || repeats || pages_.contains({row_group, column})) continue;
        requests.push_back(
            {row_group, leaves_[column].front(), std::ranges::binary_search(bounded, column)});
        places.emplace_back(row_group, column);
      }
    }
    auto loaded =
        LoadPageIndexes(file_, *metadata_, reader_->properties().cache_options(), requests);
    if (!loaded.ok()) return Explain(loaded.status(), path_);
    for (size_t i = 0; i < places.size(); ++i) pages_[places[i]] = std::move((*loaded)[i]);
    return Status::OK();
  }

  const ParquetPages* Pages(int row_group, int column) const override {
    const auto found = pages_.find({row_group, column});
    return found == pages_.end() ? nullptr : found->second.get();
  }

  Result<std::unique_ptr<arrow::RecordBatchReader>> ReadRows(
      int row_group, const std::vector<RowRange>& ranges,
      const std::vector<int>& columns) override {
    ARROW_RETURN_NOT_OK(CheckRanges(row_group, ranges));
    int64_t rows = 0;
    for (const RowRange& range : ranges) rows += range.end - range.begin;
    if (columns.empty()) return std::make_unique<RowCountReader>(rows, options_.batch_rows);
    ARROW_RETURN_NOT_OK(LoadPages({row_group}, columns, {}));
    PageRowsJob job;
    arrow::FieldVector fields;
    std::vector<int> all_leaves;
    for (const int column : columns) {
      const auto found = pages_.find({row_group, column});
      job.pages.push_back(found == pages_.end() ? nullptr : found->second);
      job.leaves.push_back(leaves_[column]);
      all_leaves.insert(all_leaves.end(), leaves_[column].begin(), leaves_[column].end());
      fields.push_back(schema_->field(column));
    }
    job.file = file_;
    job.reader = reader_.get();
    job.row_group = row_group;
    job.ranges = ranges;
    job.columns = columns;
    job.schema = arrow::schema(std::move(fields));
    ARROW_ASSIGN_OR_RAISE(job.batch_size, SizeOfBatches(row_group, all_leaves));
    job.read_ahead = options_.pre_buffer;
    job.max_fetched_bytes = options_.max_fetched_bytes;
    job.window_bytes = options_.pre_buffer ? kRemoteWindowBytes : kLocalWindowBytes;
    auto inner = ReadPageRows(std::move(job));
    if (!inner.ok()) return Explain(inner.status(), path_);
    return std::make_unique<RowGroupStream>(shared_from_this(), path_, *std::move(inner));
  }

 private:
  using Place = std::pair<int, int>;  // a row group and a column

  bool IsNested(int column) const {
    return !reader_->manifest().schema_fields[column].children.empty();
  }

  // Starts to read the chunks, unless they would take too much memory.
  Status Fetch(int row_group, const std::vector<int>& leaves) const {
    if (!options_.pre_buffer) return Status::OK();
    BEGIN_PARQUET_CATCH_EXCEPTIONS
    const auto group = metadata_->RowGroup(row_group);
    int64_t room = options_.max_fetched_bytes;
    for (const int leaf : leaves) {
      const int64_t size = group->ColumnChunk(leaf)->total_compressed_size();
      if (size > room) return Status::OK();
      room -= std::max<int64_t>(size, 0);
    }
    reader_->parquet_reader()->PreBuffer({row_group}, leaves, file_->io_context(),
                                         reader_->properties().cache_options());
    END_PARQUET_CATCH_EXCEPTIONS
    return Status::OK();
  }

  // Rows of batches of these columns: at most by the average width of a row; of the first one as if
  // each row had the whole dictionary of each column.
  Result<BatchSize> SizeOfBatches(int row_group, const std::vector<int>& leaves) const {
    double bytes = 1, repeated = 1, rows = 0;
    BEGIN_PARQUET_CATCH_EXCEPTIONS
    const auto group = metadata_->RowGroup(row_group);
    rows = static_cast<double>(group->num_rows());
    for (const int leaf : leaves) {
      const auto chunk = group->ColumnChunk(leaf);
      const auto size = static_cast<double>(std::max<int64_t>(chunk->total_uncompressed_size(), 0));
      bytes += size;
      if (RepeatsTexts(*metadata_, leaf, *chunk)) repeated += size;
    }
    END_PARQUET_CATCH_EXCEPTIONS
    const auto at_most = [](double fitting, int64_t limit) {
      if (fitting >= static_cast<double>(limit)) return limit;
      return std::max<int64_t>(1, static_cast<int64_t>(fitting));
    };
    const int64_t most =
        at_most(static_cast<double>(kMaxBatchBytes) / bytes * rows, options_.batch_rows);
    return BatchSize(at_most(static_cast<double>(BatchSize::kMaxBytes) / repeated, most), most);
  }

  Status CheckRanges(int row_group, const std::vector<RowRange>& ranges) const {
    const int64_t rows = metadata_->RowGroup(row_group)->num_rows();
    int64_t end = 0;
    for (const RowRange& range : ranges) {
      if (range.begin < end || range.begin >= range.end || range.end > rows) {
        return InvalidError("{}: rows {} to {} after row {} of row group {}, which has {} rows",
                            path_, range.begin, range.end, end, row_group, rows);
      }
      end = range.end;
    }
    return Status::OK();
  }

  std::shared_ptr<arrow::io::RandomAccessFile> file_;
  std::string path_;
  ParquetOptions options_;
  std::unique_ptr<parquet::arrow::FileReader> reader_;
  std::shared_ptr<parquet::FileMetaData> metadata_;
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<std::vector<int>> leaves_;                       // per top-level column
  std::map<Place, std::shared_ptr<const ColumnPages>> pages_;  // as loaded; nullptr: no index
};

}  // namespace

Result<std::shared_ptr<ParquetFile>> ParquetFile::Open(
    std::shared_ptr<arrow::io::RandomAccessFile> file, std::string path,
    const ParquetOptions& options) {
  parquet::ArrowReaderProperties properties(/*use_threads=*/false);
  properties.set_batch_size(options.batch_rows);
  properties.set_pre_buffer(false);  // see Fetch
  parquet::ReaderProperties reading(BatchPool());
  // Else a row group's columns would lie in memory as a whole, whatever the budget is.
  reading.enable_buffered_stream();
  reading.set_buffer_size(options.pre_buffer ? kRemoteWindowBytes : kLocalWindowBytes);
  parquet::arrow::FileReaderBuilder builder;
  ARROW_RETURN_NOT_OK(Explain(builder.Open(file, reading), path));
  std::unique_ptr<parquet::arrow::FileReader> reader;
  ARROW_RETURN_NOT_OK(
      Explain(builder.memory_pool(BatchPool())->properties(properties)->Build(&reader), path));
  auto result = std::make_shared<ParquetFileImpl>(std::move(file), std::move(path), options,
                                                  std::move(reader));
  ARROW_RETURN_NOT_OK(result->Init());
  return result;
}

}  // namespace firth
