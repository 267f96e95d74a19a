// SPDX-License-Identifier: Apache-2.0
// How the command fails: one line on standard error, and an exit code.
#pragma once

#include <arrow/status.h>

#include <string>
#include <string_view>

namespace firth::cli {

enum ExitCode : int {
  kDone = 0,
  kFailed = 1,
  kBadUsage = 2,
  kNotFound = 3,
  kConflict = 4,
  kCorrupt = 5,
};

/// The caller asked for something that makes no sense: exit code 2.
arrow::Status UsageError(std::string message, std::string remedy = {});

/// What was asked for is not there: exit code 3.
arrow::Status NotFoundError(std::string message);

/// A status that ends the command quietly with success: the reader of its output went away.
arrow::Status OutputClosed();
bool IsOutputClosed(const arrow::Status& status);

/// The exit code of a status.
ExitCode ExitCodeOf(const arrow::Status& status);

/// `firth: MESSAGE; REMEDY`, on one line, control characters escaped.
std::string ErrorLine(const arrow::Status& status);

/// `text` with control characters, and bytes that are no UTF-8, written as escapes, so that it
/// cannot steer a terminal.
std::string Printable(std::string_view text);

}  // namespace firth::cli
