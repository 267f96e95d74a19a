// SPDX-License-Identifier: Apache-2.0
#include <arrow/filesystem/filesystem.h>
#include <dlfcn.h>

#include <array>
#include <charconv>
#include <cstdlib>

#include "firth/io/s3_file_system.h"

namespace firth {
namespace {

std::string FromEnvironment(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != '\0') return value;
  }
  return {};
}

Result<bool> ParseBool(std::string_view key, std::string_view value) {
  if (value == "true" || value == "1") return true;
  if (value == "false" || value == "0") return false;
  return InvalidError("storage option {} must be true or false", key);
}

Result<double> ParseSeconds(std::string_view key, std::string_view value) {
  double seconds = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), seconds);
  if (error != std::errc() || end != value.data() + value.size() || !(seconds > 0)) {
    return InvalidError("storage option {} must be a positive number of seconds", key);
  }
  return seconds;
}

// "http://host:port/" gives both; "host:port" leaves the scheme alone.
void SetEndpoint(std::string_view value, S3Settings* settings) {
  const size_t mark = value.find("://");
  if (mark != std::string_view::npos) {
    settings->scheme = value.substr(0, mark);
    value.remove_prefix(mark + 3);
  }
  while (value.ends_with('/')) value.remove_suffix(1);
  settings->endpoint = value;
}

Status Apply(std::string_view key, const std::string& value, S3Settings* settings) {
  if (key == "access_key_id" || key == "aws_access_key_id") {
    settings->access_key_id = value;
  } else if (key == "secret_access_key" || key == "aws_secret_access_key") {
    settings->secret_access_key = value;
  } else if (key == "session_token" || key == "aws_session_token") {
    settings->session_token = value;
  } else if (key == "region" || key == "aws_region") {
    settings->region = value;
  } else if (key == "endpoint_override" || key == "aws_endpoint_url") {
    SetEndpoint(value, settings);
  } else if (key == "scheme") {
    settings->scheme = value;
  } else if (key == "force_virtual_addressing") {
    ARROW_ASSIGN_OR_RAISE(settings->virtual_addressing, ParseBool(key, value));
  } else if (key == "anonymous") {
    ARROW_ASSIGN_OR_RAISE(settings->anonymous, ParseBool(key, value));
  } else if (key == "connect_timeout") {
    ARROW_ASSIGN_OR_RAISE(settings->connect_timeout, ParseSeconds(key, value));
  } else if (key == "request_timeout") {
    ARROW_ASSIGN_OR_RAISE(settings->request_timeout, ParseSeconds(key, value));
  } else {
    return InvalidError(
        "unknown storage option \"{}\"; known are access_key_id, secret_access_key, session_token, "
        "region, endpoint_override, scheme, force_virtual_addressing, anonymous, connect_timeout, "
        "request_timeout",
        key);
  }
  return Status::OK();
}

MakeS3FileSystemFunction* LoadLibrary(std::string* error) {
  // Found through the run path of the object that holds this code; never unloaded.
  void* library = dlopen("libfirth_s3.so", RTLD_NOW | RTLD_LOCAL);
  void* symbol = library == nullptr ? nullptr : dlsym(library, "FirthMakeS3FileSystem");
  if (symbol == nullptr) *error = dlerror();
  return reinterpret_cast<MakeS3FileSystemFunction*>(symbol);
}

}  // namespace

Result<S3Settings> ParseS3Settings(const StorageOptions& options) {
  S3Settings settings;
  SetEndpoint(FromEnvironment({"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"}), &settings);
  settings.region = FromEnvironment({"AWS_REGION", "AWS_DEFAULT_REGION"});
  for (const auto& [key, value] : options) {
    ARROW_RETURN_NOT_OK(Apply(key, value, &settings));
  }
  if (settings.access_key_id.empty() != settings.secret_access_key.empty()) {
    return InvalidError("storage options access_key_id and secret_access_key go together");
  }
  if (settings.scheme != "http" && settings.scheme != "https") {
    return InvalidError("storage option scheme must be http or https");
  }
  return settings;
}

Result<std::shared_ptr<arrow::fs::FileSystem>> MakeS3FileSystem(const S3Settings& settings) {
  static std::string load_error;
  static MakeS3FileSystemFunction* const make = LoadLibrary(&load_error);
  if (make == nullptr) {
    return MakeError(ErrorCode::kUnsupported, "S3 support is not available: " + load_error,
                     "install firth with libfirth_s3.so beside it and pyarrow's libarrow_s3");
  }
  Result<std::shared_ptr<arrow::fs::FileSystem>> made = InternalError("S3 was not opened");
  make(settings, &made);
  return made;
}

}  // namespace firth
