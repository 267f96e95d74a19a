// SPDX-License-Identifier: Apache-2.0
// The whole of libfirth_s3.so: it alone links libarrow_s3.
#include "firth/io/s3_file_system.h"

#include <arrow/filesystem/s3fs.h>

#include <cstdlib>

namespace firth {
namespace {

namespace fs = arrow::fs;

// Throttling and resets pass within seconds; more tries would hide an outage.
constexpr int64_t kMaxAttempts = 6;

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
  if (settings.connect_timeout > 0) options.connect_timeout = settings.connect_timeout;
  if (settings.request_timeout > 0) options.request_timeout = settings.request_timeout;
  options.retry_strategy = fs::S3RetryStrategy::GetAwsStandardRetryStrategy(kMaxAttempts);
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
