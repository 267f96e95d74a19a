// SPDX-License-Identifier: Apache-2.0
#include "firth/metadata/metadata_file_group.h"

#include <arrow/buffer.h>
#include <arrow/io/memory.h>

#include <algorithm>
#include <utility>

#include "firth/common/parallel.h"
#include "firth/metadata/metadata_merge.h"
#include "firth/read/log_scan.h"

namespace firth {
namespace {

// Whether the newest record of a key is all that counts.
bool NewestWins(MetadataIndex index) {
  return index == MetadataIndex::kRecordIndex || index == MetadataIndex::kSecondaryIndex ||
         index == MetadataIndex::kBloomFilters;
}

// A record of a log block, or a deletion.
struct Change {
  std::string_view key;
  std::string_view datum{};
  const MetadataDecoder* decoder = nullptr;  // nullptr: deleted
};

}  // namespace

Result<std::shared_ptr<const MetadataDecoder>> MetadataDecoders::Get(std::string_view schema) {
  const std::lock_guard lock(mutex_);
  const auto found = decoders_.find(schema);
  if (found != decoders_.end()) return found->second;
  ARROW_ASSIGN_OR_RAISE(auto decoder, MetadataDecoder::Make(schema));
  decoders_.emplace(std::string(schema), decoder);
  return decoder;
}

struct MetadataFileGroup::Loaded {
  std::shared_ptr<const HFileReader> base;  // nullptr: none
  std::shared_ptr<const MetadataDecoder> base_decoder;
  std::vector<Change> changes;    // by key, then in order
  std::deque<std::string> bytes;  // what changes view
  std::vector<std::shared_ptr<const MetadataDecoder>> decoders;

  // Changes of keys from `key` on.
  std::vector<Change>::const_iterator From(std::string_view key) const {
    return std::ranges::lower_bound(changes, key, {}, &Change::key);
  }
};

// Puts the changes of the log files over the entries of the base file, which arrive by key.
class MetadataFileGroup::Join {
 public:
  using Iterator = std::vector<Change>::const_iterator;

  Join(const MetadataFileGroup& group, const Loaded& loaded, const MetadataVisitor& visit)
      : group_(group), loaded_(loaded), visit_(visit) {}

  // Stretches of changes that take part, in order; none may overlap.
  void Add(Iterator begin, Iterator end) {
    if (begin != end) stretches_.push_back({begin, end});
  }

  Status Base(std::string_view key, std::string_view datum) {
    ARROW_RETURN_NOT_OK(ChangesBefore(key));
    const Iterator begin = Peek();
    const Iterator end = begin == kNone() ? begin : EndOfKey(begin);
    if (begin == kNone() || begin->key != key) {
      return Emit(key, datum, {});
    }
    Take(end);
    return Emit(key, datum, {begin, end});
  }

  Status Finish() {
    for (Iterator begin = Peek(); begin != kNone(); begin = Peek()) {
      ARROW_RETURN_NOT_OK(Alone(begin));
    }
    return Status::OK();
  }

 private:
  Iterator kNone() const { return loaded_.changes.end(); }
  Iterator Peek() const { return next_ == stretches_.size() ? kNone() : stretches_[next_].first; }
  Iterator EndOfKey(Iterator begin) const {
    return std::find_if(begin, stretches_[next_].second,
                        [&](const Change& change) { return change.key != begin->key; });
  }
  void Take(Iterator end) {
    stretches_[next_].first = end;
    if (end == stretches_[next_].second) ++next_;
  }
  Status Alone(Iterator begin) {
    const Iterator end = EndOfKey(begin);
    Take(end);
    return Emit(begin->key, std::nullopt, {begin, end});
  }
  Status ChangesBefore(std::string_view key) {
    for (Iterator begin = Peek(); begin != kNone() && begin->key < key; begin = Peek()) {
      ARROW_RETURN_NOT_OK(Alone(begin));
    }
    return Status::OK();
  }

  Result<MetadataRecord> Apply(const Change& change) const {
    if (change.decoder == nullptr) return MetadataRecord{.key = std::string(change.key)};
    return change.decoder->Decode(change.key, change.datum);
  }

