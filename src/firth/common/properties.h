// SPDX-License-Identifier: Apache-2.0
// Java's .properties text, as hoodie.properties and .hoodie_partition_metadata use it.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "firth/common/status.h"

namespace firth {

/// Key to value, unescaped, UTF-8. A key given twice keeps its last value, as Java does.
using Properties = std::map<std::string, std::string, std::less<>>;

/// Parses ISO-8859-1 text with comments, continuation lines and \uXXXX escapes.
/// Errors: kCorrupt on a malformed \u escape, with its line number.
Result<Properties> ParseProperties(std::string_view text);

/// One `key=value` line an entry, escaped so that Java reads the same map back. No comments.
std::string FormatProperties(const Properties& properties);

}  // namespace firth
