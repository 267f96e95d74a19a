// SPDX-License-Identifier: Apache-2.0
// What the functions of include/firth/index.h share.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <string>
#include <string_view>

#include "firth/index.h"
#include "firth/metadata/index_definitions.h"
#include "firth/metadata/metadata_table.h"
#include "firth/scan/pinned_snapshot.h"

namespace firth {

/// The metadata table as the snapshot sees it. Errors: as MetadataTable::Open.
Result<std::shared_ptr<const MetadataTable>> MetadataOf(const PinnedSnapshot& snapshot);

/// The same, if it has `partition` ready.
/// Errors: kNotFound, naming the indexes that there are; kUnsupported with the reason when it is
/// being built or isn't believed; as MetadataTable::Open.
Result<std::shared_ptr<const MetadataTable>> OpenIndex(const PinnedSnapshot& snapshot,
                                                       std::string_view partition);

/// The error of an index that is not there. `wanted` is a noun: "record index".
Status NoSuchIndex(const TableConfig& config, std::string_view wanted);

/// Whether keys of the record index are unique in their data partition only.
bool IsPartitionedRecordIndex(const IndexDefinitions& definitions);

LookupCost ToLookupCost(const MetadataCost& cost);

/// A column as indexes name it.
struct IndexedColumn {
  std::string name;                       // dots for fields of nested ones
  std::shared_ptr<arrow::DataType> type;  // nullptr inside of lists and maps
};

/// The column that a text names, as reads find it: the exact name wins, else the only one that
/// differs in case. What follows a list or a map is taken as it is, for it names the file's own
/// levels. Errors: as predicate::ColumnPath::Descend.
Result<IndexedColumn> FindIndexedColumn(const PinnedSnapshot& snapshot, std::string_view name);

/// A bound as people read it. `type` is the column's; nullptr when it isn't known.
StatisticsBound ToStatisticsBound(const StatsValue& bound, const ColumnStatsPayload& stats,
                                  const arrow::DataType* type);

/// The partition of a path relative to the table, "" at the root.
std::string_view FolderOf(std::string_view path);

}  // namespace firth
