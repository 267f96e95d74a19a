// SPDX-License-Identifier: Apache-2.0
// What a new table's hoodie.properties say. docs/format/properties.md.
#pragma once

#include <string>

#include "firth/common/properties.h"
#include "firth/common/status.h"
#include "firth/writer.h"

namespace firth {

/// Properties of a table of that definition, as stock Hudi 1.x writes them for one.
///
/// @param default_name where the definition has no name
/// Errors: kInvalidArgument naming the column or property, kUnsupported for a version.
Result<Properties> PropertiesOf(const TableDefinition& definition, const std::string& default_name);

}  // namespace firth