  // One key: its entry in the base file, if it has one, and its changes.
  Status Emit(std::string_view key, std::optional<std::string_view> base,
              std::span<const Change> changes) {
    if (NewestWins(group_.context_.index) && !changes.empty()) {
      base = std::nullopt;
      changes = changes.last(1);
    }
    MetadataRecord record{.key = std::string(key)};
    if (base) {
      ARROW_ASSIGN_OR_RAISE(record, loaded_.base_decoder->Decode(key, *base));
    }
    for (const Change& change : changes) {
      ARROW_ASSIGN_OR_RAISE(MetadataRecord newer, Apply(change));
      ARROW_RETURN_NOT_OK(MergeMetadataRecord(std::move(newer), &record));
    }
    if (record.is_deleted()) return Status::OK();
    DropDeletedFiles(&record);
    return visit_(std::move(record));
  }

  const MetadataFileGroup& group_;
  const Loaded& loaded_;
  const MetadataVisitor& visit_;
  std::vector<std::pair<Iterator, Iterator>> stretches_;
  size_t next_ = 0;
};

MetadataFileGroup::MetadataFileGroup(MetadataPartitionContext context, FileSlice slice,
                                     int32_t number, int32_t groups)
    : context_(std::move(context)), slice_(std::move(slice)), number_(number), groups_(groups) {}
MetadataFileGroup::~MetadataFileGroup() = default;

// A key that hashes to another group would never be found: groups are missing.
Status MetadataFileGroup::CheckHash(std::string_view key) const {
  const int32_t expected = FileGroupOf(HashedPartOfKey(key, context_.hashes_value_only), groups_);
  if (expected == number_) return Status::OK();
  return CorruptError(
      "{}: key \"{}\" is in file group {} but belongs into {} of {}: file groups are missing",
      context_.storage.DisplayPath(slice_.partition), key, number_, expected, groups_);
}

// The blocks of a log file that count, and its reader.
struct MetadataFileGroup::OpenLog {
  std::unique_ptr<LogReader> reader;
  std::vector<LogBlock> blocks;
  HFileCost cost;
};

Result<const MetadataFileGroup::Loaded*> MetadataFileGroup::Load(HFileCost* cost) {
  const std::lock_guard lock(mutex_);
  if (loaded_ == nullptr) {
    auto loaded = std::make_unique<Loaded>();
    std::vector<OpenLog> logs(slice_.logs.size());
    // All at once: a store far away is asked in one round.
    ARROW_RETURN_NOT_OK(RunParallel(logs.size() + 1, context_.threads, [&](size_t i) -> Status {
      if (i == 0) return LoadBase(loaded.get(), cost);
      return ReadLog(slice_.logs[i - 1], &logs[i - 1]);
    }));
    for (const OpenLog& log : logs) *cost += log.cost;
    ARROW_RETURN_NOT_OK(AddLogs(std::move(logs), loaded.get()));
    loaded_ = std::move(loaded);
  }
  return loaded_.get();
}

Status MetadataFileGroup::LoadBase(Loaded* loaded, HFileCost* cost) const {
  if (!slice_.base) return Status::OK();
  ARROW_ASSIGN_OR_RAISE(auto file, context_.storage.OpenFile(slice_.base->path, slice_.base->size));
  HFileReadOptions options{.path = context_.storage.FullPath(slice_.base->path)};
  options.cache = context_.cache;
  options.threads = context_.threads;
  ARROW_ASSIGN_OR_RAISE(loaded->base, HFileReader::Open(std::move(file), std::move(options)));
  *cost += loaded->base->open_cost();
  const HFileInfo& info = loaded->base->info();
  const auto schema = info.find("schema");
  if (schema == info.end()) {
    return CorruptError("{}: the file info has no schema", loaded->base->path());
  }
  Result<std::shared_ptr<const MetadataDecoder>> decoder = context_.decoders.Get(schema->second);
  if (!decoder.ok()) return WithContext(decoder.status(), loaded->base->path());
  loaded->base_decoder = *std::move(decoder);
  for (const std::string_view bound : {"minRecordKey", "maxRecordKey"}) {
    const auto key = info.find(bound);
    if (key != info.end() && loaded->base->num_entries() != 0) {
      ARROW_RETURN_NOT_OK(CheckHash(key->second));
    }
  }
  return Status::OK();
}

Status MetadataFileGroup::ReadLog(const LogFile& log, OpenLog* open) const {
  ARROW_ASSIGN_OR_RAISE(auto file, context_.storage.OpenFile(log.path, log.size));
  ARROW_ASSIGN_OR_RAISE(open->reader,
                        LogReader::Open(std::move(file), context_.storage.DisplayPath(log.path)));
  ++open->cost.requests;
  open->cost.bytes += std::max<int64_t>(log.size, 0);
  while (true) {
    ARROW_ASSIGN_OR_RAISE(std::optional<LogBlock> block, open->reader->Next());
    if (!block) return Status::OK();
    if (block->type == LogBlockType::kCorrupt) {
      return CorruptError("{}: {} bytes at offset {} are no log block", open->reader->path(),
                          block->content_length, block->content_offset);
    }
    const std::string_view instant = block->Get(LogHeaderKey::kInstantTime);
    if (context_.view.config().version >= 8 && instant != log.instant) {
      return CorruptError("{}: a block of instant {} in a file of {}", open->reader->path(),
                          instant, log.instant);
    }
    if (block->type == LogBlockType::kCommand || context_.view.IsVisible(instant, context_.index)) {
      open->blocks.push_back(*std::move(block));
    }
  }
}

Status MetadataFileGroup::AddLogs(std::vector<OpenLog> logs, Loaded* loaded) const {
  std::vector<LogBlock> blocks;
  std::vector<const LogReader*> sources;
  for (OpenLog& log : logs) {
    sources.insert(sources.end(), log.blocks.size(), log.reader.get());
    std::ranges::move(log.blocks, std::back_inserter(blocks));
  }
  ARROW_ASSIGN_OR_RAISE(const std::vector<size_t> order, OrderBlocks(blocks));
  for (const size_t i : order) {
    const Status status = LoadBlock(*sources[i], blocks[i], loaded);
    if (!status.ok()) return WithContext(status, sources[i]->path());
  }
  std::ranges::stable_sort(loaded->changes, {}, &Change::key);
  return Status::OK();
}

Status MetadataFileGroup::LoadBlock(const LogReader& reader, const LogBlock& block,
                                    Loaded* loaded) const {
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Buffer> content, reader.LoadContent(block));
  if (block.type == LogBlockType::kDelete) {
    ARROW_ASSIGN_OR_RAISE(std::vector<DeleteRecord> records,
                          DecodeDeleteBlock(std::string_view(*content)));
    for (DeleteRecord& record : records) {
      ARROW_RETURN_NOT_OK(CheckHash(record.record_key));
      loaded->changes.push_back({.key = loaded->bytes.emplace_back(std::move(record.record_key))});
    }
    return Status::OK();
  }
  if (block.type != LogBlockType::kHfileData) {
    return UnsupportedError("a metadata table with {} blocks", LogBlockTypeName(block.type));
  }
  ARROW_ASSIGN_OR_RAISE(
      const auto hfile,
      HFileReader::Open(std::make_shared<arrow::io::BufferReader>(content), {.path = "block"}));
  ARROW_ASSIGN_OR_RAISE(auto decoder, context_.decoders.Get(block.Get(LogHeaderKey::kSchema)));
  const MetadataDecoder* const decode = loaded->decoders.emplace_back(std::move(decoder)).get();
  ARROW_ASSIGN_OR_RAISE(HFileScanner scanner, hfile->Scan());
  while (true) {
    ARROW_ASSIGN_OR_RAISE(const bool has_entry, scanner.Next());
    if (!has_entry) return Status::OK();
    ARROW_RETURN_NOT_OK(CheckHash(scanner.key()));
    const std::string& bytes =
        loaded->bytes.emplace_back(std::string(scanner.key()).append(scanner.value()));
    const std::string_view entry = bytes;
    loaded->changes.push_back({.key = entry.substr(0, scanner.key().size()),
                               .datum = entry.substr(scanner.key().size()),
                               .decoder = decode});
  }
}

