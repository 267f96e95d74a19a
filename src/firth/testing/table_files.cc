// SPDX-License-Identifier: Apache-2.0
#include "firth/testing/table_files.h"

#include <arrow/array/array_base.h>
#include <arrow/array/array_binary.h>
#include <arrow/array/array_primitive.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/util.h>
#include <arrow/io/file.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/arrow/writer.h>
#include <parquet/properties.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>

#include "firth/common/checksum.h"
#include "firth/common/properties.h"
#include "firth/format/avro/avro_codec.h"
#include "firth/format/log/log_writer.h"

namespace firth::testing {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 5> kMetaNames = {"_hoodie_commit_time", "_hoodie_commit_seqno",
                                                   "_hoodie_record_key", "_hoodie_partition_path",
                                                   "_hoodie_file_name"};
constexpr int kKeyColumn = 2;
constexpr int kFileNameColumn = 4;
// An Avro data block is closed once it has this many bytes.
constexpr size_t kBlockBytes = size_t{64} << 20;

Status WriteFile(const fs::path& path, std::string_view bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (out.good()) return Status::OK();
  return Error(ErrorCode::kIo, "{}: {} bytes could not be written", path.string(), bytes.size());
}

/// Instants ten seconds apart, from midnight.
std::string InstantTime(int64_t commit, int64_t milliseconds) {
  const int64_t seconds = 10 * commit;
  return fmt::format("20260101{:02}{:02}{:02}{:03}", seconds / 3600, seconds / 60 % 60,
                     seconds % 60, milliseconds);
}

std::string Join(const std::vector<std::string>& texts) {
  return fmt::format("{}", fmt::join(texts, ","));
}

std::shared_ptr<arrow::Schema> WithMetaFields(const arrow::Schema& data) {
  arrow::FieldVector fields;
  for (const char* name : kMetaNames) fields.push_back(arrow::field(name, arrow::utf8()));
  fields.insert(fields.end(), data.fields().begin(), data.fields().end());
  return arrow::schema(std::move(fields));
}

/// The text of one key value.
Result<std::string> KeyText(const arrow::Array& column, int64_t row) {
  if (column.IsNull(row)) return InvalidError("record key of row {} is null", row);
  switch (column.type_id()) {
    case arrow::Type::INT32:
      return fmt::to_string(static_cast<const arrow::Int32Array&>(column).Value(row));
    case arrow::Type::INT64:
      return fmt::to_string(static_cast<const arrow::Int64Array&>(column).Value(row));
    case arrow::Type::STRING:
      return static_cast<const arrow::StringArray&>(column).GetString(row);
    default:
      return InvalidError("record keys of type {} are not made here", column.type()->ToString());
  }
}

Result<std::shared_ptr<arrow::Array>> Constant(std::string_view text, int64_t length) {
  return arrow::MakeArrayFromScalar(arrow::StringScalar(std::string(text)), length);
}

/// Texts of about `bytes` each, from a function of the row.
template <typename TextOfRow>
Result<std::shared_ptr<arrow::Array>> MakeStrings(int64_t length, int64_t bytes,
                                                  TextOfRow text_of_row) {
  arrow::StringBuilder builder;
  ARROW_RETURN_NOT_OK(builder.Reserve(length));
  ARROW_RETURN_NOT_OK(builder.ReserveData(length * bytes));
  for (int64_t row = 0; row < length; ++row) ARROW_RETURN_NOT_OK(builder.Append(text_of_row(row)));
  return builder.Finish();
}

std::shared_ptr<parquet::WriterProperties> ParquetProperties(const TableSpec& spec) {
  parquet::WriterProperties::Builder builder;
  builder.compression(spec.compression)->max_row_group_length(spec.row_group_rows);
  if (spec.page_rows > 0) builder.enable_write_page_index()->max_rows_per_page(spec.page_rows);
  // Every value differs: a dictionary would be built and thrown away.
  for (const int unique : {1, kKeyColumn}) builder.disable_dictionary(kMetaNames[unique]);
  for (const std::string& column : spec.plain_columns) builder.disable_dictionary(column);
  return builder.build();
}

}  // namespace

