// SPDX-License-Identifier: Apache-2.0
// Where results go: standard output or a file, as rows in one of six formats.
#pragma once

#include <arrow/io/type_fwd.h>
#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace firth::cli {

enum class Format : uint8_t {
  kTable,
  kJsonl,
  kCsv,
  kArrow,        ///< an IPC file: with a footer, for random access
  kArrowStream,  ///< an IPC stream
  kParquet,
};

/// A stream over standard output that reports a closed pipe as OutputClosed().
std::shared_ptr<arrow::io::OutputStream> StandardOutput();
bool StandardOutputIsTerminal();
/// Columns of the terminal that standard output is, 0 when it is none.
size_t TerminalWidth();

/// Writes text to standard output at once.
arrow::Status Print(std::string_view text);

/// Rows in one format.
class RowWriter {
 public:
  virtual ~RowWriter() = default;
  virtual arrow::Status Write(const arrow::RecordBatch& batch) = 0;
  /// Ends the format; the stream stays open.
  virtual arrow::Status Finish() = 0;
};

/// `line_width` is for tables, as in TextTable.
arrow::Result<std::unique_ptr<RowWriter>> MakeRowWriter(
    Format format, const std::shared_ptr<arrow::Schema>& schema,
    std::shared_ptr<arrow::io::OutputStream> stream, size_t line_width);

/// What the user asked for.
struct OutputOptions {
  std::optional<Format>
      format;        // default: by the file's name, else table on a terminal, else jsonl
  std::string file;  // empty: standard output
};

/// The format that the options mean. Arrow on standard output and in a file named *.arrows is a
/// stream. Errors: usage, for a file whose name says nothing and for binary formats on a terminal.
arrow::Result<Format> ResolveFormat(const OutputOptions& options);

/// Streams all batches of `reader` to where `options` say. A file is written beside its final name
/// and renamed at the end, so that it is complete when it exists. `on_rows` hears the number of
/// rows written so far, after every batch.
arrow::Status WriteRows(arrow::RecordBatchReader* reader, const OutputOptions& options,
                        const std::function<void(int64_t)>& on_rows = {});

}  // namespace firth::cli
