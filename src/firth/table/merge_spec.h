// SPDX-License-Identifier: Apache-2.0
// How two versions of a record become one, from what each table version says about it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "firth/common/properties.h"
#include "firth/common/status.h"

namespace firth {

enum class MergeMode : uint8_t { kCommitTime, kEventTime, kCustom };
enum class PartialUpdateMode : uint8_t { kNone, kIgnoreDefaults, kFillUnavailable };

/// Payload classes of older tables whose merging firth reproduces by rule (spec 02, section 4).
enum class PayloadKind : uint8_t {
  kNone,  // the merge mode says all
  kOverwriteWithLatest,
  kDefault,
  kEventTime,
  kPartialUpdate,
  kOverwriteNonDefaults,
  kPostgresDebezium,
  kMySqlDebezium,
  kAwsDms,
};

/// How two versions of a record become one.
struct MergeSpec {
  MergeMode mode = MergeMode::kCommitTime;
  PartialUpdateMode partial_update = PartialUpdateMode::kNone;
  PayloadKind payload = PayloadKind::kNone;
  std::vector<std::string> ordering_fields;  // empty under kCommitTime
  std::string delete_field, delete_marker;   // both or neither
  std::string unavailable_value;             // kFillUnavailable
  std::string custom_class;                  // kCustom without a known payload: refused on merge
};

/// The merge rules that a table's properties ask for, as Hudi 1.2 derives them: an explicit mode
/// wins; else the payload class decides (version 6) or the merge strategy (8 and 9); with neither,
/// ordering fields mean event time. Errors: kCorrupt on an unknown mode.
Result<MergeSpec> DeriveMergeSpec(const Properties& properties, int table_version);

/// The items of a comma list, trimmed; empty ones are left out.
std::vector<std::string> SplitList(std::string_view list);

}  // namespace firth
