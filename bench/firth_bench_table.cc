// SPDX-License-Identifier: Apache-2.0
// firth-bench-table: makes a table of any size that stock Hudi reads, the same one for the same
// arguments (bench_table.h).
#include <arrow/record_batch.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include "bench_rows.h"
#include "bench_table.h"

namespace firth::bench {
namespace {

struct Arguments {
  TableOptions table;
  std::string type = "mor";
  std::string compression = "snappy";
  std::string out;
  std::string expect;
  int hollow_commits = 0;
};

/// The rows of the latest snapshot, by id, one JSON object a line.
Status WriteExpected(const BenchRows& rows, const std::string& path) {
  std::ofstream out(path);
  for (int file = 0; file < rows.shape().files; ++file) {
    const auto [first, last] = rows.IdsOf(file);
    for (int64_t id = first; id < last; ++id) {
      const std::optional<int> version = rows.Winner(id, rows.shape().rounds);
      if (!version) continue;
      const RowVersion row{id, *version};
      ARROW_ASSIGN_OR_RAISE(const auto batch, rows.Make({&row, 1}, file));
      ARROW_ASSIGN_OR_RAISE(const std::string line, RowToJson(*batch, 0));
      out << line << '\n';
    }
  }
  out.close();
  return out.good() ? Status::OK() : Error(ErrorCode::kIo, "{}: could not be written", path);
}

Status Run(const Arguments& arguments) {
  TableOptions options = arguments.table;
  options.spec.merge_on_read = arguments.type == "mor";
  options.spec.compression =
      arguments.compression == "zstd" ? arrow::Compression::ZSTD : arrow::Compression::SNAPPY;
  ARROW_ASSIGN_OR_RAISE(const Totals totals, WriteTable(arguments.out, options));
  if (!arguments.expect.empty()) {
    ARROW_RETURN_NOT_OK(WriteExpected(BenchRows(options.shape), arguments.expect));
  }
  fmt::print("{{\"rows\": {}, \"updates\": {}, \"deletes\": {}}}\n", options.shape.rows,
             totals.updates, totals.deletes);
  return Status::OK();
}

int Main(int argc, char** argv) {
  Arguments arguments;
  TableShape& shape = arguments.table.shape;
  CLI::App app("Makes a Hudi table for benchmarks");
  app.add_option("--type", arguments.type, "cow or mor")->check(CLI::IsMember({"cow", "mor"}));
  app.add_option("--rows", shape.rows, "rows of the first commit");
  app.add_option("--columns", shape.columns, "10 or 20");
  app.add_option("--dimension", shape.dimension, "of vectors in one more column, emb; 0: without");
  app.add_option("--files", shape.files, "file groups");
  app.add_option("--partitions", shape.partitions, "0 for a table without partitions");
  const CLI::Option* rounds =
      app.add_option("--rounds", shape.rounds, "commits after the first one; default mor 1, cow 0");
  app.add_option("--update-fraction", shape.update_fraction, "of all rows, in each round");
  app.add_option("--delete-fraction", shape.delete_fraction, "of all rows, in the last round");
  app.add_option("--late-fraction", shape.late_fraction, "of the updates, losing by order");
  app.add_option("--seed", shape.seed);
  app.add_option("--compression", arguments.compression, "of base files")
      ->check(CLI::IsMember({"snappy", "zstd"}));
  app.add_option("--page-rows", arguments.table.spec.page_rows,
                 "rows of a page, with a page index; 0: by size, without");
  app.add_flag("--java-dictionaries", arguments.table.java_dictionaries,
               "no dictionaries of columns whose values hardly repeat");
  CLI::Option* metadata = app.add_flag("--metadata", arguments.table.metadata,
                                       "a metadata table: files and column statistics");
  app.add_option("--record-index", arguments.table.record_index,
                 "with --metadata: file groups of a record index")
      ->needs(metadata);
  app.add_option("--expect", arguments.expect, "file for the rows of the snapshot, as JSON lines");
  app.add_option("--hollow", arguments.hollow_commits,
                 "instead: commits of 10 partitions of 100 empty files, and a metadata table");
  app.add_option("--out", arguments.out, "folder of the new table")->required();
  CLI11_PARSE(app, argc, argv);
  if (rounds->empty() && arguments.type == "cow") shape.rounds = 0;
  const Status status = arguments.hollow_commits > 0
                            ? WriteHollowTable(arguments.out, arguments.hollow_commits, 10)
                            : Run(arguments);
  if (status.ok()) return 0;
  std::cerr << "firth-bench-table: " << status.message() << '\n';
  return 1;
}

}  // namespace
}  // namespace firth::bench

int main(int argc, char** argv) { return firth::bench::Main(argc, argv); }