Result<std::unique_ptr<TableFiles>> TableFiles::Create(std::string dir, TableSpec spec) {
  std::unique_ptr<TableFiles> table(new TableFiles(std::move(dir), std::move(spec)));
  if (fs::exists(fs::path(table->dir_) / ".hoodie")) {
    return Error(ErrorCode::kAlreadyExists, "{} holds a table", table->dir_);
  }
  const std::string record_name = table->spec_.name + "_record";
  const std::string name_space = "hoodie." + table->spec_.name;
  ARROW_ASSIGN_OR_RAISE(const AvroSchemaPtr data_schema,
                        ArrowToAvroSchema(*table->spec_.schema, record_name, name_space));
  ARROW_ASSIGN_OR_RAISE(table->record_schema_,
                        ArrowToAvroSchema(*table->full_schema_, record_name, name_space));
  table->data_schema_json_ = FormatAvroSchema(*data_schema);
  table->record_schema_json_ = FormatAvroSchema(*table->record_schema_);
  fs::create_directories(fs::path(table->dir_) / ".hoodie/timeline/history");
  ARROW_RETURN_NOT_OK(table->WriteProperties());
  return table;
}

TableFiles::TableFiles(std::string dir, TableSpec spec)
    : dir_(std::move(dir)),
      spec_(std::move(spec)),
      full_schema_(WithMetaFields(*spec_.schema)),
      random_(spec_.seed) {}

TableFiles::~TableFiles() = default;

Status TableFiles::WriteProperties() const {
  const bool partitioned = !spec_.partition_field.empty();
  const bool ordered = !spec_.ordering_field.empty();
  Properties properties = {
      {"hoodie.table.name", spec_.name},
      {"hoodie.table.type", spec_.merge_on_read ? "MERGE_ON_READ" : "COPY_ON_WRITE"},
      {"hoodie.table.version", "9"},
      {"hoodie.table.initial.version", "9"},
      {"hoodie.table.format", "native"},
      {"hoodie.table.base.file.format", "PARQUET"},
      {"hoodie.table.recordkey.fields", Join(spec_.key_fields)},
      {"hoodie.table.keygenerator.type", !partitioned                  ? "NON_PARTITION"
                                         : spec_.key_fields.size() > 1 ? "COMPLEX"
                                                                       : "SIMPLE"},
      {"hoodie.record.merge.mode", ordered ? "EVENT_TIME_ORDERING" : "COMMIT_TIME_ORDERING"},
      {"hoodie.table.checksum", fmt::to_string(Crc32("." + spec_.name))},
      {"hoodie.table.timeline.timezone", "LOCAL"},
      {"hoodie.timeline.layout.version", "2"},
      {"hoodie.timeline.path", "timeline"},
      {"hoodie.timeline.history.path", "history"},
      {"hoodie.archivelog.folder", "history"},
      {"hoodie.populate.meta.fields", "true"},
      {"hoodie.table.cdc.enabled", "false"},
      {"hoodie.datasource.write.hive_style_partitioning", spec_.hive_style ? "true" : "false"},
      {"hoodie.datasource.write.partitionpath.urlencode", "false"},
      {"hoodie.datasource.write.drop.partition.columns", "false"},
      {"hoodie.partition.metafile.use.base.format", "false"},
      {"hoodie.table.multiple.base.file.formats.enable", "false"},
  };
  if (partitioned) properties["hoodie.table.partition.fields"] = spec_.partition_field;
  if (ordered) properties["hoodie.table.ordering.fields"] = spec_.ordering_field;
  for (const auto& [key, value] : spec_.properties) properties[key] = value;
  return WriteFile(fs::path(dir_) / ".hoodie/hoodie.properties", FormatProperties(properties));
}

std::string TableFiles::TimelinePath(std::string_view file_name) const {
  return fmt::format("{}/.hoodie/timeline/{}", dir_, file_name);
}

Status TableFiles::Begin(std::string operation) {
  instant_ = InstantTime(++commits_, 0);
  files_ = 0;
  rows_ = 0;
  metadata_ = {};
  metadata_.operation = std::move(operation);
  metadata_.extra["schema"] = data_schema_json_;
  const std::string action = spec_.merge_on_read ? ".deltacommit" : ".commit";
  ARROW_RETURN_NOT_OK(WriteFile(TimelinePath(instant_ + action + ".requested"), ""));
  // A copy-on-write commit in flight is spelt without its action.
  const std::string inflight = spec_.merge_on_read ? action + ".inflight" : ".inflight";
  return WriteFile(TimelinePath(instant_ + inflight), "");
}

Status TableFiles::Commit() {
  const Action action = spec_.merge_on_read ? Action::kDeltaCommit : Action::kCommit;
  ARROW_ASSIGN_OR_RAISE(const std::string bytes, EncodeCommitMetadata(metadata_, action));
  return WriteFile(TimelinePath(fmt::format("{}_{}.{}", instant_, InstantTime(commits_, 500),
                                            ActionName(action))),
                   bytes);
}

