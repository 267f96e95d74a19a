// SPDX-License-Identifier: Apache-2.0
#include "firth/search/text_scan.h"

#include <arrow/array/array_primitive.h>
#include <arrow/type.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "firth/index/text/text_predicate.h"

namespace firth {
namespace {

/// Calls on_row(i, selected) for each row, after its features are in `row`.
template <typename OnRow>
Status ForEachRow(const BoundQuery& query, const TextBatch& batch,
                  std::vector<ColumnScanner>& scanners, std::vector<ColumnFeatures>& row,
                  OnRow&& on_row) {
  std::vector<TextValues> values;
  for (size_t c = 0; c < scanners.size(); ++c) {
    ARROW_ASSIGN_OR_RAISE(TextValues view,
                          TextValues::Of(query.columns[c].name, *batch.columns[c]));
    values.push_back(view);
  }
  ARROW_ASSIGN_OR_RAISE(const TextValues keys, TextValues::Of("record key", *batch.keys));
  const auto* selected = static_cast<const arrow::BooleanArray*>(batch.selected.get());
  const auto* numbers = static_cast<const arrow::Int64Array*>(batch.numbers.get());
  for (int64_t i = 0; i < batch.keys->length(); ++i) {
    for (size_t c = 0; c < scanners.size(); ++c) {
      if (values[c].IsNull(i)) {
        scanners[c].ScanNull(&row[c]);
        continue;
      }
      const Status status = scanners[c].Scan(values[c][i], &row[c]);
      if (!status.ok()) {
        return WithContext(
            status, fmt::format("column \"{}\" of record \"{}\"", query.columns[c].name, keys[i]));
      }
    }
    on_row(keys[i], numbers == nullptr ? i : numbers->Value(i),
           selected == nullptr || (selected->IsValid(i) && selected->Value(i)));
  }
  return Status::OK();
}

std::vector<ColumnScanner> MakeScanners(const BoundQuery& query,
                                        const std::vector<ColumnVocabulary>& vocabularies,
                                        bool grow) {
  std::vector<ColumnScanner> scanners;
  for (size_t c = 0; c < query.columns.size(); ++c) {
    scanners.emplace_back(query.columns[c], vocabularies[c], grow);
  }
  return scanners;
}

std::vector<ColumnVocabulary> OwnVocabularies(const BoundQuery& query) {
  return {query.columns.begin(), query.columns.end()};
}

bool AnyFeature(std::span<const ColumnFeatures> row) {
  return std::ranges::any_of(row, &ColumnFeatures::any);
}

}  // namespace

TextScan::TextScan(std::shared_ptr<const BoundQuery> query, int64_t memory_budget)
    : query_(std::move(query)),
      memory_budget_(static_cast<size_t>(memory_budget)),
      scanners_(MakeScanners(*query_, OwnVocabularies(*query_), /*grow=*/true)),
      row_(query_->columns.size()),
      statistics_(query_->columns.size()) {}

Status TextScan::Add(const SliceName& slice, const TextBatch& batch) {
  return ForEachRow(*query_, batch, scanners_, row_,
                    [&](std::string_view key, int64_t row, bool selected) {
                      CountStatistics();
                      if (selected) KeepCandidate({key, &slice, row});
                    });
}

void TextScan::CountStatistics() {
  for (size_t c = 0; c < row_.size(); ++c) {
    if (row_[c].is_null) continue;
    ColumnStatistics& column = statistics_[c];
    ++column.records;
    column.tokens += row_[c].length;
    if (row_[c].touched.empty()) continue;
    column.document_frequency.resize(row_[c].tf.size());
    for (const uint32_t term : row_[c].touched) ++column.document_frequency[term];
  }
}

void TextScan::KeepCandidate(const RowAddress& address) {
  if (overflowed_ || !AnyFeature(row_)) return;
  // Which expansions a fuzzy term stands for is not known yet. Where all of them can only help,
  // what fails with all of them fails with fewer.
  if (!query_->negates_fuzzy && EvaluateTextQuery(*query_, row_) != Truth::kTrue) return;
  candidates_.Append(row_, address);
  if (candidates_.bytes() > memory_budget_) {
    overflowed_ = true;
    candidates_.Clear();
  }
}

void TextScan::Merge(TextScan&& other) {
  overflowed_ |= other.overflowed_;
  std::vector<std::vector<uint32_t>> terms(row_.size());
  for (size_t c = 0; c < row_.size(); ++c) {
    const ColumnVocabulary& from = other.scanners_[c].vocabulary();
    ColumnStatistics& into = statistics_[c];
    const ColumnStatistics& added = other.statistics_[c];
    into.records += added.records;
    into.tokens += added.tokens;
    for (uint32_t term = 0; term < from.terms().size(); ++term) {
      const uint32_t here = scanners_[c].MergeTerm(from, term);
      terms[c].push_back(here);
      if (term >= added.document_frequency.size()) continue;
      if (here >= into.document_frequency.size()) into.document_frequency.resize(here + 1);
      into.document_frequency[here] += added.document_frequency[term];
    }
  }
  for (Part& part : other.merged_) {
    for (size_t c = 0; c < row_.size(); ++c) {
      for (uint32_t& term : part.terms[c]) term = terms[c][term];
    }
    merged_.push_back(std::move(part));
  }
  merged_.push_back({std::move(other.candidates_), std::move(terms)});
}

std::vector<ColumnVocabulary> TextScan::Vocabularies() const {
  std::vector<ColumnVocabulary> out;
  for (const ColumnScanner& scanner : scanners_) out.push_back(scanner.vocabulary());
  return out;
}

TextHits TextScan::Rank(int64_t k) const {
  const std::vector<ColumnVocabulary> vocabularies = Vocabularies();
  const TextScorer scorer(*query_, statistics_, vocabularies);
  TextRanking ranking(scorer, k);
  std::vector<size_t> sizes;
  std::vector<std::vector<uint32_t>> same;
  for (const ColumnVocabulary& vocabulary : vocabularies) {
    sizes.push_back(vocabulary.terms().size());
    std::vector<uint32_t>& numbers = same.emplace_back(sizes.back());
    std::iota(numbers.begin(), numbers.end(), 0);
  }
  const auto offer = [&](std::span<const ColumnFeatures> row, const RowAddress& address) {
    ranking.Offer(row, address);
  };
  candidates_.ForEach(*query_, same, sizes, offer);
  for (const Part& part : merged_) part.candidates.ForEach(*query_, part.terms, sizes, offer);
  return std::move(ranking).Finish();
}

TextSecondPass::Plan::Plan(const TextScan& scan)
    : vocabularies(scan.Vocabularies()),
      query(&scan.query()),
      scorer(*query, scan.statistics(), vocabularies) {}

TextSecondPass::TextSecondPass(const Plan& plan, int64_t k)
    : query_(*plan.query),
      scanners_(MakeScanners(*plan.query, plan.vocabularies, /*grow=*/false)),
      row_(plan.query->columns.size()),
      ranking_(plan.scorer, k) {}

Status TextSecondPass::Add(const SliceName& slice, const TextBatch& batch) {
  return ForEachRow(query_, batch, scanners_, row_,
                    [&](std::string_view key, int64_t row, bool selected) {
                      if (selected && AnyFeature(row_)) ranking_.Offer(row_, {key, &slice, row});
                    });
}

}  // namespace firth
