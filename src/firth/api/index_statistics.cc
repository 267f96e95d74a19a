// SPDX-License-Identifier: Apache-2.0
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>

#include <charconv>
#include <map>

#include "firth/api/index_access.h"
#include "firth/api/table_impl.h"
#include "firth/metadata/metadata_keys.h"

namespace firth {
namespace {

constexpr std::string_view kColumnStats = "column_stats";
constexpr int32_t kWrapperScale = 15;  // of decimals that say no scale of their own

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

// The scale in "precision,scale".
std::optional<int32_t> ScaleOf(std::string_view type_info) {
  const size_t comma = type_info.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  int32_t scale = 0;
  const char* end = type_info.data() + type_info.size();
  const auto parsed = std::from_chars(type_info.data() + comma + 1, end, scale);
  const bool is_scale = parsed.ec == std::errc() && parsed.ptr == end && scale >= 0 &&
                        scale <= arrow::Decimal128::kMaxScale;
  return is_scale ? std::optional(scale) : std::nullopt;
}

StatisticsBound TextBound(const std::string& value, const ColumnStatsPayload& stats,
                          StatsValue::Kind kind) {
  const bool by_type = stats.value_type == StatsValueType::kDecimal;
  if (!by_type && kind != StatsValue::Kind::kDecimal) return value;
  const std::optional<int32_t> scale = by_type ? ScaleOf(stats.type_info) : kWrapperScale;
  const auto number = arrow::Decimal128::FromBigEndian(
      reinterpret_cast<const uint8_t*>(value.data()), static_cast<int32_t>(value.size()));
  if (!scale || !number.ok()) return std::monostate();
  return number->ToString(*scale);
}

StatisticsBound ToBound(const StatsValue& bound, const ColumnStatsPayload& stats) {
  if (const auto* flag = std::get_if<bool>(&bound.value)) return *flag;
  if (const auto* real = std::get_if<double>(&bound.value)) return *real;
  if (const auto* whole = std::get_if<int64_t>(&bound.value)) {
    return WholeBound(*whole, bound.kind, stats.value_type);
  }
  if (const auto* text = std::get_if<std::string>(&bound.value)) {
    return TextBound(*text, stats, bound.kind);
  }
  return std::monostate();
}

void Fill(const ColumnStatsPayload& stats, FileStatistics* out) {
  out->stored = true;
  out->min = ToBound(stats.min, stats);
  out->max = ToBound(stats.max, stats);
  out->rows = stats.value_count;
  out->nulls = stats.null_count;
  out->bytes = stats.total_size;
  out->uncompressed_bytes = stats.total_uncompressed_size;
}

Result<std::vector<std::string>> ColumnsOf(const arrow::Schema& data, const arrow::Schema& full,
                                           std::span<const std::string> wanted) {
  std::vector<std::string> columns;
  for (const std::string& column : wanted) {
    if (full.GetFieldByName(column.substr(0, column.find('.'))) == nullptr) {
      return NotFoundError("the table has no column \"{}\"", column);
    }
    columns.push_back(column);
  }
  if (!wanted.empty()) return columns;
  for (const auto& field : data.fields()) {
    if (field->type()->num_fields() == 0) columns.push_back(field->name());
  }
  return columns;
}

Result<std::vector<std::string>> FilesOf(const Snapshot& snapshot,
                                         std::span<const std::string> wanted) {
  std::vector<std::string> files;
  for (const std::string& file : wanted) {
    if (FileNameOf(file).empty()) return InvalidError("\"{}\" names no file", file);
    files.push_back(file);
  }
  if (!wanted.empty()) return files;
  ARROW_ASSIGN_OR_RAISE(const std::vector<FileSliceEntry> slices, snapshot.Files());
  for (const FileSliceEntry& slice : slices) {
    if (slice.base_file) files.push_back(*slice.base_file);
    files.insert(files.end(), slice.log_files.begin(), slice.log_files.end());
  }
  return files;
}

std::string KeyOf(const FileStatistics& of) {
  return ColumnStatsKey(of.column, FolderOf(of.file), FileNameOf(of.file));
}

}  // namespace

Result<StatisticsLookup> LookupStatistics(const Snapshot& snapshot,
                                          std::span<const std::string> columns,
                                          std::span<const std::string> files) {
  const PinnedSnapshot& pinned = *PinnedOf(snapshot);
  const TableSchema& schema = pinned.context->schema;
  ARROW_ASSIGN_OR_RAISE(const auto table, OpenIndex(pinned, kColumnStats));
  ARROW_ASSIGN_OR_RAISE(const auto names, ColumnsOf(*schema.data, *schema.full, columns));
  ARROW_ASSIGN_OR_RAISE(const auto paths, FilesOf(snapshot, files));
  StatisticsLookup found;
  std::vector<std::string> keys;
  for (const std::string& path : paths) {
    for (const std::string& name : names) {
      found.statistics.push_back({.file = path, .column = name});
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
    if (stats != by_key.end()) Fill(*stats->second, &found.statistics[i]);
  }
  return found;
}

}  // namespace firth
