// SPDX-License-Identifier: Apache-2.0
#include "firth/index/text/edit_distance.h"

#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <span>

namespace firth {
namespace {

constexpr int kBand = 2 * FuzzyPattern::kMaxEdits + 1;
constexpr int kFar = FuzzyPattern::kMaxEdits + 1;  // stands for every distance beyond the limit

using Row = std::array<int, kBand>;

/// One row of the alignment table around its diagonal. Cell d of row i is column i + d - kMaxEdits;
/// cells outside the table are kFar.
Row NextRow(std::u32string_view a, std::u32string_view b, size_t i, const Row& above,
            const Row& two_above) {
  Row row;
  for (int d = 0; d < kBand; ++d) {
    const auto j = static_cast<int64_t>(i) + d - FuzzyPattern::kMaxEdits;
    if (j < 0 || j > static_cast<int64_t>(b.size())) {
      row[d] = kFar;
      continue;
    }
    if (j == 0) {
      row[d] = std::min<int>(static_cast<int>(std::min<size_t>(i, kFar)), kFar);
      continue;
    }
    const auto column = static_cast<size_t>(j);
    int best = above[d] + (a[i - 1] == b[column - 1] ? 0 : 1);
    if (d + 1 < kBand) best = std::min(best, above[d + 1] + 1);  // deletion
    if (d > 0) best = std::min(best, row[d - 1] + 1);            // insertion
    if (i > 1 && column > 1 && a[i - 1] == b[column - 2] && a[i - 2] == b[column - 1]) {
      best = std::min(best, two_above[d] + 1);  // swap
    }
    row[d] = std::min(best, kFar);
  }
  return row;
}

int BoundedDistance(std::u32string_view a, std::u32string_view b, int limit) {
  Row two_above;
  two_above.fill(kFar);
  Row above;
  for (int d = 0; d < kBand; ++d) {
    const int j = d - FuzzyPattern::kMaxEdits;
    above[d] = j >= 0 && j <= static_cast<int>(std::min<size_t>(b.size(), kBand)) ? j : kFar;
  }
  for (size_t i = 1; i <= a.size(); ++i) {
    const Row row = NextRow(a, b, i, above, two_above);
    // A swap looks two rows back, so both must be out of reach.
    if (std::ranges::min(row) > limit && std::ranges::min(above) > limit) return kFar;
    two_above = above;
    above = row;
  }
  const auto d =
      static_cast<int64_t>(b.size()) - static_cast<int64_t>(a.size()) + FuzzyPattern::kMaxEdits;
  return above[static_cast<size_t>(d)];
}

}  // namespace

std::u32string ToCodePoints(std::string_view text) {
  std::u32string out;
  for (size_t at = 0; at < text.size();) {
    UChar32 code_point;
    U8_NEXT_UNSAFE(text.data(), at, code_point);
    out.push_back(static_cast<char32_t>(code_point));
  }
  return out;
}

int64_t CountCodePoints(std::string_view text) {
  return std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; });
}

bool IsWellFormedUtf8(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const auto limit = static_cast<int32_t>(std::min<size_t>(text.size() - at, U8_MAX_LENGTH));
    const char* bytes = text.data() + at;
    int32_t used = 0;
    UChar32 code_point;
    U8_NEXT(bytes, used, limit, code_point);
    if (code_point < 0) return false;
    at += static_cast<size_t>(used);
  }
  return true;
}

FuzzyPattern::FuzzyPattern(std::string_view term, int max_edits, int64_t prefix_length)
    : term_(term), code_points_(ToCodePoints(term)), max_edits_(max_edits) {
  assert(max_edits >= 0 && max_edits <= kMaxEdits);
  prefix_length_ = std::min(code_points_.size(), static_cast<size_t>(prefix_length));
}

std::optional<int> FuzzyPattern::Distance(std::string_view term) const {
  const int64_t length = CountCodePoints(term);
  if (std::abs(length - static_cast<int64_t>(code_points_.size())) > max_edits_) {
    return std::nullopt;
  }
  const std::u32string other = ToCodePoints(term);
  const std::u32string_view own = code_points_;
  if (other.size() < prefix_length_ ||
      own.substr(0, prefix_length_) != std::u32string_view(other).substr(0, prefix_length_)) {
    return std::nullopt;
  }
  const int distance = BoundedDistance(own, other, max_edits_);
  if (distance > max_edits_) return std::nullopt;
  return distance;
}

double FuzzyPattern::Similarity::value() const {
  if (distance == 0) return 1;
  if (distance >= shorter) return 0;
  return 1 - static_cast<double>(distance) / static_cast<double>(shorter);
}

bool FuzzyPattern::Similarity::MoreThan(const Similarity& other) const {
  return distance * other.shorter < other.distance * shorter;
}

FuzzyPattern::Similarity FuzzyPattern::SimilarityAt(std::string_view term, int distance) const {
  return {distance,
          std::min<int64_t>(CountCodePoints(term), static_cast<int64_t>(code_points_.size()))};
}

}  // namespace firth
