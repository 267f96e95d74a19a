// SPDX-License-Identifier: Apache-2.0
#include "firth/index/text/analyzer_options.h"

#include <fmt/ranges.h>
#include <unicode/uchar.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "firth/index/text/fts_error.h"

namespace firth {
namespace {

constexpr int32_t kMaxTokenBytes = 32766;

/// One text of an enumerated option and what it stands for.
template <typename T>
struct Choice {
  std::string_view text;
  T value;
  bool built = true;  // false: defined by the contract, not in this build
};

constexpr Choice<BaseTokenizer> kTokenizers[] = {
    {"simple", BaseTokenizer::kSimple},      {"whitespace", BaseTokenizer::kWhitespace, false},
    {"raw", BaseTokenizer::kRaw, false},     {"ngram", BaseTokenizer::kNgram, false},
    {"uax29", BaseTokenizer::kUax29, false}, {"cjk_bigram", BaseTokenizer::kCjkBigram, false},
    {"icu", BaseTokenizer::kIcu, false},
};
constexpr Choice<CaseMapping> kCaseMappings[] = {
    {"none", CaseMapping::kNone}, {"lower", CaseMapping::kLower}, {"fold", CaseMapping::kFold}};
constexpr Choice<Normalization> kNormalizations[] = {{"none", Normalization::kNone},
                                                     {"nfc", Normalization::kNfc},
                                                     {"nfkc", Normalization::kNfkc, false}};
constexpr Choice<InvalidUtf8> kInvalidUtf8[] = {{"reject", InvalidUtf8::kReject},
                                                {"replace", InvalidUtf8::kReplace}};
constexpr Choice<bool> kBooleans[] = {{"true", true}, {"false", false}};
// Options that only have their "off" value so far.
constexpr Choice<bool> kOnlyFalse[] = {{"false", false}, {"true", true, false}};
constexpr Choice<int32_t> kBlockSizes[] = {{"128", 128}, {"256", 256}};

template <typename T>
Result<T> Choose(std::string_view option, std::string_view text, std::span<const Choice<T>> from) {
  for (const Choice<T>& choice : from) {
    if (choice.text != text) continue;
    if (choice.built) return choice.value;
    return FtsError(ErrorCode::kUnsupported, kFtsUnsupportedAnalyzer,
                    "text index option {}={} is not supported by this version", option, text);
  }
  std::vector<std::string_view> allowed;
  for (const Choice<T>& choice : from) allowed.push_back(choice.text);
  return FtsError(kFtsBadOptionValue, "text index option {} is \"{}\"; must be one of {}", option,
                  text, fmt::join(allowed, ", "));
}

template <typename T>
std::string_view NameOf(T value, std::span<const Choice<T>> from) {
  return std::ranges::find(from, value, &Choice<T>::value)->text;
}

Result<int32_t> ParseTokenLength(std::string_view option, std::string_view text) {
  int32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1 ||
      value > kMaxTokenBytes) {
    return FtsError(kFtsBadOptionValue, "text index option {} is \"{}\"; must be 1 to {}", option,
                    text, kMaxTokenBytes);
  }
  return value;
}

/// `und` or a BCP-47 tag: subtags of 1 to 8 letters or digits, the first of letters only.
Result<std::string> ParseLanguage(std::string_view text) {
  const auto alpha = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  size_t subtag = 0;
  bool ok = text.size() <= 35;
  for (size_t i = 0; i <= text.size() && ok; ++i) {
    if (i == text.size() || text[i] == '-') {
      ok = subtag >= 1 && subtag <= 8;
      subtag = 0;
    } else {
      const bool first = text.find('-') >= i;
      ok = alpha(text[i]) || (!first && text[i] >= '0' && text[i] <= '9');
      ++subtag;
    }
  }
  if (ok) return std::string(text);
  return FtsError(kFtsBadOptionValue,
                  "text index option language is \"{}\"; must be und or a BCP-47 tag", text);
}

/// Options whose only supported value switches a later pipeline step off.
Status RequireNone(std::string_view option, std::string_view text) {
  if (text == "none") return Status::OK();
  return FtsError(ErrorCode::kUnsupported, kFtsUnsupportedAnalyzer,
                  "text index option {}={} is not supported by this version; only none is", option,
                  text);
}

std::string UnicodeVersion() {
  UVersionInfo version;
  u_getUnicodeVersion(version);
  return fmt::format("{}.{}.{}", version[0], version[1], version[2]);
}

Status ApplyAnalyzerOption(std::string_view option, const std::string& text, bool* lower,
                           bool* fold, AnalyzerOptions* out) {
  if (option == "base_tokenizer") {
    return Choose<BaseTokenizer>(option, text, kTokenizers).Value(&out->base_tokenizer);
  }
  if (option == "language") return ParseLanguage(text).Value(&out->language);
  if (option == "lower_case") return Choose<bool>(option, text, kBooleans).Value(lower);
  if (option == "case_fold") return Choose<bool>(option, text, kOnlyFalse).Value(fold);
  if (option == "normalization") {
    return Choose<Normalization>(option, text, kNormalizations).Value(&out->normalization);
  }
  if (option == "ascii_folding") return Choose<bool>(option, text, kOnlyFalse).status();
  if (option == "stop_words" || option == "stem") return RequireNone(option, text);
  if (option == "max_token_length") {
    return ParseTokenLength(option, text).Value(&out->max_token_length);
  }
  if (option == "invalid_utf8") {
    return Choose<InvalidUtf8>(option, text, kInvalidUtf8).Value(&out->invalid_utf8);
  }
  if (option == "min_gram" || option == "max_gram" || option == "prefix_only") {
    return FtsError(kFtsBadOptionValue, "text index option {} needs base_tokenizer=ngram", option);
  }
  return FtsError(kFtsUnknownOption, "text index option \"{}\"", option);
}

}  // namespace

