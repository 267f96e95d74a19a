// SPDX-License-Identifier: Apache-2.0
// Options of a text index, and the part of them that decides which tokens a text has.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "firth/common/sha256.h"
#include "firth/common/status.h"

namespace firth {

enum class BaseTokenizer : uint8_t { kSimple, kWhitespace, kRaw, kNgram, kUax29, kCjkBigram, kIcu };
enum class CaseMapping : uint8_t { kNone, kLower, kFold };
enum class Normalization : uint8_t { kNone, kNfc, kNfkc };
enum class InvalidUtf8 : uint8_t { kReject, kReplace };

/// What turns a text into tokens. The defaults are the analyzer `default_v1`, which applies to
/// every column that no text index covers.
struct AnalyzerOptions {
  BaseTokenizer base_tokenizer = BaseTokenizer::kSimple;
  std::string language = "und";  ///< selects stop list and stemmer only
  CaseMapping case_mapping = CaseMapping::kLower;
  Normalization normalization = Normalization::kNfc;
  int32_t max_token_length = 255;  ///< bytes of the final token; longer ones are dropped
  InvalidUtf8 invalid_utf8 = InvalidUtf8::kReject;

  bool operator==(const AnalyzerOptions&) const = default;

  /// All options with defaults filled in, keys sorted, no blanks (RFC 8785), with the version of
  /// the Unicode data in use. Equal bytes mean equal tokens for every text.
  std::string CanonicalJson() const;

  /// SHA-256 of CanonicalJson(); index segments with another fingerprint do not serve a query.
  Sha256Digest Fingerprint() const;
};

/// The options of one text index.
struct TextIndexOptions {
  AnalyzerOptions analyzer;
  bool index_nulls = false;
  bool with_position = true;
  int32_t posting_block_size = 128;

  /// From the texts of CREATE INDEX ... OPTIONS; what is missing has its default.
  /// Errors: FTS_UNKNOWN_OPTION, FTS_BAD_OPTION_VALUE, and FTS_UNSUPPORTED_ANALYZER for a value
  /// that is defined but that this build has no analyzer for.
  static Result<TextIndexOptions> Parse(const std::map<std::string, std::string>& options);
};

}  // namespace firth
