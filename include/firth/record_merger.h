// SPDX-License-Identifier: Apache-2.0
// Merging of tables whose payload or merger class only exists in Java: register its rules in C++.
#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace firth {

/// One version of a record: a row of a batch that has all columns of the table, meta columns first.
struct RecordVersion {
  std::shared_ptr<arrow::RecordBatch> batch;  ///< null for an entry of a delete block
  int64_t row = 0;                            ///< its row in `batch`
  bool is_delete = false;                     ///< the version deletes the record
};

/// What two versions become.
struct MergedRecord {
  /// One of the versions, neither, or the new `row`.
  enum class Kind : uint8_t { kOlder, kNewer, kDelete, kRow };
  Kind kind = Kind::kNewer;  ///< which it is
  /// kRow: one row with the schema of the versions' batches.
  std::shared_ptr<arrow::RecordBatch> row;
};

/// The rules of a custom merge mode. Called from several threads at once.
///
/// A record's versions are folded in commit order: first those of the log blocks, oldest first,
/// then the result (as `newer`) onto the row of the base file (as `older`).
class RecordMerger {
 public:
  virtual ~RecordMerger() = default;
  /// What `older` becomes when `newer` comes after it.
  virtual arrow::Result<MergedRecord> Merge(const RecordVersion& older,
                                            const RecordVersion& newer) const = 0;
};

/// Makes `merger` responsible for tables whose properties name `name`: the full class name of
/// `hoodie.compaction.payload.class`, or the UUID of `hoodie.record.merge.strategy.id`. Replaces an
/// earlier registration; reads that are already open keep theirs. Process-wide.
///
/// ```cpp
/// firth::RegisterRecordMerger("com.example.SumPayload", std::make_shared<SumMerger>());
/// ```
void RegisterRecordMerger(std::string name, std::shared_ptr<const RecordMerger> merger);

/// The merger registered for `name`, or nullptr.
std::shared_ptr<const RecordMerger> FindRecordMerger(std::string_view name);

}  // namespace firth
