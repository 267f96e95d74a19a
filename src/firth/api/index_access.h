// SPDX-License-Identifier: Apache-2.0
// What the functions of include/firth/index.h share.
#pragma once

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
/// Errors: kNotFound, naming the indexes that there are; kUnsupported with the reason when it
/// isn't believed; as MetadataTable::Open.
Result<std::shared_ptr<const MetadataTable>> OpenIndex(const PinnedSnapshot& snapshot,
                                                       std::string_view partition);

/// The error of an index that is not there. `wanted` is a noun: "record index".
Status NoSuchIndex(const TableConfig& config, std::string_view wanted);

Result<IndexDefinitions> DefinitionsOf(const PinnedSnapshot& snapshot);

/// Whether keys of the record index are unique in their data partition only.
bool IsPartitionedRecordIndex(const IndexDefinitions& definitions);

LookupCost ToLookupCost(const MetadataCost& cost);

/// The partition of a path relative to the table, "" at the root, and its last segment.
std::string_view FolderOf(std::string_view path);
std::string_view FileNameOf(std::string_view path);

}  // namespace firth
