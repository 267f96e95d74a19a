// SPDX-License-Identifier: Apache-2.0
#include "firth/format/parquet/page_rows.h"

#include <arrow/buffer.h>
#include <arrow/chunked_array.h>
#include <arrow/io/interfaces.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <arrow/util/byte_size.h>
#include <parquet/arrow/reader.h>
#include <parquet/column_page.h>
#include <parquet/column_reader.h>
#include <parquet/exception.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/page_index.h>
#include <parquet/properties.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "firth/common/memory.h"

namespace firth {
namespace {

using arrow::io::ReadRange;
using arrow::io::internal::ReadRangeCache;

// A page of a column chunk. The dictionary has no rows.
struct Piece {
  ReadRange bytes;
  int64_t rows = 0;
};

// What is read of one column.
struct Selection {
  std::vector<Piece> pieces;  // the dictionary, if there is one, is the first
  bool has_dictionary = false;
  std::vector<RowRange> runs;  // rows of the pages, neighbours joined
};

Selection Select(const ColumnPages& pages, const std::vector<RowRange>& ranges) {
  Selection result;
  const int64_t dictionary_size = pages.offsets.front() - pages.dictionary_offset;
  result.has_dictionary = dictionary_size > 0;
  if (result.has_dictionary) {
    result.pieces.push_back({{pages.dictionary_offset, dictionary_size}, 0});
  }
  size_t range = 0;
  for (size_t i = 0; i < pages.size(); ++i) {
    const RowRange rows{pages.first_rows[i], pages.first_rows[i + 1]};
    while (range < ranges.size() && ranges[range].end <= rows.begin) ++range;
    if (range == ranges.size()) break;
    if (ranges[range].begin >= rows.end) continue;
    result.pieces.push_back(
        {{pages.offsets[i], pages.offsets[i + 1] - pages.offsets[i]}, rows.end - rows.begin});
    if (!result.runs.empty() && result.runs.back().end == rows.begin) {
      result.runs.back().end = rows.end;
    } else {
      result.runs.push_back(rows);
    }
  }
  return result;
}

// Reads the pieces of a column, each of them once and in order.
class PieceReader {
 public:
  virtual ~PieceReader() = default;
  virtual Result<std::shared_ptr<arrow::Buffer>> Read(const std::vector<Piece>& pieces,
                                                      size_t index) = 0;
};

// From what was fetched for all columns at once; it stays in memory.
class CachedPieces : public PieceReader {
 public:
  explicit CachedPieces(std::shared_ptr<ReadRangeCache> cache) : cache_(std::move(cache)) {}
  Result<std::shared_ptr<arrow::Buffer>> Read(const std::vector<Piece>& pieces,
                                              size_t index) override {
    return cache_->Read(pieces[index].bytes);
  }

 private:
  std::shared_ptr<ReadRangeCache> cache_;
};

// Neighbours by one request; keeps no more than that.
class WindowedPieces : public PieceReader {
 public:
  WindowedPieces(std::shared_ptr<arrow::io::RandomAccessFile> file, int64_t window_bytes)
      : file_(std::move(file)), window_bytes_(window_bytes) {}
  Result<std::shared_ptr<arrow::Buffer>> Read(const std::vector<Piece>& pieces,
                                              size_t index) override {
    const ReadRange& piece = pieces[index].bytes;
    if (index >= end_) {
      window_ = nullptr;
      begin_ = piece.offset;
      int64_t length = piece.length;
      for (end_ = index + 1; end_ < pieces.size(); ++end_) {
        const ReadRange& next = pieces[end_].bytes;
        if (next.offset != begin_ + length || next.length > window_bytes_ - length) break;
        length += next.length;
      }
      ARROW_ASSIGN_OR_RAISE(window_, file_->ReadAt(begin_, length));
      if (window_->size() != length) {
        return Status::IOError("file ends at byte ", begin_ + window_->size(), " within pages");
      }
    }
    return arrow::SliceBuffer(window_, piece.offset - begin_, piece.length);
  }

