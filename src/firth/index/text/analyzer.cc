// SPDX-License-Identifier: Apache-2.0
#include "firth/index/text/analyzer.h"

#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/utf8.h>

#include <array>
#include <cassert>
#include <limits>

#include "firth/index/text/fts_error.h"
#include "firth/index/text/unicode_table.h"

namespace firth {
namespace {

// ICU counts in 32 bits. No step shrinks a token by more than a small factor, so one this long
// never fits into the longest term.
constexpr uint32_t kMaxRawToken = 1u << 30;
// Positions and lengths fit into signed 32 bits.
constexpr uint64_t kMaxTokens = (uint64_t{1} << 31) - 2;

std::string ToNfc(std::string_view text) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* nfc = icu::Normalizer2::getNFCInstance(status);
  std::string out;
  icu::StringByteSink<std::string> sink(&out, static_cast<int32_t>(text.size()));
  nfc->normalizeUTF8(0, {text.data(), static_cast<int32_t>(text.size())}, sink, nullptr, status);
  assert(U_SUCCESS(status));  // the input is well-formed, and NFC data is part of the library
  return out;
}

void AppendLower(std::string_view text, std::string* out) {
  const UnicodeTable& table = UnicodeTable::Get();
  const auto size = static_cast<int32_t>(text.size());
  for (int32_t at = 0; at < size;) {
    UChar32 code_point;
    U8_NEXT_UNSAFE(text.data(), at, code_point);
    table.AppendLower(code_point, out);
  }
}

/// The character steps of the pipeline in their order.
void MapInto(std::string_view text, bool normalize, CaseMapping mapping, std::string* out) {
  std::string normalized;
  if (normalize) {
    normalized = ToNfc(text);
    text = normalized;
  }
  out->clear();
  if (mapping == CaseMapping::kLower) {
    AppendLower(text, out);
  } else {
    out->assign(text);
  }
}

}  // namespace

Result<std::shared_ptr<const Analyzer>> Analyzer::Make(const AnalyzerOptions& options) {
  if (options.base_tokenizer != BaseTokenizer::kSimple ||
      options.case_mapping == CaseMapping::kFold || options.normalization == Normalization::kNfkc) {
    return FtsError(ErrorCode::kUnsupported, kFtsUnsupportedAnalyzer,
                    "no analyzer in this version for {}", options.CanonicalJson());
  }
  return std::shared_ptr<const Analyzer>(new Analyzer(options));
}

const std::shared_ptr<const Analyzer>& Analyzer::Default() {
  static const std::shared_ptr<const Analyzer> analyzer(new Analyzer(AnalyzerOptions{}));
  return analyzer;
}

Analyzer::Analyzer(const AnalyzerOptions& options)
    : options_(options),
      fingerprint_(options.Fingerprint()),
      max_token_length_(static_cast<uint32_t>(options.max_token_length)),
      ascii_case_bit_(options.case_mapping == CaseMapping::kLower ? 0x20 : 0) {}

Status Analyzer::CheckEnd(const SimpleTokenizer& tokenizer, uint64_t tokens) {
  if (tokenizer.invalid_offset() != SimpleTokenizer::kNone) {
    return FtsError(ErrorCode::kCorrupt, kFtsInvalidUtf8Value,
                    "text is not well-formed UTF-8 at byte {}", tokenizer.invalid_offset());
  }
  if (tokens > kMaxTokens) {
    return FtsError(kFtsValueTooLong, "text has {} tokens; may have {}", tokens, kMaxTokens);
  }
  return Status::OK();
}

std::optional<std::string_view> Analyzer::FinishWide(const RawToken& token,
                                                     std::string* scratch) const {
  if (token.length > kMaxRawToken) return std::nullopt;
  const bool normalize =
      options_.normalization == Normalization::kNfc && (token.flags & UnicodeTable::kNfcUnsure);
  const bool lower = options_.case_mapping == CaseMapping::kLower &&
                     (normalize || (token.flags & UnicodeTable::kLowerChanges));
  std::string_view term = token.text();
  if (normalize || lower) {
    MapInto(term, normalize, options_.case_mapping, scratch);
    term = *scratch;
  }
  if (term.empty() || term.size() > max_token_length_) return std::nullopt;
  return term;
}

std::string Analyzer::MapCharacters(std::string_view text) const {
  std::string out;
  MapInto(text, options_.normalization == Normalization::kNfc, options_.case_mapping, &out);
  return out;
}

Result<std::vector<Token>> Analyzer::Analyze(std::string_view text) const {
  std::vector<Token> tokens;
  std::array<RawToken, 64> batch;
  std::string scratch;
  uint64_t position = 0;
  SimpleTokenizer tokenizer = Tokenize(text);
  while (const size_t count = tokenizer.Next(batch)) {
    for (size_t i = 0; i < count; ++i, ++position) {
      const RawToken& raw = batch[i];
      if (raw.wide()) {
        if (const auto term = FinishWide(raw, &scratch)) {
          tokens.push_back({std::string(*term), static_cast<uint32_t>(position)});
        }
      } else if (!DropsAscii(raw)) {
        tokens.push_back({std::string(raw.text()), static_cast<uint32_t>(position)});
        for (char& c : tokens.back().term) c = static_cast<char>(c | ascii_case_bit_);
      }
    }
  }
  ARROW_RETURN_NOT_OK(CheckEnd(tokenizer, position));
  return tokens;
}

}  // namespace firth
