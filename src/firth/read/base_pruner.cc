// SPDX-License-Identifier: Apache-2.0
#include "firth/read/base_pruner.h"

#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/checked_cast.h>
#include <parquet/metadata.h>

#include <algorithm>
#include <utility>

#include "firth/read/output_stage.h"

namespace firth {
namespace {

constexpr char kCommitTime[] = "_hoodie_commit_time";

// Bounds of a file's values hold for the table's where the conversion keeps the order.
Result<std::shared_ptr<arrow::Scalar>> ConvertBound(const std::shared_ptr<arrow::Scalar>& bound,
                                                    const std::shared_ptr<arrow::DataType>& to) {
  if (bound == nullptr || bound->type->Equals(*to)) return bound;
  if (bound->type->id() == arrow::Type::INT32 && to->id() == arrow::Type::INT64) {
    return arrow::MakeScalar(
        int64_t{arrow::internal::checked_cast<const arrow::Int32Scalar&>(*bound).value});
  }
  return nullptr;
}

// Statistics say what the file's type means, so a column of another type must not use them unless
// ConvertBound knows better.
ColumnRange ToRange(const ParquetStatistics& statistics, int64_t rows,
                    const arrow::DataType& file_type,
                    const std::shared_ptr<arrow::DataType>& type) {
  ColumnRange range;
  range.rows = rows;
  range.null_count = statistics.null_count;
  const bool typed = statistics.min != nullptr && statistics.min->type->Equals(file_type) &&
                     (file_type.Equals(*type) || file_type.id() == arrow::Type::INT32);
  if (!typed) return range;
  const auto min = ConvertBound(statistics.min, type), max = ConvertBound(statistics.max, type);
  if (!min.ok() || !max.ok()) return range;
  range.min = *min;
  range.max = *max;
  return range;
}

std::optional<ColumnRange> RangeInRowGroup(const ParquetFile& file,
                                           const SchemaReconciler& reconciler, int row_group,
                                           const std::string& column) {
  const int wanted = reconciler.wanted()->GetFieldIndex(column);
  if (wanted < 0) return std::nullopt;
  const int64_t rows = file.metadata().RowGroup(row_group)->num_rows();
  const int stored = reconciler.FileColumn(wanted);
  if (stored < 0) {
    if (reconciler.Constant(wanted) != nullptr) return std::nullopt;
    return ColumnRange{.min = nullptr, .max = nullptr, .null_count = rows, .rows = rows};
  }
  const auto statistics = file.Statistics(row_group, stored);
  if (!statistics.ok()) return std::nullopt;
  return ToRange(*statistics, rows, *file.schema()->field(stored)->type(),
                 reconciler.wanted()->field(wanted)->type());
}

bool HasInstantIn(const InstantFilter& filter, const std::optional<ColumnRange>& range) {
  if (!range || range->min == nullptr || range->max == nullptr) return true;
  const auto text = [](const arrow::Scalar& scalar) {
    return arrow::internal::checked_cast<const arrow::BaseBinaryScalar&>(scalar).view();
  };
  const auto first = filter.instants.lower_bound(text(*range->min));
  return first != filter.instants.end() && *first <= text(*range->max);
}

// A column of the filter over a row group, and the page of it that a row lies in.
struct FilterColumn {
  std::string name;
  std::optional<ColumnRange> whole;  // where there are no pages
  const ParquetPages* pages = nullptr;
  std::vector<ColumnRange> page_ranges;
  size_t page = 0;

