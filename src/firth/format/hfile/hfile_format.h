// SPDX-License-Identifier: Apache-2.0
// What the reader and the writer of HFiles share. The byte format is described in
// docs/format/hfile.md.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "firth/common/status.h"

namespace firth {

inline constexpr int64_t kHFileTrailerBytes = 4096;
inline constexpr int64_t kHFileHeaderBytes = 33;
inline constexpr int32_t kHFileBytesPerChecksum = 16384;

/// Families, qualifiers and times of HBase are constants in Hudi: what follows a row in a key.
inline constexpr std::string_view kHFileKeySuffix("\x00\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x04", 10);
/// Around the row of a key: its length in front and the suffix behind.
inline constexpr size_t kHFileKeyOverhead = 2 + kHFileKeySuffix.size();
/// Around a row and its value: two lengths, the key's overhead, and the version byte at the end.
inline constexpr size_t kHFileEntryOverhead = 4 + 4 + kHFileKeyOverhead + 1;
/// Longer rows can't be expressed by the signed 16-bit length in front of them.
inline constexpr size_t kHFileMaxStockKeyBytes = 32767;

/// The ids on disk.
enum class HFileCodec : uint8_t { kGzip = 1, kNone = 2, kZstd = 6 };

enum class HFileBlockType : uint8_t {
  kData,
  kMeta,
  kRootIndex,
  kIntermediateIndex,
  kLeafIndex,
  kFileInfo,
};

/// "data", "root index", ...
std::string_view HFileBlockTypeName(HFileBlockType type);
/// The 8 bytes that a block of this type begins with.
std::string_view HFileMagic(HFileBlockType type);
/// The inverse; nullopt when the bytes are the magic of no block that Hudi writes.
std::optional<HFileBlockType> ParseHFileMagic(std::string_view magic);

/// The trailer's fields that have a meaning. Offsets count from the first byte of the HFile.
struct HFileTrailer {
  int64_t file_info_offset = 0;
  int64_t load_on_open_offset = 0;  // of the root data index
  int64_t data_index_bytes = 0;     // uncompressed; native writers store something else
  int64_t uncompressed_bytes = 0;   // of all blocks; native writers leave it out
  uint32_t data_index_count = 0;    // entries of the root
  uint32_t meta_index_count = 0;
  int64_t entry_count = 0;
  uint32_t index_levels = 1;
  int64_t first_data_offset = -1;  // -1: no data block
  int64_t last_data_offset = -1;   // where the last data block begins
  std::string comparator;
  HFileCodec codec = HFileCodec::kNone;
};

/// The last 4,096 bytes of a file.
/// @param file_bytes length of the whole HFile, which bounds the offsets
/// Errors: kCorrupt; kUnsupported for another major version, an encrypted file or an unknown codec.
Result<HFileTrailer> DecodeHFileTrailer(std::string_view bytes, int64_t file_bytes);
std::string EncodeHFileTrailer(const HFileTrailer& trailer);

/// Names and values of the file info block, in the order of their bytes.
using HFileInfo = std::map<std::string, std::string, std::less<>>;

/// The payload of a file info block. Errors: kCorrupt, also for a name that occurs twice;
/// kUnsupported for the form in front of HFile version 3.
Result<HFileInfo> DecodeHFileInfo(std::string_view payload);
std::string EncodeHFileInfo(const HFileInfo& info);

/// Hadoop's variable-length integer, as index entries carry it.
void PutHadoopVarint(int64_t value, std::string* out);

}  // namespace firth
