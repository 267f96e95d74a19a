// SPDX-License-Identifier: Apache-2.0
// The whole of libfirth_s3.so: it alone links libarrow_s3.
#include "firth/io/s3_file_system.h"

#include <arrow/filesystem/s3fs.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace firth {
namespace {

namespace fs = arrow::fs;

// Throttling and resets pass within seconds. Nobody there is rarely a passing thing: an error that
// comes at once is worth more than one that comes for certain.
class Retry : public fs::S3RetryStrategy {
 public:
  bool ShouldRetry(const AWSErrorDetail& error, int64_t attempted_retries) override {
    return (error.should_retry || IsLongError(error)) &&
           attempted_retries < (IsUnreachable(error) ? 2 : 5);
  }

  // A quarter of a second, doubled each time: 8 seconds in all, when nothing helps.
  int64_t CalculateDelayBeforeNextRetry(const AWSErrorDetail&, int64_t attempted_retries) override {
    return int64_t{250} << std::clamp<int64_t>(attempted_retries, 0, 5);
  }

 private:
  // libcurl could not resolve the name of the host, or not connect to it.
  static bool IsUnreachable(const AWSErrorDetail& error) {
    return error.message.starts_with("curlCode: 6,") || error.message.starts_with("curlCode: 7,");
  }
  // The answer to a read of few bytes was an error whose text is longer than the bytes asked for:
  // which one it was is lost then, and throttling is what it mostly is.
  static bool IsLongError(const AWSErrorDetail& error) {
    return error.message.starts_with("Failed to flush response stream");
  }
};

// The SDK's default suits machines inside of AWS.
constexpr double kConnectSeconds = 3;

Status StartSdk() {
  fs::S3GlobalOptions options = fs::S3GlobalOptions::Defaults();
  options.log_level = fs::S3LogLevel::Fatal;
  return fs::InitializeS3(options);
}

// The SDK's threads must be gone before static destructors run. To be called once a file system
// exists: what it made inside Arrow then outlives the handler, which runs in reverse order.
bool FinalizeAtExit() {
  static const bool registered = std::atexit([] { ARROW_UNUSED(fs::EnsureS3Finalized()); }) == 0;
  return registered;
}

Result<std::shared_ptr<fs::FileSystem>> Make(const S3Settings& settings) {
  static const Status started = StartSdk();
  ARROW_RETURN_NOT_OK(started);
  fs::S3Options options;
  if (settings.anonymous) {
    options.ConfigureAnonymousCredentials();
  } else if (!settings.access_key_id.empty()) {
    options.ConfigureAccessKey(settings.access_key_id, settings.secret_access_key,
                               settings.session_token);
  } else {
    options.ConfigureDefaultCredentials();
  }
  // Without a region the SDK would ask AWS; own endpoints do not care which one is named.
  options.region =
      settings.region.empty() && !settings.endpoint.empty() ? "us-east-1" : settings.region;
  options.endpoint_override = settings.endpoint;
  options.scheme = settings.scheme;
  options.force_virtual_addressing = settings.virtual_addressing;
  options.connect_timeout =
      settings.connect_timeout > 0 ? settings.connect_timeout : kConnectSeconds;
  if (settings.request_timeout > 0) options.request_timeout = settings.request_timeout;
  options.retry_strategy = std::make_shared<Retry>();
  ARROW_ASSIGN_OR_RAISE(auto file_system, fs::S3FileSystem::Make(options));
  if (!FinalizeAtExit()) return InternalError("no room for the handler that ends the S3 client");
  return file_system;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void FirthMakeS3FileSystem(
    const S3Settings& settings, Result<std::shared_ptr<arrow::fs::FileSystem>>* out) {
  *out = Make(settings);
}

}  // namespace firth