 private:
  std::shared_ptr<arrow::io::RandomAccessFile> file_;
  int64_t window_bytes_;
  std::shared_ptr<arrow::Buffer> window_;  // the pieces before end_, from begin_ on
  int64_t begin_ = 0;
  size_t end_ = 0;
};

// The selected pages one after the other. Nothing is read across the end of a page, so what the
// page reader takes for one page can be compared with the index.
class PieceStream : public arrow::io::InputStream {
 public:
  PieceStream(std::unique_ptr<PieceReader> reader, const std::vector<Piece>& pieces)
      : reader_(std::move(reader)), pieces_(pieces) {}

  // The number of pages read to their end; nothing while the next one is partly read.
  std::optional<size_t> WholePieces() const {
    if (buffer_ != nullptr && position_ != buffer_->size()) return std::nullopt;
    return next_;
  }

  Status Close() override {
    closed_ = true;
    return Status::OK();
  }
  bool closed() const override { return closed_; }
  Result<int64_t> Tell() const override { return passed_ + position_; }

  Result<std::string_view> Peek(int64_t bytes) override {
    ARROW_RETURN_NOT_OK(Fill());
    if (buffer_ == nullptr) return std::string_view();
    return std::string_view(*buffer_).substr(position_, bytes);
  }
  Result<std::shared_ptr<arrow::Buffer>> Read(int64_t bytes) override {
    if (bytes > 0) ARROW_RETURN_NOT_OK(Fill());  // an empty body ends with its header
    if (buffer_ == nullptr) return std::make_shared<arrow::Buffer>(nullptr, 0);
    bytes = std::min(bytes, buffer_->size() - position_);
    auto result = arrow::SliceBuffer(buffer_, position_, bytes);
    position_ += bytes;
    return result;
  }
  Result<int64_t> Read(int64_t bytes, void* out) override {
    ARROW_ASSIGN_OR_RAISE(const auto buffer, Read(bytes));
    std::copy_n(buffer->data(), buffer->size(), static_cast<uint8_t*>(out));
    return buffer->size();
  }

 private:
  Status Fill() {
    if (buffer_ != nullptr && position_ < buffer_->size()) return Status::OK();
    if (buffer_ != nullptr) passed_ += buffer_->size();
    buffer_ = nullptr;
    position_ = 0;
    if (next_ == pieces_.size()) return Status::OK();
    return reader_->Read(pieces_, next_++).Value(&buffer_);
  }

  std::unique_ptr<PieceReader> reader_;
  const std::vector<Piece>& pieces_;
  size_t next_ = 0;
  std::shared_ptr<arrow::Buffer> buffer_;  // of pieces_[next_ - 1]
  int64_t position_ = 0;                   // in buffer_
  int64_t passed_ = 0;                     // bytes of the buffers before it
  bool closed_ = false;
};

// Pages as Parquet reads them, each compared with the index.
class CheckedPages : public parquet::PageReader {
 public:
  CheckedPages(std::shared_ptr<PieceStream> stream, const Selection& selection,
               std::unique_ptr<parquet::PageReader> inner)
      : stream_(std::move(stream)), selection_(selection), inner_(std::move(inner)) {}

  std::shared_ptr<parquet::Page> NextPage() override {
    auto page = inner_->NextPage();
    if (page == nullptr) return page;
    const bool is_dictionary = page->type() == parquet::PageType::DICTIONARY_PAGE;
    const bool expects_dictionary = read_ == 0 && selection_.has_dictionary;
    if (stream_->WholePieces() != ++read_ || is_dictionary != expects_dictionary) {
      throw parquet::ParquetException("a page lies elsewhere than the offset index says");
    }
    if (is_dictionary) return page;
    const int64_t rows = static_cast<const parquet::DataPage&>(*page).num_values();
    if (const int64_t expected = selection_.pieces[read_ - 1].rows; rows != expected) {
      throw parquet::ParquetException("a page has ", rows, " rows, the offset index says ",
                                      expected);
    }
    return page;
  }
  void set_max_page_header_size(uint32_t size) override { inner_->set_max_page_header_size(size); }

