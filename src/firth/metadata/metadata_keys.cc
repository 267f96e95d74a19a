// SPDX-License-Identifier: Apache-2.0
#include "firth/metadata/metadata_keys.h"

#include <arrow/util/base64.h>
#define XXH_INLINE_ALL  // no part of the library is linked
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "firth/common/md5.h"

namespace firth {
namespace {

// Hudi's seed is the int 0xdabadaba, which Java widens with its sign.
constexpr uint64_t kHashSeed = 0xffffffffdabadabaULL;
constexpr char kSeparator = '$';
constexpr char kEscape = '\\';
constexpr char kNull = '\0';  // unescaped: SQL NULL
constexpr std::string_view kExpressionPartitionPrefix = "__partition_stat__";
constexpr std::string_view kSecondaryIndexPrefix = "secondary_index_";
constexpr std::string_view kExpressionIndexPrefix = "expr_index_";
constexpr size_t kGroupDigits = 4;

constexpr std::array<std::pair<std::string_view, MetadataIndex>, 5> kPartitions = {{
    {"files", MetadataIndex::kFiles},
    {"column_stats", MetadataIndex::kColumnStats},
    {"partition_stats", MetadataIndex::kPartitionStats},
    {"bloom_filters", MetadataIndex::kBloomFilters},
    {"record_index", MetadataIndex::kRecordIndex},
}};

std::string_view OrRoot(std::string_view partition) {
  return partition.empty() ? kRootPartition : partition;
}

void AppendEscaped(std::string_view text, std::string* out) {
  for (const char c : text) {
    if (c == kEscape || c == kSeparator || c == kNull) out->push_back(kEscape);
    out->push_back(c);
  }
}

std::string Unescape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == kEscape && i + 1 < text.size()) ++i;
    out.push_back(text[i]);
  }
  return out;
}

// Position of the first separator that is not escaped; npos without one.
size_t FindSeparator(std::string_view key) {
  for (size_t i = 0; i < key.size(); ++i) {
    if (key[i] == kEscape) {
      ++i;
    } else if (key[i] == kSeparator) {
      return i;
    }
  }
  return std::string_view::npos;
}

// The code point at `*at`, which moves behind it. A byte that is not UTF-8 counts for itself.
uint32_t NextCodePoint(std::string_view text, size_t* at) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byte((*at)++);
  const size_t more = lead < 0xC0 ? 0 : lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : lead < 0xF8 ? 3 : 0;
  if (more == 0 || text.size() - *at < more) return lead;
  uint32_t point = lead & (0x3F >> more);
  for (size_t i = 0; i < more; ++i) point = point << 6 | (byte((*at)++) & 0x3F);
  return point;
}

// Java's String.hashCode, over UTF-16 code units.
int32_t JavaHash(std::string_view text) {
  uint32_t hash = 0;
  for (size_t at = 0; at < text.size();) {
    const uint32_t point = NextCodePoint(text, &at);
    if (point < 0x10000) {
      hash = 31 * hash + point;
    } else {
      hash = 31 * hash + (0xD7C0 + (point >> 10));
      hash = 31 * hash + (0xDC00 + (point & 0x3FF));
    }
  }
  return static_cast<int32_t>(hash);
}

}  // namespace

std::optional<MetadataIndex> ParseMetadataPartition(std::string_view partition) {
  const auto* found =
      std::ranges::find(kPartitions, partition, [](const auto& entry) { return entry.first; });
  if (found != kPartitions.end()) return found->second;
  if (partition.starts_with(kSecondaryIndexPrefix)) return MetadataIndex::kSecondaryIndex;
  if (partition.starts_with(kExpressionIndexPrefix)) return MetadataIndex::kExpressionIndex;
  return std::nullopt;
}

std::string Hash64(std::string_view text) {
  const uint64_t hash = __builtin_bswap64(XXH64(text.data(), text.size(), kHashSeed));
  char bytes[sizeof(hash)];
  std::memcpy(bytes, &hash, sizeof(hash));
  return arrow::util::base64_encode(std::string_view(bytes, sizeof(bytes)));
}

