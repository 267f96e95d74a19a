// SPDX-License-Identifier: Apache-2.0
// Which blocks of a slice's log files count, and in which order they are merged (spec 02, 3).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "firth/format/log/log_reader.h"
#include "firth/read/slice_reader.h"

namespace firth {

/// A log file and, unless it was closed meanwhile, its reader.
struct LogSource {
  std::string path;
  int64_t size = -1;
  std::unique_ptr<LogReader> reader;
};

/// A block and the file that has its content.
struct ScannedBlock {
  LogBlock block;
  size_t source = 0;  // in LogScan::sources
};

struct LogScan {
  std::vector<LogSource> sources;
  std::vector<ScannedBlock> blocks;  // processing order: oldest instant first
  bool has_partial = false;          // a data block (of the range) lacks columns: IS_PARTIAL
};

/// Reads all block headers of `slice.logs`, in their order. Rolled back, too young and uncommitted
/// blocks are left out, blocks that a log compaction folded are replaced by its result. Corrupt
/// stretches are counted and skipped. Blocks outside of `options.instants` are left out unless
/// has_partial: a partial update names some columns, the others come from versions before it.
Result<LogScan> ScanLogs(const ReadContext& context, const FileSlice& slice,
                         const SliceReadOptions& options, SliceReadMetrics* metrics);

/// The order and choice alone, without files: indices into `blocks`, which are data, delete and
/// command blocks in file order.
Result<std::vector<size_t>> OrderBlocks(const std::vector<LogBlock>& blocks);

/// The instants that a block's COMPACTED_BLOCK_TIMES names; empty when it is no log compaction.
std::vector<std::string> CompactedInstants(const LogBlock& block);

}  // namespace firth
