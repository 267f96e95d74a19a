// SPDX-License-Identifier: Apache-2.0
// Small tables of a chosen shape, for tests: TableBuilder(dir, spec).Insert(a).Upsert(b).Delete(k).
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "firth/common/status.h"
#include "firth/format/log/log_format.h"
#include "firth/testing/table_files.h"

namespace firth::testing {

/// Each call is one commit. A record key occurs once in the table and once in a batch, and a known
/// key keeps its partition. The first failure sticks: later calls do nothing, status() tells.
class TableBuilder {
 public:
  TableBuilder(std::string dir, TableSpec spec);

  /// New keys. Each partition gets `groups` new file groups, over which its rows are spread by
  /// turns: each with a base file, or with just a log.
  TableBuilder& Insert(const arrow::RecordBatch& rows, int groups = 1, bool log_only = false);

  /// Known keys go to their file group: to a log, or (copy on write) into a new base file, merged
  /// by the ordering field. New keys are inserted into new file groups.
  TableBuilder& Upsert(const arrow::RecordBatch& rows);

  /// Deletes known keys: by a delete block, or (copy on write) by rewriting base files. The
  /// ordering value is the default or of the kind of the ordering field.
  TableBuilder& Delete(const std::vector<std::string>& keys,
                       const OrderingValue& ordering = {OrderingValue::Kind::kInt, int64_t{0}});

  /// An insert that is begun and never completed: its files are there, nobody may see its rows.
  TableBuilder& InsertPending(const arrow::RecordBatch& rows);

  const Status& status() const { return status_; }
  /// Requested time of the last commit.
  const std::string& instant() const { return files_->instant(); }
  const std::string& dir() const { return files_->dir(); }

 private:
  struct Change {
    std::shared_ptr<arrow::RecordBatch> rows;  // with meta columns; null: none
    std::vector<DeleteRecord> deletes;
  };

  Status InsertRows(const arrow::RecordBatch& rows, int groups, bool log_only);
  Status UpsertRows(const arrow::RecordBatch& rows);
  Status DeleteKeys(const std::vector<std::string>& keys, const OrderingValue& ordering);
  Status WriteNewGroup(const std::string& partition, const arrow::RecordBatch& rows, bool log_only);
  Status Apply(FileGroup* group, const Change& change);
  Status RewriteBase(FileGroup* group, const Change& change);
  Result<std::vector<std::string>> PartitionsOf(const arrow::RecordBatch& rows) const;

  Status status_;
  std::unique_ptr<TableFiles> files_;
  std::vector<FileGroup> groups_;
  std::unordered_map<std::string, size_t> group_of_key_;
};

}  // namespace firth::testing