FileGroup TableFiles::NewGroup(std::string partition) {
  const uint64_t high = random_();
  const uint64_t low = random_();
  return {
      .partition = std::move(partition),
      .file_id = fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}-0", high >> 32,
                             high >> 16 & 0xFFFF, high & 0xFFFF, low >> 48, low & 0xFFFF'FFFF'FFFF),
      .base_file = {},
      .base_instant = {}};
}

std::string TableFiles::PartitionPath(std::string_view value) const {
  if (spec_.partition_field.empty()) return "";
  const std::string_view segment = value.empty() ? "__HIVE_DEFAULT_PARTITION__" : value;
  return spec_.hive_style ? fmt::format("{}={}", spec_.partition_field, segment)
                          : std::string(segment);
}

Status TableFiles::EnsurePartition(std::string_view partition) {
  const fs::path folder = fs::path(dir_) / partition;
  const fs::path marker = folder / ".hoodie_partition_metadata";
  if (fs::exists(marker)) return Status::OK();
  fs::create_directories(folder);
  const auto depth =
      partition.empty() ? 0 : 1 + std::count(partition.begin(), partition.end(), '/');
  return WriteFile(marker, fmt::format("#partition metadata\ncommitTime={}\npartitionDepth={}\n",
                                       instant_, depth));
}

std::string TableFiles::WriteToken() { return fmt::format("{}-{}-0", files_++, commits_); }

void TableFiles::AddStat(const std::string& partition, WriteStat stat) {
  metadata_.write_stats[partition].push_back(std::move(stat));
}

Result<std::vector<std::string>> TableFiles::Keys(const arrow::RecordBatch& rows) const {
  std::vector<std::string> keys(static_cast<size_t>(rows.num_rows()));
  const bool simple = spec_.key_fields.size() == 1;
  for (const std::string& field : spec_.key_fields) {
    const auto column = rows.GetColumnByName(field);
    if (column == nullptr) return InvalidError("key column \"{}\" is missing", field);
    for (size_t row = 0; row < keys.size(); ++row) {
      ARROW_ASSIGN_OR_RAISE(const std::string text, KeyText(*column, static_cast<int64_t>(row)));
      if (!keys[row].empty()) keys[row] += ',';
      keys[row] += simple ? text : fmt::format("{}:{}", field, text);
    }
  }
  return keys;
}

Result<std::shared_ptr<arrow::RecordBatch>> TableFiles::WithMeta(
    const arrow::RecordBatch& rows, std::string_view partition,
    const std::vector<std::string_view>& commit_times) {
  const int64_t length = rows.num_rows();
  arrow::ArrayVector columns(kMetaNames.size());
  const auto time_of = [&](int64_t row) -> std::string_view {
    return commit_times.empty() ? std::string_view(instant_)
                                : commit_times[static_cast<size_t>(row)];
  };
  ARROW_ASSIGN_OR_RAISE(const std::vector<std::string> keys, Keys(rows));
  ARROW_ASSIGN_OR_RAISE(columns[0], commit_times.empty() ? Constant(instant_, length)
                                                         : MakeStrings(length, 17, time_of));
  ARROW_ASSIGN_OR_RAISE(columns[1], MakeStrings(length, 28, [&](int64_t row) {
                          return fmt::format("{}_0_{}", time_of(row), rows_++);
                        }));
  ARROW_ASSIGN_OR_RAISE(columns[kKeyColumn],
                        MakeStrings(length, 8, [&](int64_t row) -> const std::string& {
                          return keys[static_cast<size_t>(row)];
                        }));
  ARROW_ASSIGN_OR_RAISE(columns[3], Constant(partition, length));
  ARROW_ASSIGN_OR_RAISE(columns[kFileNameColumn], Constant("", length));
  columns.insert(columns.end(), rows.columns().begin(), rows.columns().end());
  return arrow::RecordBatch::Make(full_schema_, length, std::move(columns));
}

namespace {

/// Encoded records of a log file, cut into data blocks.
class LogContent {
 public:
  explicit LogContent(LogHeader header) : header_(std::move(header)) {}

  Status AddRows(const arrow::RecordBatch& rows, AvroEncoder& encoder) {
    ARROW_RETURN_NOT_OK(encoder.SetBatch(rows));
    for (int64_t row = 0; row < rows.num_rows(); ++row) {
      ByteWriter record;
      ARROW_RETURN_NOT_OK(encoder.Encode(row, &record));
      buffered_bytes_ += record.size();
      records_.push_back(record.Finish());
      if (buffered_bytes_ >= kBlockBytes) ARROW_RETURN_NOT_OK(CloseDataBlock());
    }
    return Status::OK();
  }

