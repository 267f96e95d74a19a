// SPDX-License-Identifier: Apache-2.0
// The metadata table's timeline and files as a snapshot of the data table sees them: what counts,
// and what is missing. docs/format/metadata-table.md, sections 7 and 8.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "firth/io/storage.h"
#include "firth/metadata/metadata_keys.h"
#include "firth/table/file_system_view.h"
#include "firth/table/table_config.h"
#include "firth/timeline/timeline.h"

namespace firth {

/// File slices of one partition of the metadata table, or why there are none to believe.
struct MetadataSlices {
  std::vector<FileSlice> slices;  // by file id
  std::string distrust;           // a clause; empty: all is well
};

/// Immutable; safe from several threads.
class MetadataView {
 public:
  /// @param storage    the folder .hoodie/metadata
  /// @param as_of      instant of the data table to look at; empty: the latest
  /// @param partitions that will be asked for: their folders are listed along
  /// Errors: of whatever kind reading the table's own files gives.
  /// Cost: three rounds of requests at most, unless there is a history to look into.
  static Result<std::unique_ptr<const MetadataView>> Load(
      std::shared_ptr<const Storage> storage, const Timeline& data, std::string as_of,
      const std::vector<std::string>& partitions);

  /// Why no partition can be believed, empty when they may be.
  const std::string& distrust() const { return distrust_; }

  /// Whether a log block of that instant counts for the partition.
  bool IsVisible(std::string_view instant, MetadataIndex index) const;

  /// The partition's slices, checked against what commits of the metadata table say was written.
  /// One listing, unless Load made it.
  Result<MetadataSlices> Slices(std::string_view partition, MetadataIndex index) const;

  const TableConfig& config() const { return config_; }
  const Timeline& timeline() const { return timeline_; }

 private:
  // A file that a completed commit of the metadata table wrote.
  struct Written {
    std::string path;
    int64_t size = -1;
    std::string instant;  // of the commit
  };

  explicit MetadataView(const Timeline& data) : data_(data) {}

  Status LoadFiles(const std::vector<std::string>& partitions);
  void IndexDataInstants();
  Status LoadTimeline(const TimelineConfig& config);
  Result<std::string> CheckCoverage();
  Result<std::string> CheckUnknownCommits();
  bool IsCovered(const Instant& instant, std::string_view first_written,
                 std::string_view initialised) const;
  bool IsInsideRestore(std::string_view instant) const;
  bool DataHas(std::string_view instant) const;
  bool IsUsableBase(std::string_view instant, MetadataIndex index) const;
  std::vector<FileInfo> VisibleFiles(std::vector<FileInfo> files, MetadataIndex index) const;
  std::string CheckGroups(std::string_view partition, const std::vector<FileSlice>& slices) const;
  std::string CheckWritten(std::string_view partition, MetadataIndex index,
                           const std::vector<FileInfo>& files,
                           const std::vector<FileSlice>& slices) const;
  std::string CheckServed(std::string_view partition, const std::vector<FileSlice>& slices) const;

  TableConfig config_;
  Timeline timeline_;
  ViewContext context_;
  const Timeline data_;
  std::string as_of_;
  std::shared_ptr<const Storage> storage_;
  std::string distrust_;
  std::set<std::string, std::less<>> data_completed_;  // any action
  std::set<std::string, std::less<>> data_pending_;
  std::set<std::string, std::less<>> data_archived_;  // only of those that were looked for
  std::map<std::string, std::vector<Written>, std::less<>> written_;  // by partition
  std::map<std::string, std::vector<FileInfo>, std::less<>> listed_;  // the same; by Load
};

}  // namespace firth
