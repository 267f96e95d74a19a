// SPDX-License-Identifier: Apache-2.0
#include "firth/scan/data_skipping.h"

#include <arrow/type.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "firth/metadata/metadata_keys.h"
#include "firth/metadata/metadata_table.h"
#include "firth/read/prune.h"
#include "firth/scan/stats_bounds.h"
#include "firth/scan/stats_interval.h"

namespace firth {
namespace {

constexpr std::string_view kPartition = "column_stats";
constexpr int kFirstVersionOfLogStats = 8;  // before, a log file grows

// A string that partitions the table: its folders say what statistics would.
bool IsFolderName(const ReadContext& context, const arrow::Field& field) {
  const auto& from_path = context.config.partition_fields;
  return field.type()->id() == arrow::Type::STRING &&
         std::ranges::find(from_path, field.name()) != from_path.end();
}

// Columns of the filter whose statistics can rule out something.
std::vector<std::string> UsableColumns(const ReadContext& context,
                                       const arrow::compute::Expression& filter) {
  std::vector<std::string> columns = BoundableColumns(filter);
  std::erase_if(columns, [&](const std::string& column) {
    const auto field = context.schema.full->GetFieldByName(column);
    return field == nullptr || !HasReliableBounds(*field->type()) || !IsStored(context, column) ||
           IsFolderName(context, *field);
  });
  return columns;
}

// A merger of the user's own may make values that no file has.
bool MergesToStoredValues(const MergeSpec& merge) {
  return merge.mode != MergeMode::kCustom || merge.payload != PayloadKind::kNone;
}

// What is known of a column over all row versions of a slice.
std::optional<ColumnRange> RangeInSlice(const StatsByKey& stats, const FileSlice& slice,
                                        const std::string& column,
                                        const std::shared_ptr<arrow::DataType>& type) {
  StatsBounds bounds(type);
  for (const std::string_view name : FileNames(slice)) {
    const auto found = stats.find(ColumnStatsKey(column, slice.partition, name));
    if (found == stats.end() || found->second.file_name != name || found->second.column != column ||
        !bounds.Add(found->second)) {
      return std::nullopt;
    }
  }
  ColumnRange known = bounds.Range();
  // A merged row may be null where its versions are not: a log without the column.
  if (!slice.logs.empty()) known.null_count = -1;
  return known;
}

// The same of several columns, as CanMatch asks for it.
RangeOf RangesInSlice(const StatsByKey& stats, const FileSlice& slice,
                      const std::vector<std::string>& columns, const arrow::Schema& schema) {
  std::map<std::string, std::optional<ColumnRange>> ranges;
  for (const std::string& column : columns) {
    ranges[column] = RangeInSlice(stats, slice, column, schema.GetFieldByName(column)->type());
  }
  return [ranges = std::move(ranges)](const std::string& column) {
    const auto found = ranges.find(column);
    return found == ranges.end() ? std::nullopt : found->second;
  };
}

}  // namespace

bool IsStored(const ReadContext& context, const std::string& column) {
  const auto& from_path = context.config.partition_fields;
  return !context.config.drops_partition_columns ||
         std::ranges::find(from_path, column) == from_path.end();
}

bool IsSkippable(const ReadContext& context, const FileSlice& slice) {
  return slice.logs.empty() || (context.config.version >= kFirstVersionOfLogStats &&
                                MergesToStoredValues(context.config.merge));
}

std::vector<std::string_view> FileNames(const FileSlice& slice) {
  std::vector<std::string_view> names;
  if (slice.base) names.push_back(LastSegment(slice.base->path));
  for (const LogFile& log : slice.logs) names.push_back(LastSegment(log.path));
  return names;
}

std::vector<std::string> StatsKeysOf(const ReadContext& context,
                                     const std::vector<FileSlice>& slices,
                                     const std::vector<std::string>& columns) {
  std::vector<std::string> keys;
  for (const FileSlice& slice : slices) {
    if (!IsSkippable(context, slice)) continue;
    for (const std::string_view name : FileNames(slice)) {
      for (const std::string& column : columns) {
        keys.push_back(ColumnStatsKey(column, slice.partition, name));
      }
    }
  }
  return keys;
}

Result<StatsByKey> LoadStats(const MetadataTable& table, std::string_view partition,
                             const std::vector<std::string>& keys, std::string* reason) {
  ARROW_ASSIGN_OR_RAISE(*reason, table.Distrust(partition));
  StatsByKey stats;
  if (!reason->empty()) return stats;
  Result<std::vector<MetadataRecord>> records = table.Lookup(partition, keys, /*cost=*/nullptr);
  if (!records.ok()) {
    ARROW_RETURN_NOT_OK(DistrustOnError(records.status(), reason));
    return stats;
  }
  for (MetadataRecord& record : *records) {
    auto* payload = std::get_if<ColumnStatsPayload>(&record.payload);
    if (payload != nullptr) stats.emplace(std::move(record.key), std::move(*payload));
  }
  return stats;
}

Status SkipByColumnStats(const PinnedSnapshot& snapshot, const arrow::compute::Expression& filter,
                         int threads, std::vector<FileSlice>* slices, ScanReport* report) {
  const ReadContext& context = *snapshot.context;
  const auto& ready = context.config.metadata_partitions;
  if (ready.empty()) return Status::OK();  // as the note on the listing says
  const auto not_used = [&](std::string_view reason) {
    report->notes.push_back(fmt::format("column statistics not used: {}", reason));
    return Status::OK();
  };
  if (std::ranges::find(ready, kPartition) == ready.end()) {
    return not_used("the metadata table has none");
  }
  // A name may have meant another column.
  if (!context.schema.history.empty()) return not_used("the table has a schema history");
  const std::vector<std::string> columns = UsableColumns(context, filter);
  if (columns.empty()) return not_used("the predicate compares no column that has bounds");
  const std::vector<std::string> keys = StatsKeysOf(context, *slices, columns);
  if (keys.empty()) {
    return slices->empty() ? Status::OK() : not_used("those of log files may not hold");
  }
  ARROW_ASSIGN_OR_RAISE(const auto table, snapshot.metadata->Get(snapshot, threads));
  std::string reason;
  ARROW_ASSIGN_OR_RAISE(const StatsByKey stats, LoadStats(*table, kPartition, keys, &reason));
  if (!reason.empty()) return not_used(reason);
  const auto always_read = std::ranges::count_if(
      *slices, [&](const FileSlice& slice) { return !IsSkippable(context, slice); });
  const auto skipped = std::erase_if(*slices, [&](const FileSlice& slice) {
    return IsSkippable(context, slice) &&
           !CanMatch(filter, RangesInSlice(stats, slice, columns, *context.schema.full));
  });
  report->slices_pruned += static_cast<int64_t>(skipped);
  report->notes.push_back(fmt::format("column statistics of {}: {} of {} file slices skipped",
                                      fmt::join(columns, ", "), skipped, slices->size() + skipped));
  if (always_read != 0) {
    report->notes.back() +=
        fmt::format("; {} have logs whose statistics may not hold", always_read);
  }
  return Status::OK();
}

}  // namespace firth
