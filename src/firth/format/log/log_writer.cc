// SPDX-License-Identifier: Apache-2.0
#include "firth/format/log/log_writer.h"

#include <limits>

#include "firth/common/bytes.h"

namespace firth {
namespace {

constexpr int32_t kAvroBlockVersion = 3;
constexpr size_t kMaxBlockBytes = std::numeric_limits<int32_t>::max();

Status CheckHeader(LogBlockType type, const LogHeader& header) {
  if (type == LogBlockType::kCorrupt) return InvalidError("corrupt blocks are never written");
  if (!header.contains(LogHeaderKey::kInstantTime)) {
    return InvalidError("{} block without INSTANT_TIME", LogBlockTypeName(type));
  }
  const bool needs_schema = type == LogBlockType::kAvroData || type == LogBlockType::kHfileData ||
                            type == LogBlockType::kCdc;
  if (needs_schema && !header.contains(LogHeaderKey::kSchema)) {
    return InvalidError("{} block without SCHEMA", LogBlockTypeName(type));
  }
  return Status::OK();
}

size_t HeaderBytes(const LogHeader& header) {
  size_t bytes = 4;
  for (const auto& [key, value] : header) bytes += 8 + value.size();
  return bytes;
}

void PutHeader(const LogHeader& header, ByteWriter* out) {
  out->PutI32Be(static_cast<int32_t>(header.size()));
  for (const auto& [key, value] : header) {
    out->PutI32Be(static_cast<int32_t>(key));
    out->PutI32Be(static_cast<int32_t>(value.size()));
    out->PutBytes(value);
  }
}

}  // namespace

Result<std::string> EncodeLogBlock(LogBlockType type, const LogHeader& header,
                                   std::string_view content) {
  ARROW_RETURN_NOT_OK(CheckHeader(type, header));
  // Format version, type, header, content length, content, empty footer, trailer.
  const size_t block_size = 4 + 4 + HeaderBytes(header) + 8 + content.size() + 4 + 8;
  const size_t total = kLogMagic.size() + 8 + block_size;
  if (total > kMaxBlockBytes) {
    return InvalidError("{} block of {} bytes; at most {} are possible", LogBlockTypeName(type),
                        total, kMaxBlockBytes);
  }
  ByteWriter out;
  out.Reserve(total);
  out.PutBytes(kLogMagic);
  out.PutI64Be(static_cast<int64_t>(block_size));
  out.PutI32Be(kLogFormatVersion);
  out.PutI32Be(static_cast<int32_t>(type));
  PutHeader(header, &out);
  out.PutI64Be(static_cast<int64_t>(content.size()));
  out.PutBytes(content);
  out.PutI32Be(0);
  out.PutI64Be(static_cast<int64_t>(total - 8));
  return out.Finish();
}

std::string EncodeAvroBlock(const std::vector<std::string>& records) {
  size_t total = 8;
  for (const std::string& record : records) total += 4 + record.size();
  ByteWriter out;
  out.Reserve(total);
  out.PutI32Be(kAvroBlockVersion);
  out.PutI32Be(static_cast<int32_t>(records.size()));
  for (const std::string& record : records) {
    out.PutI32Be(static_cast<int32_t>(record.size()));
    out.PutBytes(record);
  }
  return out.Finish();
}

}  // namespace firth
