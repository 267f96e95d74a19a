// SPDX-License-Identifier: Apache-2.0
#include "firth/timeline/history.h"

#include <arrow/array.h>
#include <arrow/chunked_array.h>
#include <arrow/io/interfaces.h>
#include <arrow/memory_pool.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <parquet/arrow/reader.h>
#include <parquet/exception.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "firth/format/avro/avro_codec.h"
#include "firth/format/log/avro_block.h"
#include "firth/format/log/log_reader.h"
#include "firth/timeline/timeline.h"

namespace firth {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kVersionFile = "_version_";
constexpr std::string_view kManifestPrefix = "manifest_";
constexpr std::string_view kArchivePrefix = ".commits_.archive.";

std::optional<int64_t> ParseNumber(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

bool AllDigits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

bool InRange(std::string_view requested, std::string_view first, std::string_view last) {
  return requested >= first && (last.empty() || requested <= last);
}

bool WantsCommit(const Instant& instant, TimelineHistory::Detail detail) {
  return detail == TimelineHistory::Detail::kCommitMetadata && instant.is_write();
}

bool WantsDeleted(const Instant& instant, TimelineHistory::Detail detail) {
  return detail == TimelineHistory::Detail::kDeletedFiles && instant.action == Action::kClean;
}

void SortAndDeduplicate(std::vector<ArchivedInstant>* entries) {
  const auto identity = [](const ArchivedInstant& entry) {
    return std::tuple(std::string_view(entry.instant.requested), entry.instant.action);
  };
  std::ranges::stable_sort(*entries, {}, identity);
  const auto same = [&](const ArchivedInstant& a, const ArchivedInstant& b) {
    return identity(a) == identity(b);
  };
  entries->erase(std::unique(entries->begin(), entries->end(), same), entries->end());
}

// The manifest that `_version_` names, or the largest one: writers delete and re-create that file.
Result<std::optional<std::string>> CurrentManifest(const Storage& storage, std::string_view dir) {
  const std::string version_path = fmt::format("{}/{}", dir, kVersionFile);
  Result<std::shared_ptr<arrow::Buffer>> version = storage.ReadFile(version_path);
  if (version.ok()) {
    if (const std::optional<int64_t> number = ParseNumber((*version)->ToString())) {
      return fmt::format("{}{}", kManifestPrefix, *number);
    }
  } else if (GetErrorCode(version.status()) != ErrorCode::kNotFound) {
    return version.status();
  }
  ARROW_ASSIGN_OR_RAISE(const std::vector<FileInfo> files, storage.List(dir));
  std::optional<int64_t> largest;
  for (const FileInfo& file : files) {
    if (!file.name().starts_with(kManifestPrefix)) continue;
    largest = std::max(largest, ParseNumber(file.name().substr(kManifestPrefix.size())));
  }
  if (!largest) return std::nullopt;
  return fmt::format("{}{}", kManifestPrefix, *largest);
}

// One column of a history file as text; nulls become empty.
Result<std::vector<std::string_view>> TextColumn(const arrow::Table& table, const char* name) {
  const std::shared_ptr<arrow::ChunkedArray> column = table.GetColumnByName(name);
  if (column == nullptr) return CorruptError("column {} is missing", name);
  std::vector<std::string_view> values;
  values.reserve(column->length());
  for (const std::shared_ptr<arrow::Array>& chunk : column->chunks()) {
    if (chunk->type_id() != arrow::Type::STRING && chunk->type_id() != arrow::Type::BINARY) {
      return CorruptError("column {} is of type {}; must be string or binary", name,
                          chunk->type()->ToString());
    }
    const auto& binary = static_cast<const arrow::BinaryArray&>(*chunk);
    for (int64_t i = 0; i < binary.length(); ++i) {
      values.push_back(binary.IsNull(i) ? std::string_view() : binary.GetView(i));
    }
  }
  return values;
}

Result<std::shared_ptr<arrow::Table>> ReadColumns(std::shared_ptr<arrow::io::RandomAccessFile> file,
                                                  const std::vector<std::string>& names) {
  std::shared_ptr<arrow::Table> table;
  try {
    ARROW_ASSIGN_OR_RAISE(const std::unique_ptr<parquet::arrow::FileReader> reader,
                          parquet::arrow::OpenFile(std::move(file), arrow::default_memory_pool()));
    std::shared_ptr<arrow::Schema> schema;
    ARROW_RETURN_NOT_OK(reader->GetSchema(&schema));
    std::vector<int> columns;  // all columns are primitive: leaf index = field index
    for (const std::string& name : names) {
      const int index = schema->GetFieldIndex(name);
      if (index < 0) return CorruptError("column {} is missing", name);
      columns.push_back(index);
    }
    ARROW_ASSIGN_OR_RAISE(table, reader->ReadTable(columns));
  } catch (const parquet::ParquetException& error) {
    return CorruptError("{}", error.what());
  }
  return table;
}

// Appends the instants of one LSM history file.
Status AppendLsmFile(const Storage& storage, const std::string& path, std::string_view first,
                     std::string_view last, TimelineHistory::Detail detail,
                     std::vector<ArchivedInstant>* out) {
  const bool with_metadata = detail != TimelineHistory::Detail::kTimes;
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::io::RandomAccessFile> file, storage.OpenFile(path));
  std::vector<std::string> names = {"instantTime", "completionTime", "action"};
  if (with_metadata) names.push_back("metadata");
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Table> table,
                        ReadColumns(std::move(file), names));
  ARROW_ASSIGN_OR_RAISE(const auto requested, TextColumn(*table, "instantTime"));
  ARROW_ASSIGN_OR_RAISE(const auto completed, TextColumn(*table, "completionTime"));
  ARROW_ASSIGN_OR_RAISE(const auto actions, TextColumn(*table, "action"));
  std::vector<std::string_view> contents(requested.size());
  if (with_metadata) {
    ARROW_ASSIGN_OR_RAISE(contents, TextColumn(*table, "metadata"));
  }
  for (size_t i = 0; i < requested.size(); ++i) {
    const std::optional<Action> action = ParseAction(actions[i]);
    if (!action || !InRange(requested[i], first, last)) continue;
    ArchivedInstant entry;
    entry.instant.requested = requested[i];
    entry.instant.completed = completed[i].empty() ? requested[i] : completed[i];
    entry.instant.action = *action;
    entry.instant.state = InstantState::kCompleted;
    entry.instant.archived = true;
    if (WantsCommit(entry.instant, detail)) {
      ARROW_ASSIGN_OR_RAISE(entry.metadata, DecodeCommitMetadata(contents[i]));
    } else if (WantsDeleted(entry.instant, detail)) {
      ARROW_ASSIGN_OR_RAISE(entry.deleted, DecodeDeletedFiles(contents[i]));
    }
    out->push_back(std::move(entry));
  }
  return Status::OK();
}

