// SPDX-License-Identifier: Apache-2.0
#include "firth/format/hfile/hfile_format.h"

#include <array>
#include <utility>

#include "firth/common/bytes.h"

namespace firth {
namespace {

struct BlockName {
  HFileBlockType type;
  std::string_view magic;
  std::string_view name;
};
constexpr std::array kBlockNames = {
    BlockName{HFileBlockType::kData, "DATABLK*", "data"},
    BlockName{HFileBlockType::kMeta, "METABLKc", "meta"},
    BlockName{HFileBlockType::kRootIndex, "IDXROOT2", "root index"},
    BlockName{HFileBlockType::kIntermediateIndex, "IDXINTE2", "intermediate index"},
    BlockName{HFileBlockType::kLeafIndex, "IDXLEAF2", "leaf index"},
    BlockName{HFileBlockType::kFileInfo, "FILEINF2", "file info"},
};
constexpr std::string_view kTrailerMagic = "TRABLK\"$";
constexpr std::string_view kInfoMagic = "PBUF";
constexpr size_t kVersionOffset = kHFileTrailerBytes - 4;
constexpr char kMajorVersion = 3;
// What HBase wrote into files of Hudi; readers look at the major version only.
constexpr std::string_view kVersionBytes("\x03\x00\x00\x03", 4);
constexpr uint32_t kMaxIndexLevels = 16;

enum class WireType : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

struct ProtoField {
  uint32_t number = 0;
  WireType type = WireType::kVarint;
  uint64_t value = 0;      // kVarint
  std::string_view bytes;  // kBytes
};

Result<uint64_t> ReadProtoVarint(ByteReader& in, std::string_view what) {
  uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    ARROW_ASSIGN_OR_RAISE(const uint8_t byte, in.ReadU8(what));
    value |= static_cast<uint64_t>(byte & 0x7F) << shift;
    if ((byte & 0x80) == 0) return value;
  }
  return CorruptError("{} is a variable-length integer of more than 10 bytes", what);
}

Result<std::string_view> ReadProtoBytes(ByteReader& in, std::string_view what) {
  ARROW_ASSIGN_OR_RAISE(const uint64_t length, ReadProtoVarint(in, what));
  if (length > in.remaining()) {
    return CorruptError("{} claims {} bytes, {} remain", what, length, in.remaining());
  }
  return in.ReadBytes(static_cast<size_t>(length), what);
}

/// One field; those of a number that the caller doesn't know are simply dropped.
Result<ProtoField> ReadProtoField(ByteReader& in) {
  ARROW_ASSIGN_OR_RAISE(const uint64_t tag, ReadProtoVarint(in, "protobuf tag"));
  ProtoField field;
  if (tag >> 3 == 0 || tag >> 3 > (1U << 29) - 1) {
    return CorruptError("protobuf field number {}; 1 to 536870911 are possible", tag >> 3);
  }
  field.number = static_cast<uint32_t>(tag >> 3);
  field.type = static_cast<WireType>(tag & 7);
  switch (field.type) {
    case WireType::kVarint: {
      ARROW_ASSIGN_OR_RAISE(field.value, ReadProtoVarint(in, "protobuf number"));
      return field;
    }
    case WireType::kBytes: {
      ARROW_ASSIGN_OR_RAISE(field.bytes, ReadProtoBytes(in, "protobuf bytes"));
      return field;
    }
    case WireType::kFixed64:
      ARROW_RETURN_NOT_OK(in.Skip(8, "protobuf fixed64"));
      return field;
    case WireType::kFixed32:
      ARROW_RETURN_NOT_OK(in.Skip(4, "protobuf fixed32"));
      return field;
  }
  return CorruptError("protobuf wire type {} of field {}", tag & 7, field.number);
}

Status Expect(const ProtoField& field, WireType type, std::string_view what) {
  if (field.type == type) return Status::OK();
  return CorruptError("field {} of {} has wire type {}, not {}", field.number, what,
                      static_cast<int>(field.type), static_cast<int>(type));
}

Result<HFileCodec> ParseCodec(uint64_t id) {
  for (const HFileCodec codec : {HFileCodec::kGzip, HFileCodec::kNone, HFileCodec::kZstd}) {
    if (id == static_cast<uint64_t>(codec)) return codec;
  }
  return UnsupportedError(
      "compression codec {} of the trailer; firth reads 1 (gzip), 2 (none) "
      "and 6 (zstd)",
      id);
}

Status SetTrailerField(const ProtoField& field, HFileTrailer* trailer) {
  constexpr uint32_t kFirstText = 11, kCodec = 12, kEncryptionKey = 13;
  if (field.number > kEncryptionKey) return Status::OK();
  const bool is_bytes = field.number == kFirstText || field.number == kEncryptionKey;
  ARROW_RETURN_NOT_OK(
      Expect(field, is_bytes ? WireType::kBytes : WireType::kVarint, "the trailer"));
  const auto number = static_cast<int64_t>(field.value);
  const auto count = static_cast<uint32_t>(field.value);
  switch (field.number) {
    case 1:
      trailer->file_info_offset = number;
      break;
    case 2:
      trailer->load_on_open_offset = number;
      break;
    case 3:
      trailer->data_index_bytes = number;
      break;
    case 4:
      trailer->uncompressed_bytes = number;
      break;
    case 5:
      trailer->data_index_count = count;
      break;
    case 6:
      trailer->meta_index_count = count;
      break;
    case 7:
      trailer->entry_count = number;
      break;
    case 8:
      trailer->index_levels = count;
      break;
    case 9:
      trailer->first_data_offset = number;
      break;
    case 10:
      trailer->last_data_offset = number;
      break;
    case kFirstText:
      trailer->comparator = field.bytes;
      break;
    case kCodec: {
      ARROW_ASSIGN_OR_RAISE(trailer->codec, ParseCodec(field.value));
      break;
    }
    default:
      if (!field.bytes.empty()) return UnsupportedError("the file is encrypted");
  }
  return Status::OK();
}

Status CheckTrailer(const HFileTrailer& trailer, int64_t file_bytes) {
  const int64_t end = file_bytes - kHFileTrailerBytes;
  if (trailer.load_on_open_offset < 0 || trailer.file_info_offset < trailer.load_on_open_offset ||
      trailer.file_info_offset > end) {
    return CorruptError(
        "trailer puts the root index at {} and the file info at {}; the trailer "
        "itself is at {}",
        trailer.load_on_open_offset, trailer.file_info_offset, end);
  }
  if (trailer.entry_count < 0 || trailer.first_data_offset < -1 ||
      trailer.first_data_offset > trailer.load_on_open_offset) {
    return CorruptError("trailer claims {} entries from offset {}; the root index is at {}",
                        trailer.entry_count, trailer.first_data_offset,
                        trailer.load_on_open_offset);
  }
  if (trailer.index_levels < 1 || trailer.index_levels > kMaxIndexLevels) {
    return CorruptError("trailer claims {} index levels; 1 to {} are possible",
                        trailer.index_levels, kMaxIndexLevels);
  }
  return Status::OK();
}

void PutProtoVarint(uint64_t value, ByteWriter* out) {
  while (value >= 0x80) {
    out->PutU8(static_cast<uint8_t>(value | 0x80));
    value >>= 7;
  }
  out->PutU8(static_cast<uint8_t>(value));
}

void PutProtoNumber(uint32_t field, int64_t value, ByteWriter* out) {
  PutProtoVarint(field << 3, out);
  PutProtoVarint(static_cast<uint64_t>(value), out);
}

void PutProtoBytes(uint32_t field, std::string_view bytes, ByteWriter* out) {
  PutProtoVarint(field << 3 | static_cast<uint32_t>(WireType::kBytes), out);
  PutProtoVarint(bytes.size(), out);
  out->PutBytes(bytes);
}

Status AddInfoEntry(std::string_view message, HFileInfo* info) {
  std::string_view parts[2];
  bool present[2] = {};
  for (ByteReader in(message); !in.AtEnd();) {
    ARROW_ASSIGN_OR_RAISE(const ProtoField field, ReadProtoField(in));
    if (field.number > 2) continue;
    ARROW_RETURN_NOT_OK(Expect(field, WireType::kBytes, "a file info entry"));
    parts[field.number - 1] = field.bytes;
    present[field.number - 1] = true;
  }
  if (!present[0] || !present[1]) return CorruptError("file info entry without name or value");
  if (!info->emplace(parts[0], parts[1]).second) {
    return CorruptError("file info has \"{}\" twice", parts[0]);
  }
  return Status::OK();
}

}  // namespace

