// SPDX-License-Identifier: Apache-2.0
// The contract of log_reader and log_writer: docs/format/log.md.
#pragma once

#include <arrow/buffer.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace firth {

inline constexpr std::string_view kLogMagic = "#HUDI#";
inline constexpr int32_t kLogFormatVersion = 1;

enum class LogBlockType : int32_t {
  kCommand = 0,
  kDelete = 1,
  kCorrupt = 2,
  kAvroData = 3,
  kHfileData = 4,
  kParquetData = 5,
  kCdc = 6,
};

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
using LogHeader = std::map<LogHeaderKey, std::string>;

/// A block as found in a file. Content is loaded on demand by the reader that found it.
struct LogBlock {
  LogBlockType type = LogBlockType::kCorrupt;
  LogHeader header;
  int64_t offset = 0;          // of the magic
  int64_t content_offset = 0;  // in the file
  int64_t content_length = 0;

  /// "" when absent.
  std::string_view Get(LogHeaderKey key) const;
};

/// An ordering value as delete blocks carry it: the wrapper branch and its value.
/// Branches 0 to 12 of the union; 13 is LocalDateWrapper inside arrays.
struct OrderingValue {
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
  /// bool; int64 (int, long, date, times); double (float, double); string (bytes, string, and the
  /// unscaled big-endian two's complement of a decimal of scale 15); array members.
  std::variant<std::monostate, bool, int64_t, double, std::string, std::vector<OrderingValue>>
      value;

  /// Hudi's "natural order": null or IntWrapper(0), a delete that wins whatever it meets.
  bool IsDefault() const {
    return kind == Kind::kNull || (kind == Kind::kInt && std::get<int64_t>(value) == 0);
  }
  bool operator==(const OrderingValue&) const = default;
};

struct DeleteRecord {
  std::string record_key;
  std::string partition_path;
  OrderingValue ordering;

  bool operator==(const DeleteRecord&) const = default;
};

}  // namespace firth
