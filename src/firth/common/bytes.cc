// SPDX-License-Identifier: Apache-2.0
#include "firth/common/bytes.h"

namespace firth {

static_assert(std::endian::native == std::endian::little, "firth runs on little-endian machines");

Status ByteReader::Short(size_t wanted, std::string_view what) const {
  return CorruptError("{} needs {} bytes at offset {}, {} remain", what, wanted, offset_,
                      remaining());
}

Result<std::string_view> ByteReader::ReadBytes(size_t count, std::string_view what) {
  if (count > remaining()) return Short(count, what);
  const std::string_view bytes = data_.substr(offset_, count);
  offset_ += count;
  return bytes;
}

Result<uint8_t> ByteReader::ReadU8(std::string_view what) {
  ARROW_ASSIGN_OR_RAISE(const std::string_view bytes, ReadBytes(1, what));
  return static_cast<uint8_t>(bytes[0]);
}

Result<int32_t> ByteReader::ReadI32Be(std::string_view what) {
  ARROW_ASSIGN_OR_RAISE(const std::string_view bytes, ReadBytes(4, what));
  return static_cast<int32_t>(LoadBigEndian32(bytes.data()));
}

Result<int64_t> ByteReader::ReadI64Be(std::string_view what) {
  ARROW_ASSIGN_OR_RAISE(const std::string_view bytes, ReadBytes(8, what));
  return static_cast<int64_t>(LoadBigEndian64(bytes.data()));
}

Result<uint32_t> ByteReader::ReadU32Le(std::string_view what) {
  ARROW_ASSIGN_OR_RAISE(const std::string_view bytes, ReadBytes(4, what));
  return LoadLittleEndian<uint32_t>(bytes.data());
}

Result<uint64_t> ByteReader::ReadU64Le(std::string_view what) {
  ARROW_ASSIGN_OR_RAISE(const std::string_view bytes, ReadBytes(8, what));
  return LoadLittleEndian<uint64_t>(bytes.data());
}

Result<int64_t> ByteReader::ReadZigZag(std::string_view what) {
  uint64_t value = 0;
  const size_t start = offset_;
  for (int shift = 0; shift < 64; shift += 7) {
    if (AtEnd()) return Short(1, what);
    const auto byte = static_cast<uint8_t>(data_[offset_++]);
    value |= static_cast<uint64_t>(byte & 0x7F) << shift;
    if ((byte & 0x80) == 0)
      return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
  }
  return CorruptError("{} at offset {} is a variable-length integer of more than 10 bytes", what,
                      start);
}

Result<std::string_view> ByteReader::ReadLengthPrefixed(std::string_view what) {
  const size_t start = offset_;
  ARROW_ASSIGN_OR_RAISE(const int64_t length, ReadZigZag(what));
  if (length < 0 || static_cast<uint64_t>(length) > remaining()) {
    return CorruptError("{} at offset {} claims {} bytes, {} remain", what, start, length,
                        remaining());
  }
  return ReadBytes(static_cast<size_t>(length), what);
}

Status ByteReader::Skip(size_t count, std::string_view what) {
  return ReadBytes(count, what).status();
}

void ByteWriter::PutI32Be(int32_t value) {
  const uint32_t swapped = __builtin_bswap32(static_cast<uint32_t>(value));
  bytes_.append(reinterpret_cast<const char*>(&swapped), sizeof(swapped));
}

void ByteWriter::PutI64Be(int64_t value) {
  const uint64_t swapped = __builtin_bswap64(static_cast<uint64_t>(value));
  bytes_.append(reinterpret_cast<const char*>(&swapped), sizeof(swapped));
}

void ByteWriter::PutU32Le(uint32_t value) {
  bytes_.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

void ByteWriter::PutU64Le(uint64_t value) {
  bytes_.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

void ByteWriter::PutZigZag(int64_t value) {
  auto rest = (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
  while (rest >= 0x80) {
    PutU8(static_cast<uint8_t>(rest | 0x80));
    rest >>= 7;
  }
  PutU8(static_cast<uint8_t>(rest));
}

void ByteWriter::PutLengthPrefixed(std::string_view bytes) {
  PutZigZag(static_cast<int64_t>(bytes.size()));
  PutBytes(bytes);
}

}  // namespace firth
