// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace firth {

/// What the analyzer asks about a code point, in two-stage tables derived from ICU once per
/// process: one load from a cached block instead of several library calls.
class UnicodeTable {
 public:
  static constexpr uint8_t kWordStart = 1;     ///< Alphabetic, or a number (Nd, Nl, No)
  static constexpr uint8_t kWordPart = 2;      ///< kWordStart, or a mark (Mn, Mc, Me)
  static constexpr uint8_t kNfcUnsure = 4;     ///< NFC may change a text that holds it
  static constexpr uint8_t kLowerChanges = 8;  ///< its lower case is another text

  static const UnicodeTable& Get();

  /// @param code_point  0 to 0x10FFFF
  uint8_t Flags(int32_t code_point) const {
    return flags_[size_t{block_of_[static_cast<uint32_t>(code_point) >> kBlockBits]} << kBlockBits |
                  (static_cast<uint32_t>(code_point) & kBlockMask)];
  }

  /// Appends the full lower-case mapping, independent of language and context, as UTF-8.
  void AppendLower(int32_t code_point, std::string* out) const;

 private:
  static constexpr int kBlockBits = 8;
  static constexpr uint32_t kBlockMask = (1u << kBlockBits) - 1;
  static constexpr size_t kBlocks = 0x110000 >> kBlockBits;

  UnicodeTable();
  void BuildLowerCase();

  std::array<uint16_t, kBlocks> block_of_{};
  std::vector<uint8_t> flags_;  // equal blocks are stored once
  // Lower case of the code points flagged kLowerChanges; 0 where it has several code points.
  std::array<uint16_t, kBlocks> lower_block_of_{};
  std::vector<int32_t> lower_;
};

}  // namespace firth