  Status AddDeletes(const std::vector<DeleteRecord>& deletes) {
    ARROW_RETURN_NOT_OK(CloseDataBlock());
    ARROW_ASSIGN_OR_RAISE(const std::string content, EncodeDeleteBlock(deletes));
    ARROW_ASSIGN_OR_RAISE(const std::string block,
                          EncodeLogBlock(LogBlockType::kDelete, header_, content));
    file_ += block;
    return Status::OK();
  }

  Result<std::string> Finish() {
    ARROW_RETURN_NOT_OK(CloseDataBlock());
    return std::move(file_);
  }

 private:
  Status CloseDataBlock() {
    if (records_.empty()) return Status::OK();
    ARROW_ASSIGN_OR_RAISE(const std::string block, EncodeLogBlock(LogBlockType::kAvroData, header_,
                                                                  EncodeAvroBlock(records_)));
    file_ += block;
    records_.clear();
    buffered_bytes_ = 0;
    return Status::OK();
  }

  LogHeader header_;
  std::vector<std::string> records_;
  size_t buffered_bytes_ = 0;
  std::string file_;
};

}  // namespace

Status TableFiles::WriteLog(const FileGroup& group,
                            const std::vector<std::shared_ptr<arrow::RecordBatch>>& batches,
                            const std::vector<DeleteRecord>& deletes, const RowCounts& counts) {
  ARROW_RETURN_NOT_OK(EnsurePartition(group.partition));
  LogContent content(
      {{LogHeaderKey::kInstantTime, instant_}, {LogHeaderKey::kSchema, record_schema_json_}});
  ARROW_ASSIGN_OR_RAISE(const auto encoder, AvroEncoder::Make(record_schema_, full_schema_));
  for (const auto& batch : batches) {
    ARROW_ASSIGN_OR_RAISE(const auto names, Constant(group.file_id, batch->num_rows()));
    ARROW_ASSIGN_OR_RAISE(
        const auto rows,
        batch->SetColumn(kFileNameColumn, full_schema_->field(kFileNameColumn), names));
    ARROW_RETURN_NOT_OK(content.AddRows(*rows, *encoder));
  }
  if (!deletes.empty()) ARROW_RETURN_NOT_OK(content.AddDeletes(deletes));
  ARROW_ASSIGN_OR_RAISE(const std::string bytes, content.Finish());
  const std::string name = fmt::format(".{}_{}.log.1_{}", group.file_id, instant_, WriteToken());
  const fs::path path = fs::path(group.partition) / name;
  ARROW_RETURN_NOT_OK(WriteFile(dir_ / path, bytes));

  WriteStat stat;
  stat.file_id = group.file_id;
  stat.path = path.string();
  stat.prev_commit = instant_;
  stat.num_writes = counts.inserts + counts.updates;
  stat.num_inserts = counts.inserts;
  stat.num_update_writes = counts.updates;
  stat.num_deletes = counts.deletes;
  stat.file_size = static_cast<int64_t>(bytes.size());
  stat.log_files = {name};
  AddStat(group.partition, std::move(stat));
  written_.push_back({.partition = group.partition,
                      .name = name,
                      .size = static_cast<int64_t>(bytes.size()),
                      .rows = counts.inserts + counts.updates});
  return Status::OK();
}

struct BaseFileSink::Impl {
  TableFiles* table = nullptr;
  FileGroup* group = nullptr;
  std::string name;
  std::string path;  // relative to the table
  std::shared_ptr<arrow::io::FileOutputStream> file;
  std::unique_ptr<parquet::arrow::FileWriter> writer;
  std::optional<std::string> min_key, max_key;
  int64_t rows = 0;
  std::vector<LongStats> stats;  // of the columns of that type

  void NoteKeys(const arrow::StringArray& keys) {
    for (int64_t row = 0; row < keys.length(); ++row) {
      const std::string_view key = keys.GetView(row);
      if (!min_key || key < *min_key) min_key = key;
      if (!max_key || key > *max_key) max_key = key;
    }
  }

  void NoteLongs(const arrow::RecordBatch& batch) {
    size_t next = 0;
    for (int i = 0; i < batch.num_columns(); ++i) {
      const std::shared_ptr<arrow::Array> column = batch.column(i);
      if (column->type_id() != arrow::Type::INT64) continue;
      if (next == stats.size()) {
        stats.push_back({.column = batch.column_name(i), .min = INT64_MAX, .max = INT64_MIN});
      }
      LongStats& of = stats[next++];
      const auto& values = static_cast<const arrow::Int64Array&>(*column);
      of.nulls += values.null_count();
      for (int64_t row = 0; row < values.length(); ++row) {
        if (values.IsNull(row)) continue;
        of.min = std::min(of.min, values.Value(row));
        of.max = std::max(of.max, values.Value(row));
      }
    }
  }
};

