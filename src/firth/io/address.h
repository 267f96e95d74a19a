// SPDX-License-Identifier: Apache-2.0
// What users write to say where a table is.
#pragma once

#include <string>
#include <string_view>

#include "firth/common/status.h"

namespace firth {

/// A local path or a URI, taken apart.
struct Address {
  std::string scheme;    ///< lower case; "file" for local paths
  std::string location;  ///< file: the path; else what follows "scheme://", as written
};

/// A text is a URI (RFC 3986) when it begins with `scheme://`, or with `file:/` as Hadoop writes
/// it; schemes are found in any case. Everything else is a local path, taken as it is. The path of
/// a file URI is percent-decoded, and its host is empty or "localhost". Object stores spell their
/// keys as they are, so theirs are not decoded.
/// Errors: kInvalidArgument for an empty text and for a malformed file URI.
Result<Address> ParseAddress(std::string_view text);

}  // namespace firth
