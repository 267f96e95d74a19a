// SPDX-License-Identifier: Apache-2.0
// One line a message, the event first, then key=value. Error: someone must act. Warn: the result
// is right, something is off. Info: table-level events. Debug: per file. Never per row; return an
// error or log it, not both. The level comes from FIRTH_LOG (error, warn, info, debug; default
// warn); lines go to standard error.
#pragma once

#include <spdlog/spdlog.h>

namespace firth {

/// The process-wide logger, made on first use.
spdlog::logger& Logger();

}  // namespace firth

// Arguments are not evaluated when the level is off.
#define FIRTH_LOG(severity, ...)                                     \
  do {                                                               \
    if (::firth::Logger().should_log(::spdlog::level::severity)) {   \
      ::firth::Logger().log(::spdlog::level::severity, __VA_ARGS__); \
    }                                                                \
  } while (false)
