// SPDX-License-Identifier: Apache-2.0
// Opening a Hudi table and pinning snapshots of it. Reading is in scan.h, searching in search.h.
#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "firth/error.h"

namespace firth {

struct PinnedSnapshot;  // internal
struct ScanOptions;
class ScanPlan;
class Snapshot;

/// How a table is opened.
struct OpenOptions {
  /// Credentials and endpoints for object stores: access_key_id, secret_access_key, session_token,
  /// region, endpoint_override, scheme, force_virtual_addressing, anonymous. Environment variables
  /// (AWS_*) fill what is missing. Never printed.
  std::map<std::string, std::string, std::less<>> storage_options;
};

/// What a table is, from its properties and its latest snapshot.
struct TableInfo {
  std::string name;                            ///< hoodie.table.name
  std::string location;                        ///< as given, without credentials
  int version = 0;                             ///< 6, 8 or 9
  std::string type;                            ///< COPY_ON_WRITE or MERGE_ON_READ
  std::vector<std::string> record_key_fields;  ///< empty when keys are generated
  std::vector<std::string> partition_fields;   ///< outermost first
  std::vector<std::string> ordering_fields;    ///< the first decides first
  std::string merge_mode;       ///< COMMIT_TIME_ORDERING, EVENT_TIME_ORDERING or CUSTOM
  bool has_meta_fields = true;  ///< hoodie.populate.meta.fields
  std::map<std::string, std::string> properties;  ///< hoodie.properties, verbatim
};

/// One action on the timeline.
struct TimelineEntry {
  std::string requested;  ///< instant time
  std::string completed;  ///< completion time; empty while pending; equals `requested` in version 6
  std::string action;     ///< commit, deltacommit, replacecommit, compaction, clean, ...
  std::string state;      ///< requested, inflight or completed
  bool archived = false;  ///< no longer in the active timeline
};

/// A file of a snapshot.
struct FileSliceEntry {
  std::string partition;                 ///< partition path; empty without partitions
  std::string file_id;                   ///< the file group
  std::string base_instant;              ///< which slice of the group
  std::optional<std::string> base_file;  ///< path relative to the table
  std::vector<std::string> log_files;    ///< paths relative to the table, in merge order
  int64_t base_bytes = 0;                ///< size of base_file
  int64_t log_bytes = 0;                 ///< size of log_files
};

/// An open table, as it was when opened or last refreshed. A handle: cheap to copy, and copies are
/// the same table, so that a refresh of one is seen by all. Every method may be called from several
/// threads at once, Refresh() too; what a method returns is the caller's own and never changes.
class Table {
 public:
  /// Opens the table at a local path or object-store URI.
  /// Errors: kNotFound when there is no table, kUnsupported for versions other than 6, 8 and 9 and
  /// for features that firth refuses by name, kCorrupt, kIo.
  /// Cost: the properties file and one listing of the active timeline.
  static arrow::Result<Table> Open(std::string_view uri, const OpenOptions& options = {});

  /// What the table is, as of the last refresh. A copy, which no refresh changes.
  TableInfo info() const;

  /// Re-reads properties and timeline; snapshots pinned before are not affected. When it fails, the
  /// table stays as it was. Refreshes wait for each other, other methods do not wait for them.
  arrow::Status Refresh();

  /// The latest completed snapshot, or the one at `as_of`: an instant time (14 or 17 digits), a
  /// timestamp (`2026-01-31 12:00:00[.fff]`, `T` allowed, optional zone `Z` or `+hh:mm`), or a
  /// date. Errors: kInvalidArgument for other texts, kNotFound when the cleaner removed files it
  /// needs, kUnsupported for a metadata table.
  arrow::Result<Snapshot> Pin(std::optional<std::string_view> as_of = std::nullopt) const;

  /// Plans a read of the latest snapshot. Where a cleaner takes files away between refreshing and
  /// listing, refreshes and tries again, twice at most. Errors: those of Pin and Snapshot::Plan.
  arrow::Result<ScanPlan> PlanLatest(const ScanOptions& options);

  /// Actions by requested time; archived ones too when asked for (reads the history files).
  arrow::Result<std::vector<TimelineEntry>> Timeline(bool archived = false) const;

 private:
  struct Impl;
  struct State;
  explicit Table(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

/// An immutable view of a table at one instant. Reads from it return the same rows whatever commits
/// meanwhile, as long as the cleaner keeps its files. Cheap to copy; safe from several threads.
class Snapshot {
 public:
  /// Requested time of the last write that this snapshot sees; empty for an empty table.
  const std::string& instant() const;

  /// Columns as Arrow types: data columns, or the five _hoodie_* columns in front of them.
  std::shared_ptr<arrow::Schema> schema(bool with_meta = false) const;

  /// File slices that a snapshot query reads, sorted by partition and file id.
  arrow::Result<std::vector<FileSliceEntry>> Files() const;

  /// Plans a read: listing, pruning and schema checks happen here, data files are not touched.
  arrow::Result<ScanPlan> Plan(const ScanOptions& options) const;

  /// Plan, then a stream over all splits, read by `options.threads` threads.
  arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> Read(const ScanOptions& options) const;

 private:
  friend class Table;
  friend const std::shared_ptr<const PinnedSnapshot>& PinnedOf(const Snapshot& snapshot);
  struct Impl;
  explicit Snapshot(std::shared_ptr<const Impl> impl);
  std::shared_ptr<const Impl> impl_;
};

}  // namespace firth
