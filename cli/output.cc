// SPDX-License-Identifier: Apache-2.0
#include "cli/output.h"

#include <arrow/array/array_base.h>
#include <arrow/buffer.h>
#include <arrow/io/file.h>
#include <arrow/io/interfaces.h>
#include <arrow/ipc/writer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/type_traits.h>
#include <arrow/util/byte_size.h>
#include <arrow/util/io_util.h>
#include <fmt/format.h>
#include <parquet/arrow/writer.h>
#include <parquet/exception.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <vector>

#include "cli/errors.h"
#include "cli/row_format.h"
#include "cli/text_table.h"

namespace firth::cli {
namespace {

constexpr size_t kFlushBytes = size_t{1} << 18;

// Unbuffered: the row writers hand over large pieces.
class StandardOutputStream : public arrow::io::OutputStream {
 public:
  arrow::Status Close() override {
    closed_ = true;
    return arrow::Status::OK();
  }
  bool closed() const override { return closed_; }
  arrow::Result<int64_t> Tell() const override { return position_; }

  arrow::Status Write(const void* data, int64_t bytes) override {
    const char* next = static_cast<const char*>(data);
    while (bytes > 0) {
      const ssize_t written = ::write(STDOUT_FILENO, next, static_cast<size_t>(bytes));
      if (written < 0) {
        if (errno == EINTR) continue;
        if (errno == EPIPE) return OutputClosed();
        return arrow::Status::IOError("standard output: ", std::strerror(errno));
      }
      next += written;
      bytes -= written;
      position_ += written;
    }
    return arrow::Status::OK();
  }

 private:
  bool closed_ = false;
  int64_t position_ = 0;
};

// Base of the text formats: collects text, hands it over in large pieces.
class TextRowWriter : public RowWriter {
 public:
  explicit TextRowWriter(std::shared_ptr<arrow::io::OutputStream> stream)
      : stream_(std::move(stream)) {}

  arrow::Status Write(const arrow::RecordBatch& batch) override {
    // In slices, so that a large batch of wide rows isn't held as text at once.
    constexpr int64_t kSliceRows = 4096;
    for (int64_t row = 0; row < batch.num_rows(); row += kSliceRows) {
      ARROW_RETURN_NOT_OK(AppendRows(*batch.Slice(row, kSliceRows), &text_));
      if (text_.size() >= kFlushBytes) ARROW_RETURN_NOT_OK(Flush());
    }
    return arrow::Status::OK();
  }

  arrow::Status Finish() override {
    ARROW_RETURN_NOT_OK(AppendEnd(&text_));
    return Flush();
  }

 protected:
  virtual arrow::Status AppendRows(const arrow::RecordBatch& batch, std::string* out) = 0;
  virtual arrow::Status AppendEnd(std::string*) { return arrow::Status::OK(); }
  std::string text_;

 private:
  arrow::Status Flush() {
    ARROW_RETURN_NOT_OK(stream_->Write(text_));
    text_.clear();
    return arrow::Status::OK();
  }

  std::shared_ptr<arrow::io::OutputStream> stream_;
};

class JsonlWriter : public TextRowWriter {
 public:
  JsonlWriter(const arrow::Schema& schema, std::shared_ptr<arrow::io::OutputStream> stream)
      : TextRowWriter(std::move(stream)), rows_(schema) {}

 protected:
  arrow::Status AppendRows(const arrow::RecordBatch& batch, std::string* out) override {
    return rows_.Append(batch, out);
  }

 private:
  JsonRowWriter rows_;
};

arrow::Result<std::vector<std::unique_ptr<ValueWriter>>> BareWriters(
    const arrow::RecordBatch& batch) {
  std::vector<std::unique_ptr<ValueWriter>> writers;
  for (const auto& column : batch.columns()) {
    ARROW_ASSIGN_OR_RAISE(auto writer, MakeValueWriter(column, TextStyle::kBare));
    writers.push_back(std::move(writer));
  }
  return writers;
}

// RFC 4180, with \n ends of lines. Null is an empty field, the empty string is "".
class CsvWriter : public TextRowWriter {
 public:
  CsvWriter(const arrow::Schema& schema, std::shared_ptr<arrow::io::OutputStream> stream)
      : TextRowWriter(std::move(stream)) {
    for (int i = 0; i < schema.num_fields(); ++i) {
      if (i > 0) text_ += ',';
      AppendField(schema.field(i)->name(), &text_);
    }
    text_ += '\n';
  }

