// SPDX-License-Identifier: Apache-2.0
#include "firth/table/table_schema.h"

#include <arrow/io/interfaces.h>
#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/metadata.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "firth/format/parquet/parquet_file.h"
#include "firth/timeline/history.h"

namespace firth {
namespace {

constexpr std::string_view kSchemaDir = ".hoodie/.schema";
constexpr std::string_view kEmptyRecord = R"({"type":"record","name":"empty","fields":[]})";

bool InSnapshot(const Instant& instant, std::string_view as_of) {
  return as_of.empty() || instant.requested <= as_of;
}

// Services rewrite rows with the schema that they were planned with.
bool CanChangeSchema(std::string_view operation) {
  return operation != "COMPACT" && operation != "LOG_COMPACT" && operation != "CLUSTER" &&
         operation != "INDEX";
}

std::string SchemaOf(const CommitMetadata& metadata) {
  return std::string(CanChangeSchema(metadata.operation) ? metadata.schema() : std::string_view());
}

// The text that the newest write says, or "".
Result<std::string> SchemaOfCommits(const Timeline& timeline, std::string_view as_of) {
  const std::vector<Instant> writes = timeline.CompletedWrites();
  for (auto write = writes.rbegin(); write != writes.rend(); ++write) {
    if (!InSnapshot(*write, as_of)) continue;
    ARROW_ASSIGN_OR_RAISE(const CommitMetadata metadata, timeline.ReadCommitMetadata(*write));
    std::string schema = SchemaOf(metadata);
    if (!schema.empty()) return schema;
  }
  ARROW_ASSIGN_OR_RAISE(const std::vector<ArchivedInstant> archived,
                        timeline.LoadArchivedWrites({}, as_of));
  for (auto entry = archived.rbegin(); entry != archived.rend(); ++entry) {
    std::string schema = SchemaOf(entry->metadata);
    if (!schema.empty()) return schema;
  }
  return std::string();
}

// The schema that the writer of a base file left in its footer, or the file's own.
Result<AvroSchemaPtr> SchemaOfFooter(const Storage& storage, const std::string& path) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::io::RandomAccessFile> file, storage.OpenFile(path));
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<ParquetFile> parquet,
                        ParquetFile::Open(std::move(file), path, {}));
  const auto& entries = parquet->metadata().key_value_metadata();
  const int index = entries == nullptr ? -1 : entries->FindKey("parquet.avro.schema");
  if (index >= 0) return ParseAvroSchema(entries->value(index));
  return ArrowToAvroSchema(*parquet->schema(), "table_record", "hoodie");
}

// nullptr when no completed write has made a base file that is still there.
Result<AvroSchemaPtr> SchemaOfBaseFiles(const Storage& storage, const Timeline& timeline,
                                        std::string_view as_of) {
  const std::vector<Instant> writes = timeline.CompletedWrites();
  for (auto write = writes.rbegin(); write != writes.rend(); ++write) {
    if (!InSnapshot(*write, as_of)) continue;
    ARROW_ASSIGN_OR_RAISE(const CommitMetadata metadata, timeline.ReadCommitMetadata(*write));
    for (const auto& [partition, stats] : metadata.write_stats) {
      for (const WriteStat& stat : stats) {
        if (!stat.path.ends_with(".parquet")) continue;
        ARROW_ASSIGN_OR_RAISE(const bool exists, storage.Exists(stat.path));
        if (exists) return SchemaOfFooter(storage, stat.path);
      }
    }
  }
  return nullptr;
}

Result<AvroSchemaPtr> FindSchema(const Storage& storage, const TableConfig& config,
                                 const Timeline& timeline, std::string_view as_of) {
  ARROW_ASSIGN_OR_RAISE(std::string text, SchemaOfCommits(timeline, as_of));
  if (text.empty()) text = config.create_schema;
  if (!text.empty()) return ParseAvroSchema(text);
  ARROW_ASSIGN_OR_RAISE(AvroSchemaPtr schema, SchemaOfBaseFiles(storage, timeline, as_of));
  return schema != nullptr ? schema : ParseAvroSchema(kEmptyRecord);
}

