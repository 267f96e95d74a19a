// SPDX-License-Identifier: Apache-2.0
// Headers, checksums and compression of blocks.
#include <arrow/buffer.h>
#include <arrow/memory_pool.h>
#include <arrow/util/compression.h>
#include <libdeflate.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "firth/common/bytes.h"
#include "firth/common/checksum.h"
#include "firth/format/hfile/hfile_block.h"

namespace firth {
namespace {

constexpr int64_t kMaxBlockBytes = std::numeric_limits<int32_t>::max() - 64;
constexpr uint8_t kNoChecksum = 0, kCrc32 = 1, kCrc32c = 2;
constexpr int kGzipWindow = 15 + 16;  // zlib's way to ask for a gzip member
// No codec makes more of a byte than this, so a lie about a size can't cost much memory.
constexpr int64_t kMaxGzipRatio = 1040;
constexpr int64_t kMaxZstdRatio = 1 << 16;

Status CheckSizes(const HFileBlockHeader& header, int32_t on_disk, int32_t data) {
  if (on_disk < 0 || header.payload_bytes < 0 || data < kHFileHeaderBytes ||
      data - kHFileHeaderBytes > on_disk || header.checksum_type > kCrc32c) {
    return CorruptError("block header with sizes {}, {} and {} and checksum type {}", on_disk,
                        header.payload_bytes, data, header.checksum_type);
  }
  if (header.checksum_type == kNoChecksum) return Status::OK();
  if (header.bytes_per_checksum <= 0) {
    return CorruptError("block header with {} bytes a checksum", header.bytes_per_checksum);
  }
  const int64_t chunks =
      (int64_t{data} + header.bytes_per_checksum - 1) / header.bytes_per_checksum;
  if (on_disk != header.stored_bytes + 4 * chunks) {
    return CorruptError(
        "block of {} bytes on disk with a payload of {} has no room for {} "
        "checksums",
        on_disk, header.stored_bytes, chunks);
  }
  return Status::OK();
}

Status CheckChecksums(const HFileBlockHeader& header, std::string_view block) {
  if (header.checksum_type == kNoChecksum) return Status::OK();
  const auto data_bytes = static_cast<size_t>(kHFileHeaderBytes + header.stored_bytes);
  const auto chunk = static_cast<size_t>(header.bytes_per_checksum);
  const char* expected = block.data() + data_bytes;
  for (size_t begin = 0; begin < data_bytes; begin += chunk, expected += 4) {
    const std::string_view bytes = block.substr(begin, std::min(chunk, data_bytes - begin));
    const uint32_t actual = header.checksum_type == kCrc32 ? Crc32(bytes) : Crc32c(bytes);
    if (actual != LoadBigEndian32(expected)) {
      return CorruptError("checksum of a {} block is {:08x}, its bytes {} to {} have {:08x}",
                          HFileBlockTypeName(header.type), LoadBigEndian32(expected), begin,
                          begin + bytes.size(), actual);
    }
  }
  return Status::OK();
}

/// A decompressor that a thread keeps: setting one up costs more than inflating a small block.
class Inflater {
 public:
  /// Whether `in` is one gzip member that fills `out` exactly.
  bool Run(std::string_view in, uint8_t* out, int64_t out_bytes) {
    if (decompressor_ == nullptr) return false;
    uint8_t nothing = 0;
    size_t read = 0;
    // Without a place for the number of bytes written they must be as many as there is room for.
    const libdeflate_result result = libdeflate_gzip_decompress_ex(
        decompressor_.get(), in.data(), in.size(), out_bytes == 0 ? &nothing : out,
        static_cast<size_t>(out_bytes), &read, nullptr);
    return result == LIBDEFLATE_SUCCESS && read == in.size();
  }

