// SPDX-License-Identifier: Apache-2.0
#include "firth/format/hfile/hfile_writer.h"

#include <arrow/io/interfaces.h>

#include <algorithm>
#include <utility>

#include "firth/common/bytes.h"
#include "firth/format/hfile/hfile_block.h"

namespace firth {
namespace {

constexpr int64_t kMaxEntryBytes = int64_t{1} << 30;
constexpr int64_t kMinBlockBytes = 64;
constexpr int64_t kMaxBlockBytes = int64_t{64} << 20;
constexpr std::string_view kComparator = "org.apache.hudi.io.storage.HoodieHBaseKVComparator";
constexpr std::string_view kBloomFilter = "bloomFilter";

void PutBigEndian(uint64_t value, int bytes, std::string* out) {
  while (bytes > 0) out->push_back(static_cast<char>(value >> (8 * --bytes)));
}

/// The key as cells and indexes hold it. Longer rows than Hudi's wrap the 16 bits of their length.
void PutKey(std::string_view row, std::string* out) {
  PutBigEndian(row.size() & 0xFFFF, 2, out);
  out->append(row);
  out->append(kHFileKeySuffix);
}

std::string BigEndian(int64_t value, int bytes) {
  std::string out;
  PutBigEndian(static_cast<uint64_t>(value), bytes, &out);
  return out;
}

/// Hudi's native reader takes the room of as many checksums as the block has on disk from the end
/// of its payload, and only looks at entries that begin in front of that.
bool LastEntryIsVisible(size_t last_entry_bytes, size_t block_bytes) {
  const size_t chunks = (block_bytes + kHFileBytesPerChecksum - 1) / kHFileBytesPerChecksum;
  return last_entry_bytes > 4 * chunks;
}

}  // namespace

Result<std::unique_ptr<HFileWriter>> HFileWriter::Make(
    std::shared_ptr<arrow::io::OutputStream> sink, HFileWriteOptions options) {
  if (options.block_bytes < kMinBlockBytes || options.block_bytes > kMaxBlockBytes) {
    return InvalidError("block size {}; {} to {} are possible", options.block_bytes, kMinBlockBytes,
                        kMaxBlockBytes);
  }
  if (options.stock_readable && options.codec == HFileCodec::kZstd) {
    return InvalidError("stock Hudi reads gzip and uncompressed HFiles, not zstd");
  }
  return std::unique_ptr<HFileWriter>(new HFileWriter(std::move(sink), options));
}

HFileWriter::HFileWriter(std::shared_ptr<arrow::io::OutputStream> sink, HFileWriteOptions options)
    : sink_(std::move(sink)), options_(options) {
  trailer_.codec = options.codec;
  trailer_.comparator = kComparator;
}

Status HFileWriter::CheckEntry(std::string_view key, std::string_view value) const {
  if (trailer_.entry_count > 0 && key <= last_key_) {
    return InvalidError("key {} of an HFile isn't greater than the one in front of it",
                        trailer_.entry_count);
  }
  if (options_.stock_readable && key.size() > kHFileMaxStockKeyBytes) {
    return InvalidError("key of {} bytes; stock Hudi reads at most {}", key.size(),
                        kHFileMaxStockKeyBytes);
  }
  if (static_cast<int64_t>(key.size() + value.size()) > kMaxEntryBytes) {
    return InvalidError("key of {} bytes with a value of {}; together at most {} are possible",
                        key.size(), value.size(), kMaxEntryBytes);
  }
  return Status::OK();
}

Status HFileWriter::Append(std::string_view key, std::string_view value) {
  ARROW_RETURN_NOT_OK(CheckEntry(key, value));
  const size_t entry_bytes = key.size() + value.size() + kHFileEntryOverhead;
  if (payload_.size() + entry_bytes > static_cast<size_t>(options_.block_bytes)) {
    ARROW_RETURN_NOT_OK(FlushBlock());
  }
  entries_.push_back(static_cast<uint32_t>(payload_.size()));
  PutBigEndian(key.size() + kHFileKeyOverhead, 4, &payload_);
  PutBigEndian(value.size(), 4, &payload_);
  PutKey(key, &payload_);
  payload_.append(value);
  payload_.push_back('\0');
  if (trailer_.entry_count == 0) first_key_ = key;
  last_key_ = key;
  ++trailer_.entry_count;
  key_bytes_ += static_cast<int64_t>(key.size() + kHFileKeyOverhead);
  value_bytes_ += static_cast<int64_t>(value.size());
  return Status::OK();
}

void HFileWriter::AddInfo(std::string_view name, std::string_view value) {
  info_.insert_or_assign(std::string(name), std::string(value));
}

void HFileWriter::SetBloomFilter(std::string_view type_code, std::string_view serialized) {
  AddInfo("bloomFilterTypeCode", type_code);
  bloom_filter_ = serialized;
  has_bloom_filter_ = true;
}

Status HFileWriter::FlushBlock() {
  if (entries_.empty()) return Status::OK();
  ARROW_RETURN_NOT_OK(WriteEntries(0, entries_.size()));
  entries_.clear();
  payload_.clear();
  return Status::OK();
}

/// Writes entries [first, last) of the payload: one block, or two when the last entry is so short
/// and the block so large that Hudi wouldn't see it.
Status HFileWriter::WriteEntries(size_t first, size_t last) {
  const size_t begin = entries_[first];
  const size_t end = last < entries_.size() ? entries_[last] : payload_.size();
  const std::string_view payload = std::string_view(payload_).substr(begin, end - begin);
  std::string block;
  ARROW_RETURN_NOT_OK(AppendHFileBlock(HFileBlockType::kData, payload, trailer_.last_data_offset,
                                       options_.codec, &block));
  if (last - first > 1 && !LastEntryIsVisible(end - entries_[last - 1], block.size())) {
    const size_t middle = first + (last - first) / 2;
    ARROW_RETURN_NOT_OK(WriteEntries(first, middle));
    return WriteEntries(middle, last);
  }
  return WriteDataBlock(payload, block);
}

Status HFileWriter::WriteDataBlock(std::string_view payload, const std::string& block) {
  PutBigEndian(static_cast<uint64_t>(offset_), 8, &root_);
  PutBigEndian(block.size(), 4, &root_);
  const size_t key_bytes = LoadBigEndian32(payload.data());
  PutHadoopVarint(static_cast<int64_t>(key_bytes), &root_);
  root_.append(payload.substr(8, key_bytes));
  ++trailer_.data_index_count;
  if (trailer_.first_data_offset < 0) trailer_.first_data_offset = offset_;
  trailer_.last_data_offset = offset_;
  trailer_.uncompressed_bytes += kHFileHeaderBytes + static_cast<int64_t>(payload.size());
  return Write(block);
}

Status HFileWriter::WriteBlock(HFileBlockType type, std::string_view payload, int64_t* bytes) {
  std::string block;
  ARROW_RETURN_NOT_OK(AppendHFileBlock(type, payload, -1, options_.codec, &block));
  trailer_.uncompressed_bytes += kHFileHeaderBytes + static_cast<int64_t>(payload.size());
  *bytes = static_cast<int64_t>(block.size());
  return Write(block);
}

Status HFileWriter::WriteMetaBlock() {
  if (!has_bloom_filter_) return Status::OK();
  AddInfo("minRecordKey", first_key_);
  AddInfo("maxRecordKey", last_key_);
  const int64_t offset = offset_;
  int64_t bytes = 0;
  ARROW_RETURN_NOT_OK(WriteBlock(HFileBlockType::kMeta, bloom_filter_, &bytes));
  PutBigEndian(static_cast<uint64_t>(offset), 8, &meta_);
  PutBigEndian(static_cast<uint64_t>(bytes), 4, &meta_);
  PutHadoopVarint(static_cast<int64_t>(kBloomFilter.size()), &meta_);
  meta_.append(kBloomFilter);
  ++trailer_.meta_index_count;
  return Status::OK();
}

Status HFileWriter::WriteInfo() {
  const int64_t count = std::max<int64_t>(trailer_.entry_count, 1);
  AddInfo("KEY_VALUE_VERSION", BigEndian(1, 4));
  AddInfo("MAX_MEMSTORE_TS_KEY", BigEndian(0, 8));
  AddInfo("hfile.AVG_KEY_LEN", BigEndian(key_bytes_ / count, 4));
  AddInfo("hfile.AVG_VALUE_LEN", BigEndian(value_bytes_ / count, 4));
  AddInfo("hfile.CREATE_TIME_TS", BigEndian(0, 8));
  if (trailer_.entry_count > 0) {
    std::string last_key;
    PutKey(last_key_, &last_key);
    AddInfo("hfile.LASTKEY", last_key);
  }
  int64_t bytes = 0;
  return WriteBlock(HFileBlockType::kFileInfo, EncodeHFileInfo(info_), &bytes);
}

Status HFileWriter::Finish() {
  ARROW_RETURN_NOT_OK(FlushBlock());
  ARROW_RETURN_NOT_OK(WriteMetaBlock());
  trailer_.load_on_open_offset = offset_;
  int64_t bytes = 0;
  ARROW_RETURN_NOT_OK(WriteBlock(HFileBlockType::kRootIndex, root_, &bytes));
  trailer_.data_index_bytes = static_cast<int64_t>(root_.size());
  ARROW_RETURN_NOT_OK(WriteBlock(HFileBlockType::kRootIndex, meta_, &bytes));
  trailer_.file_info_offset = offset_;
  ARROW_RETURN_NOT_OK(WriteInfo());
  return Write(EncodeHFileTrailer(trailer_));
}

Status HFileWriter::Write(std::string_view bytes) {
  ARROW_RETURN_NOT_OK(sink_->Write(bytes.data(), static_cast<int64_t>(bytes.size())));
  offset_ += static_cast<int64_t>(bytes.size());
  return Status::OK();
}

}  // namespace firth
