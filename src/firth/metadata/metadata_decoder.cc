// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <utility>

#include "firth/common/bytes.h"
#include "firth/format/avro/avro_schema.h"
#include "firth/format/avro/avro_varint.h"
#include "firth/metadata/metadata_plan.h"
#include "firth/metadata/metadata_record.h"

namespace firth {
namespace {

using Slot = MetadataSlot;
using Node = MetadataNode;

std::string FormatFileId(uint64_t high, uint64_t low, int64_t index) {
  std::string id =
      fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32, (high >> 16) & 0xFFFF,
                  high & 0xFFFF, low >> 48, low & 0xFFFFFFFFFFFFULL);
  if (index >= 0) id += fmt::format("-{}", index);
  return id;
}

// One record while its fields arrive.
class Reading {
 public:
  explicit Reading(std::string_view datum)
      : p_(reinterpret_cast<const uint8_t*>(datum.data())), end_(p_ + datum.size()) {}

  // False: the bytes break the encoding.
  bool Read(const Node& node);
  bool AtEnd() const { return p_ == end_; }
  MetadataRecord Finish(std::string_view key);

 private:
  int64_t remaining() const { return end_ - p_; }
  bool ReadLong(int64_t* value);
  bool ReadText(std::string_view* text);
  bool ReadFixed(int64_t size, const uint8_t** bytes);
  bool ReadRecord(const Node& node);
  bool ReadUnion(const Node& node);
  bool ReadItems(const Node& node);
  bool ReadEntry(const Node& node);
  void Store(const Node& node, int64_t number);
  void Store(const Node& node, std::string_view text);
  void StoreFlag(const Node& node, bool flag);
  void StoreFloat(const Node& node, double value);
  void StoreBound(Slot slot, auto value) {
    (slot == Slot::kMin ? stats_.min : stats_.max).value = std::move(value);
  }