 private:
  struct Free {
    void operator()(libdeflate_decompressor* decompressor) const {
      libdeflate_free_decompressor(decompressor);
    }
  };
  std::unique_ptr<libdeflate_decompressor, Free> decompressor_{libdeflate_alloc_decompressor()};
};

Result<arrow::util::Codec*> ZstdCodec() {
  thread_local std::unique_ptr<arrow::util::Codec> codec;
  if (codec == nullptr) {
    ARROW_ASSIGN_OR_RAISE(codec, arrow::util::Codec::Create(arrow::Compression::ZSTD));
  }
  return codec.get();
}

Status Decompress(std::string_view in, HFileCodec codec, int64_t out_bytes, uint8_t* out) {
  if (codec == HFileCodec::kGzip) {
    thread_local Inflater inflater;
    if (inflater.Run(in, out, out_bytes)) return Status::OK();
    return CorruptError("{} bytes are no gzip member of {} bytes", in.size(), out_bytes);
  }
  ARROW_ASSIGN_OR_RAISE(arrow::util::Codec* const zstd, ZstdCodec());
  const auto written = zstd->Decompress(
      static_cast<int64_t>(in.size()), reinterpret_cast<const uint8_t*>(in.data()), out_bytes, out);
  if (written.ok() && *written == out_bytes) return Status::OK();
  return CorruptError("{} bytes are no zstd frame of {} bytes", in.size(), out_bytes);
}

Status AppendGzip(std::string_view payload, std::string* out) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, 8,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    return InternalError("zlib has no memory for a stream");
  }
  // As Java writes it: no time, no flags, and no name of an operating system.
  gz_header header{};
  header.os = 0;
  deflateSetHeader(&stream, &header);
  const size_t begin = out->size();
  out->resize(begin + deflateBound(&stream, payload.size()));
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(payload.data()));
  stream.avail_in = static_cast<uInt>(payload.size());
  stream.next_out = reinterpret_cast<Bytef*>(out->data() + begin);
  stream.avail_out = static_cast<uInt>(out->size() - begin);
  const int code = deflate(&stream, Z_FINISH);
  out->resize(out->size() - stream.avail_out);
  deflateEnd(&stream);
  if (code != Z_STREAM_END) return InternalError("zlib gave {} instead of a whole member", code);
  return Status::OK();
}

Status AppendZstd(std::string_view payload, std::string* out) {
  ARROW_ASSIGN_OR_RAISE(arrow::util::Codec* const zstd, ZstdCodec());
  const auto* in = reinterpret_cast<const uint8_t*>(payload.data());
  const auto in_bytes = static_cast<int64_t>(payload.size());
  const size_t begin = out->size();
  const int64_t bound = zstd->MaxCompressedLen(in_bytes, in);
  out->resize(begin + static_cast<size_t>(bound));
  ARROW_ASSIGN_OR_RAISE(
      const int64_t written,
      zstd->Compress(in_bytes, in, bound, reinterpret_cast<uint8_t*>(out->data() + begin)));
  out->resize(begin + static_cast<size_t>(written));
  return Status::OK();
}

Status AppendCompressed(std::string_view payload, HFileCodec codec, std::string* out) {
  if (codec == HFileCodec::kGzip) return AppendGzip(payload, out);
  if (codec == HFileCodec::kZstd) return AppendZstd(payload, out);
  out->append(payload);
  return Status::OK();
}

}  // namespace

Result<HFileBlockHeader> ParseHFileBlockHeader(std::string_view bytes) {
  if (bytes.size() < static_cast<size_t>(kHFileHeaderBytes)) {
    return CorruptError("{} bytes are too few for a block header of {}", bytes.size(),
                        kHFileHeaderBytes);
  }
  HFileBlockHeader header;
  const std::optional<HFileBlockType> type = ParseHFileMagic(bytes.substr(0, 8));
  if (!type) {
    return CorruptError("{:016x} is the magic of no block that Hudi writes",
                        LoadBigEndian64(bytes.data()));
  }
  header.type = *type;
  const char* at = bytes.data();
  const auto on_disk = static_cast<int32_t>(LoadBigEndian32(at + 8));
  header.payload_bytes = static_cast<int32_t>(LoadBigEndian32(at + 12));
  header.checksum_type = static_cast<uint8_t>(at[24]);
  header.bytes_per_checksum = static_cast<int32_t>(LoadBigEndian32(at + 25));
  const auto data = static_cast<int32_t>(LoadBigEndian32(at + 29));
  header.stored_bytes = data - kHFileHeaderBytes;
  header.total_bytes = kHFileHeaderBytes + on_disk;
  ARROW_RETURN_NOT_OK(CheckSizes(header, on_disk, data));
  return header;
}

