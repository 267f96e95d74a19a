// SPDX-License-Identifier: Apache-2.0
// What a clean deleted.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "firth/common/status.h"

namespace firth {

/// Names of files, without folders, by partition path.
using DeletedFiles = std::map<std::string, std::vector<std::string>>;

/// From the decoded content of a clean: its metadata (what it deleted), or its plan (what it is
/// about to delete, or has deleted without saying so yet). Unknown members are ignored.
DeletedFiles DeletedFilesFromJson(const nlohmann::json& clean);

/// The same from the bytes of the instant's file. Errors: kCorrupt.
Result<DeletedFiles> DecodeDeletedFiles(std::string_view bytes);

}  // namespace firth
