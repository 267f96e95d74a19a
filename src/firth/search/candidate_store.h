// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "firth/index/text/column_scanner.h"

namespace firth {

/// The file slice that rows come from.
struct SliceName {
  std::string partition;
  std::string file_id;

  bool operator==(const SliceName&) const = default;
};

/// Where one row is.
struct RowAddress {
  std::string_view key;
  const SliceName* slice = nullptr;
  int64_t row = 0;  ///< its number in the slice
};

/// Rows that match a query but cannot be scored yet, because the statistics are not complete:
/// lengths and frequencies, some tens of bytes each.
class CandidateStore {
 public:
  void Append(std::span<const ColumnFeatures> row, const RowAddress& address);

  /// Heap bytes in use.
  size_t bytes() const;
  int64_t size() const { return static_cast<int64_t>(candidates_.size()); }
  void Clear() { *this = CandidateStore(); }

  /// Calls visit(row, address) for every candidate.
  /// @param query  the query that the rows were scanned for
  /// @param terms  [columns][terms at scan time] the number of each term in the final vocabulary
  /// @param sizes  [columns] terms of the final vocabulary
  template <typename Visit>
  void ForEach(const BoundQuery& query, const std::vector<std::vector<uint32_t>>& terms,
               std::span<const size_t> sizes, Visit&& visit) const {
    std::vector<ColumnFeatures> row(query.columns.size());
    for (const Candidate& candidate : candidates_) {
      Load(candidate, query, terms, sizes, &row);
      visit(std::span<const ColumnFeatures>(row), AddressOf(candidate));
    }
  }

 private:
  struct Candidate {
    uint64_t words_begin = 0;
    uint64_t key_begin = 0;
    uint32_t key_length = 0;
    uint32_t slice = 0;
    int64_t row = 0;
  };

  RowAddress AddressOf(const Candidate& candidate) const {
    return {std::string_view(keys_).substr(candidate.key_begin, candidate.key_length),
            &slices_[candidate.slice], candidate.row};
  }
  void Load(const Candidate& candidate, const BoundQuery& query,
            const std::vector<std::vector<uint32_t>>& terms, std::span<const size_t> sizes,
            std::vector<ColumnFeatures>* row) const;

  std::vector<Candidate> candidates_;
  // For each column: length (kNullLength for NULL), number of terms, (term, tf) of each, frequency
  // of each phrase as float bits, hits of the prefixes as bits.
  std::vector<uint32_t> words_;
  std::string keys_;
  std::vector<SliceName> slices_;
};

}  // namespace firth
