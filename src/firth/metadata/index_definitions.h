// SPDX-License-Identifier: Apache-2.0
// Which indexes a table has beside its files: .hoodie/.index_defs/index.json.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firth/common/status.h"
#include "firth/io/storage.h"
#include "firth/table/table_config.h"

namespace firth {

struct IndexDefinition {
  std::string name;        // a partition of the metadata table
  std::string type{};      // column_stats, record_index, secondary_index, bloom_filters
  std::string function{};  // "identity", "from_unixtime", ...; may be empty
  std::vector<std::string> source_fields{};
  std::map<std::string, std::string, std::less<>> options{};
  int32_t version = 1;  // 1 or 2; absent: 1
};

/// By partition of the metadata table. A table without the file has none.
using IndexDefinitions = std::map<std::string, IndexDefinition, std::less<>>;

/// The secondary index of `column` among `partitions`; the first by name when there are several.
std::optional<std::string> FindSecondaryIndex(const IndexDefinitions& definitions,
                                              std::string_view column,
                                              const std::vector<std::string>& partitions);

/// From the text of the file. Unknown members are ignored. Errors: kCorrupt when it is no such
/// object, kUnsupported for a version that firth doesn't know, naming the index.
Result<IndexDefinitions> ParseIndexDefinitions(std::string_view json);

/// Reads the file that hoodie.table.index.defs.path names, or the default one. Errors: kCorrupt,
/// also when the path points out of the table's folder.
Result<IndexDefinitions> LoadIndexDefinitions(const Storage& storage, const TableConfig& config);

}  // namespace firth
