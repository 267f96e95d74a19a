// SPDX-License-Identifier: Apache-2.0
#include "firth/search/candidate_store.h"

#include <bit>

namespace firth {
namespace {

constexpr uint32_t kNullLength = UINT32_MAX;

}  // namespace

void CandidateStore::Append(std::span<const ColumnFeatures> row, const RowAddress& address) {
  if (slices_.empty() || slices_.back() != *address.slice) slices_.push_back(*address.slice);
  candidates_.push_back({.words_begin = words_.size(),
                         .key_begin = keys_.size(),
                         .key_length = static_cast<uint32_t>(address.key.size()),
                         .slice = static_cast<uint32_t>(slices_.size() - 1),
                         .row = address.row});
  keys_.append(address.key);
  for (const ColumnFeatures& column : row) {
    words_.push_back(column.is_null ? kNullLength : column.length);
    words_.push_back(static_cast<uint32_t>(column.touched.size()));
    for (const uint32_t term : column.touched) {
      words_.push_back(term);
      words_.push_back(column.tf[term]);
    }
    for (const float frequency : column.phrase_frequency) {
      words_.push_back(std::bit_cast<uint32_t>(frequency));
    }
    for (size_t i = 0; i < column.prefix_hit.size(); ++i) {
      if (i % 32 == 0) words_.push_back(0);
      words_.back() |= uint32_t{column.prefix_hit[i]} << (i % 32);
    }
  }
}

size_t CandidateStore::bytes() const {
  return candidates_.capacity() * sizeof(Candidate) + words_.capacity() * sizeof(uint32_t) +
         keys_.capacity();
}

void CandidateStore::Load(const Candidate& candidate, const BoundQuery& query,
                          const std::vector<std::vector<uint32_t>>& terms,
                          std::span<const size_t> sizes, std::vector<ColumnFeatures>* row) const {
  const uint32_t* word = &words_[candidate.words_begin];
  for (size_t c = 0; c < row->size(); ++c) {
    ColumnFeatures& column = (*row)[c];
    for (const uint32_t term : column.touched) column.tf[term] = 0;
    column.touched.clear();
    column.tf.resize(sizes[c]);
    column.is_null = *word == kNullLength;
    column.length = *word++;
    for (uint32_t left = *word++; left > 0; --left) {
      const uint32_t term = terms[c][*word++];
      column.touched.push_back(term);
      column.tf[term] = *word++;
    }
    column.phrase_frequency.resize(query.columns[c].phrases.size());
    for (float& frequency : column.phrase_frequency) frequency = std::bit_cast<float>(*word++);
    column.prefix_hit.resize(query.columns[c].prefixes.size());
    for (size_t i = 0; i < column.prefix_hit.size(); ++i) {
      column.prefix_hit[i] = (*word >> (i % 32)) & 1;
      if (i % 32 == 31 || i + 1 == column.prefix_hit.size()) ++word;
    }
  }
}

}  // namespace firth
