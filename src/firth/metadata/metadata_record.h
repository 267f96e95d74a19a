// SPDX-License-Identifier: Apache-2.0
// One record of the metadata table, and its decoding. docs/format/metadata-table.md, section 3.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "firth/common/status.h"

namespace firth {

/// The field `type`; other numbers are types that firth doesn't know.
enum class MetadataRecordType : int32_t {
  kAllPartitions = 1,
  kFiles = 2,
  kColumnStats = 3,
  kBloomFilter = 4,
  kRecordIndex = 5,
  kPartitionStats = 6,
  kSecondaryIndex = 7,
};

/// A file of a partition, or (kAllPartitions) a partition of the table.
struct ListedFile {
  std::string name{};
  int64_t size = 0;
  bool deleted = false;

  bool operator==(const ListedFile&) const = default;
};
/// In the order of the encoded map, without duplicates once merged.
struct FilesPayload {
  std::vector<ListedFile> files{};

  bool operator==(const FilesPayload&) const = default;
};

/// A bound as it is stored: the kind of its wrapper, and the value.
struct StatsValue {
  enum class Kind : uint8_t {
    kNull,
    kBoolean,
    kInt,
    kLong,
    kFloat,
    kDouble,
    kBytes,
    kString,
    kDate,             // int, epoch days
    kDecimal,          // unscaled value at scale 15, big-endian two's complement
    kTimeMicros,       // long
    kTimestampMicros,  // long
    kLocalDate,        // int, epoch days
    kOther,            // of a kind that firth doesn't know; no value
  };
  Kind kind = Kind::kNull;
  /// int64: ints, longs, dates, times. double: floats too. string: bytes, strings, decimals.
  std::variant<std::monostate, bool, int64_t, double, std::string> value{};

  bool is_null() const { return kind == Kind::kNull; }
  bool operator==(const StatsValue&) const = default;
};

/// How a bound is to be understood, from version V2 on; kByWrapper before.
enum class StatsValueType : int32_t {
  kByWrapper,
  kNull,
  kBoolean,
  kInt,
  kLong,
  kFloat,
  kDouble,
  kString,
  kBytes,
  kFixed,
  kDecimal,
  kUuid,
  kDate,
  kTimeMillis,
  kTimeMicros,
  kTimestampMillis,
  kTimestampMicros,
  kTimestampNanos,
  kLocalTimestampMillis,
  kLocalTimestampMicros,
  kLocalTimestampNanos,
};

/// Of a column in a file, or (kPartitionStats) in a partition. A count that isn't stored is -1:
/// unknown. Bounds that are null say nothing unless null_count == value_count.
struct ColumnStatsPayload {
  std::string file_name{};  // kPartitionStats: the partition's path
  std::string column{};
  StatsValue min{}, max{};
  int64_t value_count = -1;  // rows, nulls included
  int64_t null_count = -1;
  int64_t total_size = -1;
  int64_t total_uncompressed_size = -1;
  bool deleted = false;
  bool tight_bound = false;
  StatsValueType value_type = StatsValueType::kByWrapper;
  std::string type_info{};  // kDecimal: "precision,scale"

  bool operator==(const ColumnStatsPayload&) const = default;
};

struct BloomFilterPayload {
  std::string type{};       // SIMPLE or DYNAMIC_V0
  std::string timestamp{};  // instant that wrote the file
  std::string filter{};     // for BloomFilter::Parse
  bool deleted = false;

  bool operator==(const BloomFilterPayload&) const = default;
};

/// Where a record lives.
struct RecordLocation {
  std::string partition{};
  std::string file_id{};
  /// When the record was inserted, as milliseconds since the epoch of an instant time read in the
  /// timeline's time zone; -1: not stored.
  int64_t instant_millis = -1;
  int64_t position = -1;  // in its base file; -1: not stored

  bool operator==(const RecordLocation&) const = default;
};

struct SecondaryIndexPayload {
  bool deleted = false;

  bool operator==(const SecondaryIndexPayload&) const = default;
};

struct MetadataRecord {
  std::string key{};
  int32_t type = 0;  // MetadataRecordType
  /// monostate: deleted, or a type that firth doesn't know.
  std::variant<std::monostate, FilesPayload, ColumnStatsPayload, BloomFilterPayload, RecordLocation,
               SecondaryIndexPayload>
      payload{};

  bool is(MetadataRecordType which) const { return type == static_cast<int32_t>(which); }
  /// Whether the record says that what its key names is gone.
  bool is_deleted() const;
  bool operator==(const MetadataRecord&) const = default;
};

/// Decodes the values of one HFile. Fields are matched by name, so that a schema of any release
/// will do: unknown fields are skipped, missing ones keep their default. Safe from any thread.
class MetadataDecoder {
 public:
  /// @param schema Avro JSON of the writer: the HFile's `schema`, or the header of its log block
  /// Errors: kCorrupt when it is no record schema with a `type`, or a known field has another type.
  static Result<std::shared_ptr<const MetadataDecoder>> Make(std::string_view schema);
  virtual ~MetadataDecoder() = default;

  /// The stored key field is empty; `key` is the HFile's. Bytes are untrusted: time and memory are
  /// bounded by the size of `datum`. Errors: kCorrupt, naming the key.
  virtual Result<MetadataRecord> Decode(std::string_view key, std::string_view datum) const = 0;
};

}  // namespace firth
