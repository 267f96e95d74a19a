// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace firth {

/// A term to be matched within an edit distance. The distance is that of optimal string alignment
/// on code points: insertion, deletion, substitution and swap of two neighbours cost 1 each, and no
/// piece is edited twice.
class FuzzyPattern {
 public:
  static constexpr int kMaxEdits = 2;

  /// @param term           well-formed UTF-8
  /// @param max_edits      0 to kMaxEdits
  /// @param prefix_length  code points at the front that must be equal
  FuzzyPattern(std::string_view term, int max_edits, int64_t prefix_length);

  /// The distance to `term` if it is at most max_edits() and the prefixes agree.
  std::optional<int> Distance(std::string_view term) const;

  /// 1 for the term itself, else max(0, 1 - distance / min(lengths)), in exact arithmetic.
  struct Similarity {
    int distance = 0;
    int64_t shorter = 1;  ///< code points of the shorter of the two

    double value() const;
    /// Whether this is more similar than `other`, compared as fractions.
    bool MoreThan(const Similarity& other) const;
  };
  Similarity SimilarityAt(std::string_view term, int distance) const;

  const std::string& term() const { return term_; }
  int max_edits() const { return max_edits_; }

 private:
  std::string term_;
  std::u32string code_points_;
  int max_edits_;
  size_t prefix_length_;  // in code points, at most code_points_.size()
};

/// The code points of well-formed UTF-8.
std::u32string ToCodePoints(std::string_view text);

/// Number of code points of well-formed UTF-8.
int64_t CountCodePoints(std::string_view text);

/// Whether `text` is well-formed UTF-8.
bool IsWellFormedUtf8(std::string_view text);

}  // namespace firth
