// SPDX-License-Identifier: Apache-2.0
// Which partitions a predicate can match, by their paths alone.
#pragma once

#include <arrow/compute/expression.h>
#include <arrow/type_fwd.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "firth/common/status.h"
#include "firth/scan/partition_time.h"
#include "firth/table/table_config.h"

namespace firth {

/// Decides by the values that partition paths spell. Hudi's contract makes them equal to the
/// partition columns of the rows inside, and formatted times to periods that these lie in; paths
/// that cannot be read back (slash-separated dates, the default partition, times of columns that
/// are no integers) are never pruned.
class PartitionPruner {
 public:
  /// `filter` is bound to `schema`.
  PartitionPruner(const TableConfig& config, std::shared_ptr<arrow::Schema> schema,
                  arrow::compute::Expression filter);

  /// False when no row of the partition can satisfy the filter.
  bool MayMatch(std::string_view partition) const;

  /// False when no partition at or below a folder can. Only decides where a partition is one
  /// folder: one field whose values cannot hold a '/'.
  bool MayMatchFolder(std::string_view folder) const;

 private:
  std::optional<arrow::compute::Expression> Guarantee(size_t field, std::string_view partition,
                                                      const std::string& text) const;

  const TableConfig& config_;
  std::shared_ptr<arrow::Schema> schema_;
  arrow::compute::Expression filter_;
  PartitionTimes times_;
  bool usable_;
};

}  // namespace firth