Status MetadataFileGroup::Lookup(std::span<const std::string_view> keys,
                                 const MetadataVisitor& visit, HFileCost* cost) {
  ARROW_ASSIGN_OR_RAISE(const Loaded* loaded, Load(cost));
  Join join(*this, *loaded, visit);
  std::vector<std::string_view> in_base;
  in_base.reserve(keys.size());
  for (const std::string_view key : keys) {
    const auto begin = loaded->From(key);
    const auto end = std::find_if(begin, loaded->changes.end(),
                                  [&](const Change& change) { return change.key != key; });
    join.Add(begin, end);
    if (begin == end || !NewestWins(context_.index)) in_base.push_back(key);
  }
  if (loaded->base != nullptr && !in_base.empty()) {
    ARROW_ASSIGN_OR_RAISE(
        const HFileCost read,
        loaded->base->Lookup(in_base, [&](size_t, std::string_view key, std::string_view value) {
          return join.Base(key, value);
        }));
    *cost += read;
  }
  return join.Finish();
}

Status MetadataFileGroup::LookupPrefixes(std::span<const std::string_view> prefixes,
                                         const MetadataVisitor& visit, HFileCost* cost) {
  ARROW_ASSIGN_OR_RAISE(const Loaded* loaded, Load(cost));
  Join join(*this, *loaded, visit);
  for (const std::string_view prefix : prefixes) {
    const auto begin = loaded->From(prefix);
    join.Add(begin, std::find_if(begin, loaded->changes.end(), [&](const Change& change) {
               return !change.key.starts_with(prefix);
             }));
  }
  if (loaded->base != nullptr) {
    ARROW_ASSIGN_OR_RAISE(
        const HFileCost read,
        loaded->base->LookupPrefixes(
            prefixes, [&](size_t, std::string_view key, std::string_view value) -> Status {
              ARROW_RETURN_NOT_OK(CheckHash(key));
              return join.Base(key, value);
            }));
    *cost += read;
  }
  return join.Finish();
}

