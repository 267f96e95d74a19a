// SPDX-License-Identifier: Apache-2.0
#include "firth/index/text/phrase_match.h"

#include <algorithm>
#include <tuple>

namespace firth {
namespace {

float ExactFrequency(std::span<const PhraseTerm> terms) {
  // The term with the fewest positions proposes the shifts.
  const PhraseTerm& rarest =
      *std::ranges::min_element(terms, {}, [](const PhraseTerm& t) { return t.positions.size(); });
  int64_t count = 0;
  for (const uint32_t position : rarest.positions) {
    if (position < rarest.offset) continue;
    const uint32_t shift = position - rarest.offset;
    count += std::ranges::all_of(terms, [&](const PhraseTerm& t) {
      return std::ranges::binary_search(t.positions, shift + t.offset);
    });
  }
  return static_cast<float>(count);
}

/// The sweep of a sloppy phrase: one cursor a term, always moving the one that lies furthest back.
class SloppySweep {
 public:
  SloppySweep(std::span<const PhraseTerm> terms, uint32_t slop) : terms_(terms), slop_(slop) {}

  float Run() {
    if (!Place()) return 0;
    float frequency = 0;
    const auto add = [&](int64_t length) {
      if (length <= slop_) frequency += 1.0f / (1.0f + static_cast<float>(length));
    };
    size_t current = Least(terms_.size());
    int64_t next = Shift(Least(current));
    int64_t length = end_ - Shift(current);
    while (Advance(current) && ResolveCollisions(current)) {
      if (Shift(current) > next) {
        add(length);
        current = Least(terms_.size());
        next = Shift(Least(current));
        length = end_ - Shift(current);
      } else {
        length = std::min(length, end_ - Shift(current));
      }
    }
    add(length);
    return frequency;
  }

 private:
  uint32_t Position(size_t i) const { return terms_[i].positions[at_[i]]; }
  int64_t Shift(size_t i) const { return int64_t{Position(i)} - terms_[i].offset; }

  /// First positions; the j-th of equal terms starts j positions later. False if one has too few.
  bool Place() {
    at_.assign(terms_.size(), 0);
    for (size_t i = 0; i < terms_.size(); ++i) {
      for (size_t j = 0; j < i; ++j) at_[i] += terms_[j].term == terms_[i].term;
      if (at_[i] >= terms_[i].positions.size()) return false;
      end_ = i == 0 ? Shift(0) : std::max(end_, Shift(i));
    }
    return true;
  }

  bool Before(size_t a, size_t b) const {
    return std::tuple(Shift(a), terms_[a].offset, a) < std::tuple(Shift(b), terms_[b].offset, b);
  }

  /// The cursor with the least (shift, offset), other than `except`.
  size_t Least(size_t except) const {
    size_t best = except == 0 ? 1 : 0;
    for (size_t i = best + 1; i < terms_.size(); ++i) {
      if (i != except && Before(i, best)) best = i;
    }
    return best;
  }

  bool Advance(size_t i) {
    if (++at_[i] >= terms_[i].positions.size()) return false;
    end_ = std::max(end_, Shift(i));
    return true;
  }

  /// Moves cursors of equal terms off the same text position. False when one is exhausted.
  bool ResolveCollisions(size_t i) {
    const auto colliding = [&](size_t with) {
      for (size_t j = 0; j < terms_.size(); ++j) {
        if (j != with && terms_[j].term == terms_[with].term && Position(j) == Position(with)) {
          return j;
        }
      }
      return terms_.size();
    };
    for (size_t j = colliding(i); j < terms_.size(); j = colliding(i)) {
      if (Before(j, i)) i = j;
      if (!Advance(i)) return false;
    }
    return true;
  }

  std::span<const PhraseTerm> terms_;
  int64_t slop_;
  std::vector<size_t> at_;
  int64_t end_ = 0;
};

/// Cost of the best alignment whose smallest shift is at least `low`, measured from `low`.
std::optional<int64_t> CostFrom(std::span<const PhraseTerm> terms, int64_t low,
                                std::vector<int64_t>* taken) {
  int64_t high = low;
  for (size_t i = 0; i < terms.size(); ++i) {
    int64_t least = low + terms[i].offset;
    for (size_t j = 0; j < i; ++j) {
      if (terms[j].term == terms[i].term) least = std::max(least, (*taken)[j] + 1);
    }
    const auto at = std::ranges::lower_bound(terms[i].positions, least, {},
                                             [](uint32_t p) { return int64_t{p}; });
    if (at == terms[i].positions.end()) return std::nullopt;
    (*taken)[i] = *at;
    high = std::max(high, *at - int64_t{terms[i].offset});
  }
  return high - low;
}

}  // namespace

std::optional<int64_t> MinimalPhraseCost(std::span<const PhraseTerm> terms) {
  std::optional<int64_t> best;
  std::vector<int64_t> taken(terms.size());
  for (const PhraseTerm& term : terms) {
    for (const uint32_t position : term.positions) {
      const auto cost = CostFrom(terms, int64_t{position} - term.offset, &taken);
      if (cost && (!best || *cost < *best)) best = cost;
    }
  }
  return best;
}

float PhraseFrequency(std::span<const PhraseTerm> terms, uint32_t slop) {
  if (terms.empty()) return 0;
  if (std::ranges::any_of(terms, [](const PhraseTerm& t) { return t.positions.empty(); })) return 0;
  if (terms.size() == 1) return static_cast<float>(terms.front().positions.size());
  if (slop == 0) return ExactFrequency(terms);
  const float frequency = SloppySweep(terms, slop).Run();
  if (frequency > 0) return frequency;
  // With repeated terms the sweep may step over the only alignment.
  const auto cost = MinimalPhraseCost(terms);
  return cost && *cost <= int64_t{slop} ? 1.0f / (1.0f + static_cast<float>(*cost)) : 0;
}

}  // namespace firth
