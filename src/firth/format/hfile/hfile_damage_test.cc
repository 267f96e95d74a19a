// SPDX-License-Identifier: Apache-2.0
// Files cut short or changed: an error, or the right answer.
#include <arrow/io/memory.h>
#include <fmt/format.h>

#include "firth/format/hfile/hfile_check.h"
#include "firth/format/hfile/hfile_writer.h"

namespace firth {
namespace {

HFileEntries SomeEntries() {
  HFileEntries entries;
  for (int i = 0; i < 12; ++i) entries.emplace_back(fmt::format("key-{:02}", 2 * i), "value");
  return entries;
}

std::string SomeFile(HFileCodec codec) {
  const auto sink = *arrow::io::BufferOutputStream::Create();
  auto writer =
      *HFileWriter::Make(sink, {.codec = codec, .block_bytes = 120, .stock_readable = false});
  for (const auto& [key, value] : SomeEntries()) EXPECT_TRUE(writer->Append(key, value).ok());
  EXPECT_TRUE(writer->Finish().ok());
  return (*sink->Finish())->ToString();
}

/// Nothing that the file answers may differ from what was written.
void CheckAnswers(const std::string& bytes) {
  const HFileEntries entries = SomeEntries();
  const auto reader = OpenHFileBytes(bytes);
  if (!reader.ok()) return;
  const auto scanned = ScanHFile(**reader);
  if (scanned.ok()) {
    ASSERT_EQ(*scanned, entries);
  }
  for (int i = 0; i < 24; ++i) {
    const std::string key = fmt::format("key-{:02}", i);
    const std::string_view view = key;
    const auto hits = CollectHits([&](const HFileVisitor& visit) {
      return (*reader)->Lookup({&view, 1}, visit);
    });
    if (!hits.ok()) continue;
    ASSERT_EQ(hits->size(), static_cast<size_t>(1 - i % 2)) << key;
    if (!hits->empty()) {
      ASSERT_EQ(hits->at(0).front().second, "value");
    }
  }
}

class HFileDamage : public ::testing::TestWithParam<HFileCodec> {};

TEST_P(HFileDamage, ACutFileIsAnError) {
  const std::string bytes = SomeFile(GetParam());
  for (size_t length = 0; length < bytes.size(); ++length) {
    ASSERT_FALSE(OpenHFileBytes(bytes.substr(0, length)).ok()) << length;
  }
}

TEST_P(HFileDamage, AChangedByteIsAnErrorOrWithoutEffect) {
  const std::string bytes = SomeFile(GetParam());
  for (size_t at = 0; at < bytes.size(); ++at) {
    // Behind the trailer's fields is padding.
    if (at > bytes.size() - 3'900 && at < bytes.size() - 8) continue;
    for (const int change : {0x01, 0x80, 0xFF}) {
      SCOPED_TRACE(fmt::format("{:#x} at {} of {}", change, at, bytes.size()));
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ change);
      CheckAnswers(changed);
      if (HasFatalFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Codecs, HFileDamage,
                         ::testing::Values(HFileCodec::kGzip, HFileCodec::kNone, HFileCodec::kZstd),
                         [](const auto& codec) {
                           return fmt::format("codec{}", static_cast<int>(codec.param));
                         });

}  // namespace
}  // namespace firth
