// SPDX-License-Identifier: Apache-2.0
// S3 lives in a library of its own, libfirth_s3.so: the AWS SDK inside libarrow_s3 costs start-up
// time and memory that local tables should not pay. This header is the border between the two.
#pragma once

#include <arrow/filesystem/type_fwd.h>

#include <memory>
#include <string>

#include "firth/common/status.h"
#include "firth/io/storage.h"

namespace firth {

/// How to reach a store, from storage options and the usual environment variables.
struct S3Settings {
  std::string access_key_id, secret_access_key,
      session_token;  // all empty: the SDK's default chain
  bool anonymous = false;
  std::string region;
  std::string endpoint;  // host[:port]; empty: AWS
  std::string scheme = "https";
  bool virtual_addressing = false;  // bucket as a subdomain even with an own endpoint
  double connect_timeout = 0, request_timeout = 0;  // seconds; 0: the SDK's default
};

/// Options first, then AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, AWS_REGION and AWS_DEFAULT_REGION
/// (keys from the environment are found by the SDK itself).
/// Errors: kInvalidArgument for an unknown option or a malformed value; values are never printed.
Result<S3Settings> ParseS3Settings(const StorageOptions& options);

/// The one function that libfirth_s3.so exports, as FirthMakeS3FileSystem.
using MakeS3FileSystemFunction = void(const S3Settings& settings,
                                      Result<std::shared_ptr<arrow::fs::FileSystem>>* out);

/// Loads libfirth_s3.so on the first call. Errors: kUnsupported when it is not installed.
Result<std::shared_ptr<arrow::fs::FileSystem>> MakeS3FileSystem(const S3Settings& settings);

}  // namespace firth
