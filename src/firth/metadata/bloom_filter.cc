// SPDX-License-Identifier: Apache-2.0
#include "firth/metadata/bloom_filter.h"

#include <arrow/util/base64.h>

#include <cstdlib>
#include <utility>

#include "firth/common/bytes.h"

namespace firth {
namespace {

constexpr int32_t kVersion = -1;
constexpr uint8_t kMurmur = 1;
constexpr int32_t kMaxHashes = 1024;  // Hudi's own come to 30

// Hadoop's MurmurHash, which takes the last one to three bytes from the end of the text, and as
// signed: so it differs from the common MurmurHash2.
uint32_t HadoopMurmur(std::string_view text, uint32_t seed) {
  constexpr uint32_t kMultiplier = 0x5bd1e995;
  const size_t length = text.size();
  uint32_t hash = seed ^ static_cast<uint32_t>(length);
  size_t at = 0;
  for (; length - at >= 4; at += 4) {
    uint32_t word = LoadLittleEndian<uint32_t>(text.data() + at);
    word *= kMultiplier;
    word ^= word >> 24;
    word *= kMultiplier;
    hash = hash * kMultiplier ^ word;
  }
  const size_t left = length - at;
  const auto from_end = [&](size_t i) {
    return static_cast<uint32_t>(static_cast<int32_t>(static_cast<int8_t>(text[length - i])));
  };
  if (left != 0) {
    if (left >= 3) hash ^= from_end(3) << 16;
    if (left >= 2) hash ^= from_end(2) << 8;
    hash ^= from_end(1);
    hash *= kMultiplier;
  }
  hash ^= hash >> 13;
  hash *= kMultiplier;
  return hash ^ hash >> 15;
}

struct Header {
  int32_t hashes = 0;
  int32_t bits = 0;
};

Result<Header> ReadHeader(ByteReader& in) {
  ARROW_ASSIGN_OR_RAISE(const int32_t version, in.ReadI32Be("bloom filter version"));
  if (version != kVersion) {
    return UnsupportedError("bloom filter of version {}; known is {}", version, kVersion);
  }
  Header header;
  ARROW_ASSIGN_OR_RAISE(header.hashes, in.ReadI32Be("number of hashes"));
  ARROW_ASSIGN_OR_RAISE(const uint8_t type, in.ReadU8("hash type"));
  if (type != kMurmur) {
    return UnsupportedError("bloom filter with hash type {}; known is {}", type, kMurmur);
  }
  ARROW_ASSIGN_OR_RAISE(header.bits, in.ReadI32Be("bloom filter size"));
  if (header.hashes < 1 || header.hashes > kMaxHashes || header.bits < 1) {
    return CorruptError("bloom filter of {} bits with {} hashes; must be at least 1, and 1 to {}",
                        header.bits, header.hashes, kMaxHashes);
  }
  return header;
}

}  // namespace

Status BloomFilter::ReadRow(ByteReader& in) {
  ARROW_ASSIGN_OR_RAISE(const Header header, ReadHeader(in));
  rows_.push_back({.hashes = header.hashes, .bits = header.bits, .offset = in.offset()});
  return in.Skip((static_cast<size_t>(header.bits) + 7) / 8, "bloom filter bits");
}

Result<BloomFilter> BloomFilter::Parse(std::string_view type, std::string_view text) {
  if (type != "SIMPLE" && type != "DYNAMIC_V0") {
    return UnsupportedError("bloom filter type \"{}\"; known are SIMPLE and DYNAMIC_V0", type);
  }
  Result<std::string> bytes = arrow::util::base64_decode(text);
  if (!bytes.ok()) return CorruptError("a bloom filter is no Base64: {}", bytes.status().message());
  BloomFilter filter;
  filter.bytes_ = *std::move(bytes);
  ByteReader in(filter.bytes_);
  if (type == "SIMPLE") {
    ARROW_RETURN_NOT_OK(filter.ReadRow(in));
    return filter;
  }
  ARROW_RETURN_NOT_OK(ReadHeader(in));  // each row repeats it
  ARROW_RETURN_NOT_OK(in.ReadI32Be("keys in a row"));
  ARROW_RETURN_NOT_OK(in.ReadI32Be("keys in the last row"));
  ARROW_ASSIGN_OR_RAISE(const int32_t rows, in.ReadI32Be("rows of the bloom filter"));
  // One without rows would answer no to every key.
  if (rows < 1) return CorruptError("bloom filter of {} rows; must be at least 1", rows);
  for (int32_t i = 0; i < rows; ++i) ARROW_RETURN_NOT_OK(filter.ReadRow(in));
  return filter;
}

bool BloomFilter::MightContain(std::string_view key) const {
  for (const Row& row : rows_) {
    bool all_set = true;
    uint32_t hash = 0;
    for (int32_t i = 0; i < row.hashes && all_set; ++i) {
      hash = HadoopMurmur(key, hash);
      const auto bit = static_cast<size_t>(std::abs(static_cast<int32_t>(hash) % row.bits));
      all_set = (static_cast<uint8_t>(bytes_[row.offset + bit / 8]) >> (bit % 8) & 1) != 0;
    }
    if (all_set) return true;
  }
  return false;
}

}  // namespace firth
