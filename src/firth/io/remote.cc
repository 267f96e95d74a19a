// SPDX-License-Identifier: Apache-2.0
#include "firth/io/remote.h"

#include <arrow/filesystem/filesystem.h>
#include <arrow/filesystem/gcsfs.h>

#include <algorithm>
#include <cctype>
#include <initializer_list>

namespace firth {
namespace {

namespace fs = arrow::fs;

// Google's client would try for a quarter of an hour.
constexpr double kGcsRetrySeconds = 10;

bool ContainsAny(std::string_view text, std::initializer_list<std::string_view> parts) {
  for (const std::string_view part : parts) {
    if (text.find(part) != std::string_view::npos) return true;
  }
  return false;
}

// Texts of libcurl and of the three clients when nobody answers.
bool SaysUnreachable(std::string_view message) {
  return ContainsAny(message, {"NETWORK_CONNECTION", "curlCode", "CURL error", "Could not resolve",
                               "Couldn't resolve", "Could not connect", "Couldn't connect",
                               "Retry policy exhausted", "Timeout was reached"});
}

// HTTP 401 and 403 in the words of the AWS SDK.
bool IsRefused(std::string_view message) {
  return ContainsAny(message, {"ACCESS_DENIED", "INVALID_ACCESS_KEY_ID", "INVALID_CLIENT_TOKEN_ID",
                               "SIGNATURE_DOES_NOT_MATCH", "MISSING_AUTHENTICATION_TOKEN",
                               "EXPIRED_TOKEN", "HTTP status 401", "HTTP status 403"});
}

std::string Remedy(std::string_view message, std::string_view scheme) {
  if (scheme == "s3" || scheme == "s3a") {
    if (SaysUnreachable(message)) {
      return "check the network, the region and the storage option endpoint_override";
    }
    if (!IsRefused(message)) return {};
    return "check the credentials: storage options access_key_id and secret_access_key, or "
           "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY";
  }
  if (scheme == "gs" || scheme == "gcs") {
    return "check the network and the credentials: GOOGLE_APPLICATION_CREDENTIALS names a key "
           "file, or run gcloud auth application-default login";
  }
  if (scheme == "abfs" || scheme == "abfss") {
    return "check the network and the credentials: AZURE_TENANT_ID, AZURE_CLIENT_ID and "
           "AZURE_CLIENT_SECRET, or run az login";
  }
  return {};
}

// Clients write paragraphs. The first thousand bytes, white space folded, say it all; Google's
// says everything twice.
std::string OneLine(std::string_view text) {
  constexpr size_t kMaxBytes = 1000;
  text = text.substr(0, std::min(text.find(" error_info={"), kMaxBytes));
  std::string line;
  for (const char c : text) {
    const bool space = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!space) line += c;
    if (space && !line.empty() && line.back() != ' ') line += ' ';
  }
  while (line.ends_with(' ') || line.ends_with('.')) line.pop_back();
  return line;
}

// Addresses without their queries: Azure's client shows them, and they hold tokens.
std::string WithoutQueries(std::string_view text) {
  std::string bare;
  while (!text.empty()) {
    const size_t query = std::min(text.find('?'), text.size());
    bare += text.substr(0, query);
    text.remove_prefix(query);
    text.remove_prefix(std::min(text.find_first_of("'\" "), text.size()));
  }
  return bare;
}

}  // namespace

Status StorageError(const Status& status, std::string_view where, std::string_view scheme) {
  ErrorCode code = GetErrorCode(status);
  if (code == ErrorCode::kInternal) code = ErrorCode::kIo;  // how Azure's exceptions may look
  std::string message = OneLine(status.message());
  if (scheme == "abfs" || scheme == "abfss") message = WithoutQueries(message);
  return MakeError(code, where.empty() ? message : fmt::format("{}: {}", where, message),
                   code == ErrorCode::kIo ? Remedy(message, scheme) : std::string());
}

bool IsUnreachable(const Status& status) { return SaysUnreachable(status.message()); }

Result<std::shared_ptr<fs::FileSystem>> MakeRemoteFileSystem(const std::string& uri,
                                                             std::string_view scheme,
                                                             std::string* path) {
  return CatchForeign([&]() -> Result<std::shared_ptr<fs::FileSystem>> {
    if (scheme != "gs" && scheme != "gcs") return fs::FileSystemFromUri(uri, path);
    ARROW_ASSIGN_OR_RAISE(fs::GcsOptions options, fs::GcsOptions::FromUri(uri, path));
    if (!options.retry_limit_seconds) options.retry_limit_seconds = kGcsRetrySeconds;
    return fs::GcsFileSystem::Make(options);
  });
}

}  // namespace firth
