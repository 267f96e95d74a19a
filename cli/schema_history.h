// SPDX-License-Identifier: Apache-2.0
// How a table's columns changed from commit to commit.
#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "firth/table.h"

namespace firth::cli {

struct SchemaVersion {
  std::string instant;  // the first commit with this schema
  std::shared_ptr<arrow::Schema> schema;
  std::vector<std::string> changes;  // sentences: `added column x int`
};

struct SchemaHistory {
  std::vector<SchemaVersion> versions;  // oldest first
  int64_t unreadable = 0;               // commits whose schema is gone with cleaned files
};

/// What differs between two schemas: columns added, dropped, of another type, or moved.
std::vector<std::string> DescribeChanges(const arrow::Schema& before, const arrow::Schema& after);

/// Pins every completed write, archived ones too. Cost: the metadata of each.
arrow::Result<SchemaHistory> ReadSchemaHistory(const Table& table);

}  // namespace firth::cli
