// SPDX-License-Identifier: Apache-2.0
// Making tables. docs/guide/create.md.
#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "firth/table.h"

namespace firth {

/// What a new table is. Only `schema` has to be given.
struct TableDefinition {
  /// Data columns, without the _hoodie_* ones. Types that tables lack become the next wider one:
  /// narrow and unsigned integers int32 or int64, float16 float32, seconds and nanoseconds
  /// microseconds, dictionaries, views and large forms what they hold.
  std::shared_ptr<arrow::Schema> schema;
  std::string name{};              ///< empty: the last segment of the location
  bool merge_on_read = false;      ///< else copy-on-write
  std::vector<std::string> key{};  ///< record key columns; empty: writers generate keys
  /// Partition columns, outermost first; empty: not partitioned. `column:TIMESTAMP` or
  /// `column:SIMPLE` in all of them makes a custom key generator.
  std::vector<std::string> partition_by{};
  /// Of two rows with one key the one that is larger in these columns wins; empty: the later one.
  std::vector<std::string> ordering{};
  /// Table properties, `hoodie.table.cdc.enabled` = `true`: whatever has no field above. Those that
  /// fields above decide are refused.
  std::map<std::string, std::string> properties{};
  int version = 9;  ///< table version: 8 or 9
};

/// Columns as Spark SQL declares them, `id bigint not null, price decimal(10,2), emb vector(384)`,
/// as Arrow types. Errors: kInvalidArgument with the position and what was expected.
arrow::Result<std::shared_ptr<arrow::Schema>> ParseSchema(std::string_view ddl);

/// Makes an empty table of the folder `uri`, with the folders above it where they are missing, and
/// opens it. Of several that try at once a single one succeeds; where there is a table already,
/// nothing changes.
/// Errors: kAlreadyExists; kInvalidArgument for a definition that makes no sense, naming the column
/// or property; kUnsupported for object stores and for version 6; kIo, after which there is no
/// table, but empty folders may be; kCommitUnknown when there is one that may not survive a loss of
/// power.
arrow::Result<Table> CreateTable(std::string_view uri, const TableDefinition& definition,
                                 const OpenOptions& options = {});

}  // namespace firth
