// SPDX-License-Identifier: Apache-2.0
// firth-bench-table: makes a table of any size that stock Hudi reads, the same one for the same
// arguments. A first commit inserts all rows; each round after it updates some of them, by logs
// (mor) or by rewriting base files (cow). Memory: some batches, and one log file.
#include <arrow/record_batch.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "bench_rows.h"
#include "firth/testing/table_files.h"

namespace firth::bench {
namespace {

using testing::BaseFileSink;
using testing::FileGroup;
using testing::RowCounts;
using testing::TableFiles;
using testing::TableSpec;

constexpr size_t kBatchRows = 65'536;

struct Arguments {
  TableShape shape;
  std::string type = "mor";
  std::string compression = "snappy";
  std::string out;
  std::string expect;
};

/// What was written, for the summary line.
struct Totals {
  int64_t updates = 0, deletes = 0, live_rows = 0;
};

class Generator {
 public:
  Generator(const BenchRows& rows, TableFiles* table) : rows_(rows), table_(*table) {}

  Status Run() {
    const TableShape& shape = rows_.shape();
    for (int file = 0; file < shape.files; ++file) {
      groups_.push_back(table_.NewGroup(
          shape.partitions == 0 ? "" : table_.PartitionPath(rows_.PartitionOf(file))));
    }
    for (int round = 0; round <= shape.rounds; ++round) {
      ARROW_RETURN_NOT_OK(table_.Begin(round == 0 ? "BULK_INSERT" : "UPSERT"));
      instants_.push_back(table_.instant());
      const bool logs = round > 0 && table_.spec().merge_on_read;
      for (int file = 0; file < shape.files; ++file) {
        ARROW_RETURN_NOT_OK(logs ? WriteLog(file, round) : WriteBase(file, round));
      }
      ARROW_RETURN_NOT_OK(table_.Commit());
    }
    return Status::OK();
  }

  const Totals& totals() const { return totals_; }

 private:
  /// All rows of a file group as a snapshot after `round` shows them. The next batch is made while
  /// one is written.
  Status WriteBase(int file, int round) {
    ARROW_ASSIGN_OR_RAISE(const auto sink, table_.OpenBase(&groups_[static_cast<size_t>(file)]));
    const auto [first, last] = rows_.IdsOf(file);
    RowCounts counts;
    std::future<Result<std::shared_ptr<arrow::RecordBatch>>> next;
    std::vector<RowVersion> next_rows;
    const auto write_next = [&]() -> Status {
      if (!next.valid()) return Status::OK();
      ARROW_ASSIGN_OR_RAISE(const auto batch, next.get());
      std::vector<std::string_view> times;
      for (const RowVersion& row : next_rows) {
        times.push_back(instants_[static_cast<size_t>(row.version)]);
      }
      ARROW_ASSIGN_OR_RAISE(
          const auto full,
          table_.WithMeta(*batch, groups_[static_cast<size_t>(file)].partition, times));
      return sink->Write(*full);
    };
    for (int64_t id = first; id < last;) {
      std::vector<RowVersion> batch_rows;
      for (; id < last && batch_rows.size() < kBatchRows; ++id) {
        const std::optional<int> version = rows_.Winner(id, round);
        if (!version) {
          ++counts.deletes;
          continue;
        }
        counts.updates += round > 0 && *version == round ? 1 : 0;
        batch_rows.push_back({id, *version});
      }
      // The batch before is written while this one is made.
      auto making = std::async(std::launch::async,
                               [this, batch_rows, file] { return rows_.Make(batch_rows, file); });
      ARROW_RETURN_NOT_OK(write_next());
      next = std::move(making);
      next_rows = std::move(batch_rows);
    }
    ARROW_RETURN_NOT_OK(write_next());
    counts.inserts = round == 0 ? last - first : 0;
    totals_.updates += counts.updates;
    totals_.deletes += counts.deletes;
    return sink->Close(counts);
  }

  Status WriteLog(int file, int round) {
    const FileGroup& group = groups_[static_cast<size_t>(file)];
    const auto [first, last] = rows_.IdsOf(file);
    std::vector<RowVersion> updated;
    std::vector<DeleteRecord> deletes;
    for (int64_t id = first; id < last; ++id) {
      if (rows_.IsUpdated(id, round)) updated.push_back({id, round});
      if (rows_.IsDeleted(id, round)) {
        deletes.push_back({fmt::to_string(id),
                           group.partition,
                           {OrderingValue::Kind::kLong, rows_.Ordering({id, 0}) + 10 * round}});
      }
    }
    if (updated.empty() && deletes.empty()) return Status::OK();
    std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
    for (std::span<const RowVersion> rest = updated; !rest.empty();) {
      const std::span<const RowVersion> rows = rest.first(std::min(kBatchRows, rest.size()));
      rest = rest.subspan(rows.size());
      ARROW_ASSIGN_OR_RAISE(const auto batch, rows_.Make(rows, file));
      ARROW_ASSIGN_OR_RAISE(batches.emplace_back(), table_.WithMeta(*batch, group.partition));
    }
    const RowCounts counts{.updates = static_cast<int64_t>(updated.size()),
                           .deletes = static_cast<int64_t>(deletes.size())};
    totals_.updates += counts.updates;
    totals_.deletes += counts.deletes;
    return table_.WriteLog(group, batches, deletes, counts);
  }

  const BenchRows& rows_;
  TableFiles& table_;
  std::vector<FileGroup> groups_;
  std::vector<std::string> instants_;  // by round
  Totals totals_;
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
  ARROW_RETURN_NOT_OK(arguments.shape.Validate());
  const BenchRows rows(arguments.shape);
  TableSpec spec;
  spec.name = "bench";
  spec.merge_on_read = arguments.type == "mor";
  spec.schema = rows.schema();
  spec.partition_field = arguments.shape.partitions == 0 ? "" : "part";
  spec.ordering_field = "ts";
  spec.compression =
      arguments.compression == "zstd" ? arrow::Compression::ZSTD : arrow::Compression::SNAPPY;
  spec.seed = arguments.shape.seed;
  ARROW_ASSIGN_OR_RAISE(const auto table, TableFiles::Create(arguments.out, std::move(spec)));
  Generator generator(rows, table.get());
  ARROW_RETURN_NOT_OK(generator.Run());
  if (!arguments.expect.empty()) ARROW_RETURN_NOT_OK(WriteExpected(rows, arguments.expect));
  fmt::print("{{\"rows\": {}, \"updates\": {}, \"deletes\": {}}}\n", arguments.shape.rows,
             generator.totals().updates, generator.totals().deletes);
  return Status::OK();
}

int Main(int argc, char** argv) {
  Arguments arguments;
  TableShape& shape = arguments.shape;
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
  app.add_option("--expect", arguments.expect, "file for the rows of the snapshot, as JSON lines");
  app.add_option("--out", arguments.out, "folder of the new table")->required();
  CLI11_PARSE(app, argc, argv);
  if (rounds->empty() && arguments.type == "cow") shape.rounds = 0;
  const Status status = Run(arguments);
  if (status.ok()) return 0;
  std::cerr << "firth-bench-table: " << status.message() << '\n';
  return 1;
}

}  // namespace
}  // namespace firth::bench

int main(int argc, char** argv) { return firth::bench::Main(argc, argv); }
