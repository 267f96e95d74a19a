// SPDX-License-Identifier: Apache-2.0
// The analyzer contract written the slow and obvious way, one ICU call per code point and step: the
// other side of differential tests and fuzzing of index/text/analyzer.
#pragma once

#include <unicode/locid.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "firth/index/text/analyzer.h"

namespace firth::testing {

/// The code point at the front of `text` and its number of bytes, or nullopt: table 3-7 of the
/// Unicode standard, row by row.
inline std::optional<std::pair<UChar32, size_t>> DecodeFront(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const auto in = [&](size_t i, int low, int high) {
    return i < text.size() && byte(i) >= low && byte(i) <= high;
  };
  const UChar32 b0 = byte(0);
  const auto bits = [&](size_t i) { return static_cast<UChar32>(byte(i) & 0x3F); };
  if (b0 <= 0x7F) return {{b0, 1}};
  if (b0 >= 0xC2 && b0 <= 0xDF && in(1, 0x80, 0xBF)) return {{(b0 & 0x1F) << 6 | bits(1), 2}};
  if (b0 >= 0xE0 && b0 <= 0xEF && in(1, b0 == 0xE0 ? 0xA0 : 0x80, b0 == 0xED ? 0x9F : 0xBF) &&
      in(2, 0x80, 0xBF)) {
    return {{(b0 & 0x0F) << 12 | bits(1) << 6 | bits(2), 3}};
  }
  if (b0 >= 0xF0 && b0 <= 0xF4 && in(1, b0 == 0xF0 ? 0x90 : 0x80, b0 == 0xF4 ? 0x8F : 0xBF) &&
      in(2, 0x80, 0xBF) && in(3, 0x80, 0xBF)) {
    return {{(b0 & 0x07) << 18 | bits(1) << 12 | bits(2) << 6 | bits(3), 4}};
  }
  return std::nullopt;
}

inline bool StartsWord(UChar32 c) {
  const int8_t type = u_charType(c);
  return u_hasBinaryProperty(c, UCHAR_ALPHABETIC) || type == U_DECIMAL_DIGIT_NUMBER ||
         type == U_LETTER_NUMBER || type == U_OTHER_NUMBER;
}

inline bool ContinuesWord(UChar32 c) {
  const int8_t type = u_charType(c);
  return StartsWord(c) || type == U_NON_SPACING_MARK || type == U_COMBINING_SPACING_MARK ||
         type == U_ENCLOSING_MARK;
}

inline std::string ReferenceFilters(const icu::UnicodeString& token,
                                    const AnalyzerOptions& options) {
  icu::UnicodeString text = token;
  UErrorCode status = U_ZERO_ERROR;
  if (options.normalization == Normalization::kNfc) {
    text = icu::Normalizer2::getNFCInstance(status)->normalize(text, status);
  }
  icu::UnicodeString mapped;
  for (int32_t i = 0; i < text.length(); i = text.moveIndex32(i, 1)) {
    icu::UnicodeString one(text.char32At(i));
    mapped +=
        options.case_mapping == CaseMapping::kLower ? one.toLower(icu::Locale::getRoot()) : one;
  }
  std::string out;
  return mapped.toUTF8String(out);
}

/// Tokens of `text`; nullopt where the contract demands an error.
inline std::optional<std::vector<Token>> ReferenceAnalyze(std::string_view text,
                                                          const AnalyzerOptions& options) {
  std::vector<Token> tokens;
  icu::UnicodeString word;
  uint32_t position = 0;
  const auto flush = [&] {
    if (word.isEmpty()) return;
    std::string term = ReferenceFilters(word, options);
    if (!term.empty() && term.size() <= static_cast<size_t>(options.max_token_length)) {
      tokens.push_back({std::move(term), position});
    }
    ++position;
    word.remove();
  };
  while (!text.empty()) {
    const auto front = DecodeFront(text);
    if (!front && options.invalid_utf8 == InvalidUtf8::kReject) return std::nullopt;
    const UChar32 c = front ? front->first : 0xFFFD;
    if (word.isEmpty() ? StartsWord(c) : ContinuesWord(c)) {
      word += c;
    } else {
      flush();
    }
    text.remove_prefix(front ? front->second : 1);
  }
  flush();
  return tokens;
}

}  // namespace firth::testing
