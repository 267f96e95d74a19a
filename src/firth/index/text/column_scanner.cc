// SPDX-License-Identifier: Apache-2.0
#include "firth/index/text/column_scanner.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <utility>

#include "firth/index/text/phrase_match.h"

namespace firth {
namespace {

constexpr size_t kKeyBytes = 8;
constexpr size_t kRejectedSlots = 4096;
constexpr size_t kTokenBatch = 64;

uint64_t CaseMask(uint8_t case_bit) { return case_bit * 0x0101010101010101u; }

/// The first bytes of a token as ColumnVocabulary::KeyOf gives them for its term. Reads eight bytes
/// at once where the text has that many.
inline uint64_t LoadKey(const char* token, size_t length, const char* text_end,
                        uint64_t case_mask) {
  uint64_t key = 0;
  if (length >= kKeyBytes || static_cast<size_t>(text_end - token) >= kKeyBytes) {
    std::memcpy(&key, token, kKeyBytes);
  } else {
    std::memcpy(&key, token, length);
  }
  key |= case_mask;
  if (length < kKeyBytes) key &= (uint64_t{1} << (8 * length)) - 1;
  return key;
}

}  // namespace

ColumnVocabulary::ColumnVocabulary(const BoundColumn& column)
    : column_(&column), expansions_(column.fuzzies.size()) {
  Grow();
  for (const std::string& term : column.terms) {
    const uint32_t added = Add(term);
    for (size_t f = 0; f < column.fuzzies.size(); ++f) {
      if (const auto distance = column.fuzzies[f].pattern.Distance(term)) {
        expansions_[f].push_back({added, *distance});
        reached_by_[added].push_back(static_cast<uint32_t>(f));
      }
    }
  }
}

uint64_t ColumnVocabulary::KeyOf(std::string_view term) {
  uint64_t key = 0;
  if (!term.empty()) std::memcpy(&key, term.data(), std::min(term.size(), kKeyBytes));
  return key;
}

uint32_t ColumnVocabulary::Find(std::string_view term, uint64_t key, uint8_t case_bit) const {
  const size_t mask = slots_.size() - 1;
  for (size_t at = SlotOf(key, term.size());; at = (at + 1) & mask) {
    const Slot& slot = slots_[at];
    if (slot.term == kNone) return kNone;
    if (slot.key != key || slot.length != term.size()) continue;
    const std::string_view known = terms_[slot.term];
    bool equal = true;
    for (size_t i = kKeyBytes; i < term.size() && equal; ++i) {
      equal = static_cast<char>(term[i] | case_bit) == known[i];
    }
    if (equal) return slot.term;
  }
}

uint32_t ColumnVocabulary::AddIfReached(std::string_view term) {
  uint32_t added = kNone;
  for (size_t f = 0; f < expansions_.size(); ++f) {
    const auto distance = column_->fuzzies[f].pattern.Distance(term);
    if (!distance) continue;
    if (added == kNone) added = Add(term);
    expansions_[f].push_back({added, *distance});
    reached_by_[added].push_back(static_cast<uint32_t>(f));
  }
  return added;
}

uint32_t ColumnVocabulary::Merge(const ColumnVocabulary& other, uint32_t term) {
  const std::string& text = other.terms_[term];
  const uint32_t known = Find(text, KeyOf(text), 0);
  return known != kNone ? known : AddIfReached(text);
}

uint32_t ColumnVocabulary::Add(std::string_view term) {
  const auto added = static_cast<uint32_t>(terms_.size());
  terms_.emplace_back(term);
  reached_by_.emplace_back();
  // Sparse, so that nearly every word of a text ends its probe at the first, empty slot.
  if (terms_.size() * 8 > slots_.size()) {
    Grow();
  } else {
    Insert(added);
  }
  return added;
}

void ColumnVocabulary::Insert(uint32_t term) {
  const std::string& text = terms_[term];
  const uint64_t key = KeyOf(text);
  const size_t mask = slots_.size() - 1;
  size_t at = SlotOf(key, text.size());
  while (slots_[at].term != kNone) at = (at + 1) & mask;
  slots_[at] = {key, static_cast<uint32_t>(text.size()), term};
}

void ColumnVocabulary::Grow() {
  const size_t size = std::max<size_t>(256, slots_.size() * 2);
  slots_.assign(size, Slot{});
  shift_ = 64 - std::countr_zero(size);
  for (uint32_t term = 0; term < terms_.size(); ++term) Insert(term);
}

ColumnScanner::ColumnScanner(const BoundColumn& column, ColumnVocabulary vocabulary, bool grow)
    : column_(column),
      vocabulary_(std::move(vocabulary)),
      grow_(grow && !column.fuzzies.empty()),
      wants_positions_(column.terms.size()),
      positions_(column.terms.size()),
      rejected_(grow_ ? kRejectedSlots : 0) {
  for (const BoundPhrase& phrase : column.phrases) {
    for (const BoundPhrase::Term& term : phrase.terms) wants_positions_[term.term] = 1;
  }
}

void ColumnScanner::Reset(ColumnFeatures* out) const {
  for (const uint32_t term : out->touched) out->tf[term] = 0;
  out->touched.clear();
  out->tf.resize(vocabulary_.terms().size());
  out->phrase_frequency.assign(column_.phrases.size(), 0);
  out->prefix_hit.assign(column_.prefixes.size(), 0);
  out->fuzzy_hit.assign(column_.fuzzies.size(), 0);
  out->any_pattern = false;
  out->length = 0;
}

void ColumnScanner::ScanNull(ColumnFeatures* out) const {
  Reset(out);
  out->is_null = true;
}

Status ColumnScanner::Scan(std::string_view text, ColumnFeatures* out) {
  Reset(out);
  out->is_null = false;
  ARROW_RETURN_NOT_OK(grow_ || !column_.prefixes.empty() ? ScanTokens<true>(text, out)
                                                         : ScanTokens<false>(text, out));
  if (!column_.phrases.empty()) FindPhrases(out);
  return Status::OK();
}

template <bool kPatterns>
Status ColumnScanner::ScanTokens(std::string_view text, ColumnFeatures* out) {
  const Analyzer& analyzer = *column_.analyzer;
  const char* end = text.data() + text.size();
  SimpleTokenizer tokenizer = analyzer.Tokenize(text);
  std::array<RawToken, kTokenBatch> batch;
  uint64_t position = 0;
  uint64_t dropped = 0;
  while (const size_t count = tokenizer.Next(batch)) {
    for (size_t i = 0; i < count; ++i, ++position) {
      const RawToken& raw = batch[i];
      std::optional<uint32_t> found;
      if (raw.wide()) {
        found = FindWide<kPatterns>(raw, out);
      } else if (!analyzer.DropsAscii(raw)) {
        found = FindAscii<kPatterns>(raw, end, out);
      }
      if (!found) {
        ++dropped;
      } else if (*found != ColumnVocabulary::kNone) {
        OnTerm(*found, position, out);
      }
    }
  }
  ARROW_RETURN_NOT_OK(Analyzer::CheckEnd(tokenizer, position));
  out->length = static_cast<uint32_t>(position - dropped);
  return Status::OK();
}

template <bool kPatterns>
uint32_t ColumnScanner::FindAscii(const RawToken& raw, const char* text_end, ColumnFeatures* out) {
  const uint8_t case_bit = column_.analyzer->ascii_case_bit();
  const uint64_t key = LoadKey(raw.begin, raw.length, text_end, CaseMask(case_bit));
  const uint32_t found = vocabulary_.Find(raw.text(), key, case_bit);
  if constexpr (!kPatterns) return found;
  scratch_.assign(raw.text());
  for (char& c : scratch_) c = static_cast<char>(c | case_bit);
  return OnPatterns(scratch_, found, out);
}

template <bool kPatterns>
std::optional<uint32_t> ColumnScanner::FindWide(const RawToken& raw, ColumnFeatures* out) {
  const auto term = column_.analyzer->FinishWide(raw, &scratch_);
  if (!term) return std::nullopt;
  const uint32_t found = vocabulary_.Find(*term, ColumnVocabulary::KeyOf(*term), 0);
  return kPatterns ? OnPatterns(*term, found, out) : found;
}

void ColumnScanner::OnTerm(uint32_t term, uint64_t position, ColumnFeatures* out) {
  if (out->tf[term]++ == 0) {
    out->touched.push_back(term);
    for (const uint32_t fuzzy : vocabulary_.ReachedBy(term)) out->fuzzy_hit[fuzzy] = 1;
  }
  if (term < wants_positions_.size() && wants_positions_[term]) {
    positions_[term].push_back(static_cast<uint32_t>(position));
  }
}

/// What prefixes and fuzzy terms make of a token: its number, a new one if it becomes one.
uint32_t ColumnScanner::OnPatterns(std::string_view term, uint32_t known, ColumnFeatures* out) {
  for (size_t i = 0; i < column_.prefixes.size(); ++i) {
    if (!out->prefix_hit[i] && term.starts_with(column_.prefixes[i])) {
      out->prefix_hit[i] = 1;
      out->any_pattern = true;
    }
  }
  if (known != ColumnVocabulary::kNone || !grow_) return known;
  const uint64_t key = ColumnVocabulary::KeyOf(term);
  const bool is_short = term.size() <= kKeyBytes;
  Rejected& slot = rejected_[(key * 0x9E3779B97F4A7C15u + term.size()) >> 52];
  if (is_short && slot.key == key && slot.length == term.size()) return known;
  const uint32_t added = vocabulary_.AddIfReached(term);
  if (added != ColumnVocabulary::kNone) {
    out->tf.resize(vocabulary_.terms().size());
  } else if (is_short) {
    slot = {key, term.size()};
  }
  return added;
}

void ColumnScanner::FindPhrases(ColumnFeatures* out) {
  std::vector<PhraseTerm> terms;
  for (size_t i = 0; i < column_.phrases.size(); ++i) {
    const BoundPhrase& phrase = column_.phrases[i];
    terms.clear();
    for (const BoundPhrase::Term& term : phrase.terms) {
      terms.push_back({term.offset, term.term, positions_[term.term]});
    }
    out->phrase_frequency[i] = PhraseFrequency(terms, phrase.slop);
  }
  for (const uint32_t term : out->touched) {
    if (term < positions_.size()) positions_[term].clear();
  }
}

}  // namespace firth