std::string_view HFileBlockTypeName(HFileBlockType type) {
  return kBlockNames[static_cast<size_t>(type)].name;
}

std::string_view HFileMagic(HFileBlockType type) {
  return kBlockNames[static_cast<size_t>(type)].magic;
}

std::optional<HFileBlockType> ParseHFileMagic(std::string_view magic) {
  for (const BlockName& name : kBlockNames) {
    if (name.magic == magic) return name.type;
  }
  return std::nullopt;
}

Result<HFileTrailer> DecodeHFileTrailer(std::string_view bytes, int64_t file_bytes) {
  if (bytes.size() != static_cast<size_t>(kHFileTrailerBytes) || file_bytes < kHFileTrailerBytes) {
    return CorruptError("{} bytes are too few for the trailer of {}", bytes.size(),
                        kHFileTrailerBytes);
  }
  if (!bytes.starts_with(kTrailerMagic)) return CorruptError("no trailer at the end of the file");
  const std::string_view version = bytes.substr(kVersionOffset);
  if (version.substr(1) != kVersionBytes.substr(1)) {
    return UnsupportedError("HFile major version {}; firth reads version {}",
                            LoadBigEndian32(version.data()) & 0xFFFFFF,
                            static_cast<int>(kMajorVersion));
  }
  ByteReader in(bytes.substr(0, kVersionOffset));
  ARROW_RETURN_NOT_OK(in.Skip(kTrailerMagic.size(), "magic of the trailer"));
  ARROW_ASSIGN_OR_RAISE(const std::string_view message, ReadProtoBytes(in, "trailer"));
  HFileTrailer trailer;
  for (ByteReader fields(message); !fields.AtEnd();) {
    ARROW_ASSIGN_OR_RAISE(const ProtoField field, ReadProtoField(fields));
    ARROW_RETURN_NOT_OK(SetTrailerField(field, &trailer));
  }
  ARROW_RETURN_NOT_OK(CheckTrailer(trailer, file_bytes));
  return trailer;
}

