// SPDX-License-Identifier: Apache-2.0
// What two records of one key make together. docs/format/metadata-table.md, section 5.
#pragma once

#include <optional>

#include "firth/common/status.h"
#include "firth/metadata/metadata_record.h"

namespace firth {

/// Merges `newer` into `record`, which is older. Records are merged in the order in which they were
/// written, the base file's first: the outcome then needs no memory of what was deleted before.
/// Errors: kCorrupt when the two are of different types, kUnsupported for a type that isn't known.
Status MergeMetadataRecord(MetadataRecord newer, MetadataRecord* record);

/// Leaves out deleted files, and sorts the rest by name. Other payloads stay as they are.
void DropDeletedFiles(MetadataRecord* record);

/// Orders bounds of one kind as Hudi does: numbers by value with NaN last, text and bytes by
/// unsigned bytes, decimals by value. Bounds of different kinds, or without a value, have no order:
/// nullopt.
std::optional<int> CompareStats(const StatsValue& a, const StatsValue& b);

}  // namespace firth
