// SPDX-License-Identifier: Apache-2.0
#include "firth/scan/pinned_snapshot.h"

#include <algorithm>
#include <utility>

#include "firth/scan/time_point.h"

namespace firth {

Result<std::shared_ptr<const PinnedSnapshot>> PinSnapshot(std::shared_ptr<const Storage> storage,
                                                          const TableConfig& config,
                                                          const Timeline& timeline,
                                                          std::optional<std::string_view> as_of) {
  auto snapshot = std::make_shared<PinnedSnapshot>();
  if (as_of) {
    ARROW_ASSIGN_OR_RAISE(snapshot->as_of, ParseTimePoint(*as_of, config.timeline_is_utc));
  }
  for (const Instant& write : timeline.CompletedWrites()) {
    if (snapshot->as_of.empty() || write.requested <= snapshot->as_of) {
      snapshot->instant = std::max(snapshot->instant, write.requested);
    }
  }
  ARROW_ASSIGN_OR_RAISE(snapshot->view, LoadViewContext(timeline));
  ARROW_ASSIGN_OR_RAISE(TableSchema schema,
                        ResolveTableSchema(*storage, config, timeline, snapshot->as_of));
  snapshot->context = std::make_shared<ReadContext>(
      ReadContext{std::move(storage), config, std::move(schema), timeline});
  return snapshot;
}

Result<std::vector<FileSlice>> SlicesOf(const PinnedSnapshot& snapshot, std::string_view partition,
                                        const std::vector<FileInfo>& files, bool read_optimized) {
  const ReadContext& context = *snapshot.context;
  const auto slices = read_optimized ? ReadOptimizedSlices : SnapshotSlices;
  return slices(context.config, context.timeline, snapshot.view, partition, files, snapshot.as_of);
}

}  // namespace firth
