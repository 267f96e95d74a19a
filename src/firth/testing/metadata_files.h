// SPDX-License-Identifier: Apache-2.0
// Writes the metadata table of a version 9 table that is there already, as a writer does that has
// just initialised it: base files without logs. Test and benchmark support.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "firth/common/status.h"

namespace firth::testing {

/// A column of type long in one file; with as many nulls as rows, any column without bounds.
struct LongStats {
  std::string column;
  int64_t min = 0, max = 0;
  int64_t nulls = 0;
};

/// A data file as the metadata table knows it.
struct WrittenFile {
  std::string partition;
  std::string name;
  int64_t size = 0;
  int64_t rows = 0;
  std::vector<LongStats> stats{};
};

/// The partitions that are asked for, each once, then Finish. For one thread.
class MetadataFiles {
 public:
  struct Index;  // a partition's files while they are written

  /// @param dir        folder of the table
  /// @param completed  17 digits, later than every instant of the table
  MetadataFiles(std::string dir, std::string completed);
  ~MetadataFiles();

  /// Partition `files`. Without it the metadata table counts as lost.
  Status WriteFiles(const std::vector<WrittenFile>& files);
  /// Partition `column_stats`, spread over `groups` file groups.
  Status WriteColumnStats(const std::vector<WrittenFile>& files, int groups);

  /// Partition `record_index`, of `groups` file groups.
  Status BeginRecordIndex(int groups);
  /// Keys must ascend as bytes. `file_id` is a UUID and "-0".
  Status AddKey(std::string_view key, std::string_view partition, std::string_view file_id);

  /// Completes all instants, and names the partitions in the table's properties.
  Status Finish();

 private:
  Result<std::unique_ptr<Index>> NewIndex(std::string_view partition, int groups);
  Status Close(Index* index);

  std::string dir_;
  std::string completed_;
  int64_t instants_ = 0;  // of partitions so far
  std::vector<std::string> partitions_;
  std::unique_ptr<Index> record_index_;
  std::map<std::string, std::string, std::less<>> locations_;  // encoded, by file id
};

}  // namespace firth::testing
