// SPDX-License-Identifier: Apache-2.0
// How well, and how often, the terms of a phrase stand together in one text.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace firth {

/// One term of a phrase: its distance from the first term, and where it stands in the text.
struct PhraseTerm {
  uint32_t offset = 0;
  uint32_t term = 0;                      ///< equal terms have equal numbers
  std::span<const uint32_t> positions{};  ///< ascending
};

/// The frequency of a phrase in a text, as BM25 takes it for tf; 0 exactly if it does not occur.
///
/// A shift of a term is a position of it minus its offset. Without slop the phrase occurs at every
/// shift that all terms share. With slop, an alignment takes one position of each term (different
/// ones for equal terms); it costs the largest of its shifts minus the smallest; the phrase occurs
/// if some alignment costs at most `slop`. Each alignment that the sweep over the text finds adds
/// 1 / (1 + cost).
/// @param terms  in order of `offset`, the first of which is 0; empty gives 0
float PhraseFrequency(std::span<const PhraseTerm> terms, uint32_t slop);

/// The least cost of an alignment; nullopt if there is none. O(sum of positions * terms).
std::optional<int64_t> MinimalPhraseCost(std::span<const PhraseTerm> terms);

}  // namespace firth
