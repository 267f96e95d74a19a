// SPDX-License-Identifier: Apache-2.0
// The option texts of the SQL functions: "operator=AND, fuzziness=1".
#include <array>
#include <charconv>
#include <map>
#include <optional>

#include "firth/index/text/fts_error.h"
#include "firth/index/text/text_query.h"

namespace firth {
namespace {

constexpr std::string_view kBlanks = " \t\n\r\f\v";

std::string_view Trim(std::string_view text) {
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  }
  return out;
}

std::optional<int64_t> ParseInt(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

using OptionMap = std::map<std::string, std::string, std::less<>>;

Result<OptionMap> SplitOptions(std::string_view options) {
  OptionMap out;
  if (Trim(options).empty()) return out;
  for (size_t at = 0; at <= options.size();) {
    const size_t comma = std::min(options.find(',', at), options.size());
    const std::string_view pair = options.substr(at, comma - at);
    const size_t equals = pair.find('=');
    const std::string_view key = Trim(pair.substr(0, equals));
    if (equals == std::string_view::npos || key.empty()) {
      return FtsError(kFtsBadOptionValue, "\"{}\" in the options is not key=value", Trim(pair));
    }
    if (!out.emplace(key, Trim(pair.substr(equals + 1))).second) {
      return FtsError(kFtsBadOptionValue, "option \"{}\" is given twice", key);
    }
    at = comma + 1;
  }
  return out;
}

Result<int64_t> IntOption(std::string_view key, std::string_view text) {
  if (const auto value = ParseInt(text)) return *value;
  return FtsError(kFtsBadOptionValue, "{} is \"{}\"; must be an integer", key, text);
}

}  // namespace

Result<TextOperator> ParseTextOperator(std::string_view text) {
  const std::string lower = Lower(text);
  if (lower == "or") return TextOperator::kOr;
  if (lower == "and") return TextOperator::kAnd;
  return FtsError(kFtsBadOptionValue, "operator is \"{}\"; must be OR or AND", text);
}

Result<Fuzziness> ParseFuzziness(std::string_view text) {
  const std::string lower = Lower(text);
  if (lower == "auto") return Fuzziness{.automatic = true};
  if (const auto edits = ParseInt(lower); edits && *edits >= 0 && *edits <= 2) {
    return Fuzziness{.edits = static_cast<int>(*edits)};
  }
  constexpr std::string_view kAuto = "auto:";
  const size_t colon = lower.find(':', kAuto.size());
  if (lower.starts_with(kAuto) && colon != std::string::npos) {
    const std::string_view view = lower;
    const auto low = ParseInt(view.substr(kAuto.size(), colon - kAuto.size()));
    const auto high = ParseInt(view.substr(colon + 1));
    if (low && high && 0 < *low && *low < *high) {
      return Fuzziness{.automatic = true, .low = *low, .high = *high};
    }
  }
  return FtsError(kFtsBadOptionValue,
                  "fuzziness is \"{}\"; must be 0, 1, 2, AUTO or AUTO:low:high with 0 < low < high",
                  text);
}

Result<TextQuery> MakeMatchQuery(std::string column, std::string query, std::string_view options) {
  MatchQuery match{.column = std::move(column), .query = std::move(query), .fuzzy = {}};
  ARROW_ASSIGN_OR_RAISE(const OptionMap map, SplitOptions(options));
  for (const auto& [key, text] : map) {
    if (key == "operator") {
      ARROW_ASSIGN_OR_RAISE(match.op, ParseTextOperator(text));
    } else if (key == "fuzziness") {
      ARROW_ASSIGN_OR_RAISE(match.fuzzy.fuzziness, ParseFuzziness(text));
    } else if (key == "prefix_length") {
      ARROW_ASSIGN_OR_RAISE(match.fuzzy.prefix_length, IntOption(key, text));
    } else if (key == "max_expansions") {
      ARROW_ASSIGN_OR_RAISE(match.fuzzy.max_expansions, IntOption(key, text));
    } else {
      return FtsError(kFtsUnknownOption,
                      "\"{}\" is no option of hudi_match; known are operator, fuzziness, "
                      "prefix_length, max_expansions",
                      key);
    }
  }
  return CanonicalTextQuery({std::move(match)});
}

Result<TextQuery> MakePhraseQuery(std::string column, std::string query, int64_t slop) {
  if (slop < 0 || slop > 65535) {
    return FtsError(kFtsBadOptionValue, "slop is {}; must be 0 to 65535", slop);
  }
  return CanonicalTextQuery({PhraseQuery{.column = std::move(column),
                                         .query = std::move(query),
                                         .slop = static_cast<uint32_t>(slop)}});
}

Result<TextQuery> MakeMultiMatchQuery(std::string query, std::string_view options,
                                      const std::vector<std::string>& columns) {
  MultiMatchQuery match{.query = std::move(query), .columns = {}};
  for (const std::string& name : columns) match.columns.push_back({.name = name});
  ARROW_ASSIGN_OR_RAISE(const OptionMap map, SplitOptions(options));
  for (const auto& [key, text] : map) {
    if (key != "operator") {
      return FtsError(kFtsUnknownOption,
                      "\"{}\" is no option of hudi_multi_match; known is operator", key);
    }
    ARROW_ASSIGN_OR_RAISE(match.op, ParseTextOperator(text));
  }
  return CanonicalTextQuery({std::move(match)});
}

}  // namespace firth
