// SPDX-License-Identifier: Apache-2.0
// Record keys of rows: the stored meta column, or composed as the key generator would.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <string>
#include <vector>

#include "firth/table/table_config.h"

namespace firth {

class RecordKeys {
 public:
  /// Columns that a batch must have so that its keys can be told.
  static std::vector<std::string> Columns(const TableConfig& config);

  /// `rows` has Columns(config). Errors: kUnsupported without meta columns and key fields.
  static Result<RecordKeys> Make(const TableConfig& config, const arrow::Schema& rows);

  /// One utf8 value per row; null where the row has no key.
  Result<std::shared_ptr<arrow::Array>> Of(const arrow::RecordBatch& rows) const;

 private:
  struct Part {
    std::string name;
    std::vector<int> path;
  };
  Status Append(const arrow::ArrayVector& columns, int64_t row, std::string* key) const;

  int stored_ = -1;          // the meta column
  std::vector<Part> parts_;  // otherwise
  bool named_ = false;       // name:value, joined by commas
};

}  // namespace firth
