// SPDX-License-Identifier: Apache-2.0
#include "firth/scan/data_skipping.h"

#include <arrow/scalar.h>
#include <arrow/type.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "firth/metadata/metadata_keys.h"
#include "firth/metadata/metadata_table.h"
#include "firth/read/prune.h"
#include "firth/scan/predicate.h"

namespace firth {
namespace {

constexpr std::string_view kPartition = "column_stats";
constexpr int kFirstVersionOfLogStats = 8;  // before, a log file grows

// Statistics of one column in the files that were asked for, by their key.
using StatsByKey = std::map<std::string, ColumnStatsPayload, std::less<>>;

// Types whose bounds hold for a file whatever wrote it. Writers leave out bounds of long strings
// and of floats with NaN row group by row group, so that those of the rest stand for the file, and
// they order the strings of log files by UTF-16.
bool HasReliableBounds(const arrow::DataType& type) {
  return type.id() == arrow::Type::INT32 || type.id() == arrow::Type::INT64;
}

// Columns of the filter whose statistics can rule out something.
std::vector<std::string> UsableColumns(const ReadContext& context,
                                       const arrow::compute::Expression& filter) {
  std::vector<std::string> columns = ReferencedColumns(filter);
  std::erase_if(columns, [&](const std::string& column) {
    const auto field = context.schema.full->GetFieldByName(column);
    const auto& from_path = context.config.partition_fields;
    return field == nullptr || !HasReliableBounds(*field->type()) ||
           (context.config.drops_partition_columns &&
            std::ranges::find(from_path, column) != from_path.end());
  });
  return columns;
}

// A merger of the user's own may make values that no file has.
bool MergesToStoredValues(const MergeSpec& merge) {
  return merge.mode != MergeMode::kCustom || merge.payload != PayloadKind::kNone;
}

// A slice whose files may all have statistics.
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

std::optional<int64_t> IntegerOf(const StatsValue& bound, StatsValueType type) {
  const bool is_integer = (bound.kind == StatsValue::Kind::kInt &&
                           (type == StatsValueType::kByWrapper || type == StatsValueType::kInt)) ||
                          (bound.kind == StatsValue::Kind::kLong &&
                           (type == StatsValueType::kByWrapper || type == StatsValueType::kLong));
  const int64_t* value = std::get_if<int64_t>(&bound.value);
  return is_integer && value != nullptr ? std::optional(*value) : std::nullopt;
}

// Bounds of integers over several files.
struct IntegerRange {
  int64_t min = std::numeric_limits<int64_t>::max();
  int64_t max = std::numeric_limits<int64_t>::min();
  int64_t nulls = 0, rows = 0;

  // False when the file's values are not known.
  bool Add(const ColumnStatsPayload& stats) {
    if (stats.value_count < 0 || stats.null_count < 0 || stats.null_count > stats.value_count) {
      return false;
    }
    nulls += stats.null_count;
    rows += stats.value_count;
    if (stats.min.is_null() && stats.max.is_null()) return stats.null_count == stats.value_count;
    const auto low = IntegerOf(stats.min, stats.value_type);
    const auto high = IntegerOf(stats.max, stats.value_type);
    if (!low || !high || *low > *high) return false;
    min = std::min(min, *low);
    max = std::max(max, *high);
    return true;
  }
};

std::shared_ptr<arrow::Scalar> ScalarOf(int64_t value,
                                        const std::shared_ptr<arrow::DataType>& type) {
  const auto scalar = arrow::Int64Scalar(value).CastTo(type);
  return scalar.ok() ? *scalar : nullptr;
}

// What is known of a column over all row versions of a slice.
std::optional<ColumnRange> RangeInSlice(const StatsByKey& stats, const FileSlice& slice,
                                        const std::string& column,
                                        const std::shared_ptr<arrow::DataType>& type) {
  IntegerRange range;
  for (const std::string_view name : FileNames(slice)) {
    const auto found = stats.find(ColumnStatsKey(column, slice.partition, name));
    if (found == stats.end() || found->second.file_name != name || found->second.column != column ||
        !range.Add(found->second)) {
      return std::nullopt;
    }
  }
  // A merged row may be null where its versions are not: a log without the column.
  const int64_t nulls = slice.logs.empty() ? range.nulls : -1;
  ColumnRange known{.min = nullptr, .max = nullptr, .null_count = nulls, .rows = range.rows};
  if (range.min <= range.max) {
    known.min = ScalarOf(range.min, type);
    known.max = ScalarOf(range.max, type);
  }
  return known;
}

std::vector<std::string> KeysOf(const ReadContext& context, const std::vector<FileSlice>& slices,
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

// Statistics under `keys`, or the `reason` why there are none to believe.
Result<StatsByKey> LoadStats(const MetadataTable& table, const std::vector<std::string>& keys,
                             std::string* reason) {
  ARROW_ASSIGN_OR_RAISE(*reason, table.Distrust(kPartition));
  StatsByKey stats;
  if (!reason->empty()) return stats;
  Result<std::vector<MetadataRecord>> records = table.Lookup(kPartition, keys, /*cost=*/nullptr);
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

}  // namespace

Status SkipByColumnStats(const PinnedSnapshot& snapshot, const arrow::compute::Expression& filter,
                         int threads, std::vector<FileSlice>* slices, ScanReport* report) {
  const ReadContext& context = *snapshot.context;
  const auto& ready = context.config.metadata_partitions;
  if (std::ranges::find(ready, kPartition) == ready.end()) return Status::OK();
  if (!context.schema.history.empty()) return Status::OK();  // a name may have meant another column
  const std::vector<std::string> columns = UsableColumns(context, filter);
  const std::vector<std::string> keys = KeysOf(context, *slices, columns);
  if (keys.empty()) return Status::OK();
  ARROW_ASSIGN_OR_RAISE(const auto table, snapshot.metadata->Get(snapshot, threads));
  std::string reason;
  ARROW_ASSIGN_OR_RAISE(const StatsByKey stats, LoadStats(*table, keys, &reason));
  if (!reason.empty()) {
    report->notes.push_back("column statistics not used: " + reason);
    return Status::OK();
  }
  const auto skipped = std::erase_if(*slices, [&](const FileSlice& slice) {
    if (!IsSkippable(context, slice)) return false;
    return !CanMatch(filter, [&](const std::string& column) -> std::optional<ColumnRange> {
      if (std::ranges::find(columns, column) == columns.end()) return std::nullopt;
      return RangeInSlice(stats, slice, column,
                          context.schema.full->GetFieldByName(column)->type());
    });
  });
  report->slices_pruned += static_cast<int64_t>(skipped);
  report->notes.push_back(fmt::format("column statistics of {}: {} of {} file slices skipped",
                                      fmt::join(columns, ", "), skipped, slices->size() + skipped));
  return Status::OK();
}

}  // namespace firth
