// SPDX-License-Identifier: Apache-2.0
// Writing hoodie.properties. docs/format/properties.md.
#pragma once

#include <string>

#include "firth/common/properties.h"
#include "firth/common/status.h"
#include "firth/io/storage_writer.h"

namespace firth {

/// hoodie.table.checksum as it must be: the CRC-32 of the database's and the table's name.
std::string TableChecksum(const Properties& properties);

/// Text of hoodie.properties with its checksum, as stock Hudi reads it.
std::string FormatTableProperties(Properties properties);

/// Makes a table of a folder. Of several that try at once a single one succeeds.
/// Errors: kAlreadyExists, kIo.
Status CreateTableProperties(const StorageWriter& writer, Properties properties);

}  // namespace firth