std::string AnalyzerOptions::CanonicalJson() const {
  // nlohmann's default object type sorts its keys, and none of the texts needs an escape beyond
  // those that RFC 8785 prescribes.
  const nlohmann::json json = {
      {"analyzer_version", 1},
      {"ascii_folding", false},
      {"base_tokenizer", NameOf<BaseTokenizer>(base_tokenizer, kTokenizers)},
      {"case", NameOf<CaseMapping>(case_mapping, kCaseMappings)},
      {"invalid_utf8", NameOf<InvalidUtf8>(invalid_utf8, kInvalidUtf8)},
      {"language", language},
      {"max_token_length", max_token_length},
      {"normalization", NameOf<Normalization>(normalization, kNormalizations)},
      {"resources", nlohmann::json::object()},
      {"stem", "none"},
      {"stop_words", "none"},
      {"unicode", UnicodeVersion()},
  };
  return json.dump();
}

Sha256Digest AnalyzerOptions::Fingerprint() const { return Sha256(CanonicalJson()); }

Result<TextIndexOptions> TextIndexOptions::Parse(
    const std::map<std::string, std::string>& options) {
  TextIndexOptions out;
  bool lower = true;
  bool fold = false;
  for (const auto& [option, text] : options) {
    if (option == "index_nulls") {
      ARROW_ASSIGN_OR_RAISE(out.index_nulls, Choose<bool>(option, text, kBooleans));
    } else if (option == "with_position") {
      ARROW_ASSIGN_OR_RAISE(out.with_position, Choose<bool>(option, text, kBooleans));
    } else if (option == "posting_block_size") {
      ARROW_ASSIGN_OR_RAISE(out.posting_block_size, Choose<int32_t>(option, text, kBlockSizes));
    } else {
      ARROW_RETURN_NOT_OK(ApplyAnalyzerOption(option, text, &lower, &fold, &out.analyzer));
    }
  }
  out.analyzer.case_mapping =
      fold ? CaseMapping::kFold : (lower ? CaseMapping::kLower : CaseMapping::kNone);
  return out;
}

}  // namespace firth
