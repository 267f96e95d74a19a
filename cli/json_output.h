// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/status.h>

#include <nlohmann/json.hpp>

#include "cli/output.h"

namespace firth::cli {

using Json = nlohmann::ordered_json;

/// Prints one JSON document, indented; invalid UTF-8 becomes U+FFFD.
inline arrow::Status PrintJson(const Json& document) {
  return Print(document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace firth::cli
