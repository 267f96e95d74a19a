// SPDX-License-Identifier: Apache-2.0
#include "firth/read/log_scan.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "firth/common/log.h"
#include "firth/read/block_checks.h"

namespace firth {
namespace {

constexpr size_t kMaxOpenLogs = 64;
constexpr std::string_view kRollbackCommand = "0";

bool InRange(const LogBlock& block, const InstantFilter& filter) {
  if (block.type == LogBlockType::kCommand) return true;
  if (filter.instants.contains(block.Get(LogHeaderKey::kInstantTime))) return true;
  const std::vector<std::string> compacted = CompactedInstants(block);
  return std::any_of(compacted.begin(), compacted.end(),
                     [&](const std::string& time) { return filter.instants.contains(time); });
}

// The per-block filters of spec 3.2, after corrupt blocks.
Result<bool> IsVisible(const LogBlock& block, const ReadContext& context,
                       std::string_view latest_instant) {
  if (block.type == LogBlockType::kCommand) return true;
  const std::string_view instant = block.Get(LogHeaderKey::kInstantTime);
  if (!latest_instant.empty() && instant > latest_instant) return false;
  // Later versions hide whole files of uncommitted instants; version 6 appends to shared ones.
  if (context.config.version >= 8) return true;
  if (!context.timeline.IsCommitted(instant)) return false;
  return context.timeline.IsArchived(instant) ? context.timeline.HistoryHasWrite(instant) : true;
}

bool IsPartial(const ScannedBlock& scanned) {
  return scanned.block.type != LogBlockType::kDelete &&
         scanned.block.Get(LogHeaderKey::kIsPartial) == "true";
}

// Appends the visible blocks of one file, which will be the source number `index`.
Result<LogSource> ReadHeaders(const ReadContext& context, const LogFile& log,
                              std::string_view latest_instant, size_t index,
                              std::vector<ScannedBlock>* found, SliceReadMetrics* metrics) {
  ARROW_ASSIGN_OR_RAISE(auto file, context.storage->OpenFile(log.path, log.size));
  ARROW_ASSIGN_OR_RAISE(auto reader, LogReader::Open(std::move(file), log.path));
  while (true) {
    ARROW_ASSIGN_OR_RAISE(std::optional<LogBlock> block, reader->Next());
    if (!block) break;
    if (block->type == LogBlockType::kCorrupt) {
      metrics->corrupt_blocks.fetch_add(1, std::memory_order_relaxed);
      FIRTH_LOG(warn, "corrupt log block skipped: file={} offset={} bytes={}", log.path,
                block->offset, block->content_length);
      continue;
    }
    if (block->type == LogBlockType::kCdc) continue;
    const Status checked = CheckBlockHeader(context, log, *block);
    if (!checked.ok()) {
      return WithContext(checked, fmt::format("{}: block at offset {}", log.path, block->offset));
    }
    ARROW_ASSIGN_OR_RAISE(const bool visible, IsVisible(*block, context, latest_instant));
    if (visible) found->push_back({*std::move(block), index});
  }
  return LogSource{log.path, log.size, std::move(reader)};
}

// Those of `found` that count, in processing order.
Result<std::vector<ScannedBlock>> Assemble(std::vector<ScannedBlock> found) {
  std::vector<LogBlock> blocks;
  for (ScannedBlock& scanned : found) blocks.push_back(std::move(scanned.block));
  ARROW_ASSIGN_OR_RAISE(const std::vector<size_t> order, OrderBlocks(blocks));
  std::vector<ScannedBlock> ordered;
  for (const size_t i : order) ordered.push_back({std::move(blocks[i]), found[i].source});
  return ordered;
}

// Blocks by instant, and the instants in order of their first block.
struct Arrivals {
  std::vector<std::string> order;
  std::map<std::string, std::vector<size_t>, std::less<>> blocks;

