// SPDX-License-Identifier: Apache-2.0
#include "firth/read/log_merger.h"

#include <arrow/array/array_binary.h>
#include <arrow/array/array_primitive.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/checked_cast.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "firth/common/checksum.h"

namespace firth {
namespace {

using arrow::internal::checked_cast;

constexpr uint32_t kBaseSource = 0;
constexpr int64_t kPrefetchDistance = 16;

bool IsDelete(uint8_t flags) { return (flags & row_flag::kDelete) != 0; }

// A delete without an ordering value: it wins whatever it meets.
bool IsNaturalDelete(uint8_t flags) { return IsDelete(flags) && (flags & row_flag::kNatural) != 0; }

}  // namespace

int64_t LogMerger::Keys::size() const {
  return positions ? static_cast<int64_t>(positions->size()) : texts->length();
}

bool LogMerger::Keys::IsNull(int64_t i) const { return positions == nullptr && texts->IsNull(i); }

std::string_view LogMerger::Keys::View(int64_t i) const {
  if (positions == nullptr) return texts->GetView(i);
  return {reinterpret_cast<const char*>(positions->data() + i), sizeof(int64_t)};
}

LogMerger::LogMerger(const MergePlan& plan, bool combining, size_t expected_keys, bool by_position)
    : plan_(plan),
      combining_(combining),
      by_position_(by_position),
      map_(expected_keys),
      combiner_(plan) {
  if (combining_) combiner_.AddSource(nullptr, nullptr);
}

void LogMerger::HashKeys(const Keys& keys) {
  hashes_.resize(keys.size());
  for (int64_t i = 0; i < keys.size(); ++i) hashes_[i] = HashBytes(keys.View(i));
}

LogMerger::Side LogMerger::SideOf(const OrderingColumn& column, int64_t row) const {
  Side side{column.flags[row], 0, {}};
  if (column.values == nullptr) return side;
  if (plan_.ordering.wide()) {
    side.wide = checked_cast<const arrow::BinaryArray&>(*column.values).GetView(row);
  } else {
    side.narrow = checked_cast<const arrow::Int64Array&>(*column.values).Value(row);
  }
  return side;
}

LogMerger::Side LogMerger::SideOf(const Entry& entry) const {
  if (plan_.ordering.wide()) return SideOf(batches_[entry.batch].ordering, entry.row);
  return {entry.flags, entry.ordering, {}};
}

int LogMerger::Compare(const Side& a, const Side& b) const {
  if (!plan_.ordering.wide()) return a.narrow < b.narrow ? -1 : a.narrow > b.narrow;
  const size_t classes = plan_.ordering.class_bytes();
  return a.wide.substr(std::min(classes, a.wide.size()))
      .compare(b.wide.substr(std::min(classes, b.wide.size())));
}

bool LogMerger::SameClass(const Side& a, const Side& b) const {
  if (((a.flags | b.flags) & row_flag::kIncomparable) != 0) return false;
  if (!plan_.ordering.wide()) {
    return a.flags >> row_flag::kClassShift == b.flags >> row_flag::kClassShift;
  }
  const size_t classes = plan_.ordering.class_bytes();
  return a.wide.substr(0, classes) == b.wide.substr(0, classes);
}

// The delta rule: both sides come from logs.
bool LogMerger::NewerWins(const Side& older, const Side& newer) const {
  if (!plan_.event_time) return true;
  if ((newer.flags & row_flag::kDeleteBlock) != 0) {
    if (IsNaturalDelete(older.flags)) return false;
    if ((newer.flags & row_flag::kNatural) != 0 || !SameClass(older, newer)) return true;
    return Compare(older, newer) <= 0;
  }
  if (IsNaturalDelete(newer.flags) || IsNaturalDelete(older.flags)) return true;
  if ((older.flags & row_flag::kIncomparable) != 0) return true;
  return Compare(newer, older) >= 0;
}

// The final rule.
bool LogMerger::LogWins(const Side& base, const Side& log) const {
  if (!plan_.event_time || IsNaturalDelete(log.flags)) return true;
  if ((log.flags & row_flag::kIncomparable) != 0) return true;
  return Compare(log, base) >= 0;
}

void LogMerger::Place(Entry* entry, uint32_t batch, uint32_t row, const Side& side) const {
  entry->batch = batch;
  entry->row = row;
  entry->flags = side.flags;
  entry->ordering = side.narrow;
  entry->merged = RecordMap::kNone;
}

VersionRef LogMerger::RefOf(const Entry& entry) const {
  return {source_of_[entry.batch], entry.row, entry.merged};
}

Status LogMerger::Fold(Entry* entry, uint32_t batch, uint32_t row, const Side& newer) {
  const Side older = SideOf(*entry);
  const bool newer_wins = NewerWins(older, newer);
  const bool combine = combining_ && !IsDelete(older.flags) && !IsDelete(newer.flags);
  if (!combine) {
    if (newer_wins) Place(entry, batch, row, newer);
    return Status::OK();
  }
  const VersionRef old_ref = RefOf(*entry);
  const VersionRef new_ref{source_of_[batch], row, RecordMap::kNone};
  const VersionRef result = newer_wins ? combiner_.Combine(old_ref, new_ref, /*late=*/false)
                                       : combiner_.Combine(new_ref, old_ref, /*late=*/true);
  if (newer_wins) Place(entry, batch, row, newer);
  entry->merged = result.merged;
  return Status::OK();
}

Status LogMerger::FoldCustom(Entry* entry, uint32_t batch, uint32_t row, const Side& newer) {
  const uint32_t older_source =
      entry->merged == RecordMap::kNone ? source_of_[entry->batch] : entry->merged;
  const RecordVersion older{combiner_.source(older_source),
                            entry->merged == RecordMap::kNone ? entry->row : 0,
                            IsDelete(entry->flags)};
  ARROW_ASSIGN_OR_RAISE(MergedRecord outcome, plan_.merger->Merge(older, {batches_[batch].rows, row,
                                                                          IsDelete(newer.flags)}));
  switch (outcome.kind) {
    case MergedRecord::Kind::kOlder:
      return Status::OK();
    case MergedRecord::Kind::kNewer:
      Place(entry, batch, row, newer);
      return Status::OK();
    case MergedRecord::Kind::kDelete:
      Place(entry, batch, row, newer);
      entry->flags |= row_flag::kDelete;
      return Status::OK();
    case MergedRecord::Kind::kRow:
      Place(entry, batch, row, newer);
      entry->flags &= static_cast<uint8_t>(~row_flag::kDelete);
      // A custom merger's row is a source of its own; `merged` names the source.
      entry->merged = combiner_.AddRow(std::move(outcome.row), {source_of_[batch], row});
      return Status::OK();
  }
  return Status::OK();
}

Status LogMerger::AddRecord(uint64_t hash, std::string_view key, uint32_t batch, uint32_t row) {
  const Side side = SideOf(batches_[batch].ordering, row);
  bool inserted = false;
  Entry* entry = map_.FindOrInsert(hash, key, &inserted);
  if (inserted) {
    Place(entry, batch, row, side);
    return Status::OK();
  }
  return plan_.merger ? FoldCustom(entry, batch, row, side) : Fold(entry, batch, row, side);
}

Status LogMerger::Add(LogBatch batch) {
  const auto number = static_cast<uint32_t>(batches_.size());
  batches_.push_back(std::move(batch));
  const LogBatch& added = batches_.back();
  if (combining_) source_of_.push_back(combiner_.AddSource(added.rows, added.present));
  Keys keys{&checked_cast<const arrow::StringArray&>(*added.keys)};
  if (by_position_) keys.positions = &added.positions;
  if (keys.texts->null_count() > 0) return CorruptError("a log record has no record key");
  HashKeys(keys);
  const int64_t count = keys.size();
  for (int64_t i = 0; i < count; ++i) {
    if (i + kPrefetchDistance < count) map_.Prefetch(hashes_[i + kPrefetchDistance]);
    ARROW_RETURN_NOT_OK(AddRecord(hashes_[i], keys.View(i), number, static_cast<uint32_t>(i)));
  }
  return Status::OK();
}

void LogMerger::MergeRowByRules(Entry* entry, uint32_t row, const Side& base, BaseMerge* result,
                                std::vector<VersionRef>* merged) {
  const bool log_wins = LogWins(base, SideOf(*entry));
  if (IsDelete(entry->flags)) {
    result->keep[row] = !log_wins;
    return;
  }
  result->keep[row] = !log_wins;
  entry->emit = log_wins;
  if (!combining_) return;
  const VersionRef base_ref{kBaseSource, row, RecordMap::kNone};
  const VersionRef log_ref = RefOf(*entry);
  const VersionRef combined = log_wins ? combiner_.Combine(base_ref, log_ref, /*late=*/false)
                                       : combiner_.Combine(log_ref, base_ref, /*late=*/true);
  if (combined.merged == RecordMap::kNone) return;
  merged->push_back(combined);
  result->keep[row] = 0;
  entry->emit = false;
}

Status LogMerger::MergeRowCustom(Entry* entry, uint32_t row, BaseMerge* result,
                                 std::vector<VersionRef>* merged) {
  const bool alone = entry->merged == RecordMap::kNone;
  const RecordVersion log{combiner_.source(alone ? source_of_[entry->batch] : entry->merged),
                          alone ? entry->row : 0, IsDelete(entry->flags)};
  ARROW_ASSIGN_OR_RAISE(MergedRecord outcome,
                        plan_.merger->Merge({combiner_.source(kBaseSource), row, false}, log));
  result->keep[row] = outcome.kind == MergedRecord::Kind::kOlder;
  entry->emit = outcome.kind == MergedRecord::Kind::kNewer;
  if (outcome.kind == MergedRecord::Kind::kRow) {
    merged->push_back({combiner_.AddRow(std::move(outcome.row), {kBaseSource, row}), 0});
  }
  return Status::OK();
}

Result<BaseMerge> LogMerger::MergeBase(const std::shared_ptr<arrow::RecordBatch>& rows,
                                       const arrow::Array& keys, const OrderingColumn& ordering,
                                       int64_t first_row) {
  Keys base_keys{&checked_cast<const arrow::StringArray&>(keys)};
  const int64_t count = base_keys.size();
  if (by_position_) {
    base_positions_.resize(count);
    std::iota(base_positions_.begin(), base_positions_.end(), first_row);
    base_keys.positions = &base_positions_;
  }
  BaseMerge result;
  result.keep.assign(count, 1);
  if (map_.size() == 0) return result;
  std::vector<VersionRef> merged;
  if (combining_) combiner_.ReplaceSource(kBaseSource, rows);
  const size_t combinations = combiner_.combinations();
  HashKeys(base_keys);
  for (int64_t i = 0; i < count; ++i) {
    if (i + kPrefetchDistance < count) map_.Prefetch(hashes_[i + kPrefetchDistance]);
    Entry* entry = base_keys.IsNull(i) ? nullptr : map_.Find(hashes_[i], base_keys.View(i));
    // Hudi takes a record out of its map when it meets the first row of the key: further rows of
    // the same key are records of their own.
    if (entry == nullptr || entry->consumed) continue;
    entry->consumed = true;
    const auto row = static_cast<uint32_t>(i);
    if (plan_.merger) {
      ARROW_RETURN_NOT_OK(MergeRowCustom(entry, row, &result, &merged));
    } else {
      MergeRowByRules(entry, row, SideOf(ordering, i), &result, &merged);
    }
  }
  if (merged.empty()) return result;
  ARROW_ASSIGN_OR_RAISE(result.merged, combiner_.Build(merged));
  combiner_.Truncate(combinations);
  return result;
}

std::vector<std::vector<uint8_t>> LogMerger::Leftovers() const {
  std::vector<std::vector<uint8_t>> keep(batches_.size());
  for (size_t i = 0; i < batches_.size(); ++i) {
    if (batches_[i].rows) keep[i].assign(batches_[i].num_records(), 0);
  }
  for (const Entry& entry : map_.entries()) {
    if (!entry.emit || IsDelete(entry.flags) || entry.merged != RecordMap::kNone) continue;
    keep[entry.batch][entry.row] = 1;
  }
  return keep;
}

Result<std::shared_ptr<arrow::RecordBatch>> LogMerger::CombinedLeftovers() const {
  std::vector<VersionRef> versions;
  for (const Entry& entry : map_.entries()) {
    if (!entry.emit || IsDelete(entry.flags) || entry.merged == RecordMap::kNone) continue;
    versions.push_back(plan_.merger ? VersionRef{entry.merged, 0, RecordMap::kNone} : RefOf(entry));
  }
  if (versions.empty()) return nullptr;
  return combiner_.Build(versions);
}

}  // namespace firth
