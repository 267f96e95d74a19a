// SPDX-License-Identifier: Apache-2.0
// The merged rows of a slice with logs, in memory or with spilled logs.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <string>

#include "firth/read/log_scan.h"
#include "firth/read/merge_plan.h"
#include "firth/read/schema_reconcile.h"
#include "firth/read/slice_reader.h"
#include "firth/read/spill.h"

namespace firth {

/// What a merging read needs to know, shared by its parts.
struct MergeJob {
  std::shared_ptr<const ReadContext> context;
  FileSlice slice;
  SliceReadOptions options;
  std::shared_ptr<SliceReadMetrics> metrics;
  ColumnConstants constants;
  MergePlan plan;
  bool combining = false;  // results can take columns from several versions
};

/// A stream of batches with the columns of MergeJob::plan, which may get one more at the end once
/// the logs have been looked at.
class MergeSource {
 public:
  virtual ~MergeSource() = default;
  /// nullptr at the end; batches may be empty.
  virtual Result<std::shared_ptr<arrow::RecordBatch>> Next() = 0;
};

/// Loads the logs and starts merging: in memory when they fit `options.memory_budget`.
Result<std::unique_ptr<MergeSource>> MakeMergeSource(std::shared_ptr<MergeJob> job);

/// Merges logs that are on disk (merge_spilled.cc).
Result<std::unique_ptr<MergeSource>> MakeSpilledMerge(std::shared_ptr<MergeJob> job,
                                                      std::unique_ptr<LogStore> store);

}  // namespace firth
