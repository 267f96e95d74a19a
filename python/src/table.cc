// SPDX-License-Identifier: Apache-2.0
#include "firth/table.h"

#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "errors.h"
#include "firth/scan.h"
#include "report.h"
#include "stream.h"

namespace firth::python {
namespace {

namespace nb = nanobind;
using nb::literals::operator""_a;

// What Arrow's C stream cannot carry: the status of a failed read, for the typed exception.
struct LastError {
  std::mutex mutex;
  arrow::Status status;
};

class ErrorKeepingReader : public arrow::RecordBatchReader {
 public:
  ErrorKeepingReader(std::shared_ptr<arrow::RecordBatchReader> reader,
                     std::shared_ptr<LastError> last_error)
      : reader_(std::move(reader)), last_error_(std::move(last_error)) {}

  std::shared_ptr<arrow::Schema> schema() const override { return reader_->schema(); }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    arrow::Status status = reader_->ReadNext(batch);
    if (!status.ok()) {
      const std::lock_guard lock(last_error_->mutex);
      last_error_->status = status;
    }
    return status;
  }

  arrow::Status Close() override { return reader_->Close(); }

 private:
  std::shared_ptr<arrow::RecordBatchReader> reader_;
  std::shared_ptr<LastError> last_error_;
};

// A planned read. Every stream reads the snapshot again.
class Plan {
 public:
  explicit Plan(ScanPlan plan) : plan_(std::move(plan)) {}

  nb::object Schema() const { return SchemaCapsule(*plan_.schema()); }

  nb::object Stream() const {
    std::shared_ptr<arrow::RecordBatchReader> reader;
    {
      const nb::gil_scoped_release release;
      reader = std::make_shared<ErrorKeepingReader>(ValueOrThrow(plan_.ReadAll()), last_error_);
    }
    return StreamCapsule(std::move(reader));
  }

  // Raises the error that ended a stream of this plan, if one did.
  void RaiseError() const {
    const std::lock_guard lock(last_error_->mutex);
    ThrowIfError(last_error_->status);
  }

  nb::dict Report() const { return ToDict(plan_.Report()); }

 private:
  ScanPlan plan_;
  std::shared_ptr<LastError> last_error_ = std::make_shared<LastError>();
};

// A schema by itself, for pyarrow.schema().
class SchemaHolder {
 public:
  explicit SchemaHolder(std::shared_ptr<arrow::Schema> schema) : schema_(std::move(schema)) {}
  nb::object Export() const { return SchemaCapsule(*schema_); }