  // Rows are asked for in ascending order.
  void MoveTo(int64_t row) {
    while (pages != nullptr && pages->first_rows[page + 1] <= row) ++page;
  }
  std::optional<ColumnRange> Range() const {
    return pages == nullptr ? whole : std::optional(page_ranges[page]);
  }
};

FilterColumn Describe(const ParquetFile& file, const SchemaReconciler& reconciler, int row_group,
                      const std::string& name) {
  FilterColumn column;
  column.name = name;
  const int wanted = reconciler.wanted()->GetFieldIndex(name);
  const int stored = wanted < 0 ? -1 : reconciler.FileColumn(wanted);
  const ParquetPages* pages = stored < 0 ? nullptr : file.Pages(row_group, stored);
  if (pages == nullptr || pages->statistics.empty()) {
    column.whole = RangeInRowGroup(file, reconciler, row_group, name);
    return column;
  }
  column.pages = pages;
  for (size_t i = 0; i < pages->size(); ++i) {
    column.page_ranges.push_back(
        ToRange(pages->statistics[i], pages->first_rows[i + 1] - pages->first_rows[i],
                *file.schema()->field(stored)->type(), reconciler.wanted()->field(wanted)->type()));
  }
  return column;
}

}  // namespace

BasePruner::BasePruner(ParquetFile* file, const SchemaReconciler* reconciler)
    : file_(file), reconciler_(reconciler) {}

Result<BasePruner> BasePruner::Make(ParquetFile* file, const SchemaReconciler* reconciler,
                                    const arrow::compute::Expression& filter,
                                    const std::optional<InstantFilter>& instants) {
  BasePruner pruner(file, reconciler);
  pruner.instants_ = instants;
  pruner.columns_ = FilterColumns(filter);
  if (instants) pruner.columns_.emplace_back(kCommitTime);
  ARROW_ASSIGN_OR_RAISE(pruner.filter_, filter.Bind(*reconciler->wanted()));
  std::vector<int> left;
  for (int i = 0; i < file->metadata().num_row_groups(); ++i) {
    pruner.excluded_.push_back(!pruner.CanPass(
        [&](const std::string& column) { return RangeInRowGroup(*file, *reconciler, i, column); }));
    if (!pruner.excluded_.back()) left.push_back(i);
  }
  const std::vector<int> bounded = pruner.BoundedColumns();
  if (!bounded.empty()) {
    ARROW_RETURN_NOT_OK(file->LoadPages(left, reconciler->file_columns(), bounded));
  }
  return pruner;
}

std::vector<int> BasePruner::BoundedColumns() const {
  std::vector<int> bounded;
  for (const std::string& column : columns_) {
    const int wanted = reconciler_->wanted()->GetFieldIndex(column);
    if (wanted >= 0 && reconciler_->FileColumn(wanted) >= 0) {
      bounded.push_back(reconciler_->FileColumn(wanted));
    }
  }
  std::ranges::sort(bounded);
  bounded.erase(std::unique(bounded.begin(), bounded.end()), bounded.end());
  return bounded;
}

bool BasePruner::CanPass(const RangeOf& range_of) const {
  return CanMatch(filter_, range_of) &&
         (!instants_ || HasInstantIn(*instants_, range_of(kCommitTime)));
}

// Between two starts of pages, in whatever column, nothing that is known changes.
std::vector<RowRange> BasePruner::Rows(int row_group) const {
  const int64_t rows = file_->metadata().RowGroup(row_group)->num_rows();
  if (excluded_[row_group] || rows == 0) return {};
  std::vector<FilterColumn> columns;
  std::vector<int64_t> starts{0, rows};
  for (const std::string& name : columns_) {
    columns.push_back(Describe(*file_, *reconciler_, row_group, name));
    const ParquetPages* pages = columns.back().pages;
    if (pages == nullptr) continue;
    starts.insert(starts.end(), pages->first_rows.begin(), pages->first_rows.end());
  }
  std::ranges::sort(starts);
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  if (starts.size() == 2) return {{0, rows}};  // no pages: the row group as a whole can pass
  const RangeOf range_of = [&](const std::string& name) {
    const auto found = std::ranges::find(columns, name, &FilterColumn::name);
    return found == columns.end() ? std::nullopt : found->Range();
  };
  std::vector<RowRange> result;
  for (size_t i = 0; i + 1 < starts.size(); ++i) {
    for (FilterColumn& column : columns) column.MoveTo(starts[i]);
    if (!CanPass(range_of)) continue;
    if (!result.empty() && result.back().end == starts[i]) {
      result.back().end = starts[i + 1];
    } else {
      result.push_back({starts[i], starts[i + 1]});
    }
  }
  return result;
}

}  // namespace firth