 protected:
  arrow::Status AppendRows(const arrow::RecordBatch& batch, std::string* out) override {
    ARROW_ASSIGN_OR_RAISE(const auto writers, BareWriters(batch));
    std::string field;
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      for (size_t i = 0; i < writers.size(); ++i) {
        if (i > 0) *out += ',';
        if (batch.column(static_cast<int>(i))->IsNull(row)) continue;
        field.clear();
        writers[i]->Append(row, &field);
        AppendField(field, out);
      }
      *out += '\n';
    }
    return arrow::Status::OK();
  }

 private:
  static void AppendField(std::string_view field, std::string* out) {
    const bool quoted = field.empty() || field.find_first_of(",\"\r\n") != std::string_view::npos;
    if (!quoted) {
      *out += field;
      return;
    }
    *out += '"';
    for (const char c : field) {
      if (c == '"') *out += '"';
      *out += c;
    }
    *out += '"';
  }
};

bool IsNumber(const arrow::DataType& type) {
  return arrow::is_integer(type.id()) || arrow::is_floating(type.id()) ||
         arrow::is_decimal(type.id());
}

class TableWriter : public TextRowWriter {
 public:
  TableWriter(const arrow::Schema& schema, std::shared_ptr<arrow::io::OutputStream> stream,
              size_t line_width)
      : TextRowWriter(std::move(stream)), table_(Columns(schema), line_width) {}

 protected:
  arrow::Status AppendRows(const arrow::RecordBatch& batch, std::string* out) override {
    ARROW_ASSIGN_OR_RAISE(const auto writers, BareWriters(batch));
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      std::vector<std::string> cells(writers.size());
      for (size_t i = 0; i < writers.size(); ++i) writers[i]->Append(row, &cells[i]);
      table_.AddRow(std::move(cells));
      if (table_.rows() >= kRowsForWidths) *out += table_.Format();
    }
    rows_ += batch.num_rows();
    return arrow::Status::OK();
  }

  arrow::Status AppendEnd(std::string* out) override {
    *out += table_.Format();
    *out += fmt::format("({} {})\n", rows_, rows_ == 1 ? "row" : "rows");
    return arrow::Status::OK();
  }

 private:
  static constexpr size_t kRowsForWidths = 1000;

  static std::vector<TextTable::Column> Columns(const arrow::Schema& schema) {
    std::vector<TextTable::Column> columns;
    for (const auto& field : schema.fields()) {
      columns.push_back({field->name(), IsNumber(*field->type())});
    }
    return columns;
  }

  TextTable table_;
  int64_t rows_ = 0;
};

class ArrowWriter : public RowWriter {
 public:
  static arrow::Result<std::unique_ptr<RowWriter>> Make(
      bool as_stream, const std::shared_ptr<arrow::Schema>& schema,
      std::shared_ptr<arrow::io::OutputStream> stream) {
    auto writer = std::make_unique<ArrowWriter>();
    ARROW_ASSIGN_OR_RAISE(writer->writer_,
                          as_stream ? arrow::ipc::MakeStreamWriter(std::move(stream), schema)
                                    : arrow::ipc::MakeFileWriter(std::move(stream), schema));
    return writer;
  }
  arrow::Status Write(const arrow::RecordBatch& batch) override {
    return writer_->WriteRecordBatch(batch);
  }
  arrow::Status Finish() override { return writer_->Close(); }

 private:
  std::shared_ptr<arrow::ipc::RecordBatchWriter> writer_;
};

// The Parquet library reports some failures by exceptions, which end here.
template <typename Call>
arrow::Status CatchParquet(Call call) {
  try {
    return call();
  } catch (const ::parquet::ParquetStatusException& e) {
    return e.status();
  } catch (const std::exception& e) {
    return arrow::Status::IOError("writing Parquet: ", e.what());
  }
}

