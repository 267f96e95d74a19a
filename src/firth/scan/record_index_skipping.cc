// SPDX-License-Identifier: Apache-2.0
#include "firth/scan/record_index_skipping.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "firth/metadata/index_definitions.h"
#include "firth/metadata/metadata_keys.h"
#include "firth/metadata/metadata_table.h"
#include "firth/scan/asked_keys.h"
#include "firth/scan/data_skipping.h"
#include "firth/scan/predicate.h"

namespace firth {
namespace {

constexpr std::string_view kRecordIndex = "record_index";
constexpr size_t kMaxKeys = 1'000'000;
constexpr size_t kMaxValues = 1'000;
constexpr size_t kMaxKeysOfValues = 100'000;  // more of them are in most file groups anyway
constexpr size_t kKeysAtOnce = 65'536;        // locations in memory
constexpr size_t kMaxFilesASlice = 1'000;  // that are counted, for each slice that may be skipped

/// File ids by partition.
using Places = std::map<std::string, std::set<std::string, std::less<>>, std::less<>>;

// What a predicate asks for.
struct Question {
  std::vector<std::string> texts;       // record keys, or values of an indexed column
  std::string secondary{};              // the index of that column
  std::set<std::string> surely_keys{};  // of `texts`, that rows have if any does; empty: not known

