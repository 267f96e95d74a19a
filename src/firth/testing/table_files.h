// SPDX-License-Identifier: Apache-2.0
// Writes the files of a version 9 table that stock Hudi reads: properties, instants, base files and
// logs. Test and benchmark support: it trusts its caller, runs no concurrency control and keeps no
// metadata table (metadata_files.h makes one afterwards), and its base files carry no bloom filter.
// Whoever uses it decides which rows go into which file group; see table_builder.h for tables of a
// few rows.
#pragma once

#include <arrow/type_fwd.h>
#include <arrow/util/type_fwd.h>

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "firth/common/status.h"
#include "firth/format/avro/avro_schema.h"
#include "firth/format/log/log_format.h"
#include "firth/testing/metadata_files.h"
#include "firth/timeline/commit_metadata.h"

namespace firth::testing {

struct TableSpec {
  std::string name = "t";
  bool merge_on_read = true;
  std::shared_ptr<arrow::Schema> schema{};       // data columns
  std::vector<std::string> key_fields = {"id"};  // int32, int64 or utf8; several make complex keys
  std::string partition_field{};                 // utf8; empty: not partitioned
  std::string ordering_field{};                  // empty: the later commit wins
  bool hive_style = false;
  arrow::Compression::type compression = arrow::Compression::SNAPPY;
  int64_t row_group_rows = 500'000;
  int64_t page_rows = 0;  // with a page index; 0: pages of the usual size, without
  std::vector<std::string> plain_columns{};         // without a dictionary
  uint64_t seed = 1;                                // of file ids
  std::map<std::string, std::string> properties{};  // added to hoodie.properties, or replacing
};

/// Where records live. `base_*` are empty while there is no base file.
struct FileGroup {
  std::string partition;
  std::string file_id;
  std::string base_file;  // name
  std::string base_instant;
};

/// What happened to the rows of one file, for the commit metadata.
struct RowCounts {
  int64_t inserts = 0, updates = 0, deletes = 0;
};

class BaseFileSink;

/// One table in the making. Begin, any number of files, Commit; and again. For one thread.
class TableFiles {
 public:
  /// Makes the folder and hoodie.properties. `dir` is a local path that must not hold a table.
  static Result<std::unique_ptr<TableFiles>> Create(std::string dir, TableSpec spec);
  ~TableFiles();

  /// Starts an instant; times are the same in every run. `operation` as Hudi names it: "UPSERT".
  Status Begin(std::string operation);
  /// Completes the instant begun: its rows become visible.
  Status Commit();

  /// A new file group without files.
  FileGroup NewGroup(std::string partition);

  /// Rows with the five meta columns in front, as written by the instant begun.
  /// @param rows         columns of the spec's schema, all of one partition
  /// @param commit_times empty, or one instant for each row where others wrote them
  Result<std::shared_ptr<arrow::RecordBatch>> WithMeta(
      const arrow::RecordBatch& rows, std::string_view partition,
      const std::vector<std::string_view>& commit_times = {});

  /// A base file of the instant begun for `group`, which names it once the sink is closed.
  Result<std::unique_ptr<BaseFileSink>> OpenBase(FileGroup* group);

  /// A base file of the instant begun that has `bytes` zeros and says to hold `rows` rows: for
  /// reads that end with planning.
  Status AddHollowBase(FileGroup* group, int64_t bytes, int64_t rows);

  /// A log file of the instant begun: the rows of `batches` (made by WithMeta), then the deletes.
  Status WriteLog(const FileGroup& group,
                  const std::vector<std::shared_ptr<arrow::RecordBatch>>& batches,
                  const std::vector<DeleteRecord>& deletes, const RowCounts& counts);

  /// All files so far, for a metadata table. Statistics are those of base files' long columns,
  /// and counts of the record key.
  const std::vector<WrittenFile>& written() const { return written_; }

  /// Record keys of rows, as Hudi's key generators spell them.
  Result<std::vector<std::string>> Keys(const arrow::RecordBatch& rows) const;
  /// Path of the partition of a row with that value.
  std::string PartitionPath(std::string_view value) const;

  const std::string& dir() const { return dir_; }
  const TableSpec& spec() const { return spec_; }
  /// Meta columns, then data columns.
  const std::shared_ptr<arrow::Schema>& full_schema() const { return full_schema_; }
  /// The instant begun last.
  const std::string& instant() const { return instant_; }

 private:
  friend class BaseFileSink;
  TableFiles(std::string dir, TableSpec spec);

  Status WriteProperties() const;
  Status EnsurePartition(std::string_view partition);
  std::string BaseName(const FileGroup& group);
  void AddBase(FileGroup* group, WrittenFile file, const RowCounts& counts);
  void AddStat(const std::string& partition, WriteStat stat);
  std::string WriteToken();
  std::string TimelinePath(std::string_view file_name) const;

  std::string dir_;
  TableSpec spec_;
  std::shared_ptr<arrow::Schema> full_schema_;
  std::string data_schema_json_;  // for commit metadata
  AvroSchemaPtr record_schema_;   // of log records, meta columns included
  std::string record_schema_json_;
  std::mt19937_64 random_;
  std::string instant_;
  int64_t commits_ = 0;  // begun so far
  int64_t files_ = 0;    // of the instant begun
  int64_t rows_ = 0;     // with meta columns by the instant begun
  CommitMetadata metadata_;
  std::vector<WrittenFile> written_;
};

/// A base file being written.
class BaseFileSink {
 public:
  ~BaseFileSink();
  /// Rows made by WithMeta, or read from an older base file; the file name column is replaced.
  Status Write(const arrow::RecordBatch& rows);
  Status Close(const RowCounts& counts);

 private:
  friend class TableFiles;
  struct Impl;
  explicit BaseFileSink(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace firth::testing
