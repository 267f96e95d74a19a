// SPDX-License-Identifier: Apache-2.0
// Bounds-checked reading and plain writing of the integers that Hudi's formats use.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "firth/common/status.h"

namespace firth {

/// Loads a fixed-width integer of the named byte order from unchecked memory.
template <typename T>
T LoadLittleEndian(const void* p) {
  T value;
  std::memcpy(&value, p, sizeof(T));
  return value;  // only little-endian hosts are supported, see bytes.cc
}
inline uint32_t LoadBigEndian32(const void* p) {
  return __builtin_bswap32(LoadLittleEndian<uint32_t>(p));
}
inline uint64_t LoadBigEndian64(const void* p) {
  return __builtin_bswap64(LoadLittleEndian<uint64_t>(p));
}

/// A cursor over bytes that it does not own. Each read checks what remains and names the field in
/// its error (kCorrupt). `what` texts must outlive the call only.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : data_(bytes) {}

  size_t offset() const { return offset_; }
  size_t remaining() const { return data_.size() - offset_; }
  bool AtEnd() const { return offset_ == data_.size(); }

  Result<std::string_view> ReadBytes(size_t count, std::string_view what);
  Result<uint8_t> ReadU8(std::string_view what);
  Result<int32_t> ReadI32Be(std::string_view what);
  Result<int64_t> ReadI64Be(std::string_view what);
  Result<uint32_t> ReadU32Le(std::string_view what);
  Result<uint64_t> ReadU64Le(std::string_view what);
  /// Avro's zigzag variable-length integer, at most ten bytes.
  Result<int64_t> ReadZigZag(std::string_view what);
  /// A zigzag length that must lie in [0, remaining()].
  Result<std::string_view> ReadLengthPrefixed(std::string_view what);
  Status Skip(size_t count, std::string_view what);

 private:
  Status Short(size_t wanted, std::string_view what) const;

  std::string_view data_;
  size_t offset_ = 0;
};

/// Appends to a string that it owns.
class ByteWriter {
 public:
  void Reserve(size_t bytes) { bytes_.reserve(bytes); }
  void PutU8(uint8_t value) { bytes_.push_back(static_cast<char>(value)); }
  void PutI32Be(int32_t value);
  void PutI64Be(int64_t value);
  void PutU32Le(uint32_t value);
  void PutU64Le(uint64_t value);
  void PutZigZag(int64_t value);
  void PutBytes(std::string_view bytes) { bytes_.append(bytes); }
  /// Zigzag length, then the bytes: Avro's `bytes` and `string`.
  void PutLengthPrefixed(std::string_view bytes);

  size_t size() const { return bytes_.size(); }
  const std::string& bytes() const { return bytes_; }
  std::string Finish() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

}  // namespace firth
