// SPDX-License-Identifier: Apache-2.0
// The border to object stores: their clients throw, wait for long, and say what went wrong in terms
// of their own.
#pragma once

#include <arrow/filesystem/type_fwd.h>

#include <exception>
#include <memory>
#include <string>
#include <string_view>

#include "firth/common/status.h"

namespace firth {

/// The result of `call`, a Status or Result; what it throws becomes kIo.
template <typename Call>
auto CatchForeign(const Call& call) -> decltype(call()) {
  try {
    return call();
  } catch (const std::exception& e) {
    return MakeError(ErrorCode::kIo, e.what());
  } catch (...) {
    return MakeError(ErrorCode::kIo, "the client of the object store threw an unknown exception");
  }
}

/// The error of a store as users can act on it: one line that names `where` and, for a store that
/// does not answer or refuses, what to check for this `scheme` ("s3", "gs", "abfs", "file").
Status StorageError(const Status& status, std::string_view where, std::string_view scheme);

/// Whether a store gave no answer at all, so that asking it again would cost the same wait.
bool IsUnreachable(const Status& status);

/// The file system of a gs:// or abfs:// address and the path in it. Credentials come from the
/// environment; requests that get no answer are given up after seconds, not minutes.
Result<std::shared_ptr<arrow::fs::FileSystem>> MakeRemoteFileSystem(const std::string& uri,
                                                                    std::string_view scheme,
                                                                    std::string* path);

}  // namespace firth
