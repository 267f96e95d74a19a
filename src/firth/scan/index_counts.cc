// SPDX-License-Identifier: Apache-2.0
#include "firth/scan/index_counts.h"

#include <arrow/type.h>
#include <parquet/metadata.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "firth/common/parallel.h"
#include "firth/format/parquet/parquet_file.h"
#include "firth/metadata/metadata_keys.h"
#include "firth/metadata/metadata_table.h"
#include "firth/scan/data_skipping.h"
#include "firth/scan/pinned_snapshot.h"
#include "firth/scan/stats_bounds.h"

namespace firth {
namespace {

constexpr std::string_view kColumnStats = "column_stats";
constexpr size_t kMaxFooters = 64;     // opening them takes a request each
constexpr size_t kMaxChanges = 4'096;  // of one file group: each may be in a block of its own

using Slices = std::vector<FileSlice>;

// Columns whose value count is a number of rows, and that writers are likely to have counted.
std::vector<std::string> CountedColumns(const ReadContext& context) {
  std::vector<std::string> columns = {"_hoodie_record_key"};
  for (const std::string& field : context.config.record_key_fields) {
    const auto column = context.schema.full->GetFieldByName(field);
    if (column != nullptr && !arrow::is_nested(column->type()->id())) columns.push_back(field);
  }
  return columns;
}

// Adds to `sum`; false when the number of rows is damaged.
bool AddRows(int64_t rows, int64_t* sum) {
  if (rows < 0 || rows > kMaxCountedValues - *sum) return false;
  *sum += rows;
  return true;
}

// Rows of the base files of `slices` as statistics of `column` have them; nullopt when one has
// none.
Result<std::optional<int64_t>> RowsByStats(const MetadataTable& table, const std::string& column,
                                           std::span<const FileSlice> slices) {
  std::vector<std::string> keys;
  for (const FileSlice& slice : slices) {
    keys.push_back(ColumnStatsKey(column, slice.partition, LastSegment(slice.base->path)));
  }
  std::string distrust;
  ARROW_ASSIGN_OR_RAISE(const StatsByKey stats, LoadStats(table, kColumnStats, keys, &distrust));
  int64_t rows = 0;
  for (size_t i = 0; i < slices.size(); ++i) {
    const auto found = stats.find(keys[i]);
    if (found == stats.end() || found->second.column != column ||
        found->second.file_name != LastSegment(slices[i].base->path) ||
        !AddRows(found->second.value_count, &rows)) {
      return std::nullopt;
    }
  }
  return rows;
}

// The same of the first column that the statistics have; the first file tells which that is.
Result<std::optional<int64_t>> RowsByStats(const PinnedSnapshot& snapshot, const Slices& slices,
                                           int threads) {
  ARROW_ASSIGN_OR_RAISE(const auto table, snapshot.metadata->Get(snapshot, threads));
  for (const std::string& column : CountedColumns(*snapshot.context)) {
    ARROW_ASSIGN_OR_RAISE(const auto first,
                          RowsByStats(*table, column, std::span(slices).first(1)));
    if (first) return RowsByStats(*table, column, slices);
  }
  return std::nullopt;
}

Result<int64_t> RowsByFooters(const Storage& storage, const Slices& slices, int threads) {
  std::vector<int64_t> rows(slices.size());
  const auto count = [&](size_t i) -> Status {
    const BaseFile& base = *slices[i].base;
    ARROW_ASSIGN_OR_RAISE(auto file, storage.OpenFile(base.path, base.size));
    ARROW_ASSIGN_OR_RAISE(const auto parquet, ParquetFile::Open(std::move(file), base.path, {}));
    rows[i] = parquet->metadata().num_rows();
    return Status::OK();
  };
  const int at_once = storage.is_local() ? threads : kRequestThreads;
  ARROW_RETURN_NOT_OK(RunParallel(slices.size(), at_once, count));
  int64_t sum = 0;
  for (size_t i = 0; i < slices.size(); ++i) {
    if (AddRows(rows[i], &sum)) continue;
    return CorruptError("file {} says that it has {} rows", slices[i].base->path, rows[i]);
  }
  return sum;
}

// All file slices of the snapshot, of partitions that no read asked for too.
Result<Slices> AllSlices(const PinnedSnapshot& snapshot, const PartitionFilesView& partitions) {
  Slices all;
  for (const auto& [partition, files] : partitions) {
    ARROW_ASSIGN_OR_RAISE(Slices own,
                          SlicesOf(snapshot, partition, *files, /*read_optimized=*/false));
    std::ranges::move(own, std::back_inserter(all));
  }
  return all;
}

}  // namespace

Result<IndexCounts::Rows> IndexCounts::CountRows(const PinnedSnapshot& snapshot, int threads) {
  ARROW_ASSIGN_OR_RAISE(const Slices slices,
                        AllSlices(snapshot, *snapshot.files->ListedFromMetadata()));
  const auto with_logs = std::ranges::count_if(
      slices, [](const FileSlice& slice) { return !slice.base || !slice.logs.empty(); });
  if (with_logs != 0) {
    return Rows{.unknown =
                    fmt::format("rows of {} file slices with logs are not counted", with_logs)};
  }
  if (slices.empty()) return Rows{};
  std::string reason = "the metadata table does not tell how many rows its files have";
  const auto counted = RowsByStats(snapshot, slices, threads);
  ARROW_RETURN_NOT_OK(DistrustOnError(counted.status(), &reason));
  if (counted.ok() && *counted) return Rows{.count = **counted};
  if (slices.size() <= kMaxFooters) {
    const auto read = RowsByFooters(*snapshot.context->storage, slices, threads);
    ARROW_RETURN_NOT_OK(DistrustOnError(read.status(), &reason));
    if (read.ok()) return Rows{.count = *read};
  }
  return Rows{.unknown = std::move(reason)};
}

Result<IndexDoubt> IndexCounts::Doubt(const PinnedSnapshot& snapshot, std::string_view index,
                                      const CountOptions& options) {
  const std::lock_guard lock(mutex_);
  if (const auto known = doubts_.find(index); known != doubts_.end()) return known->second;
  if (!rows_) {
    const auto listed = snapshot.files->ListedFromMetadata();
    if (!listed) return IndexDoubt{.reason = "the files of all partitions are not known"};
    size_t files = 0;
    for (const auto& [partition, own] : *listed) files += own->size();
    if (files > options.max_files) {
      return IndexDoubt{.reason = fmt::format("{} files would have to be counted", files)};
    }
    ARROW_ASSIGN_OR_RAISE(rows_, CountRows(snapshot, options.threads));
  }
  IndexDoubt doubt{.reason = rows_->unknown};
  if (doubt.reason.empty()) {
    ARROW_ASSIGN_OR_RAISE(const auto table, snapshot.metadata->Get(snapshot, options.threads));
    const auto entries = table->CountRecords(index, kMaxChanges, /*cost=*/nullptr);
    ARROW_RETURN_NOT_OK(DistrustOnError(entries.status(), &doubt.reason));
    if (entries.ok() && !*entries) {
      doubt.reason = "its log files have too many keys to count, until they are compacted";
    } else if (entries.ok() && **entries != rows_->count) {
      doubt.reason = fmt::format("{} has {} entries for {} rows", index, **entries, rows_->count);
      doubt.differs = true;
    }
  }
  return doubts_.emplace(index, std::move(doubt)).first->second;
}

}  // namespace firth