std::string TextMember(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// Appends a HoodieArchivedMetaEntry; there is one an instant and state.
Status AppendArchiveEntry(const Json& entry, std::string_view first, std::string_view last,
                          TimelineHistory::Detail detail, std::vector<ArchivedInstant>* out) {
  if (!entry.is_object()) return CorruptError("archive entry is not a record");
  const std::string state = TextMember(entry, "actionState");
  if (!state.empty() && state != "COMPLETED") return Status::OK();  // very old ones have none
  const std::optional<Action> action = ParseAction(TextMember(entry, "actionType"));
  std::string requested = TextMember(entry, "commitTime");
  if (!action || requested.empty() || !InRange(requested, first, last)) return Status::OK();
  ArchivedInstant archived;
  archived.instant.requested = requested;
  archived.instant.completed = std::move(requested);
  archived.instant.action = CompletedAction(*action);
  archived.instant.state = InstantState::kCompleted;
  archived.instant.archived = true;
  if (WantsCommit(archived.instant, detail)) {
    const char* field = archived.instant.action == Action::kReplaceCommit
                            ? "hoodieReplaceCommitMetadata"
                            : "hoodieCommitMetadata";
    const auto metadata = entry.find(field);
    if (metadata != entry.end() && !metadata->is_null()) {
      ARROW_ASSIGN_OR_RAISE(archived.metadata, CommitMetadataFromJson(*metadata));
    }
  } else if (WantsDeleted(archived.instant, detail)) {
    const auto metadata = entry.find("hoodieCleanMetadata");
    if (metadata != entry.end()) archived.deleted = DeletedFilesFromJson(*metadata);
  }
  out->push_back(std::move(archived));
  return Status::OK();
}

Status AppendArchiveLog(const Storage& storage, const FileInfo& file, std::string_view first,
                        std::string_view last, TimelineHistory::Detail detail,
                        std::vector<ArchivedInstant>* out) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::io::RandomAccessFile> input,
                        storage.OpenFile(file.path, file.size));
  ARROW_ASSIGN_OR_RAISE(const std::unique_ptr<LogReader> reader,
                        LogReader::Open(std::move(input), file.path, LogPurpose::kTimelineArchive));
  while (true) {
    ARROW_ASSIGN_OR_RAISE(const std::optional<LogBlock> block, reader->Next());
    if (!block) return Status::OK();
    if (block->type != LogBlockType::kAvroData) continue;  // a torn append is no instant
    ARROW_ASSIGN_OR_RAISE(const AvroSchemaPtr schema,
                          ParseAvroSchema(block->Get(LogHeaderKey::kSchema)));
    ARROW_ASSIGN_OR_RAISE(AvroBlockReader records, AvroBlockReader::Open(*reader, *block));
    while (true) {
      ARROW_ASSIGN_OR_RAISE(const std::optional<std::string_view> record, records.Next());
      if (!record) break;
      ByteReader in(*record);
      ARROW_ASSIGN_OR_RAISE(const Json entry, DecodeAvroJson(*schema, in));
      ARROW_RETURN_NOT_OK(AppendArchiveEntry(entry, first, last, detail, out));
    }
  }
}

}  // namespace

