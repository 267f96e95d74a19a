// SPDX-License-Identifier: Apache-2.0
#include "firth/api/index_access.h"

#include <arrow/type.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <thread>

#include "firth/scan/predicate_names.h"

namespace firth {
namespace {

// What a person calls the index of a partition.
std::string NounOf(std::string_view partition) {
  if (partition == "record_index") return "record index";
  if (partition == "column_stats") return "column statistics";
  if (partition == "bloom_filters") return "index of bloom filters";
  return fmt::format("index \"{}\"", partition);
}

}  // namespace

Status NoSuchIndex(const TableConfig& config, std::string_view wanted) {
  const auto& names = config.metadata_partitions;
  return NotFoundError("the table has no {}; its indexes are: {}", wanted,
                       names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")));
}

Result<std::shared_ptr<const MetadataTable>> MetadataOf(const PinnedSnapshot& snapshot) {
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  return snapshot.metadata->Get(snapshot, std::max(1, cores));
}

Result<std::shared_ptr<const MetadataTable>> OpenIndex(const PinnedSnapshot& snapshot,
                                                       std::string_view partition) {
  const TableConfig& config = snapshot.context->config;
  const std::vector<std::string> building = PartitionsBeingBuilt(config);
  if (std::ranges::find(building, partition) != building.end()) {
    return UnsupportedError("index {} is not used: it is still being built", partition);
  }
  if (std::ranges::find(config.metadata_partitions, partition) ==
      config.metadata_partitions.end()) {
    return NoSuchIndex(config, NounOf(partition));
  }
  ARROW_ASSIGN_OR_RAISE(const auto table, MetadataOf(snapshot));
  ARROW_ASSIGN_OR_RAISE(const std::string reason, table->Distrust(partition));
  if (!reason.empty()) return UnsupportedError("index {} is not used: {}", partition, reason);
  return table;
}

bool IsPartitionedRecordIndex(const IndexDefinitions& definitions) {
  const auto definition = definitions.find("record_index");
  if (definition == definitions.end()) return false;
  const auto option = definition->second.options.find("isPartitioned");
  return option != definition->second.options.end() && option->second == "true";
}

LookupCost ToLookupCost(const MetadataCost& cost) {
  return {.file_groups = cost.file_groups,
          .blocks = cost.blocks,
          .cache_hits = cost.cache_hits,
          .bytes = cost.bytes,
          .requests = cost.requests};
}

Result<IndexedColumn> FindIndexedColumn(const PinnedSnapshot& snapshot, std::string_view name) {
  const arrow::Schema& schema = *snapshot.context->schema.full;
  const Result<std::shared_ptr<arrow::Field>> whole = predicate::FindColumn(schema, name);
  if (whole.ok()) return IndexedColumn{.name = (*whole)->name(), .type = (*whole)->type()};
  if (name.find('.') == std::string_view::npos) return whole.status();
  predicate::ColumnPath path;
  for (size_t begin = 0; begin <= name.size();) {
    if (path.type() != nullptr && arrow::is_list_like(path.type()->id())) {
      const std::string_view within = name.substr(begin);
      return IndexedColumn{.name = fmt::format("{}.{}", path.name(), within), .type = nullptr};
    }
    const size_t dot = std::min(name.find('.', begin), name.size());
    ARROW_RETURN_NOT_OK(path.Descend(schema, name.substr(begin, dot - begin)));
    begin = dot + 1;
  }
  return IndexedColumn{.name = path.name(), .type = path.type()};
}

std::string_view FolderOf(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

}  // namespace firth
