// SPDX-License-Identifier: Apache-2.0
// Streams sorted keys and values into an HFile that stock Hudi reads, with its native reader and
// with HBase's. The profile is described in docs/format/hfile.md.
#pragma once

#include <arrow/io/type_fwd.h>

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "firth/common/status.h"
#include "firth/format/hfile/hfile_format.h"

namespace firth {

struct HFileWriteOptions {
  HFileCodec codec = HFileCodec::kGzip;
  /// A block is closed in front of the entry that would make its payload larger. Small blocks make
  /// lookups cheap; the index, which readers load whole, grows with their number.
  int64_t block_bytes = int64_t{8} << 10;
  /// Refuses what stock Hudi can't read: zstd, and keys of more than 32,767 bytes.
  bool stock_readable = true;
};

/// Memory: one block, and its key and 24 bytes for each block written. The same entries give the
/// same bytes. For one thread.
class HFileWriter {
 public:
  /// Errors: kInvalidArgument when the options contradict each other.
  static Result<std::unique_ptr<HFileWriter>> Make(std::shared_ptr<arrow::io::OutputStream> sink,
                                                   HFileWriteOptions options = {});

  /// Keys must ascend strictly, as unsigned bytes.
  /// Errors: kInvalidArgument, kIo. The writer is unusable after an error.
  Status Append(std::string_view key, std::string_view value);

  /// An entry of the file info: "schema" is the Avro schema of the values.
  void AddInfo(std::string_view name, std::string_view value);

  /// The Bloom filter of the keys as Hudi serializes it; and with it the first and last key, which
  /// Hudi expects of base files.
  void SetBloomFilter(std::string_view type_code, std::string_view serialized);

  /// Writes what is left. The sink stays open.
  Status Finish();

  int64_t num_entries() const { return trailer_.entry_count; }
  /// Bytes handed to the sink so far.
  int64_t bytes_written() const { return offset_; }

 private:
  HFileWriter(std::shared_ptr<arrow::io::OutputStream> sink, HFileWriteOptions options);
  Status CheckEntry(std::string_view key, std::string_view value) const;
  Status FlushBlock();
  Status WriteEntries(size_t first, size_t last);
  Status WriteDataBlock(std::string_view payload, const std::string& block);
  Status WriteBlock(HFileBlockType type, std::string_view payload, int64_t* bytes);
  Status WriteMetaBlock();
  Status WriteInfo();
  Status Write(std::string_view bytes);

  std::shared_ptr<arrow::io::OutputStream> sink_;
  HFileWriteOptions options_;
  HFileTrailer trailer_;
  HFileInfo info_;
  std::string bloom_filter_;
  bool has_bloom_filter_ = false;
  std::string payload_;            // of the block at hand
  std::vector<uint32_t> entries_;  // where they begin in it
  std::string first_key_;          // of the file
  std::string last_key_;
  std::string root_;  // payloads of the indexes
  std::string meta_;
  int64_t offset_ = 0;
  int64_t key_bytes_ = 0;
  int64_t value_bytes_ = 0;
};

}  // namespace firth
