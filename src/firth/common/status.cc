// SPDX-License-Identifier: Apache-2.0
#include "firth/common/status.h"

#include <memory>

namespace firth {
namespace {

constexpr char kErrorDetailTypeId[] = "firth::ErrorDetail";

// The Arrow code that callers who know nothing of firth see.
arrow::StatusCode ToArrowCode(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return arrow::StatusCode::Invalid;
    case ErrorCode::kNotFound:
      return arrow::StatusCode::KeyError;
    case ErrorCode::kAlreadyExists:
      return arrow::StatusCode::AlreadyExists;
    case ErrorCode::kCorrupt:
      return arrow::StatusCode::SerializationError;
    case ErrorCode::kUnsupported:
      return arrow::StatusCode::NotImplemented;
    case ErrorCode::kIo:
      return arrow::StatusCode::IOError;
    case ErrorCode::kResourceExhausted:
      return arrow::StatusCode::CapacityError;
    case ErrorCode::kCancelled:
      return arrow::StatusCode::Cancelled;
    case ErrorCode::kConflict:
    case ErrorCode::kCommitUnknown:
    case ErrorCode::kInternal:
      return arrow::StatusCode::UnknownError;
  }
  return arrow::StatusCode::UnknownError;
}

ErrorCode FromArrowCode(arrow::StatusCode code) {
  switch (code) {
    case arrow::StatusCode::IOError:
      return ErrorCode::kIo;
    case arrow::StatusCode::KeyError:
      return ErrorCode::kNotFound;
    case arrow::StatusCode::AlreadyExists:
      return ErrorCode::kAlreadyExists;
    case arrow::StatusCode::NotImplemented:
      return ErrorCode::kUnsupported;
    case arrow::StatusCode::SerializationError:
      return ErrorCode::kCorrupt;
    case arrow::StatusCode::OutOfMemory:
    case arrow::StatusCode::CapacityError:
      return ErrorCode::kResourceExhausted;
    case arrow::StatusCode::Cancelled:
      return ErrorCode::kCancelled;
    case arrow::StatusCode::Invalid:
    case arrow::StatusCode::TypeError:
    case arrow::StatusCode::IndexError:
      return ErrorCode::kInvalidArgument;
    default:
      return ErrorCode::kInternal;
  }
}

const ErrorDetail* FindDetail(const Status& status) {
  const auto& detail = status.detail();
  if (!detail || std::string_view(detail->type_id()) != kErrorDetailTypeId) return nullptr;
  return static_cast<const ErrorDetail*>(detail.get());
}

}  // namespace

std::string_view ErrorCodeName(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return "invalid argument";
    case ErrorCode::kNotFound:
      return "not found";
    case ErrorCode::kAlreadyExists:
      return "already exists";
    case ErrorCode::kCorrupt:
      return "corrupt";
    case ErrorCode::kUnsupported:
      return "unsupported";
    case ErrorCode::kIo:
      return "i/o";
    case ErrorCode::kConflict:
      return "conflict";
    case ErrorCode::kCommitUnknown:
      return "commit unknown";
    case ErrorCode::kResourceExhausted:
      return "resource exhausted";
    case ErrorCode::kCancelled:
      return "cancelled";
    case ErrorCode::kInternal:
      return "internal";
  }
  return "internal";
}

const char* ErrorDetail::type_id() const { return kErrorDetailTypeId; }

std::string ErrorDetail::ToString() const {
  std::string text(ErrorCodeName(code_));
  if (!remedy_.empty()) text += "; " + remedy_;
  return text;
}

ErrorCode GetErrorCode(const Status& status) {
  const ErrorDetail* detail = FindDetail(status);
  return detail != nullptr ? detail->code() : FromArrowCode(status.code());
}

std::string GetRemedy(const Status& status) {
  const ErrorDetail* detail = FindDetail(status);
  return detail != nullptr ? detail->remedy() : std::string();
}

Status MakeError(ErrorCode code, std::string message, std::string remedy) {
  return Status(ToArrowCode(code), std::move(message),
                std::make_shared<ErrorDetail>(code, std::move(remedy)));
}

Status WithRemedy(const Status& status, std::string remedy) {
  if (status.ok()) return status;
  return MakeError(GetErrorCode(status), status.message(), std::move(remedy));
}

Status WithContext(const Status& status, std::string_view context) {
  if (status.ok()) return status;
  return MakeError(GetErrorCode(status), fmt::format("{}: {}", context, status.message()),
                   GetRemedy(status));
}

}  // namespace firth