Result<std::shared_ptr<arrow::Buffer>> DecodeHFilePayload(
    const HFileBlockHeader& header, const std::shared_ptr<arrow::Buffer>& block, HFileCodec codec,
    arrow::MemoryPool* pool) {
  ARROW_RETURN_NOT_OK(CheckChecksums(header, std::string_view(*block)));
  const int64_t ratio = codec == HFileCodec::kNone   ? 1
                        : codec == HFileCodec::kGzip ? kMaxGzipRatio
                                                     : kMaxZstdRatio;
  if (header.payload_bytes > header.stored_bytes * ratio ||
      (codec == HFileCodec::kNone && header.payload_bytes != header.stored_bytes)) {
    return CorruptError("{} block claims a payload of {} bytes from {} stored",
                        HFileBlockTypeName(header.type), header.payload_bytes, header.stored_bytes);
  }
  if (codec == HFileCodec::kNone) {
    return arrow::SliceBuffer(block, kHFileHeaderBytes, header.stored_bytes);
  }
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> payload,
                        arrow::AllocateBuffer(header.payload_bytes, pool));
  const std::string_view stored = std::string_view(*block).substr(
      static_cast<size_t>(kHFileHeaderBytes), static_cast<size_t>(header.stored_bytes));
  ARROW_RETURN_NOT_OK(Decompress(stored, codec, header.payload_bytes, payload->mutable_data()));
  return payload;
}

Status AppendHFileBlock(HFileBlockType type, std::string_view payload, int64_t previous_offset,
                        HFileCodec codec, std::string* out) {
  const size_t begin = out->size();
  out->resize(begin + static_cast<size_t>(kHFileHeaderBytes));
  ARROW_RETURN_NOT_OK(AppendCompressed(payload, codec, out));
  const auto data_bytes = static_cast<int64_t>(out->size() - begin);
  const int64_t chunks = (data_bytes + kHFileBytesPerChecksum - 1) / kHFileBytesPerChecksum;
  const int64_t total = data_bytes + 4 * chunks;
  if (total > kMaxBlockBytes || static_cast<int64_t>(payload.size()) > kMaxBlockBytes) {
    return InvalidError("{} block of {} bytes; at most {} are possible", HFileBlockTypeName(type),
                        std::max<int64_t>(total, static_cast<int64_t>(payload.size())),
                        kMaxBlockBytes);
  }
  ByteWriter header;
  header.PutBytes(HFileMagic(type));
  header.PutI32Be(static_cast<int32_t>(total - kHFileHeaderBytes));
  header.PutI32Be(static_cast<int32_t>(payload.size()));
  header.PutI64Be(previous_offset);
  header.PutU8(kCrc32c);
  header.PutI32Be(kHFileBytesPerChecksum);
  header.PutI32Be(static_cast<int32_t>(data_bytes));
  out->replace(begin, static_cast<size_t>(kHFileHeaderBytes), header.bytes());
  ByteWriter checksums;
  for (int64_t at = 0; at < data_bytes; at += kHFileBytesPerChecksum) {
    const int64_t length = std::min<int64_t>(kHFileBytesPerChecksum, data_bytes - at);
    checksums.PutI32Be(
        static_cast<int32_t>(Crc32c({out->data() + begin + at, static_cast<size_t>(length)})));
  }
  out->append(checksums.bytes());
  return Status::OK();
}

}  // namespace firth
