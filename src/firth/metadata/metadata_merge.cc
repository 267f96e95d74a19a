// SPDX-License-Identifier: Apache-2.0
#include "firth/metadata/metadata_merge.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace firth {
namespace {

// Files of `newer` go into `files`. Both sides keep the order in which names were first met.
void MergeFiles(FilesPayload newer, FilesPayload* files) {
  std::unordered_map<std::string_view, ListedFile*> changes;
  changes.reserve(newer.files.size());
  for (ListedFile& file : newer.files) changes[file.name] = &file;
  for (ListedFile& file : files->files) {
    const auto found = changes.find(file.name);
    if (found == changes.end()) continue;
    const ListedFile& change = *found->second;
    // Hudi 0.x appends to log files: the longest length is the latest. A file that comes back after
    // its deletion counts with what it has now.
    file.size = file.deleted ? change.size : std::max(file.size, change.size);
    file.deleted = change.deleted;
    changes.erase(found);
  }
  for (ListedFile& file : newer.files) {
    const auto found = changes.find(file.name);
    if (found != changes.end() && found->second == &file) {
      changes.erase(found);
      files->files.push_back(std::move(file));
    }
  }
}

int CompareDoubles(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return int{std::isnan(a)} - int{std::isnan(b)};
  return a < b ? -1 : int{a > b};
}

// Big-endian two's complement of any two lengths.
int CompareDecimals(std::string_view a, std::string_view b) {
  const auto negative = [](std::string_view bytes) {
    return !bytes.empty() && static_cast<uint8_t>(bytes[0]) >= 0x80;
  };
  if (negative(a) != negative(b)) return negative(a) ? -1 : 1;
  const char fill = negative(a) ? '\xff' : '\0';
  const size_t length = std::max(a.size(), b.size());
  const auto at = [&](std::string_view bytes, size_t i) {
    const size_t missing = length - bytes.size();
    return static_cast<uint8_t>(i < missing ? fill : bytes[i - missing]);
  };
  for (size_t i = 0; i < length; ++i) {
    if (at(a, i) != at(b, i)) return at(a, i) < at(b, i) ? -1 : 1;
  }
  return 0;
}

// The bound of both, `sign` 1 for the larger. A null one says nothing here; two that have no order
// leave none.
StatsValue WiderBound(StatsValue older, StatsValue newer, int sign) {
  if (older.is_null()) return newer;
  if (newer.is_null()) return older;
  const std::optional<int> order = CompareStats(older, newer);
  if (!order) return StatsValue{.kind = StatsValue::Kind::kOther, .value = {}};
  return *order * sign >= 0 ? std::move(older) : std::move(newer);
}

int64_t AddKnown(int64_t a, int64_t b) {
  int64_t sum = -1;
  if (a < 0 || b < 0 || __builtin_add_overflow(a, b, &sum)) return -1;
  return sum;
}

void MergeStats(ColumnStatsPayload newer, ColumnStatsPayload* stats) {
  if (stats->deleted || newer.deleted || newer.tight_bound) {
    *stats = std::move(newer);
    return;
  }
  newer.min = WiderBound(std::move(stats->min), std::move(newer.min), -1);
  newer.max = WiderBound(std::move(stats->max), std::move(newer.max), 1);
  newer.value_count = AddKnown(stats->value_count, newer.value_count);
  newer.null_count = AddKnown(stats->null_count, newer.null_count);
  newer.total_size = AddKnown(stats->total_size, newer.total_size);
  newer.total_uncompressed_size =
      AddKnown(stats->total_uncompressed_size, newer.total_uncompressed_size);
  *stats = std::move(newer);
}

bool IsKnown(int32_t type) {
  return type >= static_cast<int32_t>(MetadataRecordType::kAllPartitions) &&
         type <= static_cast<int32_t>(MetadataRecordType::kSecondaryIndex);
}

}  // namespace

std::optional<int> CompareStats(const StatsValue& a, const StatsValue& b) {
  if (a.kind != b.kind || a.value.index() != b.value.index()) return std::nullopt;
  if (const bool* flag = std::get_if<bool>(&a.value)) return int{*flag} - std::get<bool>(b.value);
  if (const int64_t* number = std::get_if<int64_t>(&a.value)) {
    const int64_t other = std::get<int64_t>(b.value);
    return *number < other ? -1 : int{*number > other};
  }
  if (const double* number = std::get_if<double>(&a.value)) {
    return CompareDoubles(*number, std::get<double>(b.value));
  }
  if (const std::string* text = std::get_if<std::string>(&a.value)) {
    const std::string& other = std::get<std::string>(b.value);
    if (a.kind == StatsValue::Kind::kDecimal) return CompareDecimals(*text, other);
    const int order = text->compare(other);
    return order < 0 ? -1 : int{order > 0};
  }
  return std::nullopt;
}

Status MergeMetadataRecord(MetadataRecord newer, MetadataRecord* record) {
  if (std::holds_alternative<std::monostate>(newer.payload) ||
      std::holds_alternative<std::monostate>(record->payload)) {
    *record = std::move(newer);
    return Status::OK();
  }
  if (newer.type != record->type) {
    return CorruptError("key \"{}\" has records of types {} and {}", record->key, record->type,
                        newer.type);
  }
  if (!IsKnown(newer.type)) {
    return UnsupportedError("key \"{}\" has records of type {}; known are 1 to 7", record->key,
                            newer.type);
  }
  if (FilesPayload* files = std::get_if<FilesPayload>(&record->payload)) {
    MergeFiles(std::get<FilesPayload>(std::move(newer.payload)), files);
  } else if (ColumnStatsPayload* stats = std::get_if<ColumnStatsPayload>(&record->payload)) {
    MergeStats(std::get<ColumnStatsPayload>(std::move(newer.payload)), stats);
  } else {
    *record = std::move(newer);
  }
  return Status::OK();
}

void DropDeletedFiles(MetadataRecord* record) {
  FilesPayload* payload = std::get_if<FilesPayload>(&record->payload);
  if (payload == nullptr) return;
  std::erase_if(payload->files, [](const ListedFile& file) { return file.deleted; });
  std::ranges::sort(payload->files, {}, &ListedFile::name);
}

}  // namespace firth
