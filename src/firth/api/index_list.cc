// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "firth/api/index_access.h"
#include "firth/api/table_impl.h"
#include "firth/metadata/metadata_keys.h"

namespace firth {
namespace {

std::string_view TypeName(std::string_view partition) {
  const std::optional<MetadataIndex> index = ParseMetadataPartition(partition);
  if (!index) return "unknown";
  switch (*index) {
    case MetadataIndex::kFiles:
      return "files";
    case MetadataIndex::kColumnStats:
      return "column_stats";
    case MetadataIndex::kPartitionStats:
      return "partition_stats";
    case MetadataIndex::kBloomFilters:
      return "bloom_filters";
    case MetadataIndex::kRecordIndex:
      return "record_index";
    case MetadataIndex::kSecondaryIndex:
      return "secondary_index";
    case MetadataIndex::kExpressionIndex:
      return "expression_index";
  }
  return "unknown";
}

IndexInfo Describe(const std::string& name, const IndexDefinitions& definitions) {
  IndexInfo info{.name = name,
                 .type = std::string(TypeName(name)),
                 .columns = {},
                 .function = {},
                 .reason = {}};
  const auto found = definitions.find(name);
  if (found == definitions.end()) return info;
  info.columns = found->second.source_fields;
  if (info.type == "expression_index") info.function = found->second.function;
  info.partitioned = info.type == "record_index" && IsPartitionedRecordIndex(definitions);
  return info;
}

Status FillState(const MetadataTable& table, bool building, IndexInfo* info) {
  ARROW_ASSIGN_OR_RAISE(info->reason, table.Distrust(info->name));
  if (building) {
    info->state = IndexState::kBuilding;
    info->reason = "a writer is building it";
  } else if (!info->reason.empty()) {
    info->state = IndexState::kDistrusted;
  } else {
    ARROW_ASSIGN_OR_RAISE(info->file_groups, table.FileGroups(info->name));
    ARROW_ASSIGN_OR_RAISE(info->bytes, table.Bytes(info->name));
  }
  return Status::OK();
}

}  // namespace

std::string_view IndexStateName(IndexState state) {
  switch (state) {
    case IndexState::kReady:
      return "ready";
    case IndexState::kBuilding:
      return "building";
    case IndexState::kDistrusted:
      return "distrusted";
  }
  return "distrusted";
}

Result<IndexInfo> FindIndex(const Snapshot& snapshot, std::string_view name) {
  ARROW_ASSIGN_OR_RAISE(const std::vector<IndexInfo> indexes, ListIndexes(snapshot));
  const auto found = std::ranges::find(indexes, name, &IndexInfo::name);
  if (found != indexes.end()) return *found;
  return NoSuchIndex(PinnedOf(snapshot)->context->config, fmt::format("index \"{}\"", name));
}

Result<std::vector<IndexInfo>> ListIndexes(const Snapshot& snapshot) {
  const PinnedSnapshot& pinned = *PinnedOf(snapshot);
  const TableConfig& config = pinned.context->config;
  const std::vector<std::string> building = PartitionsBeingBuilt(config);
  std::vector<std::string> names = config.metadata_partitions;
  std::ranges::copy(building, std::back_inserter(names));
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::vector<IndexInfo> indexes;
  if (names.empty()) return indexes;

  ARROW_ASSIGN_OR_RAISE(const auto definitions, pinned.metadata->Definitions(pinned));
  ARROW_ASSIGN_OR_RAISE(const auto table, MetadataOf(pinned));
  for (const std::string& name : names) {
    const bool is_building = std::ranges::find(building, name) != building.end();
    IndexInfo& info = indexes.emplace_back(Describe(name, *definitions));
    ARROW_RETURN_NOT_OK(FillState(*table, is_building, &info));
  }
  return indexes;
}

}  // namespace firth
