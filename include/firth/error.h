// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/status.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace firth {

/// Why an operation failed, in the terms of a table format. Every `arrow::Status` that firth makes
/// carries one, inside an ErrorDetail.
enum class ErrorCode : uint8_t {
  kInvalidArgument,    ///< the caller asked for something that makes no sense
  kNotFound,           ///< no such table, file, column, instant or key
  kAlreadyExists,      ///< another writer created it first
  kCorrupt,            ///< bytes on storage contradict their format
  kUnsupported,        ///< well-formed, but a version or feature that firth does not handle
  kIo,                 ///< storage failed; a retry may help
  kConflict,           ///< another commit won; rebase and retry
  kCommitUnknown,      ///< the outcome cannot be known: nothing may be cleaned up after it
  kResourceExhausted,  ///< a stated budget or limit does not suffice
  kCancelled,          ///< the caller stopped the operation
  kInternal,           ///< a bug in firth
};

/// The lower-case name of a code: "not found", "corrupt".
std::string_view ErrorCodeName(ErrorCode code);

/// What an `arrow::Status` cannot say by itself. Optional texts are empty when they do not apply.
class ErrorDetail : public arrow::StatusDetail {
 public:
  /// `remedy` is one sentence, or empty.
  explicit ErrorDetail(ErrorCode code, std::string remedy = {})
      : code_(code), remedy_(std::move(remedy)) {}

  const char* type_id() const override;   ///< names this class
  std::string ToString() const override;  ///< the name of the code

  /// What kind of failure it is.
  ErrorCode code() const { return code_; }
  /// What the user can do about it, one sentence.
  const std::string& remedy() const { return remedy_; }

 private:
  ErrorCode code_;
  std::string remedy_;
};

/// The code of a failed status. Statuses made by Arrow itself are mapped (IOError to kIo,
/// KeyError to kNotFound, ...). Must not be called with an OK status.
ErrorCode GetErrorCode(const arrow::Status& status);

/// The remedy of a failed status, empty when there is none.
std::string GetRemedy(const arrow::Status& status);

}  // namespace firth