 private:
  std::shared_ptr<PieceStream> stream_;
  const Selection& selection_;
  std::unique_ptr<parquet::PageReader> inner_;
  size_t read_ = 0;
};

// What the page readers of one stream share.
struct PageSource {
  parquet::ParquetFileReader* file = nullptr;
  int row_group = 0;
  std::shared_ptr<parquet::FileMetaData> metadata;  // of that row group alone
  std::unique_ptr<parquet::RowGroupMetaData> row_group_metadata;
  parquet::ReaderProperties properties = parquet::default_reader_properties();
  std::map<int, Selection> selections;    // by leaf; those missing are read whole
  std::shared_ptr<ReadRangeCache> cache;  // nullptr: pages are not kept
  std::shared_ptr<arrow::io::RandomAccessFile> input;
  int64_t window_bytes = 0;

  std::unique_ptr<PieceReader> Pieces() const {
    if (cache != nullptr) return std::make_unique<CachedPieces>(cache);
    return std::make_unique<WindowedPieces>(input, window_bytes);
  }

  std::unique_ptr<parquet::PageReader> Open(int leaf) const {
    const auto found = selections.find(leaf);
    if (found == selections.end()) return file->RowGroup(row_group)->GetColumnPageReader(leaf);
    const Selection& selection = found->second;
    int64_t rows = 0;
    for (const RowRange& run : selection.runs) rows += run.end - run.begin;
    auto stream = std::make_shared<PieceStream>(Pieces(), selection.pieces);
    auto pages = parquet::PageReader::Open(stream, rows,
                                           row_group_metadata->ColumnChunk(leaf)->compression(),
                                           properties, *metadata->schema()->Column(leaf));
    return std::make_unique<CheckedPages>(std::move(stream), selection, std::move(pages));
  }
};

// Parquet's seams for files that come from elsewhere: with them Arrow decodes the selected pages
// as it does whole column chunks.
class SourceRowGroup : public parquet::RowGroupReader::Contents {
 public:
  explicit SourceRowGroup(std::shared_ptr<const PageSource> source) : source_(std::move(source)) {}
  std::unique_ptr<parquet::PageReader> GetColumnPageReader(int leaf) override {
    return source_->Open(leaf);
  }
  const parquet::RowGroupMetaData* metadata() const override {
    return source_->row_group_metadata.get();
  }
  const parquet::ReaderProperties* properties() const override { return &source_->properties; }

 private:
  std::shared_ptr<const PageSource> source_;
};

class SourceFile : public parquet::ParquetFileReader::Contents {
 public:
  explicit SourceFile(std::shared_ptr<const PageSource> source) : source_(std::move(source)) {}
  void Close() override {}
  std::shared_ptr<parquet::RowGroupReader> GetRowGroup(int /*row_group*/) override {
    return std::make_shared<parquet::RowGroupReader>(std::make_unique<SourceRowGroup>(source_));
  }
  std::shared_ptr<parquet::FileMetaData> metadata() const override { return source_->metadata; }
  std::shared_ptr<parquet::PageIndexReader> GetPageIndexReader() override { return nullptr; }
  parquet::BloomFilterReader& GetBloomFilterReader() override {
    throw parquet::ParquetException("selected pages have no bloom filters");
  }

 private:
  std::shared_ptr<const PageSource> source_;
};

// One column of the wanted rows. Rows between them, in the same pages, are decoded and dropped.
class ColumnCursor {
 public:
  ColumnCursor(std::unique_ptr<parquet::arrow::ColumnReader> reader, std::vector<RowRange> runs,
               std::shared_ptr<arrow::DataType> type, BatchSize skipped)
      : reader_(std::move(reader)),
        runs_(std::move(runs)),
        type_(std::move(type)),
        skipped_(skipped),
        position_(runs_.front().begin) {}

