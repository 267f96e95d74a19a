// SPDX-License-Identifier: Apache-2.0
// Schema-on-read: files keep the names they were written with; ids say which column is which.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <string_view>

#include "firth/table/table_schema.h"

namespace firth {

/// Which version of the schema a file has, and which one the query speaks.
class SchemaEvolution {
 public:
  /// `file_instant` is the requested time in the file's name, or of the log block; `query_instant`
  /// that of the snapshot, empty for the newest version. Nothing is renamed without a history.
  SchemaEvolution(const TableSchema& schema, std::string_view file_instant,
                  std::string_view query_instant);

  bool renames() const { return file_ != nullptr && file_ != query_; }
  /// The same fields under the names of the query. A field the query no longer has gets a name that
  /// nothing matches, so that a later column of its old name stays null.
  std::shared_ptr<arrow::Schema> Rename(const arrow::Schema& file) const;
  AvroSchemaPtr Rename(const AvroSchemaPtr& record) const;

 private:
  const InternalSchema* file_ = nullptr;
  const InternalSchema* query_ = nullptr;
};

}  // namespace firth