AvroSchemaPtr OptionalString() {
  auto null = std::make_shared<AvroSchema>();
  auto string = std::make_shared<AvroSchema>();
  string->kind = AvroKind::kString;
  auto type = std::make_shared<AvroSchema>();
  type->kind = AvroKind::kUnion;
  type->types = {std::move(null), std::move(string)};
  return type;
}

// `stored` without meta fields and with the partition columns that only the paths hold.
Result<AvroSchemaPtr> DataFields(const AvroSchema& stored, const TableConfig& config) {
  if (stored.kind != AvroKind::kRecord) {
    return CorruptError("the table's schema is of type {}; must be a record",
                        AvroKindName(stored.kind));
  }
  auto record = std::make_shared<AvroSchema>(stored);
  std::erase_if(record->fields, [](const AvroField& field) { return IsMetaField(field.name); });
  if (config.drops_partition_columns) {
    for (const std::string& name : config.partition_fields) {
      if (record->FindField(name) != nullptr) continue;
      record->fields.push_back(
          {.name = name, .type = OptionalString(), .has_default = true, .default_value = nullptr});
    }
  }
  return record;
}

std::shared_ptr<arrow::Schema> WithMetaFields(const arrow::Schema& data) {
  arrow::FieldVector fields;
  for (const std::string& name : MetaFieldNames()) {
    fields.push_back(arrow::field(name, arrow::utf8()));
  }
  std::ranges::copy(data.fields(), std::back_inserter(fields));
  return arrow::schema(std::move(fields));
}

// The newest schema commit whose data commit counts.
Result<std::vector<InternalSchema>> LoadSchemaHistory(const Storage& storage,
                                                      const Timeline& timeline,
                                                      std::string_view as_of) {
  ARROW_ASSIGN_OR_RAISE(const std::vector<FileInfo> files, storage.List(kSchemaDir));
  const FileInfo* newest = nullptr;
  for (const FileInfo& file : files) {  // by name, so by time
    const std::optional<Instant> instant =
        ParseInstantFileName(file.name(), timeline.config().layout);
    if (instant && instant->action == Action::kSchemaCommit && instant->is_completed() &&
        InSnapshot(*instant, as_of) && timeline.IsCommitted(instant->requested)) {
      newest = &file;
    }
  }
  if (newest == nullptr) return std::vector<InternalSchema>();
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Buffer> text, storage.ReadFile(newest->path));
  Result<std::vector<InternalSchema>> history = ParseSchemaHistory(std::string_view(*text));
  if (!history.ok()) return WithContext(history.status(), newest->path);
  return history;
}

}  // namespace

const std::vector<std::string>& MetaFieldNames() {
  static const std::vector<std::string> kNames = {"_hoodie_commit_time", "_hoodie_commit_seqno",
                                                  "_hoodie_record_key", "_hoodie_partition_path",
                                                  "_hoodie_file_name"};
  return kNames;
}

bool IsMetaField(std::string_view name) {
  return std::ranges::find(MetaFieldNames(), name) != MetaFieldNames().end();
}

const InternalSchema* TableSchema::HistoryAt(std::string_view instant) const {
  // Version ids are times of 17 digits, or 0: a longer time differs in a suffix that they lack.
  constexpr size_t kTimeDigits = 17;
  instant = instant.substr(0, kTimeDigits);
  int64_t version = 0;
  std::from_chars(instant.data(), instant.data() + instant.size(), version);
  const auto after = std::ranges::upper_bound(history, version, {}, &InternalSchema::version_id);
  return after == history.begin() ? nullptr : &*std::prev(after);
}

Result<TableSchema> ResolveTableSchema(const Storage& storage, const TableConfig& config,
                                       const Timeline& timeline, std::string_view as_of) {
  TableSchema schema;
  ARROW_ASSIGN_OR_RAISE(const AvroSchemaPtr stored, FindSchema(storage, config, timeline, as_of));
  ARROW_ASSIGN_OR_RAISE(schema.avro, DataFields(*stored, config));
  ARROW_ASSIGN_OR_RAISE(schema.data, AvroToArrowSchema(*schema.avro));
  schema.full = WithMetaFields(*schema.data);
  ARROW_ASSIGN_OR_RAISE(schema.history, LoadSchemaHistory(storage, timeline, as_of));
  return schema;
}

}  // namespace firth