  // `wanted` follow those of earlier calls and have max_rows rows at most; no more are decoded at
  // once.
  Result<std::shared_ptr<arrow::ChunkedArray>> Read(const std::vector<RowRange>& wanted,
                                                    int64_t max_rows) {
    arrow::ArrayVector chunks;
    for (size_t i = 0; i < wanted.size();) {
      const int64_t first = wanted[i].begin;
      ARROW_RETURN_NOT_OK(SkipTo(first));
      size_t end = i;
      while (end < wanted.size() && wanted[end].end <= runs_[run_].end &&
             wanted[end].end - first <= max_rows) {
        ++end;
      }
      ARROW_ASSIGN_OR_RAISE(const auto rows, Decode(wanted[end - 1].end - first));
      for (; i < end; ++i) {
        const auto slice = rows->Slice(wanted[i].begin - first, wanted[i].end - wanted[i].begin);
        chunks.insert(chunks.end(), slice->chunks().begin(), slice->chunks().end());
      }
    }
    return arrow::ChunkedArray::Make(std::move(chunks), type_);
  }

 private:
  Status SkipTo(int64_t row) {
    while (true) {
      const int64_t stop = std::min(row, runs_[run_].end);
      while (position_ < stop) {
        ARROW_ASSIGN_OR_RAISE(const auto rows, Decode(std::min(stop - position_, skipped_.rows())));
        ARROW_ASSIGN_OR_RAISE(const int64_t bytes, arrow::util::ReferencedBufferSize(*rows));
        skipped_.Saw(rows->length(), bytes);
      }
      if (row < runs_[run_].end) return Status::OK();
      position_ = runs_[++run_].begin;
    }
  }

  Result<std::shared_ptr<arrow::ChunkedArray>> Decode(int64_t rows) {
    std::shared_ptr<arrow::ChunkedArray> result;
    ARROW_RETURN_NOT_OK(reader_->NextBatch(rows, &result));
    if (result == nullptr || result->length() != rows) {
      return Status::IOError("column ends after ", position_ + (result ? result->length() : 0),
                             " rows of its row group, the footer says more");
    }
    position_ += rows;
    return result;
  }

  std::unique_ptr<parquet::arrow::ColumnReader> reader_;
  std::vector<RowRange> runs_;  // rows that reader_ gives
  std::shared_ptr<arrow::DataType> type_;
  BatchSize skipped_;  // rows that are decoded and dropped
  size_t run_ = 0;
  int64_t position_;  // of the next row
};

class PageRowsReader : public arrow::RecordBatchReader {
 public:
  explicit PageRowsReader(PageRowsJob job) : job_(std::move(job)) {}

  Status Init() {
    auto source = std::make_shared<PageSource>();
    BEGIN_PARQUET_CATCH_EXCEPTIONS
    source->file = job_.reader->parquet_reader();
    source->row_group = job_.row_group;
    source->metadata = source->file->metadata()->Subset({job_.row_group});
    source->row_group_metadata = source->metadata->RowGroup(0);
    source->input = job_.file;
    source->window_bytes = job_.window_bytes;
    ARROW_RETURN_NOT_OK(Fetch(source.get()));
    auto file = std::make_unique<parquet::ParquetFileReader>();
    file->Open(std::make_unique<SourceFile>(source));
    ARROW_ASSIGN_OR_RAISE(reader_, parquet::arrow::FileReader::Make(BatchPool(), std::move(file),
                                                                    job_.reader->properties()));
    const RowRange all{0, source->row_group_metadata->num_rows()};
    for (size_t i = 0; i < job_.columns.size(); ++i) {
      std::unique_ptr<parquet::arrow::ColumnReader> column;
      ARROW_RETURN_NOT_OK(reader_->GetColumn(job_.columns[i], &column));
      std::vector<RowRange> runs{all};
      if (job_.pages[i] != nullptr) runs = source->selections.at(job_.leaves[i].front()).runs;
      cursors_.emplace_back(std::move(column), std::move(runs),
                            job_.schema->field(static_cast<int>(i))->type(), job_.batch_size);
    }
    END_PARQUET_CATCH_EXCEPTIONS
    return Status::OK();
  }