  std::string IndexName() const { return secondary.empty() ? "record index" : secondary; }
};

bool IsReady(const TableConfig& config, std::string_view partition) {
  const auto& ready = config.metadata_partitions;
  return std::ranges::find(ready, partition) != ready.end();
}

bool HasSecondaryIndex(const TableConfig& config) {
  return std::ranges::any_of(config.metadata_partitions, [](const std::string& partition) {
    return ParseMetadataPartition(partition) == MetadataIndex::kSecondaryIndex;
  });
}

// Values that the filter asks of a column that has a secondary index.
Result<std::optional<Question>> AskedOfSecondary(const PinnedSnapshot& snapshot,
                                                 const arrow::compute::Expression& filter) {
  const TableConfig& config = snapshot.context->config;
  for (const std::string& column : ReferencedColumns(filter)) {
    if (!IsStored(*snapshot.context, column)) continue;
    const auto values = AskedValues(column, filter, kMaxValues);
    if (!values) continue;
    ARROW_ASSIGN_OR_RAISE(const auto definitions, snapshot.metadata->Definitions(snapshot));
    if (auto index = FindSecondaryIndex(*definitions, column, config.metadata_partitions)) {
      return Question{.texts = {values->begin(), values->end()}, .secondary = *std::move(index)};
    }
  }
  return std::nullopt;
}

// Those of the keys that `filter` asks for which are surely as writers spell them: what composite
// key generators make of one field depends on the release.
std::set<std::string> SurelyKeys(const TableConfig& config,
                                 const arrow::compute::Expression& filter) {
  if (auto keys = AskedValues("_hoodie_record_key", filter, kMaxKeys)) return *std::move(keys);
  if (config.key_generator == KeyGenerator::kComplex) return {};
  return *AskedValues(config.record_key_fields[0], filter, kMaxKeys);
}

Result<std::optional<Question>> Asked(const PinnedSnapshot& snapshot,
                                      const arrow::compute::Expression& filter, bool unique_keys) {
  const ReadContext& context = *snapshot.context;
  if (!IsReady(context.config, kRecordIndex)) return std::nullopt;
  if (const auto keys = AskedKeys(context.config, filter, kMaxKeys)) {
    Question question{.texts = {keys->begin(), keys->end()}};
    if (unique_keys) question.surely_keys = SurelyKeys(context.config, filter);
    return question;
  }
  if (!HasSecondaryIndex(context.config)) return std::nullopt;
  return AskedOfSecondary(snapshot, filter);
}

// Why indexes can't say where the rows of such a read are, whatever they hold.
std::string ReasonNotAsked(const ReadContext& context, const Question& question, QueryType query) {
  const bool has_logs = context.config.type == TableType::kMergeOnRead;
  if (query == QueryType::kIncremental) return "incremental reads take rows of several moments";
  if (query == QueryType::kReadOptimized && has_logs) {
    return "base files have keys that logs deleted";
  }
  // Log records may lose against a row by their ordering value, and have changed the index.
  if (!question.secondary.empty() && has_logs) return "late log records may have changed it";
  if (!context.schema.history.empty()) return "the table has a schema history";
  return std::string();
}

Result<std::string> ReasonOfDistrust(const MetadataTable& table, const Question& question) {
  ARROW_ASSIGN_OR_RAISE(std::string reason, table.Distrust(kRecordIndex));
  if (!reason.empty() || question.secondary.empty()) return reason;
  return table.Distrust(question.secondary);
}

// Why one of the indexes that are needed may lack rows of the snapshot; empty when none does.
Result<std::string> ReasonToDoubt(const PinnedSnapshot& snapshot, const Question& question,
                                  bool unique_keys, const CountOptions& counting) {
  ARROW_ASSIGN_OR_RAISE(IndexDoubt doubt, snapshot.counts->Doubt(snapshot, kRecordIndex, counting));
  if (doubt.reason.empty() && !question.secondary.empty()) {
    ARROW_ASSIGN_OR_RAISE(doubt, snapshot.counts->Doubt(snapshot, question.secondary, counting));
  }
  if (doubt.reason.empty() || doubt.differs || !question.secondary.empty()) return doubt.reason;
  return doubt.reason + (unique_keys ? "; and the index lacks some of the keys"
                                     : "; a promise of unique keys would do");
}

// The record keys under which a secondary index has some values.
Result<std::vector<std::string>> KeysOfValues(const MetadataTable& table,
                                              const Question& question) {
  std::vector<std::string> prefixes, keys;
  for (const std::string& value : question.texts) prefixes.push_back(SecondaryKeyPrefix(value));
  ARROW_ASSIGN_OR_RAISE(
      const std::vector<MetadataRecord> records,
      table.LookupPrefixes(question.secondary, prefixes, kMaxKeysOfValues, nullptr));
  for (const MetadataRecord& record : records) {
    ARROW_ASSIGN_OR_RAISE(SecondaryKey key, ParseSecondaryKey(record.key));
    keys.push_back(std::move(key.record_key));
  }
  return keys;
}

// What the record index says of a question.
struct Answer {
  Places places;              // file groups in which rows of it live
  bool has_all_keys = false;  // whether it knows each of the keys
};

// Takes the keys that are found out of `missing`.
Status AddPlaces(std::vector<MetadataRecord> records, std::set<std::string>* missing,
                 Places* places) {
  for (MetadataRecord& record : records) {
    auto* location = std::get_if<RecordLocation>(&record.payload);
    if (location == nullptr) {
      return CorruptError("record \"{}\" is of type {}", record.key, record.type);
    }
    missing->erase(record.key);
    (*places)[std::move(location->partition)].insert(std::move(location->file_id));
  }
  return Status::OK();
}

Result<Answer> Ask(const MetadataTable& table, const Question& question,
                   const std::vector<FileSlice>& slices) {
  std::vector<std::string> keys = question.texts;
  if (!question.secondary.empty()) {
    ARROW_ASSIGN_OR_RAISE(keys, KeysOfValues(table, question));
  }
  const std::string& partition = slices.front().partition;
  const bool one_partition = slices.back().partition == partition;
  std::set<std::string> missing = question.surely_keys;
  Answer answer;
  for (std::span<const std::string> rest = keys; !rest.empty();) {
    const auto some = rest.first(std::min(rest.size(), kKeysAtOnce));
    ARROW_ASSIGN_OR_RAISE(std::vector<MetadataRecord> records,
                          one_partition ? table.LookupIn(partition, kRecordIndex, some, nullptr)
                                        : table.Lookup(kRecordIndex, some, nullptr));
    ARROW_RETURN_NOT_OK(AddPlaces(std::move(records), &missing, &answer.places));
    rest = rest.subspan(some.size());
  }
  answer.has_all_keys = !question.surely_keys.empty() && missing.empty();
  return answer;
}

// The file slices of a partition that is not read, by file id; none where they are not known.
Result<std::vector<FileSlice>> SlicesNotRead(const PinnedSnapshot& snapshot,
                                             std::string_view partition) {
  const auto listed = snapshot.files->ListedFromMetadata();
  if (!listed) return std::vector<FileSlice>();
  const auto files = listed->find(partition);
  if (files == listed->end()) return std::vector<FileSlice>();
  return SlicesOf(snapshot, partition, *files->second, /*read_optimized=*/false);
}

// An index that names a file group which the snapshot lacks is of another moment, or spells the
// partition in another way.
Result<std::string> ReasonOfUnknownGroup(const PinnedSnapshot& snapshot, const Places& places,
                                         const std::vector<FileSlice>& slices) {
  for (const auto& [partition, file_ids] : places) {
    const auto begin = std::ranges::lower_bound(slices, partition, {}, &FileSlice::partition);
    const auto end = std::ranges::upper_bound(slices, partition, {}, &FileSlice::partition);
    std::vector<FileSlice> not_read;
    if (begin == end) {
      ARROW_ASSIGN_OR_RAISE(not_read, SlicesNotRead(snapshot, partition));
    }
    const std::span<const FileSlice> known = begin == end ? not_read : std::span(begin, end);
    for (const std::string& file_id : file_ids) {
      if (std::ranges::binary_search(known, file_id, {}, &FileSlice::file_id)) continue;
      return fmt::format(
          "the record index names file group {} of partition \"{}\", which is not listed", file_id,
          partition);
    }
  }
  return std::string();
}

void Skip(const Places& places, const std::string& note, std::vector<FileSlice>* slices,
          ScanReport* report) {
  const auto skipped = std::erase_if(*slices, [&](const FileSlice& slice) {
    const auto own = places.find(slice.partition);
    return own == places.end() || !own->second.contains(slice.file_id);
  });
  report->slices_pruned += static_cast<int64_t>(skipped);
  report->notes.push_back(
      fmt::format("{}: {} of {} file slices skipped", note, skipped, slices->size() + skipped));
}

}  // namespace

Result<bool> SkipByRecordIndex(const PinnedSnapshot& snapshot,
                               const arrow::compute::Expression& filter, const ScanOptions& options,
                               int threads, std::vector<FileSlice>* slices, ScanReport* report) {
  const ReadContext& context = *snapshot.context;
  if (slices->size() < 2) return false;
  std::string index = "secondary index", reason;
  const auto not_used = [&] {
    report->notes.push_back(fmt::format("{} not used: {}", index, reason));
    return false;
  };
  const Result<std::optional<Question>> question = Asked(snapshot, filter, options.unique_keys);
  ARROW_RETURN_NOT_OK(DistrustOnError(question.status(), &reason));
  if (!reason.empty()) return not_used();
  if (!*question) return false;
  index = (*question)->IndexName();
  reason = ReasonNotAsked(context, **question, options.query);
  if (!reason.empty()) return not_used();
  ARROW_ASSIGN_OR_RAISE(const auto table, snapshot.metadata->Get(snapshot, threads));
  ARROW_ASSIGN_OR_RAISE(reason, ReasonOfDistrust(*table, **question));
  if (!reason.empty()) return not_used();
  const Result<Answer> answer = Ask(*table, **question, *slices);
  ARROW_RETURN_NOT_OK(DistrustOnError(answer.status(), &reason));
  if (!reason.empty()) return not_used();
  const auto unknown = ReasonOfUnknownGroup(snapshot, answer->places, *slices);
  ARROW_RETURN_NOT_OK(DistrustOnError(unknown.status(), &reason));
  if (reason.empty()) reason = *unknown;
  if (!reason.empty()) return not_used();
  // Writers of some releases leave keys out of the index, of which then nothing is promised.
  if (!answer->has_all_keys) {
    const CountOptions counting{.max_files = kMaxFilesASlice * slices->size(), .threads = threads};
    ARROW_ASSIGN_OR_RAISE(reason,
                          ReasonToDoubt(snapshot, **question, options.unique_keys, counting));
    if (!reason.empty()) return not_used();
  }
  Skip(answer->places, index, slices, report);
  return true;
}

}  // namespace firth
