// SPDX-License-Identifier: Apache-2.0
// Log files cut and changed at every byte. The log format has no checksum, so what a reader can
// promise is stated by the two tests below, and no more than that: docs/format/log.md, "Damage".
#include <gtest/gtest.h>

#include <algorithm>

#include "firth/format/log/log_reader.h"
#include "firth/format/log/log_test_util.h"
#include "firth/format/log/log_writer.h"
#include "firth/testing/golden.h"

namespace firth {
namespace {

constexpr std::string_view kInstant = "20260101000000000";

LogHeader Header(bool with_positions) {
  LogHeader header = {{LogHeaderKey::kInstantTime, std::string(kInstant)},
                      {LogHeaderKey::kSchema, R"({"type":"record","name":"r","fields":[]})"}};
  if (with_positions) {
    header[LogHeaderKey::kRecordPositions] = *EncodeRecordPositions({1, 2});
    header[LogHeaderKey::kBaseFileInstantOfPositions] = kInstant;
  }
  return header;
}

/// Data, deletes, a rollback and more data: every framing that writers of today produce.
std::string OwnLogFile() {
  const LogHeader command = {{LogHeaderKey::kInstantTime, std::string(kInstant)},
                             {LogHeaderKey::kCommandBlockType, "0"},
                             {LogHeaderKey::kTargetInstantTime, "20250101000000000"}};
  const std::vector<DeleteRecord> deletes = {{"k1", "p", {OrderingValue::Kind::kLong, int64_t{7}}},
                                             {"k2", "p", {}}};
  return *EncodeLogBlock(LogBlockType::kAvroData, Header(true), EncodeAvroBlock({"one", "two"})) +
         *EncodeLogBlock(LogBlockType::kDelete, Header(true), *EncodeDeleteBlock(deletes)) +
         *EncodeLogBlock(LogBlockType::kCommand, command, "") +
         *EncodeLogBlock(LogBlockType::kAvroData, Header(false), EncodeAvroBlock({"three"}));
}

/// Own and, when they are there, golden files: one a log of data, one a log of deletes.
std::vector<std::string> LogFiles() {
  std::vector<std::string> files = {OwnLogFile()};
  if (testing::GoldenNames().empty()) return files;
  const testing::GoldenTable golden("v9_mor_positions", "*/p*/*.log.*");
  for (const auto& path : golden.Files()) files.push_back(testing::ReadFileBytes(path));
  return files;
}

int64_t EndOf(const LogBlock& block) {
  return block.content_offset + block.content_length + 4 + 8;  // empty footer, trailer
}

bool Same(const ReadBlock& a, const ReadBlock& b) {
  return a.block.offset == b.block.offset && a.block.type == b.block.type &&
         a.block.header == b.block.header && a.content == b.content;
}

/// A block read from a changed file is told apart from its original by no more than its type, or by
/// one header entry: the key (which may have become unknown) or the value.
bool SameButOneField(const ReadBlock& original, const ReadBlock& changed) {
  if (original.block.offset != changed.block.offset || original.content != changed.content) {
    return false;
  }
  if (original.block.type != changed.block.type) {
    return original.block.header == changed.block.header;
  }
  const auto missing = [](const LogHeader& from, const LogHeader& in) {
    return std::ranges::count_if(from, [&](const auto& entry) {
      const auto found = in.find(entry.first);
      return found == in.end() || found->second != entry.second;
    });
  };
  return missing(original.block.header, changed.block.header) <= 1 &&
         missing(changed.block.header, original.block.header) <= 1;
}

// A file whose writer died anywhere gives exactly its whole blocks, and the torn rest as corrupt.
TEST(LogDamage, FileCutAnywhereGivesItsWholeBlocks) {
  for (const std::string& bytes : LogFiles()) {
    const ReadLog original = ReadAllBlocks(bytes);
    ASSERT_TRUE(original.status.ok()) << original.status.ToString();
    ASSERT_EQ(original.corrupt, 0);
    for (size_t cut = 0; cut < bytes.size(); ++cut) {
      SCOPED_TRACE(cut);
      const ReadLog log = ReadAllBlocks(bytes.substr(0, cut));
      ASSERT_TRUE(log.status.ok()) << log.status.ToString();
      size_t whole = 0;
      int64_t last_end = 0;
      for (const ReadBlock& block : original.blocks) {
        if (EndOf(block.block) > static_cast<int64_t>(cut)) break;
        last_end = EndOf(block.block);
        ++whole;
      }
      ASSERT_EQ(log.blocks.size(), whole);
      for (size_t i = 0; i < whole; ++i) ASSERT_TRUE(Same(original.blocks[i], log.blocks[i]));
      ASSERT_EQ(log.corrupt, static_cast<int64_t>(cut) - last_end >= 6 ? 1 : 0);
    }
  }
}

/// Checks what a reader says about `changed`, which differs from the file of `original` in one byte
/// outside of all contents.
void CheckChangedFile(const ReadLog& original, const std::string& changed) {
  const ReadLog log = ReadAllBlocks(changed);
  size_t intact = 0;
  for (const ReadBlock& block : log.blocks) {
    const auto found =
        std::ranges::find(original.blocks, block.block.offset,
                          [](const ReadBlock& candidate) { return candidate.block.offset; });
    ASSERT_TRUE(found != original.blocks.end()) << "a block at " << block.block.offset;
    ASSERT_TRUE(SameButOneField(*found, block));
    intact += Same(*found, block) ? 1 : 0;
  }
  // Silence means that every block is there and at most one differs in one field.
  if (log.status.ok() && log.corrupt == 0) {
    ASSERT_EQ(log.blocks.size(), original.blocks.size());
    ASSERT_GE(intact + 1, original.blocks.size());
  }
}

TEST(LogDamage, ByteChangedInAnyHeaderNeverChangesContentSilently) {
  for (const std::string& bytes : LogFiles()) {
    const ReadLog original = ReadAllBlocks(bytes);
    std::vector<bool> is_content(bytes.size(), false);
    for (const ReadBlock& block : original.blocks) {
      std::fill_n(is_content.begin() + block.block.content_offset, block.block.content_length,
                  true);
    }
    for (size_t at = 0; at < bytes.size(); ++at) {
      if (is_content[at]) continue;
      for (const int change : {0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0xFF}) {
        std::string changed = bytes;
        changed[at] = static_cast<char>(changed[at] ^ change);
        SCOPED_TRACE(fmt::format("byte {} changed by {}", at, change));
        CheckChangedFile(original, changed);
        if (HasFatalFailure()) return;
      }
    }
  }
}

}  // namespace
}  // namespace firth
