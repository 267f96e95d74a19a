// SPDX-License-Identifier: Apache-2.0
// The last step of a read: drop rows, keep the asked columns.
#pragma once

#include <arrow/compute/expression.h>
#include <arrow/type_fwd.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "firth/read/slice_reader.h"

namespace firth {

class OutputStage {
 public:
  /// `input` has the columns of the filter and those of `options.columns`, except meta columns of a
  /// table that does not populate them: those are null whatever the files hold, as in Spark.
  static Result<OutputStage> Make(const ReadContext& context, std::shared_ptr<arrow::Schema> input,
                                  const SliceReadOptions& options);

  const std::shared_ptr<arrow::Schema>& schema() const { return schema_; }
  /// Rows of `batch` that pass, in order; may have none.
  Result<std::shared_ptr<arrow::RecordBatch>> Apply(
      const std::shared_ptr<arrow::RecordBatch>& batch) const;

 private:
  Result<std::shared_ptr<arrow::RecordBatch>> Filter(
      const std::shared_ptr<arrow::RecordBatch>& batch) const;

  arrow::compute::Expression filter_;  // bound
  bool has_filter_ = false;
  std::optional<InstantFilter> instants_;
  std::vector<int> projection_;  // into the input; -1: null
  std::shared_ptr<arrow::Schema> schema_;
};

/// Names of the columns that `filter` reads.
std::vector<std::string> FilterColumns(const arrow::compute::Expression& filter);

/// Rows of `batch` whose byte in `keep` is not zero; the batch itself when all are.
Result<std::shared_ptr<arrow::RecordBatch>> KeepRows(
    const std::shared_ptr<arrow::RecordBatch>& batch, const std::vector<uint8_t>& keep);

/// One byte per row of `batch`: not zero when its _hoodie_commit_time is in the set.
std::vector<uint8_t> InInstants(const arrow::RecordBatch& batch, const InstantFilter& filter);

/// The rows that InInstants marks.
Result<std::shared_ptr<arrow::RecordBatch>> KeepInstants(
    const std::shared_ptr<arrow::RecordBatch>& batch, const InstantFilter& filter);

}  // namespace firth