  const uint8_t* p_;
  const uint8_t* end_;
  int64_t type_ = 0;
  bool has_files_ = false, has_stats_ = false, has_bloom_ = false, has_location_ = false,
       has_secondary_ = false;
  FilesPayload files_;
  ColumnStatsPayload stats_;
  BloomFilterPayload bloom_;
  RecordLocation location_;
  SecondaryIndexPayload secondary_;
  int64_t high_bits_ = -1, low_bits_ = -1, file_index_ = -1, encoding_ = 0;
  std::string_view raw_file_id_;
};

bool Reading::ReadLong(int64_t* value) {
  uint64_t raw = 0;
  p_ = p_ == nullptr ? nullptr : ReadAvroVarint(p_, end_, &raw);
  *value = FromZigZag(raw);
  return p_ != nullptr;
}

bool Reading::ReadFixed(int64_t size, const uint8_t** bytes) {
  if (size < 0 || size > remaining()) return false;
  *bytes = p_;
  p_ += size;
  return true;
}

bool Reading::ReadText(std::string_view* text) {
  int64_t length = 0;
  const uint8_t* bytes = nullptr;
  if (!ReadLong(&length) || !ReadFixed(length, &bytes)) return false;
  *text = {reinterpret_cast<const char*>(bytes), static_cast<size_t>(length)};
  return true;
}

void Reading::StoreFlag(const Node& node, bool flag) {
  switch (node.slot) {
    case Slot::kFileDeleted:
      files_.files.back().deleted = flag;
      break;
    case Slot::kStatsDeleted:
      stats_.deleted = flag;
      break;
    case Slot::kTightBound:
      stats_.tight_bound = flag;
      break;
    case Slot::kBloomDeleted:
      bloom_.deleted = flag;
      break;
    case Slot::kSecondaryDeleted:
      secondary_.deleted = flag;
      break;
    case Slot::kMin:
    case Slot::kMax:
      StoreBound(node.slot, flag);
      break;
    default:
      break;
  }
}

void Reading::Store(const Node& node, int64_t number) {
  switch (node.slot) {
    case Slot::kType:
      type_ = number;
      break;
    case Slot::kFileSize:
      files_.files.back().size = number;
      break;
    case Slot::kMin:
    case Slot::kMax:
      StoreBound(node.slot, number);
      break;
    case Slot::kValueCount:
      stats_.value_count = number;
      break;
    case Slot::kNullCount:
      stats_.null_count = number;
      break;
    case Slot::kTotalSize:
      stats_.total_size = number;
      break;
    case Slot::kUncompressedSize:
      stats_.total_uncompressed_size = number;
      break;
    case Slot::kTypeOrdinal:
      stats_.value_type = static_cast<StatsValueType>(number);
      break;
    case Slot::kHighBits:
      high_bits_ = number;
      break;
    case Slot::kLowBits:
      low_bits_ = number;
      break;
    case Slot::kFileIndex:
      file_index_ = number;
      break;
    case Slot::kInstantTime:
      location_.instant_millis = number;
      break;
    case Slot::kEncoding:
      encoding_ = number;
      break;
    case Slot::kPosition:
      location_.position = number;
      break;
    default:
      break;
  }
}

void Reading::Store(const Node& node, std::string_view text) {
  switch (node.slot) {
    case Slot::kStatsFile:
      stats_.file_name = text;
      break;
    case Slot::kStatsColumn:
      stats_.column = text;
      break;
    case Slot::kMin:
    case Slot::kMax:
      StoreBound(node.slot, std::string(text));
      break;
    case Slot::kTypeInfo:
      stats_.type_info = text;
      break;
    case Slot::kBloomType:
      bloom_.type = text;
      break;
    case Slot::kBloomTimestamp:
      bloom_.timestamp = text;
      break;
    case Slot::kBloomFilter:
      bloom_.filter = text;
      break;
    case Slot::kPartition:
      location_.partition = text;
      break;
    case Slot::kRawFileId:
      raw_file_id_ = text;
      break;
    default:
      break;
  }
}

void Reading::StoreFloat(const Node& node, double value) {
  if (node.slot == Slot::kMin || node.slot == Slot::kMax) StoreBound(node.slot, value);
}

bool Reading::ReadRecord(const Node& node) {
  switch (node.slot) {
    case Slot::kStats:
      has_stats_ = true;
      break;
    case Slot::kBloom:
      has_bloom_ = true;
      break;
    case Slot::kLocation:
      has_location_ = true;
      break;
    case Slot::kSecondary:
      has_secondary_ = true;
      break;
    case Slot::kMin:
      stats_.min.kind = node.wrapper;
      break;
    case Slot::kMax:
      stats_.max.kind = node.wrapper;
      break;
    default:
      break;
  }
  return std::ranges::all_of(node.children, [this](const Node& field) { return Read(field); });
}

bool Reading::ReadUnion(const Node& node) {
  int64_t branch = 0;
  if (!ReadLong(&branch) || branch < 0 || branch >= static_cast<int64_t>(node.children.size())) {
    return false;
  }
  return Read(node.children[static_cast<size_t>(branch)]);
}

bool Reading::ReadEntry(const Node& node) {
  if (node.kind == AvroKind::kMap) {
    std::string_view name;
    if (!ReadText(&name)) return false;
    if (node.slot == Slot::kFiles) files_.files.push_back({.name = std::string(name)});
  }
  return Read(node.children[0]);
}

bool Reading::ReadItems(const Node& node) {
  if (node.slot == Slot::kFiles) has_files_ = true;
  while (true) {
    int64_t count = 0, block_bytes = 0;
    if (!ReadLong(&count)) return false;
    if (count == 0) return true;
    if (count < 0) {
      if (count == INT64_MIN || !ReadLong(&block_bytes)) return false;
      count = -count;
    }
    // Items of no bytes exist in theory only, and would make any count cheap to write.
    if (count > remaining()) return false;
    if (node.slot == Slot::kFiles) {
      files_.files.reserve(files_.files.size() + static_cast<size_t>(count));
    }
    for (; count > 0; --count) {
      if (!ReadEntry(node)) return false;
    }
  }
}

bool Reading::Read(const Node& node) {
  const uint8_t* bytes = nullptr;
  int64_t number = 0;
  std::string_view text;
  switch (node.kind) {
    case AvroKind::kNull:
      return true;
    case AvroKind::kBoolean:
      if (!ReadFixed(1, &bytes) || *bytes > 1) return false;
      StoreFlag(node, *bytes == 1);
      return true;
    case AvroKind::kInt:
    case AvroKind::kLong:
    case AvroKind::kEnum:
      if (!ReadLong(&number)) return false;
      if (node.kind != AvroKind::kLong && number != static_cast<int32_t>(number)) return false;
      Store(node, number);
      return true;
    case AvroKind::kFloat:
      if (!ReadFixed(4, &bytes)) return false;
      StoreFloat(node, std::bit_cast<float>(LoadLittleEndian<uint32_t>(bytes)));
      return true;
    case AvroKind::kDouble:
      if (!ReadFixed(8, &bytes)) return false;
      StoreFloat(node, std::bit_cast<double>(LoadLittleEndian<uint64_t>(bytes)));
      return true;
    case AvroKind::kBytes:
    case AvroKind::kString:
      if (!ReadText(&text)) return false;
      Store(node, text);
      return true;
    case AvroKind::kFixed:
      return ReadFixed(node.fixed_size, &bytes);
    case AvroKind::kRecord:
      return ReadRecord(node);
    case AvroKind::kArray:
    case AvroKind::kMap:
      return ReadItems(node);
    case AvroKind::kUnion:
      return ReadUnion(node);
  }
  return false;
}

MetadataRecord Reading::Finish(std::string_view key) {
  MetadataRecord record{.key = std::string(key), .type = static_cast<int32_t>(type_)};
  switch (static_cast<MetadataRecordType>(record.type)) {
    case MetadataRecordType::kAllPartitions:
    case MetadataRecordType::kFiles:
      if (has_files_) record.payload = std::move(files_);
      break;
    case MetadataRecordType::kColumnStats:
    case MetadataRecordType::kPartitionStats:
      if (has_stats_) record.payload = std::move(stats_);
      break;
    case MetadataRecordType::kBloomFilter:
      if (has_bloom_) record.payload = std::move(bloom_);
      break;
    case MetadataRecordType::kRecordIndex:
      if (!has_location_) break;
      location_.file_id = encoding_ == 0
                              ? FormatFileId(static_cast<uint64_t>(high_bits_),
                                             static_cast<uint64_t>(low_bits_), file_index_)
                              : std::string(raw_file_id_);
      record.payload = std::move(location_);
      break;
    case MetadataRecordType::kSecondaryIndex:
      if (has_secondary_) record.payload = secondary_;
      break;
  }
  return record;
}

class PlannedDecoder : public MetadataDecoder {
 public:
  explicit PlannedDecoder(Node root) : root_(std::move(root)) {}

