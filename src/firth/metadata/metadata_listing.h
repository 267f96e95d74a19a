// SPDX-License-Identifier: Apache-2.0
// All data files of a table, by partition, from the metadata table.
#pragma once

#include "firth/common/status.h"
#include "firth/metadata/metadata_table.h"
#include "firth/table/listing.h"

namespace firth {

/// The same as ListDataFiles without a request to the data table's folders, but for files that
/// aren't data: markers and partition metafiles. Files of writes that are not completed may be
/// listed or not. Sizes are those that were committed: a version 6 log file may have grown since.
/// Errors: as MetadataTable::Lookup; kCorrupt also when the list of partitions contradicts them.
/// Either means: list the storage.
Result<PartitionFiles> ListMetadataFiles(const MetadataTable& table, MetadataCost* cost);

}  // namespace firth
