// SPDX-License-Identifier: Apache-2.0
// Makers of firth errors. Rules for messages: what was wrong, where, what was found, what was
// allowed; no "failed to", no capital, no secrets; an assertion is for bugs, never for input.
#pragma once

#include <arrow/result.h>
#include <arrow/status.h>
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "firth/error.h"

namespace firth {

using arrow::Result;
using arrow::Status;

Status MakeError(ErrorCode code, std::string message, std::string remedy = {});

template <typename... Args>
Status Error(ErrorCode code, fmt::format_string<Args...> format, Args&&... args) {
  return MakeError(code, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
Status InvalidError(fmt::format_string<Args...> format, Args&&... args) {
  return MakeError(ErrorCode::kInvalidArgument, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
Status NotFoundError(fmt::format_string<Args...> format, Args&&... args) {
  return MakeError(ErrorCode::kNotFound, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
Status CorruptError(fmt::format_string<Args...> format, Args&&... args) {
  return MakeError(ErrorCode::kCorrupt, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
Status UnsupportedError(fmt::format_string<Args...> format, Args&&... args) {
  return MakeError(ErrorCode::kUnsupported, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
Status InternalError(fmt::format_string<Args...> format, Args&&... args) {
  return MakeError(ErrorCode::kInternal, fmt::format(format, std::forward<Args>(args)...));
}

/// The same error with `remedy` attached.
Status WithRemedy(const Status& status, std::string remedy);

/// The same error with "context: " in front of its message. OK stays OK.
Status WithContext(const Status& status, std::string_view context);

}  // namespace firth
