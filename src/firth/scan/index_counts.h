// SPDX-License-Identifier: Apache-2.0
// Whether an index of keys has an entry for each row of a snapshot and no other, by counting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "firth/common/status.h"

namespace firth {

struct PinnedSnapshot;

/// How IndexCounts counts.
struct CountOptions {
  size_t max_files = 0;  // data files of the table, all versions: else it is not worth it
  int threads = 1;
};

/// Why an index may have other entries than one for each row.
struct IndexDoubt {
  std::string reason{};  // a clause; empty: there is no doubt
  bool differs = false;  // both were counted
};

/// Counts when first asked, once for all reads of a snapshot. Safe from several threads.
///
/// Each entry of a record index is of a row: writers take out those of rows that go. So many
/// entries as rows are then one for each, and no key is there twice. Rows are counted in base
/// files; where there are logs nothing is known.
class IndexCounts {
 public:
  /// Of partition `index` of the metadata table and the rows of `snapshot`. Errors: kIo of the
  /// metadata table or the footers, after which nothing is kept.
  /// Cost: the value count of one column in each base file, from partition `column_stats` or, of a
  /// few files, from footers; MetadataTable::CountRecords. Nothing when it is known.
  Result<IndexDoubt> Doubt(const PinnedSnapshot& snapshot, std::string_view index,
                           const CountOptions& options);

 private:
  struct Rows {
    int64_t count = 0;
    std::string unknown{};  // why
  };
  static Result<Rows> CountRows(const PinnedSnapshot& snapshot, int threads);

  std::mutex mutex_;
  std::optional<Rows> rows_;
  std::map<std::string, IndexDoubt, std::less<>> doubts_;  // by index
};

}  // namespace firth
