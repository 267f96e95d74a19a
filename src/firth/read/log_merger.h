// SPDX-License-Identifier: Apache-2.0
// The fold of a slice's log records per key, and its merge with the base file (spec 02, 4.5-4.8).
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "firth/read/log_batch.h"
#include "firth/read/merge_plan.h"
#include "firth/read/record_combiner.h"
#include "firth/read/record_map.h"

namespace firth {

/// What is left of a base batch.
struct BaseMerge {
  std::vector<uint8_t> keep;                   // per row: not zero when it stays as it is
  std::shared_ptr<arrow::RecordBatch> merged;  // rows combined with log records, or null
};

/// Calls in this order: Add for every batch in processing order, MergeBase for every base batch in
/// file order, then the leftovers.
class LogMerger {
 public:
  /// `plan` outlives the merger. `combining`: results may take columns from several versions, so
  /// that batches need all their columns; otherwise keys and ordering values suffice.
  /// `by_position`: every batch has positions, which take the place of keys.
  LogMerger(const MergePlan& plan, bool combining, size_t expected_keys = 0,
            bool by_position = false);

  Status Add(LogBatch batch);

  /// `keys` and `ordering` are those of the base rows, the first of which is row number `first_row`
  /// of the file; `rows` is needed when combining.
  Result<BaseMerge> MergeBase(const std::shared_ptr<arrow::RecordBatch>& rows,
                              const arrow::Array& keys, const OrderingColumn& ordering,
                              int64_t first_row = 0);

  /// Per batch, one byte per record: not zero for records that are rows of the result as they are
  /// and did not come out of MergeBase.
  std::vector<std::vector<uint8_t>> Leftovers() const;
  /// Log records that were combined among themselves and met no base row; may be null.
  Result<std::shared_ptr<arrow::RecordBatch>> CombinedLeftovers() const;

  const std::vector<LogBatch>& batches() const { return batches_; }
  int64_t bytes() const { return map_.bytes() + combiner_.bytes(); }

 private:
  using Entry = RecordMap::Entry;

  // One side of a comparison.
  struct Side {
    uint8_t flags;
    int64_t narrow;
    std::string_view wide;
  };

  // What records are matched by: key texts, or row numbers as eight bytes.
  struct Keys {
    const arrow::StringArray* texts = nullptr;
    const std::vector<int64_t>* positions = nullptr;

    int64_t size() const;
    bool IsNull(int64_t i) const;
    std::string_view View(int64_t i) const;
  };

  void HashKeys(const Keys& keys);
  Side SideOf(const OrderingColumn& column, int64_t row) const;
  Side SideOf(const Entry& entry) const;
  int Compare(const Side& a, const Side& b) const;
  bool SameClass(const Side& a, const Side& b) const;
  bool NewerWins(const Side& older, const Side& newer) const;
  bool LogWins(const Side& base, const Side& log) const;

  Status AddRecord(uint64_t hash, std::string_view key, uint32_t batch, uint32_t row);
  void Place(Entry* entry, uint32_t batch, uint32_t row, const Side& side) const;
  Status Fold(Entry* entry, uint32_t batch, uint32_t row, const Side& newer);
  Status FoldCustom(Entry* entry, uint32_t batch, uint32_t row, const Side& newer);

  Status MergeRow(Entry* entry, uint32_t row, const OrderingColumn& ordering, BaseMerge* result,
                  std::vector<VersionRef>* merged);
  void MergeRowByRules(Entry* entry, uint32_t row, const Side& base, BaseMerge* result,
                       std::vector<VersionRef>* merged);
  Status MergeRowCustom(Entry* entry, uint32_t row, BaseMerge* result,
                        std::vector<VersionRef>* merged);
  VersionRef RefOf(const Entry& entry) const;

  const MergePlan& plan_;
  bool combining_;
  bool by_position_;
  RecordMap map_;
  std::vector<LogBatch> batches_;
  RecordCombiner combiner_;          // source 0 is the base batch
  std::vector<uint32_t> source_of_;  // of each log batch: its number in the combiner
  std::vector<uint64_t> hashes_;     // of the batch at hand
  std::vector<int64_t> base_positions_;
};

}  // namespace firth
