// SPDX-License-Identifier: Apache-2.0
// The parts of an HFile that compression hides from a fuzzer: trailer, file info, index and data
// payloads, each from the same bytes.
#include <arrow/buffer.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "firth/format/hfile/hfile_block.h"
#include "firth/format/hfile/hfile_format.h"

namespace firth {
namespace {

void Require(bool condition) {
  if (!condition) std::abort();
}

void CheckTrailer(std::string_view message) {
  // The message, then the frame that it always has.
  std::string bytes = "TRABLK\"$";
  bytes.append(message.substr(0, static_cast<size_t>(kHFileTrailerBytes) - 12));
  bytes.resize(static_cast<size_t>(kHFileTrailerBytes) - 4, '\0');
  bytes.append("\x03\x00\x00\x03", 4);
  const auto trailer = DecodeHFileTrailer(bytes, int64_t{1} << 40);
  if (!trailer.ok()) return;
  if (trailer->comparator.size() > 1'000) return;  // might not fit into a trailer of ours
  const std::string encoded = EncodeHFileTrailer(*trailer);
  const auto again = DecodeHFileTrailer(encoded, int64_t{1} << 40);
  Require(again.ok() && EncodeHFileTrailer(*again) == encoded);
}

void CheckInfo(std::string_view payload) {
  const auto info = DecodeHFileInfo(payload);
  if (info.ok()) Require(*DecodeHFileInfo(EncodeHFileInfo(*info)) == *info);
}

void CheckBlock(std::string_view payload, HFileBlockType type) {
  const auto block = HFileBlock::Make(type, std::make_shared<arrow::Buffer>(payload));
  if (!block.ok()) return;
  for (size_t i = 0; i < (*block)->size(); ++i) {
    const size_t first = (*block)->LowerBound((*block)->key(i));
    Require(first <= i && (*block)->key(first) == (*block)->key(i));
    const std::string_view value = (*block)->value(i);
    Require(value.data() >= payload.data() &&
            value.data() + value.size() <= payload.data() + payload.size());
  }
}

}  // namespace
}  // namespace firth

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  firth::CheckTrailer(bytes);
  firth::CheckInfo(bytes);
  for (const auto type : {firth::HFileBlockType::kData, firth::HFileBlockType::kLeafIndex}) {
    firth::CheckBlock(bytes, type);
  }
  (void)firth::ParseHFileBlockHeader(bytes);
  if (size == 0) return 0;
  const uint32_t count = data[0];
  for (const auto kind : {firth::HFileRootKind::kDataBlocks, firth::HFileRootKind::kIndexBlocks,
                          firth::HFileRootKind::kMetaBlocks}) {
    (void)firth::ParseHFileRootIndex(bytes.substr(1), count, kind);
  }
  return 0;
}