  Result<MetadataRecord> Decode(std::string_view key, std::string_view datum) const override {
    Reading reading(datum);
    if (!reading.Read(root_) || !reading.AtEnd()) {
      return CorruptError("the record of key \"{}\", {} bytes, does not follow its schema", key,
                          datum.size());
    }
    return reading.Finish(key);
  }

 private:
  const Node root_;
};

}  // namespace

Result<std::shared_ptr<const MetadataDecoder>> MetadataDecoder::Make(std::string_view schema) {
  ARROW_ASSIGN_OR_RAISE(const AvroSchemaPtr parsed, ParseAvroSchema(schema));
  if (parsed->kind != AvroKind::kRecord || parsed->FindField("type") == nullptr) {
    return CorruptError("the schema is no record of a metadata table: it has no field \"type\"");
  }
  ARROW_ASSIGN_OR_RAISE(Node root, PlanMetadataRecord(*parsed));
  return std::make_shared<PlannedDecoder>(std::move(root));
}

bool MetadataRecord::is_deleted() const {
  struct {
    bool operator()(const std::monostate&) const { return true; }
    bool operator()(const FilesPayload&) const { return false; }
    bool operator()(const ColumnStatsPayload& stats) const { return stats.deleted; }
    bool operator()(const BloomFilterPayload& bloom) const { return bloom.deleted; }
    bool operator()(const RecordLocation&) const { return false; }
    bool operator()(const SecondaryIndexPayload& entry) const { return entry.deleted; }
  } visitor;
  return std::visit(visitor, payload);
}

}  // namespace firth
