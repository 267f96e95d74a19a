// SPDX-License-Identifier: Apache-2.0
#include <arrow/buffer.h>
#include <arrow/io/memory.h>

#include <cstdlib>
#include <memory>
#include <string_view>

#include "firth/format/log/log_reader.h"
#include "firth/format/log/log_test_util.h"
#include "firth/format/log/log_writer.h"

namespace firth {
namespace {

void Require(bool condition) {
  if (!condition) std::abort();
}

// What was decoded must survive being encoded and decoded again. Compared as bytes, because a NaN
// doesn't equal itself.
void CheckDeletes(std::string_view content) {
  const auto records = DecodeDeleteBlock(content);
  if (!records.ok()) return;
  const auto encoded = EncodeDeleteBlock(*records);
  Require(encoded.ok());
  const auto again = DecodeDeleteBlock(*encoded);
  Require(again.ok() && again->size() == records->size() && *EncodeDeleteBlock(*again) == *encoded);
}

void CheckAvro(std::string_view content) {
  const auto records = AvroRecords(std::string(content));
  if (!records.ok()) return;
  // The version may differ, all that follows may not.
  const std::string encoded = EncodeAvroBlock({records->begin(), records->end()});
  Require(encoded.substr(4) == content.substr(4));
}

void CheckPositions(std::string_view text) {
  constexpr int64_t kMaxCount = 1 << 20;
  const auto positions = DecodeRecordPositions(text, kMaxCount);
  if (!positions.ok()) return;
  const auto encoded = EncodeRecordPositions(*positions);
  Require(encoded.ok() && *DecodeRecordPositions(*encoded, kMaxCount) == *positions);
}

void CheckFile(std::string_view bytes) {
  auto file = std::make_shared<arrow::io::BufferReader>(std::make_shared<arrow::Buffer>(
      reinterpret_cast<const uint8_t*>(bytes.data()), static_cast<int64_t>(bytes.size())));
  const auto reader = LogReader::Open(std::move(file), "fuzz");
  Require(reader.ok());
  int64_t position = 0;
  while (true) {
    const auto next = (*reader)->Next();
    if (!next.ok() || !next->has_value()) return;
    const LogBlock& block = **next;
    Require(block.offset >= position && block.content_offset > block.offset);
    position = block.content_offset + block.content_length;
    Require(position <= static_cast<int64_t>(bytes.size()));
    const auto content = (*reader)->LoadContent(block);
    Require(content.ok() && (*content)->size() == block.content_length);
    CheckDeletes(std::string_view(**content));
    CheckAvro(std::string_view(**content));
    CheckPositions(block.Get(LogHeaderKey::kRecordPositions));
  }
}

}  // namespace
}  // namespace firth

// The input is a whole log file, and also the content of each kind of block by itself.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  firth::CheckFile(bytes);
  firth::CheckDeletes(bytes);
  firth::CheckAvro(bytes);
  firth::CheckPositions(bytes);
  return 0;
}
