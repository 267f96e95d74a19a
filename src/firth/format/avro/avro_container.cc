// SPDX-License-Identifier: Apache-2.0
// Object container files: header, then blocks of (count, size, objects, sync).
#include <arrow/util/compression.h>

#include <algorithm>
#include <utility>

#include "firth/common/checksum.h"
#include "firth/format/avro/avro_codec.h"

namespace firth {
namespace {

using arrow::Compression;
using arrow::util::Codec;

constexpr std::string_view kMagic("Obj\x01", 4);
constexpr size_t kSyncBytes = 16;
constexpr size_t kMaxBlockBytes = 256 << 20;

const uint8_t* AsBytes(std::string_view text) {
  return reinterpret_cast<const uint8_t*>(text.data());
}

struct ContainerHeader {
  std::string_view schema;
  std::string_view codec = "null";
  std::string_view sync;
};

Result<ContainerHeader> ReadHeader(ByteReader& in) {
  ARROW_ASSIGN_OR_RAISE(const std::string_view magic, in.ReadBytes(kMagic.size(), "avro magic"));
  if (magic != kMagic) return CorruptError("no avro container: it does not begin with Obj1");
  ContainerHeader header;
  for (;;) {
    ARROW_ASSIGN_OR_RAISE(int64_t count, in.ReadZigZag("avro header count"));
    if (count == 0) break;
    if (count < 0) {
      ARROW_RETURN_NOT_OK(in.ReadZigZag("avro header size"));
      // The remaining bytes end a count that was never meant, without a bound of its own.
      count = count == std::numeric_limits<int64_t>::min() ? -(count + 1) : -count;
    }
    for (; count > 0; --count) {
      ARROW_ASSIGN_OR_RAISE(const std::string_view key, in.ReadLengthPrefixed("avro header key"));
      ARROW_ASSIGN_OR_RAISE(const std::string_view value,
                            in.ReadLengthPrefixed("avro header value"));
      if (key == "avro.schema") header.schema = value;
      if (key == "avro.codec") header.codec = value;
    }
  }
  ARROW_ASSIGN_OR_RAISE(header.sync, in.ReadBytes(kSyncBytes, "avro sync marker"));
  return header;
}

Result<std::string> DecompressSnappy(std::string_view body) {
  if (body.size() < 4) return CorruptError("avro snappy block of {} bytes", body.size());
  const uint32_t checksum = LoadBigEndian32(body.data() + body.size() - 4);
  body.remove_suffix(4);
  uint64_t length = 0;  // snappy begins with the plain length as a base-128 number
  for (size_t i = 0; i < body.size() && i < 5; ++i) {
    const auto byte = static_cast<uint8_t>(body[i]);
    length |= static_cast<uint64_t>(byte & 0x7F) << (7 * i);
    if ((byte & 0x80) == 0) break;
  }
  if (length > kMaxBlockBytes) {
    return CorruptError("avro snappy block claims {} bytes; at most {} are read", length,
                        kMaxBlockBytes);
  }
  ARROW_ASSIGN_OR_RAISE(const auto codec, Codec::Create(Compression::SNAPPY));
  std::string plain(length, '\0');
  const auto size =
      codec->Decompress(static_cast<int64_t>(body.size()), AsBytes(body),
                        static_cast<int64_t>(length), reinterpret_cast<uint8_t*>(plain.data()));
  if (!size.ok() || *size != static_cast<int64_t>(length) || Crc32(plain) != checksum) {
    return CorruptError("avro snappy block of {} bytes does not decompress to its checksum",
                        body.size());
  }
  return plain;
}

Result<std::string> DecompressStream(std::string_view body, Codec* codec) {
  ARROW_ASSIGN_OR_RAISE(const auto stream, codec->MakeDecompressor());
  std::string plain;
  size_t used = 0;
  while (!stream->IsFinished()) {
    const size_t old_size = plain.size();
    if (old_size >= kMaxBlockBytes) {
      return CorruptError("avro block decompresses to more than {} bytes", kMaxBlockBytes);
    }
    plain.resize(std::min(kMaxBlockBytes, std::max<size_t>(4096, 2 * old_size)));
    const auto step =
        stream->Decompress(static_cast<int64_t>(body.size() - used), AsBytes(body) + used,
                           static_cast<int64_t>(plain.size() - old_size),
                           reinterpret_cast<uint8_t*>(plain.data()) + old_size);
    if (!step.ok()) return CorruptError("avro block: {}", step.status().message());
    used += static_cast<size_t>(step->bytes_read);
    plain.resize(old_size + static_cast<size_t>(step->bytes_written));
    // There was room for output: a codec that asks for more of it has in truth no input left.
    if (step->bytes_read == 0 && step->bytes_written == 0) {
      return CorruptError("avro block ends inside its compressed data");
    }
  }
  return plain;
}

Result<std::string> Decompress(std::string_view codec_name, std::string_view body) {
  if (codec_name == "snappy") return DecompressSnappy(body);
  if (codec_name == "zstandard") {
    ARROW_ASSIGN_OR_RAISE(const auto codec, Codec::Create(Compression::ZSTD));
    return DecompressStream(body, codec.get());
  }
  if (codec_name == "deflate") {
    arrow::util::GZipCodecOptions options;
    options.gzip_format = arrow::util::GZipFormat::DEFLATE;
    ARROW_ASSIGN_OR_RAISE(const auto codec, Codec::Create(Compression::GZIP, options));
    return DecompressStream(body, codec.get());
  }
  return UnsupportedError(
      "avro container has codec \"{}\"; null, deflate, snappy and zstandard are read", codec_name);
}

Status ReadRecords(const AvroSchema& schema, int64_t count, std::string_view plain,
                   std::vector<nlohmann::json>* records) {
  ByteReader in(plain);
  for (int64_t i = 0; i < count; ++i) {
    ARROW_ASSIGN_OR_RAISE(nlohmann::json record, DecodeAvroJson(schema, in));
    records->push_back(std::move(record));
  }
  if (in.AtEnd()) return Status::OK();
  return CorruptError("avro block has {} bytes behind its {} records", in.remaining(), count);
}

}  // namespace

Result<AvroContainer> ReadAvroContainer(std::string_view bytes) {
  ByteReader in(bytes);
  ARROW_ASSIGN_OR_RAISE(const ContainerHeader header, ReadHeader(in));
  AvroContainer container;
  ARROW_ASSIGN_OR_RAISE(container.schema, ParseAvroSchema(header.schema));
  while (!in.AtEnd()) {
    const size_t start = in.offset();
    ARROW_ASSIGN_OR_RAISE(const int64_t count, in.ReadZigZag("avro block count"));
    ARROW_ASSIGN_OR_RAISE(std::string_view body, in.ReadLengthPrefixed("avro block"));
    ARROW_ASSIGN_OR_RAISE(const std::string_view sync, in.ReadBytes(kSyncBytes, "avro sync"));
    if (sync != header.sync) {
      return CorruptError("avro block at offset {} does not end with the sync marker", start);
    }
    std::string plain;
    if (header.codec != "null") {
      ARROW_ASSIGN_OR_RAISE(plain, Decompress(header.codec, body));
      body = plain;
    }
    // Also holds for records of no bytes, which would otherwise come in any number.
    if (count < 0 || static_cast<uint64_t>(count) > body.size() + 1) {
      return CorruptError("avro block at offset {} claims {} records in {} bytes", start, count,
                          body.size());
    }
    ARROW_RETURN_NOT_OK(ReadRecords(*container.schema, count, body, &container.records));
  }
  return container;
}

Result<std::string> WriteAvroContainer(const AvroSchema& schema, std::string_view schema_json,
                                       const std::vector<nlohmann::json>& records,
                                       std::string_view sync) {
  if (sync.size() != kSyncBytes) {
    return InvalidError("avro sync marker has {} bytes; must be {}", sync.size(), kSyncBytes);
  }
  ByteWriter body;
  for (const nlohmann::json& record : records) {
    ARROW_RETURN_NOT_OK(EncodeAvroJson(schema, record, &body));
  }
  ByteWriter out;
  out.PutBytes(kMagic);
  out.PutZigZag(1);
  out.PutLengthPrefixed("avro.schema");
  out.PutLengthPrefixed(schema_json);
  out.PutZigZag(0);
  out.PutBytes(sync);
  if (!records.empty()) {
    out.PutZigZag(static_cast<int64_t>(records.size()));
    out.PutLengthPrefixed(body.bytes());
    out.PutBytes(sync);
  }
  return out.Finish();
}

}  // namespace firth