std::string EncodeHFileTrailer(const HFileTrailer& trailer) {
  ByteWriter message;
  PutProtoNumber(1, trailer.file_info_offset, &message);
  PutProtoNumber(2, trailer.load_on_open_offset, &message);
  PutProtoNumber(3, trailer.data_index_bytes, &message);
  PutProtoNumber(4, trailer.uncompressed_bytes, &message);
  PutProtoNumber(5, trailer.data_index_count, &message);
  PutProtoNumber(6, trailer.meta_index_count, &message);
  PutProtoNumber(7, trailer.entry_count, &message);
  PutProtoNumber(8, trailer.index_levels, &message);
  PutProtoNumber(9, trailer.first_data_offset, &message);
  PutProtoNumber(10, trailer.last_data_offset, &message);
  PutProtoBytes(11, trailer.comparator, &message);
  PutProtoNumber(12, static_cast<int64_t>(trailer.codec), &message);
  ByteWriter out;
  out.PutBytes(kTrailerMagic);
  PutProtoVarint(message.size(), &out);
  out.PutBytes(message.bytes());
  std::string bytes = out.Finish();
  bytes.resize(kVersionOffset, '\0');
  return bytes.append(kVersionBytes);
}

Result<HFileInfo> DecodeHFileInfo(std::string_view payload) {
  if (!payload.starts_with(kInfoMagic)) {
    return UnsupportedError("file info doesn't begin with \"{}\"; the older form isn't read",
                            kInfoMagic);
  }
  ByteReader in(payload.substr(kInfoMagic.size()));
  ARROW_ASSIGN_OR_RAISE(const std::string_view message, ReadProtoBytes(in, "file info"));
  HFileInfo info;
  for (ByteReader entries(message); !entries.AtEnd();) {
    ARROW_ASSIGN_OR_RAISE(const ProtoField field, ReadProtoField(entries));
    if (field.number != 1) continue;
    ARROW_RETURN_NOT_OK(Expect(field, WireType::kBytes, "the file info"));
    ARROW_RETURN_NOT_OK(AddInfoEntry(field.bytes, &info));
  }
  return info;
}

std::string EncodeHFileInfo(const HFileInfo& info) {
  ByteWriter message;
  for (const auto& [name, value] : info) {
    ByteWriter entry;
    PutProtoBytes(1, name, &entry);
    PutProtoBytes(2, value, &entry);
    PutProtoBytes(1, entry.bytes(), &message);
  }
  ByteWriter out;
  out.PutBytes(kInfoMagic);
  PutProtoVarint(message.size(), &out);
  out.PutBytes(message.bytes());
  return out.Finish();
}

}  // namespace firth