std::string Hash128(std::string_view text) {
  const Md5Digest digest = Md5(text);
  return arrow::util::base64_encode(
      std::string_view(reinterpret_cast<const char*>(digest.data()), digest.size()));
}

std::string FilesKey(std::string_view partition) { return std::string(OrRoot(partition)); }

std::string ColumnStatsKey(std::string_view column, std::string_view partition,
                           std::string_view file_name) {
  return ColumnStatsPrefix(column, partition) + Hash128(file_name);
}

std::string ColumnStatsPrefix(std::string_view column) { return Hash64(column); }

std::string ColumnStatsPrefix(std::string_view column, std::string_view partition) {
  return Hash64(column) + Hash64(OrRoot(partition));
}

std::string PartitionStatsKey(std::string_view column, std::string_view partition) {
  return ColumnStatsPrefix(column, partition);
}

std::string ExpressionPartitionStatsKey(std::string_view column, std::string_view partition) {
  return Hash64(column) + Hash64(kExpressionPartitionPrefix) + Hash64(OrRoot(partition));
}

std::string BloomFilterKey(std::string_view partition, std::string_view file_name) {
  return Hash64(OrRoot(partition)) + Hash128(file_name);
}

std::string SecondaryKeyPrefix(const std::optional<std::string>& value) {
  std::string prefix;
  if (value) {
    AppendEscaped(*value, &prefix);
  } else {
    prefix.push_back(kNull);
  }
  prefix.push_back(kSeparator);
  return prefix;
}

std::string FormatSecondaryKey(const SecondaryKey& key) {
  std::string text = SecondaryKeyPrefix(key.value);
  AppendEscaped(key.record_key, &text);
  return text;
}

Result<SecondaryKey> ParseSecondaryKey(std::string_view key) {
  const size_t separator = FindSeparator(key);
  if (separator == std::string_view::npos) {
    return CorruptError("\"{}\" is no key of a secondary index: it has no '$'", key);
  }
  SecondaryKey parsed{.value = std::nullopt, .record_key = Unescape(key.substr(separator + 1))};
  const std::string_view value = key.substr(0, separator);
  if (value != std::string_view(&kNull, 1)) parsed.value = Unescape(value);
  return parsed;
}

int32_t FileGroupOf(std::string_view hashed, int32_t groups) {
  // Java's |INT_MIN| is INT_MIN, whence the outer absolute value; 64 bits need no such care before.
  const int64_t hash = JavaHash(hashed);
  const int64_t magnitude = hash == INT32_MIN ? hash : std::abs(hash);
  return static_cast<int32_t>(std::abs(magnitude % groups));
}

std::string_view HashedPartOfKey(std::string_view key, bool hashes_value_only) {
  if (!hashes_value_only) return key;
  const size_t separator = FindSeparator(key);
  return separator == std::string_view::npos ? key : key.substr(0, separator + 1);
}

std::string FileIdPrefix(std::string_view partition) {
  if (partition == "column_stats") return "col-stats-";
  std::string prefix(partition);
  std::ranges::replace(prefix, '_', '-');
  return prefix + "-";
}

std::optional<MetadataFileId> ParseMetadataFileId(std::string_view file_id) {
  if (file_id.ends_with("-0")) file_id.remove_suffix(2);
  if (file_id.size() <= kGroupDigits) return std::nullopt;
  const std::string_view digits = file_id.substr(file_id.size() - kGroupDigits);
  MetadataFileId id{.prefix = file_id.substr(0, file_id.size() - kGroupDigits)};
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), id.number);
  if (error != std::errc() || end != digits.data() + digits.size() || id.number < 0 ||
      !id.prefix.ends_with('-')) {
    return std::nullopt;
  }
  return id;
}

}  // namespace firth