std::string TableFiles::BaseName(const FileGroup& group) {
  return fmt::format("{}_{}_{}.parquet", group.file_id, WriteToken(), instant_);
}

void TableFiles::AddBase(FileGroup* group, WrittenFile file, const RowCounts& counts) {
  WriteStat stat;
  stat.file_id = group->file_id;
  stat.path = (fs::path(group->partition) / file.name).string();
  stat.prev_commit = group->base_instant.empty() ? "null" : group->base_instant;
  stat.prev_base_file = group->base_file;
  stat.num_writes = file.rows;
  stat.num_inserts = counts.inserts;
  stat.num_update_writes = counts.updates;
  stat.num_deletes = counts.deletes;
  stat.file_size = file.size;
  AddStat(group->partition, std::move(stat));
  group->base_file = file.name;
  group->base_instant = instant_;
  written_.push_back(std::move(file));
}

Status TableFiles::AddHollowBase(FileGroup* group, int64_t bytes, int64_t rows) {
  ARROW_RETURN_NOT_OK(EnsurePartition(group->partition));
  const std::string name = BaseName(*group);
  const fs::path path = fs::path(dir_) / group->partition / name;
  ARROW_RETURN_NOT_OK(WriteFile(path, ""));
  fs::resize_file(path, static_cast<uintmax_t>(bytes));
  AddBase(group, {.partition = group->partition, .name = name, .size = bytes, .rows = rows},
          {.inserts = rows});
  return Status::OK();
}

Result<std::unique_ptr<BaseFileSink>> TableFiles::OpenBase(FileGroup* group) {
  ARROW_RETURN_NOT_OK(EnsurePartition(group->partition));
  auto impl = std::make_unique<BaseFileSink::Impl>();
  impl->table = this;
  impl->group = group;
  impl->name = BaseName(*group);
  impl->path = (fs::path(group->partition) / impl->name).string();
  ARROW_ASSIGN_OR_RAISE(impl->file,
                        arrow::io::FileOutputStream::Open((fs::path(dir_) / impl->path).string()));
  const auto arrow_properties =
      parquet::ArrowWriterProperties::Builder().set_use_threads(true)->build();
  ARROW_ASSIGN_OR_RAISE(impl->writer, parquet::arrow::FileWriter::Open(
                                          *full_schema_, arrow::default_memory_pool(), impl->file,
                                          ParquetProperties(spec_), arrow_properties));
  return std::unique_ptr<BaseFileSink>(new BaseFileSink(std::move(impl)));
}

BaseFileSink::BaseFileSink(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
BaseFileSink::~BaseFileSink() = default;

Status BaseFileSink::Write(const arrow::RecordBatch& rows) {
  impl_->NoteKeys(static_cast<const arrow::StringArray&>(*rows.column(kKeyColumn)));
  impl_->NoteLongs(rows);
  impl_->rows += rows.num_rows();
  ARROW_ASSIGN_OR_RAISE(const auto names, Constant(impl_->name, rows.num_rows()));
  ARROW_ASSIGN_OR_RAISE(
      const auto named,
      rows.SetColumn(kFileNameColumn, impl_->table->full_schema_->field(kFileNameColumn), names));
  return impl_->writer->WriteRecordBatch(*named);
}

Status BaseFileSink::Close(const RowCounts& counts) {
  TableFiles& table = *impl_->table;
  ARROW_RETURN_NOT_OK(impl_->writer->AddKeyValueMetadata(
      arrow::key_value_metadata({"parquet.avro.schema", "writer.model.name",
                                 "hoodie_min_record_key", "hoodie_max_record_key"},
                                {table.record_schema_json_, "avro", impl_->min_key.value_or(""),
                                 impl_->max_key.value_or("")})));
  ARROW_RETURN_NOT_OK(impl_->writer->Close());
  ARROW_ASSIGN_OR_RAISE(const int64_t size, impl_->file->Tell());
  ARROW_RETURN_NOT_OK(impl_->file->Close());
  // Without bounds, as of any column of long texts.
  impl_->stats.push_back({.column = "_hoodie_record_key", .nulls = impl_->rows});

  table.AddBase(impl_->group,
                {.partition = impl_->group->partition,
                 .name = impl_->name,
                 .size = size,
                 .rows = impl_->rows,
                 .stats = std::move(impl_->stats)},
                counts);
  return Status::OK();
}

}  // namespace firth::testing
