// SPDX-License-Identifier: Apache-2.0
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/checked_cast.h>
#include <arrow/util/decimal.h>

#include <map>

#include "firth/api/index_access.h"
#include "firth/api/table_impl.h"
#include "firth/metadata/metadata_keys.h"
#include "firth/scan/stats_interval.h"

namespace firth {
namespace {

using arrow::internal::checked_cast;

constexpr std::string_view kColumnStats = "column_stats";

// A number as text, or as it is when it stands for itself.
StatisticsBound WholeBound(int64_t value, StatsValue::Kind kind, StatsValueType type) {
  using Kind = StatsValue::Kind;
  using Type = StatsValueType;
  const auto time = [&](std::shared_ptr<arrow::DataType> unit) {
    return StatisticsBound(arrow::TimestampScalar(value, std::move(unit)).ToString());
  };
  const bool stands_for_itself = type == Type::kByWrapper;
  if (type == Type::kDate ||
      (stands_for_itself && (kind == Kind::kDate || kind == Kind::kLocalDate))) {
    return arrow::Date32Scalar(static_cast<int32_t>(value)).ToString();
  }
  if (type == Type::kTimestampMillis || type == Type::kLocalTimestampMillis) {
    return time(arrow::timestamp(arrow::TimeUnit::MILLI));
  }
  if (type == Type::kTimestampNanos || type == Type::kLocalTimestampNanos) {
    return time(arrow::timestamp(arrow::TimeUnit::NANO));
  }
  if (type == Type::kTimestampMicros || type == Type::kLocalTimestampMicros ||
      (stands_for_itself && kind == Kind::kTimestampMicros)) {
    return time(arrow::timestamp(arrow::TimeUnit::MICRO));
  }
  if (type == Type::kTimeMillis) {
    return arrow::Time32Scalar(static_cast<int32_t>(value), arrow::TimeUnit::MILLI).ToString();
  }
  if (type == Type::kTimeMicros || (stands_for_itself && kind == Kind::kTimeMicros)) {
    return arrow::Time64Scalar(value, arrow::TimeUnit::MICRO).ToString();
  }
  return value;
}

// At the column's scale where no digit gets lost, else at the file's. What was stored at a smaller
// scale than the column's may have lost some.
StatisticsBound DecimalBound(const std::string& bytes, const ColumnStatsPayload& stats,
                             const arrow::DataType* type) {
  const std::optional<int32_t> stored = DecimalScaleOf(stats);
  const auto number = arrow::Decimal128::FromBigEndian(
      reinterpret_cast<const uint8_t*>(bytes.data()), static_cast<int32_t>(bytes.size()));
  if (!stored || !number.ok()) return std::monostate();
  if (type == nullptr || type->id() != arrow::Type::DECIMAL128) return number->ToString(*stored);
  const int32_t scale = checked_cast<const arrow::Decimal128Type&>(*type).scale();
  if (stats.value_type == StatsValueType::kByWrapper && scale > *stored) return std::monostate();
  const auto rescaled = number->Rescale(*stored, scale);
  return rescaled.ok() ? rescaled->ToString(scale) : number->ToString(*stored);
}

bool IsBinary(const arrow::DataType& type) {
  return type.id() == arrow::Type::BINARY || type.id() == arrow::Type::FIXED_SIZE_BINARY;
}

// Text, bytes or a decimal.
StatisticsBound TextBound(const std::string& value, StatsValue::Kind kind,
                          const ColumnStatsPayload& stats, const arrow::DataType* type) {
  if (stats.value_type == StatsValueType::kDecimal || kind == StatsValue::Kind::kDecimal) {
    return DecimalBound(value, stats, type);
  }
  const bool binary = type == nullptr ? kind == StatsValue::Kind::kBytes : IsBinary(*type);
  if (binary) return BinaryValue{value};
  return value;
}

void Fill(const ColumnStatsPayload& stats, const arrow::DataType* type, FileStatistics* out) {
  out->stored = true;
  out->min = ToStatisticsBound(stats.min, stats, type);
  out->max = ToStatisticsBound(stats.max, stats, type);
  out->rows = stats.value_count;
  out->nulls = stats.null_count;
  out->bytes = stats.total_size;
  out->uncompressed_bytes = stats.total_uncompressed_size;
}

Result<std::vector<IndexedColumn>> ColumnsOf(const PinnedSnapshot& snapshot,
                                             std::span<const std::string> wanted) {
  std::vector<IndexedColumn> columns;
  for (const std::string& name : wanted) {
    ARROW_ASSIGN_OR_RAISE(columns.emplace_back(), FindIndexedColumn(snapshot, name));
  }
  if (!wanted.empty()) return columns;
  for (const auto& field : snapshot.context->schema.data->fields()) {
    if (field->type()->num_fields() == 0) columns.push_back({field->name(), field->type()});
  }
  return columns;
}

Result<std::vector<std::string>> FilesOf(const Snapshot& snapshot,
                                         std::optional<std::span<const std::string>> wanted) {
  std::vector<std::string> files;
  for (const std::string& file : wanted.value_or(std::span<const std::string>())) {
    if (LastSegment(file).empty()) return InvalidError("\"{}\" names no file", file);
    files.push_back(file);
  }
  if (wanted) return files;
  ARROW_ASSIGN_OR_RAISE(const std::vector<FileSliceEntry> slices, snapshot.Files());
  for (const FileSliceEntry& slice : slices) {
    if (slice.base_file) files.push_back(*slice.base_file);
    files.insert(files.end(), slice.log_files.begin(), slice.log_files.end());
  }
  return files;
}

std::string KeyOf(const FileStatistics& of) {
  return ColumnStatsKey(of.column, FolderOf(of.file), LastSegment(of.file));
}

}  // namespace

StatisticsBound ToStatisticsBound(const StatsValue& bound, const ColumnStatsPayload& stats,
                                  const arrow::DataType* type) {
  if (const auto* flag = std::get_if<bool>(&bound.value)) return *flag;
  if (const auto* real = std::get_if<double>(&bound.value)) return *real;
  if (const auto* whole = std::get_if<int64_t>(&bound.value)) {
    const bool lacks_unit =
        stats.value_type == StatsValueType::kByWrapper && bound.kind == StatsValue::Kind::kLong;
    if (lacks_unit && type != nullptr && arrow::is_temporal(type->id())) return std::monostate();
    return WholeBound(*whole, bound.kind, stats.value_type);
  }
  if (const auto* text = std::get_if<std::string>(&bound.value)) {
    return TextBound(*text, bound.kind, stats, type);
  }
  return std::monostate();
}

Result<StatisticsLookup> LookupStatistics(const Snapshot& snapshot,
                                          std::span<const std::string> columns,
                                          std::optional<std::span<const std::string>> files) {
  const PinnedSnapshot& pinned = *PinnedOf(snapshot);
  ARROW_ASSIGN_OR_RAISE(const std::vector<IndexedColumn> wanted, ColumnsOf(pinned, columns));
  ARROW_ASSIGN_OR_RAISE(const auto table, OpenIndex(pinned, kColumnStats));
  ARROW_ASSIGN_OR_RAISE(const auto paths, FilesOf(snapshot, files));
  StatisticsLookup found;
  std::vector<std::string> keys;
  for (const std::string& path : paths) {
    for (const IndexedColumn& column : wanted) {
      found.statistics.push_back({.file = path, .column = column.name});
      keys.push_back(KeyOf(found.statistics.back()));
    }
  }
  MetadataCost cost;
  ARROW_ASSIGN_OR_RAISE(const std::vector<MetadataRecord> records,
                        table->Lookup(kColumnStats, keys, &cost));
  found.cost = ToLookupCost(cost);
  std::map<std::string_view, const ColumnStatsPayload*> by_key;
  for (const MetadataRecord& record : records) {
    if (const auto* stats = std::get_if<ColumnStatsPayload>(&record.payload)) {
      by_key[record.key] = stats;
    }
  }
  for (size_t i = 0; i < keys.size(); ++i) {
    const auto stats = by_key.find(keys[i]);
    const arrow::DataType* type = wanted[i % wanted.size()].type.get();
    if (stats != by_key.end()) Fill(*stats->second, type, &found.statistics[i]);
  }
  return found;
}

}  // namespace firth
