// SPDX-License-Identifier: Apache-2.0
#include "firth/read/commit_schemas.h"

#include <algorithm>
#include <utility>

#include "firth/timeline/history.h"

namespace firth {
namespace {

Result<CommitMetadata> MetadataOf(const Timeline& timeline, std::string_view instant) {
  const auto write = std::ranges::find_if(timeline.instants(), [&](const Instant& candidate) {
    return candidate.requested == instant && candidate.is_write() && candidate.is_completed();
  });
  if (write != timeline.instants().end()) return timeline.ReadCommitMetadata(*write);
  ARROW_ASSIGN_OR_RAISE(std::vector<ArchivedInstant> archived,
                        timeline.LoadArchivedWrites(instant, instant));
  return archived.empty() ? CommitMetadata() : std::move(archived.front().metadata);
}

}  // namespace

Result<AvroSchemaPtr> CommitSchemas::Of(const Timeline& timeline, std::string_view instant) {
  const std::lock_guard lock(mutex_);
  if (const auto known = schemas_.find(instant); known != schemas_.end()) return known->second;
  ARROW_ASSIGN_OR_RAISE(const CommitMetadata metadata, MetadataOf(timeline, instant));
  AvroSchemaPtr schema;
  if (!metadata.schema().empty()) {
    ARROW_ASSIGN_OR_RAISE(schema, ParseAvroSchema(metadata.schema()));
  }
  return schemas_.emplace(instant, std::move(schema)).first->second;
}

}  // namespace firth
