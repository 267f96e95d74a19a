// SPDX-License-Identifier: Apache-2.0
// From the columns of a file to the columns of the query.
#pragma once

#include <arrow/type_fwd.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "firth/common/status.h"
#include "firth/read/schema_evolution.h"

namespace firth {

/// Values of columns that the files leave out, by column name.
using ColumnConstants = std::map<std::string, std::shared_ptr<arrow::Scalar>, std::less<>>;

/// Immutable once made.
class SchemaReconciler {
 public:
  /// Matches by name, after the renames of `evolution`. A wanted column that the file lacks is
  /// filled from `constants`, else null. `path` is for messages. Errors: kUnsupported, naming the
  /// column, when a type cannot become the wanted one.
  static Result<SchemaReconciler> Make(const arrow::Schema& file,
                                       std::shared_ptr<arrow::Schema> wanted,
                                       const SchemaEvolution& evolution,
                                       const ColumnConstants& constants, std::string path);

  /// Columns of the file that are needed, ascending: what Apply expects its batches to have.
  const std::vector<int>& file_columns() const { return file_columns_; }
  /// Where a wanted column lies in the file, -1 when it doesn't.
  int FileColumn(int wanted) const { return sources_[wanted].file_column; }
  /// What fills a wanted column that the file lacks; nullptr for nulls.
  const arrow::Scalar* Constant(int wanted) const { return sources_[wanted].constant.get(); }
  const std::shared_ptr<arrow::Schema>& wanted() const { return wanted_; }

  Result<std::shared_ptr<arrow::RecordBatch>> Apply(const arrow::RecordBatch& batch) const;

 private:
  struct Source {
    int file_column = -1;
    int batch_column = -1;
    std::shared_ptr<arrow::DataType> renamed;  // the file's type under new names, if they differ
    std::shared_ptr<arrow::Scalar> constant;   // instead of null
  };

  SchemaReconciler() = default;
  Result<std::shared_ptr<arrow::Array>> Column(const arrow::RecordBatch& batch, int wanted) const;

  std::shared_ptr<arrow::Schema> wanted_;
  std::vector<Source> sources_;  // per wanted column
  std::vector<int> file_columns_;
  std::string path_;
};

}  // namespace firth
