// SPDX-License-Identifier: Apache-2.0
#include "cli/errors.h"

#include <arrow/util/utf8.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "firth/error.h"

namespace firth::cli {
namespace {

class OutputClosedDetail : public arrow::StatusDetail {
 public:
  const char* type_id() const override { return "firth::cli::OutputClosed"; }
  std::string ToString() const override { return "output closed"; }
};

// Bytes of the UTF-8 character that `text` begins with; 0 when it begins with none.
size_t CharacterLength(std::string_view text) {
  arrow::util::InitializeUTF8();
  for (size_t length = 1; length <= std::min<size_t>(text.size(), 4); ++length) {
    if (arrow::util::ValidateUTF8(text.substr(0, length))) return length;
  }
  return 0;
}

}  // namespace

arrow::Status UsageError(std::string message, std::string remedy) {
  return arrow::Status(
      arrow::StatusCode::Invalid, std::move(message),
      std::make_shared<ErrorDetail>(ErrorCode::kInvalidArgument, std::move(remedy)));
}

arrow::Status NotFoundError(std::string message) {
  return arrow::Status(arrow::StatusCode::KeyError, std::move(message),
                       std::make_shared<ErrorDetail>(ErrorCode::kNotFound));
}

arrow::Status OutputClosed() {
  return arrow::Status(arrow::StatusCode::Cancelled, "the reader of the output went away",
                       std::make_shared<OutputClosedDetail>());
}

bool IsOutputClosed(const arrow::Status& status) {
  return status.detail() != nullptr &&
         std::string_view(status.detail()->type_id()) == "firth::cli::OutputClosed";
}

ExitCode ExitCodeOf(const arrow::Status& status) {
  if (status.ok() || IsOutputClosed(status)) return kDone;
  switch (GetErrorCode(status)) {
    case ErrorCode::kInvalidArgument:
      return kBadUsage;
    case ErrorCode::kNotFound:
      return kNotFound;
    case ErrorCode::kAlreadyExists:
    case ErrorCode::kConflict:
      return kConflict;
    case ErrorCode::kCorrupt:
      return kCorrupt;
    case ErrorCode::kUnsupported:
    case ErrorCode::kIo:
    case ErrorCode::kCommitUnknown:
    case ErrorCode::kResourceExhausted:
    case ErrorCode::kCancelled:
    case ErrorCode::kInternal:
      break;
  }
  return kFailed;
}

std::string ErrorLine(const arrow::Status& status) {
  std::string line = "firth: " + Printable(status.message());
  const std::string remedy = GetRemedy(status);
  if (!remedy.empty()) line += "; " + Printable(remedy);
  return line;
}

std::string Printable(std::string_view text) {
  std::string printable;
  printable.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0;
    if (byte == '\n') {
      printable += "\\n";
    } else if (byte == '\t') {
      printable += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      printable += fmt::format("\\x{:02x}", byte);
    } else if (byte == 0xC2 && next >= 0x80 && next < 0xA0) {
      printable += fmt::format("\\x{:02x}", next);  // U+0080 to U+009F, in UTF-8
      ++i;
    } else if (const size_t length = CharacterLength(text.substr(i)); length == 0) {
      printable += fmt::format("\\x{:02x}", byte);  // of a damaged file
    } else {
      printable += text.substr(i, length);
      i += length - 1;
    }
  }
  return printable;
}

}  // namespace firth::cli
