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
#include "firth/timeline/timeline.h"

namespace firth {

enum class TableType : uint8_t { kCopyOnWrite, kMergeOnRead };
enum class MergeMode : uint8_t { kCommitTime, kEventTime, kCustom };
enum class PartialUpdateMode : uint8_t { kNone, kIgnoreDefaults, kFillUnavailable };

/// Payload classes of older tables whose merging firth reproduces by rule (spec 02, section 4).
enum class PayloadKind : uint8_t {
  kNone,  // the merge mode says all
  kOverwriteWithLatest,
  kDefault,
  kEventTime,
  kPartialUpdate,
  kOverwriteNonDefaults,
  kPostgresDebezium,
  kMySqlDebezium,
  kAwsDms,
};

/// How two versions of a record become one.
struct MergeSpec {
  MergeMode mode = MergeMode::kCommitTime;
  PartialUpdateMode partial_update = PartialUpdateMode::kNone;
  PayloadKind payload = PayloadKind::kNone;
  std::vector<std::string> ordering_fields;  // empty under kCommitTime
  std::string delete_field, delete_marker;   // both or neither
  std::string unavailable_value;             // kFillUnavailable
  std::string custom_class;                  // kCustom without a known payload: refused on merge
};

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
  std::vector<bool> partition_is_timestamp;    // CUSTOM generator: field:TIMESTAMP, per field
  KeyGenerator key_generator = KeyGenerator::kSimple;
  bool hive_style = false;
  bool url_encode = false;
  bool drops_partition_columns = false;
  bool slash_separated_dates = false;
  bool has_meta_fields = true;  // hoodie.populate.meta.fields
  MergeSpec merge;
  std::string create_schema;                     // Avro JSON, or ""
  std::vector<std::string> metadata_partitions;  // ready ones
  bool cdc_enabled = false;
  Properties properties;  // everything, verbatim

  /// Reads hoodie.properties (or its backup) and checks it. Errors: kNotFound when there is no
  /// table, kUnsupported naming the version, format or feature and the remedy, kCorrupt.
  static Result<TableConfig> Load(const Storage& storage);
  static Result<TableConfig> FromProperties(Properties properties);

  /// A property, or `fallback`.
  std::string_view Get(std::string_view key, std::string_view fallback = {}) const;
};

}  // namespace firth
