// SPDX-License-Identifier: Apache-2.0
// The analyzer: text in, terms with positions out. Build and query of an index, and every scan, use
// the same one; docs/guide/search-text.md describes what users see of it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firth/index/text/analyzer_options.h"
#include "firth/index/text/simple_tokenizer.h"

namespace firth {

/// A term at a position. A dropped token leaves a gap in the positions.
struct Token {
  std::string term;
  uint32_t position = 0;

  bool operator==(const Token&) const = default;
};

/// Immutable; safe from several threads.
class Analyzer {
 public:
  /// Errors: FTS_UNSUPPORTED_ANALYZER for options that this build has no pipeline for.
  static Result<std::shared_ptr<const Analyzer>> Make(const AnalyzerOptions& options);

  /// The analyzer of columns that no text index covers.
  static const std::shared_ptr<const Analyzer>& Default();

  const AnalyzerOptions& options() const { return options_; }
  const Sha256Digest& fingerprint() const { return fingerprint_; }

  /// All tokens of a text. Errors: FTS_INVALID_UTF8_VALUE (kCorrupt) under `reject`.
  Result<std::vector<Token>> Analyze(std::string_view text) const;

  /// The steps that work on characters (normalization, case), without tokenizer: what the values of
  /// prefix and fuzzy queries pass. `text` must be well-formed.
  std::string MapCharacters(std::string_view text) const;

  // The two halves of Analyze, for loops that look at each token without copying it.

  SimpleTokenizer Tokenize(std::string_view text) const {
    return SimpleTokenizer(text, options_.invalid_utf8 == InvalidUtf8::kReplace);
  }
  /// OR-ed to the bytes of an ASCII token, gives its term: 0x20 with lower case, else 0. (Letters
  /// and digits only: every digit has that bit.)
  uint8_t ascii_case_bit() const { return ascii_case_bit_; }
  /// Whether the filters drop an ASCII token; its term is as long as itself.
  bool DropsAscii(const RawToken& token) const { return token.length > max_token_length_; }
  /// The term of a token that has wide code points, in `scratch`; nullopt if the filters drop it.
  std::optional<std::string_view> FinishWide(const RawToken& token, std::string* scratch) const;
  /// What remains to be checked at the end of a text that had `tokens` tokens, dropped ones too.
  static Status CheckEnd(const SimpleTokenizer& tokenizer, uint64_t tokens);

 private:
  explicit Analyzer(const AnalyzerOptions& options);

  AnalyzerOptions options_;
  Sha256Digest fingerprint_;
  uint32_t max_token_length_;
  uint8_t ascii_case_bit_;
};

}  // namespace firth
