// SPDX-License-Identifier: Apache-2.0
// How the metadata table names things: its partitions, their file groups, and the keys of their
// records. docs/format/metadata-table.md, sections 2 and 4.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "firth/common/status.h"

namespace firth {

/// What a partition of the metadata table holds.
enum class MetadataIndex : uint8_t {
  kFiles,
  kColumnStats,
  kPartitionStats,
  kBloomFilters,
  kRecordIndex,
  kSecondaryIndex,   // secondary_index_<name>
  kExpressionIndex,  // expr_index_<name>
};

/// nullopt for a partition that Hudi does not have.
std::optional<MetadataIndex> ParseMetadataPartition(std::string_view partition);

inline constexpr std::string_view kAllPartitionsKey = "__all_partitions__";
/// How keys and records spell the one partition of a table that has none.
inline constexpr std::string_view kRootPartition = ".";

/// Hudi's hash of columns and partitions: xxHash64 in Base64, 12 characters.
std::string Hash64(std::string_view text);
/// Hudi's hash of file names: MD5 in Base64, 24 characters.
std::string Hash128(std::string_view text);

/// Keys of records. `partition` is a path of the data table, "" when it is not partitioned.
std::string FilesKey(std::string_view partition);
std::string ColumnStatsKey(std::string_view column, std::string_view partition,
                           std::string_view file_name);
/// The prefix that all column stats of one column (in one partition) share.
std::string ColumnStatsPrefix(std::string_view column);
std::string ColumnStatsPrefix(std::string_view column, std::string_view partition);
std::string PartitionStatsKey(std::string_view column, std::string_view partition);
/// A partition's row in an expression index of column statistics.
std::string ExpressionPartitionStatsKey(std::string_view column, std::string_view partition);
std::string BloomFilterKey(std::string_view partition, std::string_view file_name);

/// A secondary index maps one value to many record keys: its keys hold both.
struct SecondaryKey {
  std::optional<std::string> value{};  // nullopt: SQL NULL
  std::string record_key{};

  bool operator==(const SecondaryKey&) const = default;
};
/// The prefix of all keys of a value: the escaped value and '$'.
std::string SecondaryKeyPrefix(const std::optional<std::string>& value);
std::string FormatSecondaryKey(const SecondaryKey& key);
/// Errors: kCorrupt when no unescaped '$' parts the two.
Result<SecondaryKey> ParseSecondaryKey(std::string_view key);

/// The number of the file group, of `groups`, that holds a key: Java's string hash.
int32_t FileGroupOf(std::string_view hashed, int32_t groups);
/// The part of a record's key that FileGroupOf takes. `hashes_value_only` is for secondary indexes
/// of version V2, whose records of one value lie in one group.
std::string_view HashedPartOfKey(std::string_view key, bool hashes_value_only);

/// What the file ids of a partition begin with: "col-stats-", "secondary-index-name-".
std::string FileIdPrefix(std::string_view partition);
/// A file id without its number, and the number: "record-index-0003-0" is 3.
struct MetadataFileId {
  std::string_view prefix;
  int32_t number = 0;
};
std::optional<MetadataFileId> ParseMetadataFileId(std::string_view file_id);

}  // namespace firth