  std::shared_ptr<arrow::Schema> schema() const override { return job_.schema; }

  Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    *batch = nullptr;
    if (table_batches_ != nullptr) {
      ARROW_RETURN_NOT_OK(table_batches_->ReadNext(batch));
      if (*batch != nullptr) return Measure(**batch);
    }
    const std::vector<RowRange> wanted = NextRanges();
    if (wanted.empty()) return Status::OK();
    arrow::ChunkedArrayVector columns;
    for (ColumnCursor& cursor : cursors_) {
      ARROW_ASSIGN_OR_RAISE(columns.emplace_back(), cursor.Read(wanted, job_.batch_size.rows()));
    }
    // A batch that is too large for one array of text comes in parts.
    ARROW_ASSIGN_OR_RAISE(
        table_, arrow::Table::Make(job_.schema, std::move(columns))->CombineChunks(BatchPool()));
    table_batches_ = std::make_unique<arrow::TableBatchReader>(*table_);
    ARROW_RETURN_NOT_OK(table_batches_->ReadNext(batch));
    return *batch == nullptr ? Status::OK() : Measure(**batch);
  }

 private:
  // Asks for the pages of flat columns, and for the chunks of the others, unless all together would
  // take too much memory.
  Status Fetch(PageSource* source) const {
    std::vector<ReadRange> ranges;
    std::vector<int> whole;
    int64_t room = job_.max_fetched_bytes;  // negative: does not fit
    const auto need = [&](int64_t bytes) { room = bytes > room ? -1 : room - bytes; };
    for (size_t i = 0; i < job_.columns.size(); ++i) {
      if (job_.pages[i] == nullptr) {
        for (const int leaf : job_.read_ahead ? job_.leaves[i] : std::vector<int>{}) {
          need(source->row_group_metadata->ColumnChunk(leaf)->total_compressed_size());
        }
        whole.insert(whole.end(), job_.leaves[i].begin(), job_.leaves[i].end());
        continue;
      }
      Selection selection = Select(*job_.pages[i], job_.ranges);
      for (const Piece& piece : selection.pieces) {
        need(piece.bytes.length);
        ranges.push_back(piece.bytes);
      }
      source->selections.emplace(job_.leaves[i].front(), std::move(selection));
    }
    if (!SortDisjoint(&ranges)) return Status::IOError("column chunks overlap");
    if (room < 0) return Status::OK();
    arrow::io::CacheOptions options = job_.reader->properties().cache_options();
    options.lazy = !job_.read_ahead;
    const arrow::io::IOContext& context = job_.file->io_context();
    source->cache = std::make_shared<ReadRangeCache>(job_.file, context, options);
    ARROW_RETURN_NOT_OK(source->cache->Cache(std::move(ranges)));
    if (job_.read_ahead && !whole.empty()) {
      source->file->PreBuffer({job_.row_group}, whole, context, options);
    }
    return Status::OK();
  }

  Status Measure(const arrow::RecordBatch& batch) {
    ARROW_ASSIGN_OR_RAISE(const int64_t bytes, arrow::util::ReferencedBufferSize(batch));
    job_.batch_size.Saw(batch.num_rows(), bytes);
    return Status::OK();
  }

  // The wanted rows of the next batch.
  std::vector<RowRange> NextRanges() {
    std::vector<RowRange> result;
    int64_t room = job_.batch_size.rows();
    while (room > 0 && range_ < job_.ranges.size()) {
      RowRange& range = job_.ranges[range_];
      const int64_t end = std::min(range.end, range.begin + room);
      result.push_back({range.begin, end});
      room -= end - range.begin;
      range.begin = end;
      if (range.begin == range.end) ++range_;
    }
    return result;
  }

  PageRowsJob job_;
  std::unique_ptr<parquet::arrow::FileReader> reader_;  // outlives the cursors
  std::vector<ColumnCursor> cursors_;
  size_t range_ = 0;  // the next of job_.ranges, which lose what was read
  std::shared_ptr<arrow::Table> table_;
  std::unique_ptr<arrow::TableBatchReader> table_batches_;
};

}  // namespace

Result<std::unique_ptr<arrow::RecordBatchReader>> ReadPageRows(PageRowsJob job) {
  auto reader = std::make_unique<PageRowsReader>(std::move(job));
  ARROW_RETURN_NOT_OK(reader->Init());
  return reader;
}

}  // namespace firth