  void Add(std::string instant, size_t index) {
    std::vector<size_t>& list = blocks[instant];
    if (list.empty()) order.push_back(std::move(instant));
    list.push_back(index);
  }
  void Remove(std::string_view instant) {
    const auto found = blocks.find(instant);
    if (found == blocks.end()) return;
    blocks.erase(found);
    order.erase(std::remove(order.begin(), order.end(), instant), order.end());
  }
};

Result<Arrivals> CollectArrivals(const std::vector<LogBlock>& blocks) {
  Arrivals arrivals;
  for (size_t i = 0; i < blocks.size(); ++i) {
    const LogBlock& block = blocks[i];
    if (block.type != LogBlockType::kCommand) {
      arrivals.Add(std::string(block.Get(LogHeaderKey::kInstantTime)), i);
      continue;
    }
    const std::string_view command = block.Get(LogHeaderKey::kCommandBlockType);
    if (command != kRollbackCommand) {
      return UnsupportedError("command block type \"{}\" at offset {}; known is 0, rollback",
                              command, block.offset);
    }
    // A rollback undoes what it finds before it, not what a retry wrote later.
    arrivals.Remove(block.Get(LogHeaderKey::kTargetInstantTime));
  }
  return arrivals;
}

}  // namespace

std::vector<std::string> CompactedInstants(const LogBlock& block) {
  std::vector<std::string> instants;
  std::string_view list = block.Get(LogHeaderKey::kCompactedBlockTimes);
  while (!list.empty()) {
    const size_t comma = list.find(',');
    instants.emplace_back(list.substr(0, comma));
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
  }
  return instants;
}

Result<std::vector<size_t>> OrderBlocks(const std::vector<LogBlock>& blocks) {
  ARROW_ASSIGN_OR_RAISE(const Arrivals arrivals, CollectArrivals(blocks));
  std::map<std::string, std::string, std::less<>> folded_into;
  std::set<std::string, std::less<>> emitted;
  std::vector<const std::vector<size_t>*> newest_first;
  for (auto instant = arrivals.order.rbegin(); instant != arrivals.order.rend(); ++instant) {
    const std::vector<size_t>& list = arrivals.blocks.find(*instant)->second;
    const std::vector<std::string> compacted = CompactedInstants(blocks[list.front()]);
    const auto folded = folded_into.find(*instant);
    if (!compacted.empty()) {
      const std::string final = folded == folded_into.end() ? *instant : folded->second;
      for (const std::string& time : compacted) folded_into[time] = final;
    } else if (folded == folded_into.end()) {
      newest_first.push_back(&list);
    } else if (const auto result = arrivals.blocks.find(folded->second);
               result != arrivals.blocks.end() && emitted.insert(folded->second).second) {
      newest_first.push_back(&result->second);  // in the place of its newest source
    }
  }
  std::vector<size_t> order;
  for (auto list = newest_first.rbegin(); list != newest_first.rend(); ++list) {
    order.insert(order.end(), (*list)->begin(), (*list)->end());
  }
  return order;
}

Result<LogScan> ScanLogs(const ReadContext& context, const FileSlice& slice,
                         const SliceReadOptions& options, SliceReadMetrics* metrics) {
  LogScan scan;
  std::vector<ScannedBlock> found;
  for (const LogFile& log : slice.logs) {
    if (log.cdc) continue;
    ARROW_ASSIGN_OR_RAISE(LogSource source, ReadHeaders(context, log, options.latest_instant,
                                                        scan.sources.size(), &found, metrics));
    // Open files and their read-ahead are bounded; few are kept, which saves requests.
    if (scan.sources.size() >= kMaxOpenLogs) source.reader = nullptr;
    scan.sources.push_back(std::move(source));
  }
  if (!options.instants) {
    ARROW_ASSIGN_OR_RAISE(scan.blocks, Assemble(std::move(found)));
    scan.has_partial = std::ranges::any_of(scan.blocks, IsPartial);
    return scan;
  }
  std::vector<ScannedBlock> in_range;
  std::ranges::copy_if(found, std::back_inserter(in_range), [&](const ScannedBlock& scanned) {
    return InRange(scanned.block, *options.instants);
  });
  ARROW_ASSIGN_OR_RAISE(scan.blocks, Assemble(std::move(in_range)));
  scan.has_partial = std::ranges::any_of(scan.blocks, IsPartial);
  if (scan.has_partial) {
    ARROW_ASSIGN_OR_RAISE(scan.blocks, Assemble(std::move(found)));
  }
  return scan;
}

}  // namespace firth
