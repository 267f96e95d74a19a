// SPDX-License-Identifier: Apache-2.0
// What log_reader and log_writer share. The byte format is described in docs/format/log.md.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace firth {

inline constexpr std::string_view kLogMagic = "#HUDI#";
inline constexpr int32_t kLogFormatVersion = 1;

/// The ids on disk. kCorrupt is never written: it stands for a damaged stretch of a file.
enum class LogBlockType : int32_t {
  kCommand = 0,
  kDelete = 1,
  kCorrupt = 2,
  kAvroData = 3,
  kHfileData = 4,
  kParquetData = 5,
  kCdc = 6,
};

/// "delete", "avro data", ...
std::string_view LogBlockTypeName(LogBlockType type);

enum class LogHeaderKey : int32_t {
  kInstantTime = 0,
  kTargetInstantTime = 1,
  kSchema = 2,
  kCommandBlockType = 3,
  kCompactedBlockTimes = 4,
  kRecordPositions = 5,
  kBlockIdentifier = 6,
  kIsPartial = 7,
  kBaseFileInstantOfPositions = 8,
};

/// Values are UTF-8 text, also those that are numbers or flags.
using LogHeader = std::map<LogHeaderKey, std::string>;

/// A block as found in a file. Content is loaded on demand by the reader that found it.
struct LogBlock {
  LogBlockType type = LogBlockType::kCorrupt;
  LogHeader header;            // kCorrupt: empty
  int64_t offset = 0;          // of the magic
  int64_t content_offset = 0;  // in the file; kCorrupt: where the damaged stretch begins
  int64_t content_length = 0;

  /// The header value, "" when absent.
  std::string_view Get(LogHeaderKey key) const;
};

/// An ordering value as delete blocks carry it: the kind of wrapper and its value.
struct OrderingValue {
  /// kNull to kArray are the branches 0 to 12 of the union, in that order; kLocalDate occurs inside
  /// arrays only.
  enum class Kind : uint8_t {
    kNull,
    kBoolean,
    kInt,
    kLong,
    kFloat,
    kDouble,
    kBytes,
    kString,
    kDate,
    kDecimal,
    kTimeMicros,
    kTimestampMicros,
    kArray,
    kLocalDate,
  };
  Kind kind = Kind::kNull;
  /// nothing (null); bool; int64 (int, long, dates, times); double (float, double); string (bytes,
  /// string, and a decimal as its unscaled value at scale 15, two's complement, big-endian); array
  /// members, none of which is an array.
  std::variant<std::monostate, bool, int64_t, double, std::string, std::vector<OrderingValue>>
      value;

  /// Hudi's "natural order": null or IntWrapper(0), a delete that wins whatever it meets.
  bool IsDefault() const;
  bool operator==(const OrderingValue&) const = default;
};

struct DeleteRecord {
  std::string record_key;
  std::string partition_path;
  OrderingValue ordering;

  bool operator==(const DeleteRecord&) const = default;
};

}  // namespace firth
