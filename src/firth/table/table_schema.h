// SPDX-License-Identifier: Apache-2.0
// A table's schema at a snapshot, and its history where schema-on-read evolution was used.
#pragma once

#include <arrow/type_fwd.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firth/format/avro/avro_schema.h"
#include "firth/table/table_config.h"
#include "firth/timeline/timeline.h"

namespace firth {

/// _hoodie_commit_time, _hoodie_commit_seqno, _hoodie_record_key, _hoodie_partition_path,
/// _hoodie_file_name: nullable utf8, always first, in this order.
const std::vector<std::string>& MetaFieldNames();
bool IsMetaField(std::string_view name);

/// One version of a schema with field ids (hoodie.schema.on.read). An id stays with a column
/// through renames; the meta columns have ids too.
struct InternalField {
  int32_t id = 0;
  std::string name;
  std::vector<InternalField> children;  // struct fields; list "element"; map "key" and "value"
};
struct InternalSchema {
  int64_t version_id = 0;  // requested time of the commit that made it; 0 for the first
  std::vector<InternalField> fields;
};

struct TableSchema {
  AvroSchemaPtr avro;                   // data fields without meta fields, as stored
  std::shared_ptr<arrow::Schema> data;  // the same in Arrow
  std::shared_ptr<arrow::Schema> full;  // meta fields, then data fields
  std::vector<InternalSchema> history;  // by version id; empty without schema-on-read

  /// The schema valid for files written at `instant`: largest version id <= instant; nullptr
  /// when there is no history.
  const InternalSchema* HistoryAt(std::string_view instant) const;
};

/// The schema that a snapshot at `as_of` (requested time; empty: latest) has: that of the newest
/// completed write that can change it (compaction, clustering and indexing can't); else
/// hoodie.table.create.schema; else what the footer of a base file says. Columns that the table
/// keeps only in its paths (drop.partition.columns) are added as strings. A table without any
/// schema gives an empty one.
Result<TableSchema> ResolveTableSchema(const Storage& storage, const TableConfig& config,
                                       const Timeline& timeline, std::string_view as_of);

/// Content of a completed schemacommit file: all versions up to it, by version id.
/// Errors: kCorrupt.
Result<std::vector<InternalSchema>> ParseSchemaHistory(std::string_view json);

}  // namespace firth
