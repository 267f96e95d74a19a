// SPDX-License-Identifier: Apache-2.0
#include "firth/index/text/simple_tokenizer.h"

#include <unicode/utf8.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "firth/index/text/unicode_table.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace firth {
namespace {

constexpr size_t kBlockBytes = 64;

struct BlockMasks {
  uint64_t word = 0;
  uint64_t wide = 0;
};

#if defined(__SSE2__)  // part of every x86-64
// Bytes whose unsigned distance from `first` is below `count`.
inline __m128i InRange(__m128i bytes, char first, int count) {
  const __m128i shifted = _mm_add_epi8(bytes, _mm_set1_epi8(static_cast<char>(0x80 - first)));
  return _mm_cmplt_epi8(shifted, _mm_set1_epi8(static_cast<char>(0x80 + count)));
}

inline BlockMasks Classify(const char* p) {
  BlockMasks masks;
  for (int i = 0; i < 4; ++i) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 16 * i));
    const __m128i letter = InRange(_mm_or_si128(bytes, _mm_set1_epi8(0x20)), 'a', 26);
    const __m128i word = _mm_or_si128(letter, InRange(bytes, '0', 10));
    masks.word |= uint64_t{static_cast<uint16_t>(_mm_movemask_epi8(word))} << (16 * i);
    masks.wide |= uint64_t{static_cast<uint16_t>(_mm_movemask_epi8(bytes))} << (16 * i);
  }
  return masks;
}
#else
inline BlockMasks Classify(const char* p) {
  BlockMasks masks;
  for (size_t i = 0; i < kBlockBytes; ++i) {
    const auto c = static_cast<uint8_t>(p[i]);
    const bool word =
        static_cast<uint8_t>((c | 0x20) - 'a') < 26 || static_cast<uint8_t>(c - '0') < 10;
    masks.word |= uint64_t{word} << i;
    masks.wide |= static_cast<uint64_t>(c >> 7) << i;
  }
  return masks;
}
#endif

bool IsWide(char c) { return static_cast<uint8_t>(c) >= 0x80; }

/// The code point at `*at`, negative if ill-formed; moves `*at` behind it or behind the maximal
/// ill-formed part.
inline int32_t Decode(std::string_view text, size_t* at) {
  // U8_NEXT wants 32-bit offsets; a code point has at most four bytes.
  const char* bytes = text.data() + *at;
  const auto limit = static_cast<int32_t>(std::min<size_t>(text.size() - *at, U8_MAX_LENGTH));
  int32_t used = 0;
  UChar32 code_point;
  U8_NEXT(bytes, used, limit, code_point);
  *at += static_cast<size_t>(used);
  return code_point;
}

uint32_t SaturatedLength(size_t length) {
  return static_cast<uint32_t>(std::min<size_t>(length, std::numeric_limits<uint32_t>::max()));
}

}  // namespace

SimpleTokenizer::SimpleTokenizer(std::string_view text, bool replace_invalid)
    : text_(text), replace_invalid_(replace_invalid) {}

void SimpleTokenizer::LoadBlock(size_t block) {
  block_ = block;
  const size_t start = block * kBlockBytes;
  BlockMasks masks;
  if (start + kBlockBytes <= text_.size()) {
    masks = Classify(text_.data() + start);
  } else {
    char padded[kBlockBytes] = {};  // zeros are neither word nor wide
    std::memcpy(padded, text_.data() + start, text_.size() - start);
    masks = Classify(padded);
  }
  word_ = masks.word;
  wide_ = masks.wide;
}

size_t SimpleTokenizer::FindByteOfInterest(size_t from) {
  while (from < text_.size()) {
    if (from / kBlockBytes != block_) LoadBlock(from / kBlockBytes);
    const uint64_t left = (word_ | wide_) >> (from % kBlockBytes);
    if (left != 0) return from + static_cast<size_t>(std::countr_zero(left));
    from = (block_ + 1) * kBlockBytes;
  }
  return text_.size();
}

size_t SimpleTokenizer::FindAsciiEnd(size_t from) {
  while (from < text_.size()) {
    if (from / kBlockBytes != block_) LoadBlock(from / kBlockBytes);
    const uint64_t left = ~word_ >> (from % kBlockBytes);
    if (left != 0)
      return std::min(from + static_cast<size_t>(std::countr_zero(left)), text_.size());
    from = (block_ + 1) * kBlockBytes;
  }
  return text_.size();
}

bool SimpleTokenizer::SkipOrStartWide() {
  size_t next = position_;
  const int32_t code_point = Decode(text_, &next);
  if (code_point >= 0 && (UnicodeTable::Get().Flags(code_point) & UnicodeTable::kWordStart))
    return true;
  if (code_point < 0 && !replace_invalid_) {
    invalid_offset_ = position_;
    next = text_.size();
  }
  position_ = next;
  return false;
}

RawToken SimpleTokenizer::CutWide() {
  const UnicodeTable& table = UnicodeTable::Get();
  const size_t start = position_;
  uint32_t flags = 0;
  size_t next = start;
  while (next < text_.size()) {
    const int32_t code_point = Decode(text_, &next);
    if (code_point < 0) break;
    const uint8_t of_this = table.Flags(code_point);
    if (!(of_this & UnicodeTable::kWordPart)) break;
    if (code_point > 0x7F) flags |= RawToken::kWide;
    flags |= of_this;
    position_ = next;
  }
  if (!(flags & RawToken::kWide)) flags = 0;
  return {text_.data() + start, SaturatedLength(position_ - start), flags};
}

size_t SimpleTokenizer::Next(std::span<RawToken> out) {
  size_t count = 0;
  while (count < out.size()) {
    position_ = FindByteOfInterest(position_);
    if (position_ == text_.size()) break;
    if (!IsWide(text_[position_])) {
      const size_t end = FindAsciiEnd(position_);
      if (end == text_.size() || !IsWide(text_[end])) {
        out[count++] = {text_.data() + position_, SaturatedLength(end - position_), 0};
        position_ = end;
        continue;
      }
    } else if (!SkipOrStartWide()) {
      continue;
    }
    out[count++] = CutWide();
  }
  return count;
}

}  // namespace firth
