// SPDX-License-Identifier: Apache-2.0
// hoodie.properties as a checked struct.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firth/common/properties.h"
#include "firth/io/storage.h"
#include "firth/table/merge_spec.h"
#include "firth/timeline/timeline.h"

namespace firth {

enum class TableType : uint8_t { kCopyOnWrite, kMergeOnRead };

enum class KeyGenerator : uint8_t {
  kSimple,
  kComplex,
  kNonPartitioned,
  kTimestamp,
  kCustom,
  kGlobalDelete,
  kAutoRecord,
  kMetadata,
  kOther,
};

struct TableConfig {
  std::string name;
  int version = 0;  // 6, 8 or 9
  TableType type = TableType::kCopyOnWrite;
  TimelineConfig timeline;
  bool timeline_is_utc = false;  // hoodie.table.timeline.timezone=UTC; else writer-local
  std::vector<std::string> record_key_fields;  // empty: generated keys
  std::vector<std::string> partition_fields;   // names only; empty: not partitioned
  std::vector<bool> partition_is_timestamp;    // per field: formatted by hoodie.keygen.timebased.*
  KeyGenerator key_generator = KeyGenerator::kSimple;
  bool hive_style = false;
  bool url_encode = false;
  bool drops_partition_columns = false;
  bool slash_separated_dates = false;
  bool has_meta_fields = true;     // hoodie.populate.meta.fields
  bool is_metadata_table = false;  // its base files are HFiles
  MergeSpec merge;
  std::string create_schema;                     // Avro JSON, or ""
  std::vector<std::string> metadata_partitions;  // ready ones
  bool cdc_enabled = false;
  Properties properties;  // everything, verbatim

  /// Reads hoodie.properties, or its backup while a writer replaces it, and checks it. Errors:
  /// kNotFound when there is no table, kUnsupported naming the version, format or feature and the
  /// remedy, kCorrupt.
  static Result<TableConfig> Load(const Storage& storage);
  static Result<TableConfig> FromProperties(Properties properties);

  /// A property, or `fallback`.
  std::string_view Get(std::string_view key, std::string_view fallback = {}) const;
};

}  // namespace firth
