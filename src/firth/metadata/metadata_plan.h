// SPDX-License-Identifier: Apache-2.0
// What becomes of each value of a metadata record, worked out once from the writer's schema.
#pragma once

#include <cstdint>
#include <vector>

#include "firth/format/avro/avro_schema.h"
#include "firth/metadata/metadata_record.h"

namespace firth {

/// Where a value of the writer's schema goes.
enum class MetadataSlot : uint8_t {
  kSkip,
  kType,
  kFiles,  // the map
  kFileSize,
  kFileDeleted,
  kStats,  // a whole record: that it is there
  kStatsFile,
  kStatsColumn,
  kMin,
  kMax,
  kValueCount,
  kNullCount,
  kTotalSize,
  kUncompressedSize,
  kStatsDeleted,
  kTightBound,
  kTypeOrdinal,
  kTypeInfo,
  kBloom,
  kBloomType,
  kBloomTimestamp,
  kBloomFilter,
  kBloomDeleted,
  kLocation,
  kPartition,
  kHighBits,
  kLowBits,
  kFileIndex,
  kRawFileId,
  kInstantTime,
  kEncoding,
  kPosition,
  kSecondary,
  kSecondaryDeleted,
};

/// A value of the writer's schema and what becomes of it. Of a record, the children are its fields;
/// of a union, its branches; of an array or map, the one kind of item.
struct MetadataNode {
  AvroKind kind = AvroKind::kNull;
  MetadataSlot slot = MetadataSlot::kSkip;
  StatsValue::Kind wrapper = StatsValue::Kind::kNull;  // records that are branches of kMin and kMax
  int32_t fixed_size = 0;
  std::vector<MetadataNode> children{};
};

/// The plan of a record. Fields that are not known are skipped.
/// Errors: kCorrupt when a known field has another type than it must have.
Result<MetadataNode> PlanMetadataRecord(const AvroSchema& schema);

}  // namespace firth
