// SPDX-License-Identifier: Apache-2.0
// Errors of full-text search carry a stable name at the start of their message:
// "FTS_UNKNOWN_OPTION: option "boost" of hudi_match; known are ...".
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "firth/common/status.h"

namespace firth {

inline constexpr std::string_view kFtsUnknownOption = "FTS_UNKNOWN_OPTION";
inline constexpr std::string_view kFtsBadOptionValue = "FTS_BAD_OPTION_VALUE";
inline constexpr std::string_view kFtsBadQuery = "FTS_BAD_QUERY";
inline constexpr std::string_view kFtsNotStringColumn = "FTS_NOT_STRING_COLUMN";
inline constexpr std::string_view kFtsUnknownColumn = "FTS_UNKNOWN_COLUMN";
inline constexpr std::string_view kFtsUnsupportedAnalyzer = "FTS_UNSUPPORTED_ANALYZER";
inline constexpr std::string_view kFtsTooManyClauses = "FTS_TOO_MANY_CLAUSES";
inline constexpr std::string_view kFtsQueryTooDeep = "FTS_QUERY_TOO_DEEP";
inline constexpr std::string_view kFtsQueryTooLong = "FTS_QUERY_TOO_LONG";
inline constexpr std::string_view kFtsUnboundedNegation = "FTS_UNBOUNDED_NEGATION";
inline constexpr std::string_view kFtsNoRecordKey = "FTS_NO_RECORD_KEY";
inline constexpr std::string_view kFtsInvalidUtf8Query = "FTS_INVALID_UTF8_QUERY";
inline constexpr std::string_view kFtsInvalidUtf8Value = "FTS_INVALID_UTF8_VALUE";
inline constexpr std::string_view kFtsValueTooLong = "FTS_VALUE_TOO_LONG";

/// A kInvalidArgument error unless `code` says otherwise.
template <typename... Args>
Status FtsError(std::string_view name, fmt::format_string<Args...> format, Args&&... args) {
  return InvalidError("{}: {}", name, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
Status FtsError(ErrorCode code, std::string_view name, fmt::format_string<Args...> format,
                Args&&... args) {
  return Error(code, "{}: {}", name, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace firth