std::optional<LsmFileRange> ParseLsmFileName(std::string_view name) {
  constexpr std::string_view kExtension = ".parquet";
  if (!name.ends_with(kExtension)) return std::nullopt;
  name.remove_suffix(kExtension.size());
  const size_t one = name.find('_');
  const size_t two = one == std::string_view::npos ? one : name.find('_', one + 1);
  if (two == std::string_view::npos) return std::nullopt;
  const std::string_view level = name.substr(two + 1);
  LsmFileRange range{std::string(name.substr(0, one)),
                     std::string(name.substr(one + 1, two - one - 1))};
  if (!AllDigits(range.first) || !AllDigits(range.last) || level.size() != 1 || !AllDigits(level)) {
    return std::nullopt;
  }
  range.level = level.front() - '0';
  return range;
}

Result<std::vector<std::string>> ParseLsmManifest(std::string_view text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  const auto files = json.is_object() ? json.find("files") : json.end();
  if (json.is_discarded() || files == json.end() || !files->is_array()) {
    return CorruptError("timeline manifest is not a JSON object with an array \"files\"");
  }
  std::vector<std::string> names;
  for (const Json& file : *files) {
    std::string name = file.is_object() ? TextMember(file, "fileName") : std::string();
    if (!ParseLsmFileName(name)) {
      return CorruptError("timeline manifest names \"{}\"; must be <time>_<time>_<level>.parquet",
                          name);
    }
    names.push_back(std::move(name));
  }
  return names;
}

TimelineHistory::TimelineHistory(std::shared_ptr<const Storage> storage,
                                 const TimelineConfig& config)
    : storage_(std::move(storage)), layout_(config.layout), dir_(config.history_dir) {}

Result<std::vector<ArchivedInstant>> TimelineHistory::Read(std::string_view first,
                                                           std::string_view last,
                                                           Detail detail) const {
  ARROW_ASSIGN_OR_RAISE(std::vector<ArchivedInstant> entries,
                        layout_ == TimelineLayout::kV2 ? ReadLsm(first, last, detail)
                                                       : ReadArchiveLogs(first, last, detail));
  SortAndDeduplicate(&entries);
  return entries;
}

Result<std::vector<ArchivedInstant>> TimelineHistory::ReadLsm(std::string_view first,
                                                              std::string_view last,
                                                              Detail detail) const {
  std::vector<ArchivedInstant> entries;
  ARROW_ASSIGN_OR_RAISE(const std::optional<std::string> manifest,
                        CurrentManifest(*storage_, dir_));
  if (!manifest) return entries;
  const std::string manifest_path = fmt::format("{}/{}", dir_, *manifest);
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Buffer> text,
                        storage_->ReadFile(manifest_path));
  const Result<std::vector<std::string>> names = ParseLsmManifest(std::string_view(*text));
  if (!names.ok()) return WithContext(names.status(), manifest_path);
  for (const std::string& name : *names) {
    const std::optional<LsmFileRange> range = ParseLsmFileName(name);
    if (range->last < first || (!last.empty() && range->first > last)) continue;
    const std::string path = fmt::format("{}/{}", dir_, name);
    ARROW_RETURN_NOT_OK(
        WithContext(AppendLsmFile(*storage_, path, first, last, detail, &entries), path));
  }
  return entries;
}

Result<std::vector<ArchivedInstant>> TimelineHistory::ReadArchiveLogs(std::string_view first,
                                                                      std::string_view last,
                                                                      Detail detail) const {
  std::vector<ArchivedInstant> entries;
  ARROW_ASSIGN_OR_RAISE(const std::vector<FileInfo> files, storage_->List(dir_));
  for (const FileInfo& file : files) {
    if (!file.name().starts_with(kArchivePrefix)) continue;
    ARROW_RETURN_NOT_OK(
        WithContext(AppendArchiveLog(*storage_, file, first, last, detail, &entries), file.path));
  }
  return entries;
}

Status TimelineHistory::LoadCompletionTimes() const {
  if (completion_) return Status::OK();
  ARROW_ASSIGN_OR_RAISE(const std::vector<ArchivedInstant> entries, Read({}, {}, Detail::kTimes));
  completion_.emplace();
  for (const ArchivedInstant& entry : entries) {
    if (!entry.instant.is_write()) continue;
    completion_->emplace(entry.instant.requested, entry.instant.completed);
  }
  return Status::OK();
}

Result<bool> TimelineHistory::HasWrite(std::string_view requested) const {
  const std::lock_guard lock(mutex_);
  ARROW_RETURN_NOT_OK(LoadCompletionTimes());
  return completion_->empty() || requested < completion_->begin()->first ||
         completion_->contains(requested);
}

Result<std::optional<std::string>> TimelineHistory::CompletionTime(
    std::string_view requested) const {
  const std::lock_guard lock(mutex_);
  ARROW_RETURN_NOT_OK(LoadCompletionTimes());
  const auto found = completion_->find(requested);
  if (found == completion_->end()) return std::nullopt;
  return found->second;
}

}  // namespace firth
