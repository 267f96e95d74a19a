// SPDX-License-Identifier: Apache-2.0
#include "firth/metadata/metadata_plan.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace firth {
namespace {

using Slot = MetadataSlot;
using Node = MetadataNode;

struct NamedSlot {
  std::string_view path;
  Slot slot;
  AvroKind kind;  // of the value, null aside
};

// Paths of fields, from the record down; a map's values are at "*".
constexpr auto kSlots = std::to_array<NamedSlot>({
    {"type", Slot::kType, AvroKind::kInt},
    {"filesystemMetadata", Slot::kFiles, AvroKind::kMap},
    {"filesystemMetadata.*.size", Slot::kFileSize, AvroKind::kLong},
    {"filesystemMetadata.*.isDeleted", Slot::kFileDeleted, AvroKind::kBoolean},
    {"ColumnStatsMetadata", Slot::kStats, AvroKind::kRecord},
    {"ColumnStatsMetadata.fileName", Slot::kStatsFile, AvroKind::kString},
    {"ColumnStatsMetadata.columnName", Slot::kStatsColumn, AvroKind::kString},
    {"ColumnStatsMetadata.minValue", Slot::kMin, AvroKind::kUnion},
    {"ColumnStatsMetadata.maxValue", Slot::kMax, AvroKind::kUnion},
    {"ColumnStatsMetadata.valueCount", Slot::kValueCount, AvroKind::kLong},
    {"ColumnStatsMetadata.nullCount", Slot::kNullCount, AvroKind::kLong},
    {"ColumnStatsMetadata.totalSize", Slot::kTotalSize, AvroKind::kLong},
    {"ColumnStatsMetadata.totalUncompressedSize", Slot::kUncompressedSize, AvroKind::kLong},
    {"ColumnStatsMetadata.isDeleted", Slot::kStatsDeleted, AvroKind::kBoolean},
    {"ColumnStatsMetadata.isTightBound", Slot::kTightBound, AvroKind::kBoolean},
    {"ColumnStatsMetadata.valueType.typeOrdinal", Slot::kTypeOrdinal, AvroKind::kInt},
    {"ColumnStatsMetadata.valueType.additionalInfo", Slot::kTypeInfo, AvroKind::kString},
    {"BloomFilterMetadata", Slot::kBloom, AvroKind::kRecord},
    {"BloomFilterMetadata.type", Slot::kBloomType, AvroKind::kString},
    {"BloomFilterMetadata.timestamp", Slot::kBloomTimestamp, AvroKind::kString},
    {"BloomFilterMetadata.bloomFilter", Slot::kBloomFilter, AvroKind::kBytes},
    {"BloomFilterMetadata.isDeleted", Slot::kBloomDeleted, AvroKind::kBoolean},
    {"recordIndexMetadata", Slot::kLocation, AvroKind::kRecord},
    {"recordIndexMetadata.partitionName", Slot::kPartition, AvroKind::kString},
    {"recordIndexMetadata.partition", Slot::kPartition, AvroKind::kString},
    {"recordIndexMetadata.fileIdHighBits", Slot::kHighBits, AvroKind::kLong},
    {"recordIndexMetadata.fileIdLowBits", Slot::kLowBits, AvroKind::kLong},
    {"recordIndexMetadata.fileIndex", Slot::kFileIndex, AvroKind::kInt},
    {"recordIndexMetadata.fileId", Slot::kRawFileId, AvroKind::kString},
    {"recordIndexMetadata.instantTime", Slot::kInstantTime, AvroKind::kLong},
    {"recordIndexMetadata.fileIdEncoding", Slot::kEncoding, AvroKind::kInt},
    {"recordIndexMetadata.position", Slot::kPosition, AvroKind::kLong},
    {"SecondaryIndexMetadata", Slot::kSecondary, AvroKind::kRecord},
    {"SecondaryIndexMetadata.isDeleted", Slot::kSecondaryDeleted, AvroKind::kBoolean},
});

struct WrapperKind {
  std::string_view name;
  StatsValue::Kind kind;
  AvroKind value;
};
constexpr auto kWrappers = std::to_array<WrapperKind>({
    {"BooleanWrapper", StatsValue::Kind::kBoolean, AvroKind::kBoolean},
    {"IntWrapper", StatsValue::Kind::kInt, AvroKind::kInt},
    {"LongWrapper", StatsValue::Kind::kLong, AvroKind::kLong},
    {"FloatWrapper", StatsValue::Kind::kFloat, AvroKind::kFloat},
    {"DoubleWrapper", StatsValue::Kind::kDouble, AvroKind::kDouble},
    {"BytesWrapper", StatsValue::Kind::kBytes, AvroKind::kBytes},
    {"StringWrapper", StatsValue::Kind::kString, AvroKind::kString},
    {"DateWrapper", StatsValue::Kind::kDate, AvroKind::kInt},
    {"DecimalWrapper", StatsValue::Kind::kDecimal, AvroKind::kBytes},
    {"TimeMicrosWrapper", StatsValue::Kind::kTimeMicros, AvroKind::kLong},
    {"TimestampMicrosWrapper", StatsValue::Kind::kTimestampMicros, AvroKind::kLong},
    {"LocalDateWrapper", StatsValue::Kind::kLocalDate, AvroKind::kInt},
});

std::string_view LastName(std::string_view full_name) {
  return full_name.substr(full_name.rfind('.') + 1);
}

// Turns the writer's schema into nodes.
class Compiler {
 public:
  Result<Node> Compile(const AvroSchema& schema, const std::string& path) {
    const auto* named = std::ranges::find(kSlots, path, &NamedSlot::path);
    return CompileSlot(schema, path, named == kSlots.end() ? nullptr : named);
  }