class ParquetWriter : public RowWriter {
 public:
  static arrow::Result<std::unique_ptr<RowWriter>> Make(
      const std::shared_ptr<arrow::Schema>& schema,
      std::shared_ptr<arrow::io::OutputStream> stream) {
    auto writer = std::make_unique<ParquetWriter>();
    auto properties = ::parquet::WriterProperties::Builder()
                          .memory_pool(arrow::system_memory_pool())
                          ->compression(arrow::Compression::ZSTD)
                          ->build();
    auto arrow_properties = ::parquet::ArrowWriterProperties::Builder().store_schema()->build();
    ARROW_RETURN_NOT_OK(CatchParquet([&] {
      return ::parquet::arrow::FileWriter::Open(*schema, arrow::system_memory_pool(),
                                                std::move(stream), std::move(properties),
                                                std::move(arrow_properties))
          .Value(&writer->writer_);
    }));
    return writer;
  }
  arrow::Status Write(const arrow::RecordBatch& batch) override {
    ARROW_ASSIGN_OR_RAISE(const int64_t bytes, arrow::util::ReferencedBufferSize(batch));
    return CatchParquet([&] {
      if (row_group_bytes_ > kRowGroupBytes) {
        ARROW_RETURN_NOT_OK(writer_->NewBufferedRowGroup());
        row_group_bytes_ = 0;
      }
      row_group_bytes_ += bytes;
      return writer_->WriteRecordBatch(batch);
    });
  }
  arrow::Status Finish() override {
    return CatchParquet([&] { return writer_->Close(); });
  }

 private:
  // Of rows as they come; a row group lies in memory until the next one begins.
  static constexpr int64_t kRowGroupBytes = int64_t{32} << 20;

  std::unique_ptr<::parquet::arrow::FileWriter> writer_;
  int64_t row_group_bytes_ = 0;
};

// Why a file cannot be written.
std::string Reason(const arrow::Status& status) {
  const int error = arrow::internal::ErrnoFromStatus(status);
  return error != 0 ? std::strerror(error) : status.message();
}

// A file whose errors name it.
class NamedFileStream : public arrow::io::OutputStream {
 public:
  NamedFileStream(std::string name, std::shared_ptr<arrow::io::OutputStream> file)
      : name_(std::move(name)), file_(std::move(file)) {}

  arrow::Status Close() override { return Named(file_->Close()); }
  bool closed() const override { return file_->closed(); }
  arrow::Result<int64_t> Tell() const override { return file_->Tell(); }
  arrow::Status Write(const void* data, int64_t bytes) override {
    return Named(file_->Write(data, bytes));
  }
  arrow::Status Flush() override { return Named(file_->Flush()); }

 private:
  arrow::Status Named(const arrow::Status& status) const {
    if (status.ok()) return status;
    return arrow::Status::IOError(name_, " cannot be written: ", Reason(status));
  }

  std::string name_;
  std::shared_ptr<arrow::io::OutputStream> file_;
};

// A file under a temporary name until Commit; removed when it never comes. What is no ordinary
// file (a device, a pipe) is written directly.
class FileTarget {
 public:
  explicit FileTarget(std::string path) : path_(std::move(path)), temporary_(path_) {
    std::error_code error;
    const bool exists = std::filesystem::exists(path_, error);
    const bool special = exists && !std::filesystem::is_regular_file(path_, error);
    if (!special) temporary_ += fmt::format(".{}.part", ::getpid());
  }
  ~FileTarget() {
    std::error_code ignored;
    if (stream_ != nullptr && temporary_ != path_) std::filesystem::remove(temporary_, ignored);
  }
  FileTarget(const FileTarget&) = delete;
  FileTarget& operator=(const FileTarget&) = delete;

  arrow::Result<std::shared_ptr<arrow::io::OutputStream>> Open() {
    arrow::Result<std::shared_ptr<arrow::io::FileOutputStream>> opened =
        arrow::io::FileOutputStream::Open(temporary_);
    if (!opened.ok()) {
      return UsageError(fmt::format("{} cannot be written: {}", path_, Reason(opened.status())));
    }
    stream_ = std::make_shared<NamedFileStream>(path_, *std::move(opened));
    return stream_;
  }

  arrow::Status Commit() {
    ARROW_RETURN_NOT_OK(stream_->Close());
    if (temporary_ == path_) return arrow::Status::OK();
    std::error_code error;
    std::filesystem::rename(temporary_, path_, error);
    if (error) return arrow::Status::IOError(path_, ": ", error.message());
    stream_ = nullptr;
    return arrow::Status::OK();
  }

