// SPDX-License-Identifier: Apache-2.0
#include "firth/index/text/unicode_table.h"

#include <unicode/locid.h>
#include <unicode/uniset.h>
#include <unicode/ustring.h>
#include <unicode/utf16.h>
#include <unicode/utf8.h>

#include <cassert>
#include <map>
#include <string_view>

namespace firth {
namespace {

constexpr int32_t kCodePoints = 0x110000;

/// Sets `flag` for every member of the set that ICU's `pattern` describes.
void Mark(std::string_view pattern, uint8_t flag, std::vector<uint8_t>* flags) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::UnicodeSet set(icu::UnicodeString::fromUTF8(pattern), status);
  assert(U_SUCCESS(status));
  for (int32_t i = 0; i < set.getRangeCount(); ++i) {
    for (int32_t c = set.getRangeStart(i); c <= set.getRangeEnd(i); ++c) (*flags)[c] |= flag;
  }
}

void AppendUtf8(int32_t code_point, std::string* out) {
  char bytes[U8_MAX_LENGTH];
  int32_t size = 0;
  U8_APPEND_UNSAFE(bytes, size, code_point);
  out->append(bytes, static_cast<size_t>(size));
}

/// The lower case of a lone code point: no context, so the final-sigma rule never applies.
icu::UnicodeString FullLower(int32_t code_point) {
  icu::UnicodeString text(static_cast<UChar32>(code_point));
  return text.toLower(icu::Locale::getRoot());
}

}  // namespace

const UnicodeTable& UnicodeTable::Get() {
  static const UnicodeTable table;
  return table;
}

UnicodeTable::UnicodeTable() {
  std::vector<uint8_t> all(kCodePoints);
  Mark("[[:Alphabetic:][:Nd:][:Nl:][:No:]]", kWordStart | kWordPart, &all);
  Mark("[[:Mn:][:Mc:][:Me:]]", kWordPart, &all);
  // UAX #15: a text of code points with NFC_QC=Yes and combining class 0 is in NFC.
  Mark("[[:NFC_QC=No:][:NFC_QC=Maybe:][:^ccc=0:]]", kNfcUnsure, &all);
  Mark("[:Changes_When_Lowercased:]", kLowerChanges, &all);

  std::map<std::string_view, uint16_t> known;
  for (size_t block = 0; block < kBlocks; ++block) {
    const std::string_view bytes(reinterpret_cast<const char*>(&all[block << kBlockBits]),
                                 size_t{1} << kBlockBits);
    const auto [at, inserted] = known.emplace(bytes, static_cast<uint16_t>(known.size()));
    if (inserted) flags_.insert(flags_.end(), bytes.begin(), bytes.end());
    block_of_[block] = at->second;
  }
  BuildLowerCase();
}

void UnicodeTable::BuildLowerCase() {
  lower_.assign(size_t{1} << kBlockBits, 0);  // block 0 serves blocks without a mapping
  for (int32_t c = 0; c < kCodePoints; ++c) {
    if (!(Flags(c) & kLowerChanges)) continue;
    uint16_t& block = lower_block_of_[static_cast<uint32_t>(c) >> kBlockBits];
    if (block == 0) {
      block = static_cast<uint16_t>(lower_.size() >> kBlockBits);
      lower_.resize(lower_.size() + (size_t{1} << kBlockBits));
    }
    const icu::UnicodeString lower = FullLower(c);
    const bool single = lower.countChar32() == 1;
    lower_[size_t{block} << kBlockBits | (static_cast<uint32_t>(c) & kBlockMask)] =
        single ? lower.char32At(0) : 0;
  }
}

void UnicodeTable::AppendLower(int32_t code_point, std::string* out) const {
  if (!(Flags(code_point) & kLowerChanges)) return AppendUtf8(code_point, out);
  const uint32_t c = static_cast<uint32_t>(code_point);
  const int32_t lower =
      lower_[size_t{lower_block_of_[c >> kBlockBits]} << kBlockBits | (c & kBlockMask)];
  if (lower != 0) return AppendUtf8(lower, out);
  FullLower(code_point).toUTF8String(*out);
}

}  // namespace firth
