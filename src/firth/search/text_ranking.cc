// SPDX-License-Identifier: Apache-2.0
#include "firth/search/text_ranking.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace firth {
namespace {

/// Whether a row stands before a hit. std::string compares as unsigned bytes.
bool StandsBefore(float score, const RowAddress& a, const TextHit& b) {
  if (score != b.score) return score > b.score;
  return std::tie(a.key, a.slice->partition, a.slice->file_id, a.row) <
         std::tuple<std::string_view, const std::string&, const std::string&, const int64_t&>(
             b.key, b.slice.partition, b.slice.file_id, b.row);
}

bool BetterHit(const TextHit& a, const TextHit& b) {
  return StandsBefore(a.score, {a.key, &a.slice, a.row}, b);
}

}  // namespace

void TextRanking::Offer(std::span<const ColumnFeatures> row, const RowAddress& address) {
  if (!scorer_.Matches(row)) return;
  ++total_;
  if (k_ == 0) return;
  const float score = scorer_.Score(row);
  if (heap_.size() == k_ && !StandsBefore(score, address, heap_.front())) return;
  Push({score, std::string(address.key), *address.slice, address.row});
}

void TextRanking::Push(TextHit hit) {
  if (heap_.size() == k_) {
    std::ranges::pop_heap(heap_, BetterHit);
    heap_.pop_back();
  }
  heap_.push_back(std::move(hit));
  std::ranges::push_heap(heap_, BetterHit);
}

void TextRanking::Merge(TextRanking&& other) {
  total_ += other.total_;
  for (TextHit& hit : other.heap_) {
    if (heap_.size() < k_ || BetterHit(hit, heap_.front())) Push(std::move(hit));
  }
}

TextHits TextRanking::Finish() && {
  std::ranges::sort(heap_, BetterHit);
  return {std::move(heap_), total_, scorer_.expansions_capped()};
}

}  // namespace firth
