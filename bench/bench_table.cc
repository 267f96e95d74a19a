// SPDX-License-Identifier: Apache-2.0
#include "bench_table.h"

#include <arrow/record_batch.h>
#include <fmt/format.h>

#include <functional>
#include <future>
#include <vector>

#include "firth/testing/metadata_files.h"

namespace firth::bench {
namespace {

using testing::BaseFileSink;
using testing::FileGroup;
using testing::MetadataFiles;
using testing::RowCounts;
using testing::TableFiles;

constexpr size_t kBatchRows = 65'536;
constexpr int kColumnStatsGroups = 2;
// Later than any instant of such a table.
constexpr const char* kMetadataTime = "20260102000000000";

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
  const std::vector<FileGroup>& groups() const { return groups_; }

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

/// Calls `visit` for `id`, for what its digits begin, and so on, below `rows`: the order of texts.
Status VisitByText(int64_t id, int64_t rows, const std::function<Status(int64_t)>& visit) {
  if (id >= rows) return Status::OK();
  ARROW_RETURN_NOT_OK(visit(id));
  for (int64_t next = 10 * id; id != 0 && next < 10 * id + 10; ++next) {
    ARROW_RETURN_NOT_OK(VisitByText(next, rows, visit));
  }
  return Status::OK();
}

Status WriteMetadata(const TableFiles& table, const BenchRows& rows,
                     const std::vector<FileGroup>& groups, int record_index) {
  MetadataFiles metadata(table.dir(), kMetadataTime);
  ARROW_RETURN_NOT_OK(metadata.WriteFiles(table.written()));
  ARROW_RETURN_NOT_OK(metadata.WriteColumnStats(table.written(), kColumnStatsGroups));
  if (record_index > 0) {
    ARROW_RETURN_NOT_OK(metadata.BeginRecordIndex(record_index));
    const TableShape& shape = rows.shape();
    const auto add = [&](int64_t id) -> Status {
      if (!rows.Winner(id, shape.rounds)) return Status::OK();
      const FileGroup& group = groups[static_cast<size_t>(rows.FileOf(id))];
      return metadata.AddKey(fmt::to_string(id), group.partition, group.file_id);
    };
    for (int64_t first = 0; first < 10; ++first) {
      ARROW_RETURN_NOT_OK(VisitByText(first, shape.rows, add));
    }
  }
  return metadata.Finish();
}

}  // namespace

Result<Totals> WriteTable(const std::string& dir, const TableOptions& options) {
  ARROW_RETURN_NOT_OK(options.shape.Validate());
  const BenchRows rows(options.shape);
  testing::TableSpec spec = options.spec;
  spec.name = "bench";
  spec.schema = rows.schema();
  spec.partition_field = options.shape.partitions == 0 ? "" : "part";
  spec.ordering_field = "ts";
  spec.seed = options.shape.seed;
  if (options.java_dictionaries) spec.plain_columns = BenchRows::UniqueColumns();
  ARROW_ASSIGN_OR_RAISE(const auto table, TableFiles::Create(dir, std::move(spec)));
  Generator generator(rows, table.get());
  ARROW_RETURN_NOT_OK(generator.Run());
  if (options.metadata) {
    ARROW_RETURN_NOT_OK(WriteMetadata(*table, rows, generator.groups(), options.record_index));
  }
  return generator.totals();
}

Status WriteHollowTable(const std::string& dir, int commits, int partitions_per_commit) {
  ARROW_ASSIGN_OR_RAISE(const auto table, TableFiles::Create(dir, {.merge_on_read = false,
                                                                   .schema = BenchRows({}).schema(),
                                                                   .partition_field = "part"}));
  for (int commit = 0; commit < commits; ++commit) {
    ARROW_RETURN_NOT_OK(table->Begin("INSERT"));
    for (int i = 0; i < partitions_per_commit * kHollowFilesPerPartition; ++i) {
      const int partition = commit * partitions_per_commit + i / kHollowFilesPerPartition;
      FileGroup group = table->NewGroup(fmt::format("day={:04}", partition));
      ARROW_RETURN_NOT_OK(table->AddHollowBase(&group, 100'000'000, 1'000'000));
    }
    ARROW_RETURN_NOT_OK(table->Commit());
  }
  MetadataFiles metadata(dir, kMetadataTime);
  ARROW_RETURN_NOT_OK(metadata.WriteFiles(table->written()));
  return metadata.Finish();
}

}  // namespace firth::bench
