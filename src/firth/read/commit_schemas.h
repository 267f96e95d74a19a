// SPDX-License-Identifier: Apache-2.0
// The schemas that commits wrote with, against which those in log blocks are checked.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "firth/format/avro/avro_schema.h"
#include "firth/timeline/timeline.h"

namespace firth {

/// Reads a commit's metadata when first asked for its schema. Safe from several threads.
class CommitSchemas {
 public:
  /// That of the completed write `instant`, active or archived; nullptr when there is no such write
  /// or it tells none.
  Result<AvroSchemaPtr> Of(const Timeline& timeline, std::string_view instant);

 private:
  std::mutex mutex_;
  std::map<std::string, AvroSchemaPtr, std::less<>> schemas_;  // by instant
};

}  // namespace firth
