// SPDX-License-Identifier: Apache-2.0
// Finds the terms of a query in texts, one column value at a time, without building the others.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firth/index/text/bound_query.h"

namespace firth {

/// What one value holds of a query: its row's share of one column.
struct ColumnFeatures {
  bool is_null = true;
  uint32_t length = 0;                  ///< emitted tokens
  std::vector<uint32_t> tf;             ///< [terms of the vocabulary] 0 except where `touched`
  std::vector<uint32_t> touched;        ///< terms with tf > 0
  std::vector<float> phrase_frequency;  ///< [phrases]
  std::vector<uint8_t> prefix_hit;      ///< [prefixes]
  std::vector<uint8_t> fuzzy_hit;       ///< [fuzzies] some term within the distance occurs

  /// Whether anything of the query occurs.
  bool any() const { return any_pattern || !touched.empty(); }
  bool any_pattern = false;  ///< some prefix_hit
};

/// The terms of one column that matter to a query: its own, then the terms of the data that a fuzzy
/// term reaches, in the order in which they were met.
class ColumnVocabulary {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  struct Expansion {
    uint32_t term = 0;
    int distance = 0;
  };

  explicit ColumnVocabulary(const BoundColumn& column);

  /// The number of a term, kNone if it is not in the vocabulary. `key` is KeyOf(term).
  /// @param case_bit  OR-ed to the bytes of `term` before comparison (ASCII terms)
  uint32_t Find(std::string_view term, uint64_t key, uint8_t case_bit) const;

  /// The number of a new term of the data, kNone if no fuzzy term reaches it.
  uint32_t AddIfReached(std::string_view term);

  /// The number of a term that another vocabulary of the same column has, adding it if new.
  uint32_t Merge(const ColumnVocabulary& other, uint32_t term);

  const std::vector<std::string>& terms() const { return terms_; }
  /// [fuzzies] the terms that each reaches.
  const std::vector<std::vector<Expansion>>& expansions() const { return expansions_; }
  /// The fuzzies that reach a term.
  const std::vector<uint32_t>& ReachedBy(uint32_t term) const { return reached_by_[term]; }

  /// The first eight bytes of a term, zero padded.
  static uint64_t KeyOf(std::string_view term);

 private:
  struct Slot {
    uint64_t key = 0;
    uint32_t length = 0;
    uint32_t term = kNone;
  };

  size_t SlotOf(uint64_t key, size_t length) const {
    return static_cast<size_t>(((key ^ (length * 0x9E3779B97F4A7C15u)) * 0xD6E8FEB86659FD93u) >>
                               shift_);
  }
  uint32_t Add(std::string_view term);
  void Insert(uint32_t term);
  void Grow();

  const BoundColumn* column_;
  std::vector<std::string> terms_;
  std::vector<std::vector<Expansion>> expansions_;
  std::vector<std::vector<uint32_t>> reached_by_;  // [terms]
  std::vector<Slot> slots_;                        // open addressing, a power of two
  int shift_ = 0;
};

/// One per thread and column.
class ColumnScanner {
 public:
  /// @param column      must outlive the scanner
  /// @param vocabulary  what to look for; with `grow`, terms that fuzzy terms reach are added
  ColumnScanner(const BoundColumn& column, ColumnVocabulary vocabulary, bool grow);

  /// Replaces `out` with the features of a value. Errors: FTS_INVALID_UTF8_VALUE.
  Status Scan(std::string_view text, ColumnFeatures* out);
  /// The features of NULL.
  void ScanNull(ColumnFeatures* out) const;

  const ColumnVocabulary& vocabulary() const { return vocabulary_; }
  /// The number here of a term of another scanner's vocabulary of the same column.
  uint32_t MergeTerm(const ColumnVocabulary& other, uint32_t term) {
    return vocabulary_.Merge(other, term);
  }

 private:
  /// A short term that no fuzzy term reaches.
  struct Rejected {
    uint64_t key = 0;
    size_t length = 0;
  };

  void Reset(ColumnFeatures* out) const;
  template <bool kPatterns>
  Status ScanTokens(std::string_view text, ColumnFeatures* out);
  // The number of a token's term, kNone if it is of no interest; nullopt if the filters drop it.
  template <bool kPatterns>
  uint32_t FindAscii(const RawToken& raw, const char* text_end, ColumnFeatures* out);
  template <bool kPatterns>
  std::optional<uint32_t> FindWide(const RawToken& raw, ColumnFeatures* out);
  void OnTerm(uint32_t term, uint64_t position, ColumnFeatures* out);
  uint32_t OnPatterns(std::string_view term, uint32_t known, ColumnFeatures* out);
  void FindPhrases(ColumnFeatures* out);

  const BoundColumn& column_;
  ColumnVocabulary vocabulary_;
  bool grow_;
  std::vector<uint8_t> wants_positions_;          // [terms of the query]
  std::vector<std::vector<uint32_t>> positions_;  // [terms of the query]
  std::vector<Rejected> rejected_;                // by hash; the last one that came wins
  std::string scratch_;
};

}  // namespace firth