 private:
  std::string path_, temporary_;
  std::shared_ptr<arrow::io::OutputStream> stream_;
};

std::optional<Format> FormatOfName(std::string_view file) {
  constexpr std::pair<std::string_view, Format> kExtensions[] = {
      {".jsonl", Format::kJsonl},     {".ndjson", Format::kJsonl},
      {".json", Format::kJsonl},      {".csv", Format::kCsv},
      {".arrow", Format::kArrow},     {".arrows", Format::kArrowStream},
      {".parquet", Format::kParquet}, {".txt", Format::kTable},
  };
  for (const auto& [extension, format] : kExtensions) {
    if (file.ends_with(extension)) return format;
  }
  return std::nullopt;
}

arrow::Status Copy(arrow::RecordBatchReader* reader, RowWriter* writer,
                   const std::function<void(int64_t)>& on_rows) {
  int64_t rows = 0;
  while (true) {
    ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::RecordBatch> batch, reader->Next());
    if (batch == nullptr) return writer->Finish();
    ARROW_RETURN_NOT_OK(writer->Write(*batch));
    rows += batch->num_rows();
    if (on_rows) on_rows(rows);
  }
}

}  // namespace

std::shared_ptr<arrow::io::OutputStream> StandardOutput() {
  return std::make_shared<StandardOutputStream>();
}

bool StandardOutputIsTerminal() { return ::isatty(STDOUT_FILENO) == 1; }

size_t TerminalWidth() {
  winsize size{};
  if (!StandardOutputIsTerminal() || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col;
}

arrow::Status Print(std::string_view text) { return StandardOutput()->Write(text); }

arrow::Result<std::unique_ptr<RowWriter>> MakeRowWriter(
    Format format, const std::shared_ptr<arrow::Schema>& schema,
    std::shared_ptr<arrow::io::OutputStream> stream, size_t line_width) {
  switch (format) {
    case Format::kTable:
      return std::make_unique<TableWriter>(*schema, std::move(stream), line_width);
    case Format::kJsonl:
      return std::make_unique<JsonlWriter>(*schema, std::move(stream));
    case Format::kCsv:
      return std::make_unique<CsvWriter>(*schema, std::move(stream));
    case Format::kArrow:
    case Format::kArrowStream:
      return ArrowWriter::Make(format == Format::kArrowStream, schema, std::move(stream));
    case Format::kParquet:
      return ParquetWriter::Make(schema, std::move(stream));
  }
  return UsageError("unknown format");
}

arrow::Result<Format> ResolveFormat(const OutputOptions& options) {
  if (!options.file.empty()) {
    const std::optional<Format> named = FormatOfName(options.file);
    const bool stream = options.format == Format::kArrow && named == Format::kArrowStream;
    const std::optional<Format> format = options.format && !stream ? options.format : named;
    if (format) return *format;
    return UsageError(fmt::format("the name {} says no format", options.file),
                      "add --format table|jsonl|csv|arrow|parquet");
  }
  const bool terminal = StandardOutputIsTerminal();
  const Format format = options.format.value_or(terminal ? Format::kTable : Format::kJsonl);
  if (terminal && (format == Format::kArrow || format == Format::kParquet)) {
    return UsageError("a binary format cannot be shown on a terminal",
                      "write it to a file with -o FILE, or into a pipe");
  }
  return format == Format::kArrow ? Format::kArrowStream : format;
}

arrow::Status WriteRows(arrow::RecordBatchReader* reader, const OutputOptions& options,
                        const std::function<void(int64_t)>& on_rows) {
  ARROW_ASSIGN_OR_RAISE(const Format format, ResolveFormat(options));
  if (options.file.empty()) {
    ARROW_ASSIGN_OR_RAISE(
        const std::unique_ptr<RowWriter> writer,
        MakeRowWriter(format, reader->schema(), StandardOutput(), TerminalWidth()));
    return Copy(reader, writer.get(), on_rows);
  }
  FileTarget target(options.file);
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::io::OutputStream> stream, target.Open());
  ARROW_ASSIGN_OR_RAISE(const std::unique_ptr<RowWriter> writer,
                        MakeRowWriter(format, reader->schema(), std::move(stream), 0));
  ARROW_RETURN_NOT_OK(Copy(reader, writer.get(), on_rows));
  return target.Commit();
}

}  // namespace firth::cli