 private:
  std::shared_ptr<arrow::Schema> schema_;
};

Table OpenTable(const std::string& uri, std::map<std::string, std::string> storage_options) {
  OpenOptions options;
  options.storage_options.insert(storage_options.begin(), storage_options.end());
  return ValueOrThrow(Table::Open(uri, options));
}

Plan PlanRead(const Snapshot& snapshot, std::vector<std::string> columns, std::string where,
              bool read_optimized, std::optional<std::string> begin, std::optional<std::string> end,
              int64_t limit, bool meta, int threads, int64_t batch_rows, int64_t memory_budget,
              std::string spill_dir, bool use_metadata, bool unique_keys) {
  ScanOptions options;
  if (begin) {
    options.query = QueryType::kIncremental;
    options.begin = *std::move(begin);
    options.end = std::move(end);
  } else if (read_optimized) {
    options.query = QueryType::kReadOptimized;
  }
  options.columns = std::move(columns);
  options.where = std::move(where);
  options.limit = limit;
  options.with_meta = meta;
  options.threads = threads;
  options.batch_rows = batch_rows;
  options.memory_budget = memory_budget;
  options.spill_dir = std::move(spill_dir);
  options.use_metadata = use_metadata;
  options.unique_keys = unique_keys;
  return Plan(ValueOrThrow(snapshot.Plan(options)));
}

void BindValues(nb::module_& module) {
  nb::class_<TableInfo>(module, "TableInfo", "What a table is. A value: it never changes.")
      .def_ro("name", &TableInfo::name, "hoodie.table.name")
      .def_ro("location", &TableInfo::location, "as given, without credentials")
      .def_ro("version", &TableInfo::version, "6, 8 or 9")
      .def_ro("type", &TableInfo::type, "COPY_ON_WRITE or MERGE_ON_READ")
      .def_ro("record_key_fields", &TableInfo::record_key_fields, "empty when keys are generated")
      .def_ro("partition_fields", &TableInfo::partition_fields, "outermost first")
      .def_ro("ordering_fields", &TableInfo::ordering_fields, "the first decides first")
      .def_ro("merge_mode", &TableInfo::merge_mode,
              "COMMIT_TIME_ORDERING, EVENT_TIME_ORDERING or CUSTOM")
      .def_ro("has_meta_fields", &TableInfo::has_meta_fields, "hoodie.populate.meta.fields")
      .def_ro("properties", &TableInfo::properties, "hoodie.properties, verbatim")
      .def("__repr__", [](const TableInfo& info) {
        return "<table " + info.name + " version " + std::to_string(info.version) + " " +
               info.type + ">";
      });
  nb::class_<TimelineEntry>(module, "TimelineEntry", "One action on the timeline.")
      .def_ro("requested", &TimelineEntry::requested, "instant time")
      .def_ro("completed", &TimelineEntry::completed,
              "completion time; empty while pending; equals `requested` in version 6")
      .def_ro("action", &TimelineEntry::action,
              "commit, deltacommit, replacecommit, compaction, clean, ...")
      .def_ro("state", &TimelineEntry::state, "requested, inflight or completed")
      .def_ro("archived", &TimelineEntry::archived, "no longer in the active timeline")
      .def("__repr__", [](const TimelineEntry& entry) {
        return "<" + entry.action + " " + entry.requested + " " + entry.state + ">";
      });
  nb::class_<FileSliceEntry>(module, "FileSlice",
                             "A base file and its logs, which are read together.")
      .def_ro("partition", &FileSliceEntry::partition, "partition path; empty without partitions")
      .def_ro("file_id", &FileSliceEntry::file_id, "the file group")
      .def_ro("base_instant", &FileSliceEntry::base_instant, "which slice of the group")
      .def_ro("base_file", &FileSliceEntry::base_file, "path relative to the table, or None")
      .def_ro("log_files", &FileSliceEntry::log_files,
              "paths relative to the table, in merge order")
      .def_ro("base_bytes", &FileSliceEntry::base_bytes, "size of base_file")
      .def_ro("log_bytes", &FileSliceEntry::log_bytes, "size of log_files")
      .def("__repr__", [](const FileSliceEntry& slice) {
        return "<slice " + slice.partition + "/" + slice.file_id + " @" + slice.base_instant + ">";
      });
}

}  // namespace

void BindTable(nb::module_& module) {
  module.attr("DEFAULT_BATCH_ROWS") = ScanOptions{}.batch_rows;
  BindValues(module);
  using ReleaseGil = nb::call_guard<nb::gil_scoped_release>;
  nb::class_<SchemaHolder>(module, "Schema").def("__arrow_c_schema__", &SchemaHolder::Export);
  nb::class_<Plan>(module, "Plan")
      .def("__arrow_c_schema__", &Plan::Schema)
      .def(
          "__arrow_c_stream__", [](const Plan& plan, const nb::object&) { return plan.Stream(); },
          "requested_schema"_a = nb::none())
      .def("raise_error", &Plan::RaiseError)
      .def("report", &Plan::Report);
  nb::class_<Snapshot>(module, "Snapshot")
      .def_prop_ro("instant", &Snapshot::instant)
      .def(
          "schema",
          [](const Snapshot& snapshot, bool meta) { return SchemaHolder(snapshot.schema(meta)); },
          "meta"_a = false)
      .def(
          "files", [](const Snapshot& snapshot) { return ValueOrThrow(snapshot.Files()); },
          ReleaseGil())
      .def("plan", &PlanRead, nb::kw_only(), "columns"_a, "where"_a, "read_optimized"_a,
           "begin"_a.none(), "end"_a.none(), "limit"_a, "meta"_a, "threads"_a, "batch_rows"_a,
           "memory_budget"_a, "spill_dir"_a, "use_metadata"_a, "unique_keys"_a, ReleaseGil());
  nb::class_<Table>(module, "Table")
      .def_prop_ro("info", &Table::info)
      .def(
          "refresh", [](Table& table) { ThrowIfError(table.Refresh()); }, ReleaseGil())
      .def(
          "pin",
          [](const Table& table, const std::optional<std::string>& as_of) {
            return ValueOrThrow(table.Pin(as_of));
          },
          "as_of"_a.none(), ReleaseGil())
      .def(
          "timeline",
          [](const Table& table, bool archived) { return ValueOrThrow(table.Timeline(archived)); },
          "archived"_a, ReleaseGil());
  module.def("open", &OpenTable, "uri"_a, "storage_options"_a, ReleaseGil());
}

}  // namespace firth::python