// Compactions write no deletions into base files, so that all of their entries are live but for
// what log files say.
Result<std::optional<int64_t>> MetadataFileGroup::Count(size_t max_changes, HFileCost* cost) {
  ARROW_ASSIGN_OR_RAISE(const Loaded* loaded, Load(cost));
  std::vector<std::string_view> changed;
  for (const Change& change : loaded->changes) {
    if (changed.empty() || changed.back() != change.key) changed.push_back(change.key);
  }
  if (changed.size() > max_changes) return std::nullopt;
  int64_t count = loaded->base == nullptr ? 0 : loaded->base->num_entries();
  if (changed.empty()) return count;
  if (loaded->base != nullptr) {
    ARROW_ASSIGN_OR_RAISE(const HFileCost read,
                          loaded->base->Lookup(changed, [&](size_t, auto, auto) -> Status {
                            --count;
                            return Status::OK();
                          }));
    *cost += read;
  }
  const auto add = [&](const MetadataRecord&) {
    ++count;
    return Status::OK();
  };
  ARROW_RETURN_NOT_OK(Lookup(changed, add, cost));
  return count;
}

Status MetadataFileGroup::Scan(const MetadataVisitor& visit, HFileCost* cost) {
  ARROW_ASSIGN_OR_RAISE(const Loaded* loaded, Load(cost));
  Join join(*this, *loaded, visit);
  join.Add(loaded->changes.begin(), loaded->changes.end());
  if (loaded->base != nullptr) {
    ARROW_ASSIGN_OR_RAISE(HFileScanner scanner, loaded->base->Scan());
    while (true) {
      ARROW_ASSIGN_OR_RAISE(const bool has_entry, scanner.Next());
      if (!has_entry) break;
      ARROW_RETURN_NOT_OK(CheckHash(scanner.key()));
      ARROW_RETURN_NOT_OK(join.Base(scanner.key(), scanner.value()));
    }
    *cost += scanner.cost();
  }
  return join.Finish();
}

}  // namespace firth