 private:
  Result<Node> CompileSlot(const AvroSchema& schema, const std::string& path,
                           const NamedSlot* named) {
    Node node{.kind = schema.kind, .fixed_size = schema.size};
    if (schema.kind == AvroKind::kUnion) {
      if (named != nullptr && named->kind == AvroKind::kUnion) return CompileBound(schema, *named);
      for (const AvroSchemaPtr& branch : schema.types) {
        ARROW_ASSIGN_OR_RAISE(Node child, CompileSlot(*branch, path, named));
        node.children.push_back(std::move(child));
      }
      return node;
    }
    if (named != nullptr && schema.kind != AvroKind::kNull) {
      if (schema.kind != named->kind) {
        return CorruptError("the schema has {} as {}; must be {}", path, AvroKindName(schema.kind),
                            AvroKindName(named->kind));
      }
      node.slot = named->slot;
    }
    return AddChildren(schema, path, std::move(node));
  }

  Result<Node> AddChildren(const AvroSchema& schema, const std::string& path, Node node) {
    const std::string prefix = path.empty() ? path : path + ".";
    for (const AvroField& field : schema.fields) {
      ARROW_ASSIGN_OR_RAISE(Node child, Compile(*field.type, prefix + field.name));
      node.children.push_back(std::move(child));
    }
    if (schema.kind == AvroKind::kMap || schema.kind == AvroKind::kArray) {
      ARROW_ASSIGN_OR_RAISE(Node child, Compile(*schema.types[0], prefix + "*"));
      node.children.push_back(std::move(child));
    }
    return node;
  }

  // The union of wrappers: their names tell the kind, since releases have more or fewer of them.
  Result<Node> CompileBound(const AvroSchema& schema, const NamedSlot& named) {
    Node node{.kind = AvroKind::kUnion};
    for (const AvroSchemaPtr& branch : schema.types) {
      ARROW_ASSIGN_OR_RAISE(Node child, AddChildren(*branch, "-", {.kind = branch->kind}));
      if (branch->kind != AvroKind::kNull) {
        child.slot = named.slot;
        child.wrapper = StatsValue::Kind::kOther;
        const auto* known =
            std::ranges::find(kWrappers, LastName(branch->full_name), &WrapperKind::name);
        if (known != kWrappers.end() && branch->kind == AvroKind::kRecord &&
            child.children.size() == 1 && child.children[0].kind == known->value) {
          child.wrapper = known->kind;
          child.children[0].slot = named.slot;
        }
      }
      node.children.push_back(std::move(child));
    }
    return node;
  }
};

}  // namespace

Result<MetadataNode> PlanMetadataRecord(const AvroSchema& schema) {
  return Compiler().Compile(schema, "");
}

}  // namespace firth
