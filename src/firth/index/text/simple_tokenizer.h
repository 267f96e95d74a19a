// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

namespace firth {

/// A piece of the text as the tokenizer cut it, before any filter.
struct RawToken {
  const char* begin = nullptr;
  uint32_t length = 0;  ///< saturates at 2^32 - 1
  /// Union of the UnicodeTable flags of its code points, and kWide if any is above 0x7F. ASCII-only
  /// tokens carry 0: no step but case mapping changes them.
  uint32_t flags = 0;

  static constexpr uint32_t kWide = 0x100;
  bool wide() const { return flags != 0; }
  std::string_view text() const { return {begin, length}; }
};

/// The tokenizer `simple`: maximal runs of word code points (UnicodeTable::kWordStart, continued by
/// kWordPart). Cuts in batches, so that the loop over ASCII text stays free of calls: 64 bytes are
/// classified at once, and only what lies beside a byte above 0x7F is decoded.
class SimpleTokenizer {
 public:
  static constexpr size_t kNone = std::numeric_limits<size_t>::max();

  /// @param text             must outlive the tokenizer
  /// @param replace_invalid  ill-formed UTF-8 separates tokens; otherwise it ends the text
  SimpleTokenizer(std::string_view text, bool replace_invalid);

  /// Fills `out` from the front. @return how many; 0 at the end of the text. `out` is not empty.
  size_t Next(std::span<RawToken> out);

  /// Offset of the ill-formed byte that ended the text, kNone if there was none.
  size_t invalid_offset() const { return invalid_offset_; }

 private:
  void LoadBlock(size_t block);
  size_t FindByteOfInterest(size_t from);
  size_t FindAsciiEnd(size_t from);
  bool SkipOrStartWide();
  RawToken CutWide();

  std::string_view text_;
  bool replace_invalid_;
  size_t position_ = 0;
  size_t invalid_offset_ = kNone;
  size_t block_ = kNone;
  uint64_t word_ = 0;  // bit i: byte i of the block is an ASCII letter or digit
  uint64_t wide_ = 0;  // bit i: byte i of the block is above 0x7F
};

}  // namespace firth
