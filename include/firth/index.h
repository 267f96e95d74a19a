// SPDX-License-Identifier: Apache-2.0
// Asking a table's indexes, which its writers keep in the metadata table. docs/guide/indexes.md.
//
// Every answer is that of the pinned snapshot. Nothing here reads data files or falls back to a
// scan. Errors of all functions, unless they say more: kNotFound when the table has no such index,
// naming those that it has; kUnsupported when the index is still being built, can't be believed or
// doesn't reach back to the snapshot, with the reason; kCorrupt when its bytes turn out to be
// damaged; kIo.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "firth/table.h"

namespace firth {

/// Whether an index answers.
enum class IndexState : uint8_t {
  kReady,       ///< it does
  kBuilding,    ///< a writer is at it
  kDistrusted,  ///< what it says could be wrong at this snapshot; IndexInfo::reason says why
};

/// The word for a state: "ready", "building", "distrusted".
std::string_view IndexStateName(IndexState state);

/// One index: a partition of the metadata table.
struct IndexInfo {
  std::string name;  ///< of the partition: `record_index`, `secondary_index_by_name`
  std::string type;  ///< files, column_stats, partition_stats, bloom_filters,
                     ///< record_index, secondary_index, expression_index, unknown
  std::vector<std::string> columns;  ///< indexed ones, as its definition names them; may be empty
  std::string function;              ///< of an expression index: `from_unixtime`, `lower`, ...
  bool partitioned = false;          ///< record_index: keys are unique in each data partition only
  IndexState state = IndexState::kReady;  ///< whether it answers
  std::string reason;                     ///< a clause, unless it is ready
  int64_t file_groups = 0;                ///< 0 unless it is ready
  int64_t bytes = 0;                      ///< of its files on storage; 0 unless it is ready
};

/// What one call took. Opening the metadata table, once for each snapshot, is not counted. Log
/// files are read by the first call that needs them, and blocks may still be in memory.
struct LookupCost {
  int64_t file_groups = 0;  ///< asked
  int64_t blocks = 0;       ///< of base files, those that were in memory included
  int64_t cache_hits = 0;   ///< of these, in memory
  int64_t bytes = 0;        ///< read from storage
  int64_t requests = 0;     ///< made to storage
};

/// Where the row of a key lives.
struct KeyLocation {
  std::string key;        ///< record key
  std::string partition;  ///< partition path; empty without partitions
  std::string file_id;    ///< the file group
  /// Requested time of the write that inserted the key, 17 digits. The index stores it as a moment;
  /// its digits are those of UTC where the table's timeline has them, else of this machine's zone,
  /// as in Hudi. Empty when it isn't stored.
  std::string instant;
};

/// Answer of LookupKeys.
struct KeyLookup {
  std::vector<KeyLocation> locations;  ///< by key; a key that is not there has none
  LookupCost cost;                     ///< of the call
};

/// How LookupKeys looks.
struct KeyLookupOptions {
  /// Only rows of this data partition. Needed where the record index is partitioned, because one
  /// key may live in several partitions then.
  std::optional<std::string> partition{};
};

/// A row that has a value.
struct ValueMatch {
  std::optional<std::string> value;  ///< as it was asked for; nullopt is NULL
  std::string key;                   ///< record key
};

/// Answer of LookupValues.
struct ValueLookup {
  std::string index;                ///< that answered
  std::vector<ValueMatch> matches;  ///< by value and key; a value that no row has has none
  LookupCost cost;                  ///< of the call
};

/// A value of a binary column.
struct BinaryValue {
  std::string bytes;  ///< not text

  bool operator==(const BinaryValue&) const = default;
};

/// Smallest or largest value of a column. Dates, times and decimals are text ("2026-01-31",
/// "2026-01-31 12:00:00.000000", "12.50"). monostate: unknown, as bounds of timestamps are in
/// tables of versions 6 and 8, which do not store their unit.
using StatisticsBound =
    std::variant<std::monostate, bool, int64_t, double, std::string, BinaryValue>;

/// What column statistics say about one column in one file. Writers leave out bounds of long
/// strings and of NaN part by part, so bounds of strings and floats may be narrower than the file's
/// values.
struct FileStatistics {
  std::string file;                 ///< path relative to the table
  std::string column;               ///< its name, dots for nested ones
  bool stored = false;              ///< whether there are any; the rest says nothing otherwise
  StatisticsBound min{};            ///< smallest value
  StatisticsBound max{};            ///< largest value
  int64_t rows = -1;                ///< nulls included; -1: not stored, as for all counts
  int64_t nulls = -1;               ///< of these
  int64_t bytes = -1;               ///< of the column in the file, compressed
  int64_t uncompressed_bytes = -1;  ///< of the column, in memory
};

/// Answer of LookupStatistics.
struct StatisticsLookup {
  std::vector<FileStatistics> statistics;  ///< file by file, columns in the order asked for
  LookupCost cost;                         ///< of the call
};

/// Answer of LookupBloomFilter.
struct BloomLookup {
  std::vector<bool> possible;  ///< for each key, whether the file may have it
  LookupCost cost;             ///< of the call
};

/// All indexes by name, those too that can't answer. Errors: kCorrupt when their definitions are no
/// JSON; kIo. Cost: one listing for each.
arrow::Result<std::vector<IndexInfo>> ListIndexes(const Snapshot& snapshot);

/// One of these by name, `record_index`. Errors: kNotFound for the lack of it; as ListIndexes.
/// Cost: as ListIndexes.
arrow::Result<IndexInfo> FindIndex(const Snapshot& snapshot, std::string_view name);

/// Where keys live, by the record index, which has one place for a key even where writers that do
/// not look for it (insert, bulk_insert) wrote it twice. A key is the text in `_hoodie_record_key`:
/// that of several fields, or of a complex key generator, is `id:1,region:eu`.
///
/// @param keys any order, duplicates allowed
/// Errors: kInvalidArgument for a partitioned index without a partition.
/// Cost: at most one block a key, and the log files of the file groups that keys hash to. Many keys
/// are looked up by one thread per core.
arrow::Result<KeyLookup> LookupKeys(const Snapshot& snapshot, std::span<const std::string> keys,
                                    const KeyLookupOptions& options = {});

/// Which rows have one of `values` in a column, by its secondary index.
///
/// @param column as ScanOptions::columns spells it, dots for fields of nested ones
/// @param values as Java writes them: `42`, `0.5`, `true`, text as it is; nullopt is NULL
/// Errors: kInvalidArgument for a column that the table lacks.
arrow::Result<ValueLookup> LookupValues(const Snapshot& snapshot, std::string_view column,
                                        std::span<const std::optional<std::string>> values);

/// What column_stats says about files of the snapshot.
///
/// @param columns as ScanOptions::columns spells them, dots for fields of nested ones; empty: all
/// data columns, without nested ones
/// @param files paths relative to the table, as in Snapshot::Files; nullopt: all of the snapshot
/// Errors: kInvalidArgument for a path without a file name, and for a column that the table lacks.
/// Cost: at most one block for each file and column.
arrow::Result<StatisticsLookup> LookupStatistics(
    const Snapshot& snapshot, std::span<const std::string> columns = {},
    std::optional<std::span<const std::string>> files = std::nullopt);

/// Whether a base file may have keys, by its filter in bloom_filters. False is certain.
///
/// @param file path relative to the table
/// Errors: kNotFound also when the index has no filter of that file.
arrow::Result<BloomLookup> LookupBloomFilter(const Snapshot& snapshot, std::string_view file,
                                             std::span<const std::string> keys);

}  // namespace firth
