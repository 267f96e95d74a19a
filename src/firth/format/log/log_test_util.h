// SPDX-License-Identifier: Apache-2.0
// What the tests of this module share.
#pragma once

#include <arrow/buffer.h>
#include <arrow/io/memory.h>

#include <cctype>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "firth/format/log/avro_block.h"
#include "firth/format/log/log_reader.h"

namespace firth {

/// Bytes from hexadecimal digits; whitespace is passed over.
inline std::string FromHex(std::string_view hex) {
  std::string digits;
  for (const char c : hex) {
    if (std::isspace(static_cast<unsigned char>(c)) == 0) digits.push_back(c);
  }
  std::string bytes;
  for (size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

inline Result<std::unique_ptr<LogReader>> OpenBytes(std::string bytes,
                                                    std::string path = "test.log") {
  return LogReader::Open(
      std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(std::move(bytes))),
      std::move(path));
}

/// A block with its content, and how the walk over a file ended.
struct ReadBlock {
  LogBlock block;
  std::string content;
};
struct ReadLog {
  std::vector<ReadBlock> blocks;  // whole ones
  int corrupt = 0;                // damaged stretches
  Status status;                  // of the end: OK when the file was read to its end
};

inline ReadLog ReadAllBlocks(const std::string& bytes) {
  ReadLog log;
  Result<std::unique_ptr<LogReader>> reader = OpenBytes(bytes);
  if (!reader.ok()) return {{}, 0, reader.status()};
  while (true) {
    Result<std::optional<LogBlock>> block = (*reader)->Next();
    log.status = block.status();
    if (!block.ok() || !block->has_value()) return log;
    if ((*block)->type == LogBlockType::kCorrupt) {
      ++log.corrupt;
      continue;
    }
    Result<std::shared_ptr<arrow::Buffer>> content = (*reader)->LoadContent(**block);
    log.status = content.status();
    if (!content.ok()) return log;
    log.blocks.push_back({**std::move(block), (*content)->ToString()});
  }
}

/// The records of an avro block whose content is given, read in windows of a few bytes.
inline Result<std::vector<std::string>> AvroRecords(const std::string& content,
                                                    int64_t window_bytes = 5) {
  ARROW_ASSIGN_OR_RAISE(const auto log, OpenBytes(content));
  LogBlock block;
  block.content_length = static_cast<int64_t>(content.size());
  ARROW_ASSIGN_OR_RAISE(auto reader, AvroBlockReader::Open(*log, block, window_bytes));
  std::vector<std::string> records;
  while (true) {
    ARROW_ASSIGN_OR_RAISE(const auto record, reader.Next());
    if (!record) return records;
    records.emplace_back(*record);
  }
}

}  // namespace firth
