// SPDX-License-Identifier: Apache-2.0
#include "firth/format/log/block_content.h"

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <gtest/gtest.h>

#include <string>

#include "firth/format/log/log_test_util.h"

namespace firth {
namespace {

// A log of which the block holds all but the first and the last byte.
struct Content {
  std::unique_ptr<LogReader> log;
  LogBlock block;
  std::string text;
};

Content Make(size_t size) {
  Content content;
  for (size_t i = 0; i < size; ++i) content.text.push_back(static_cast<char>(i * 31 + i / 256));
  content.log = *OpenBytes("<" + content.text + ">");
  content.block.content_offset = 1;
  content.block.content_length = static_cast<int64_t>(size);
  return content;
}

void CheckReads(const Content& content) {
  const auto file = *OpenBlockContent(*content.log, content.block);
  const auto size = static_cast<int64_t>(content.text.size());
  EXPECT_EQ(*file->GetSize(), size);
  EXPECT_EQ((*file->ReadAt(3, 5))->ToString(), content.text.substr(3, 5));
  EXPECT_EQ((*file->ReadAt(size - 2, 100))->ToString(),
            content.text.substr(content.text.size() - 2));
  ASSERT_TRUE(file->Seek(7).ok());
  EXPECT_EQ((*file->Read(4))->ToString(), content.text.substr(7, 4));
  char next[3];
  EXPECT_EQ(*file->Read(3, next), 3);
  EXPECT_EQ(std::string(next, 3), content.text.substr(11, 3));
  EXPECT_EQ(*file->Tell(), 14);
  EXPECT_FALSE(file->Seek(size + 1).ok());
  EXPECT_FALSE(file->ReadAt(-1, 1).ok());
}

TEST(BlockContent, IsThatOfTheBlockAlone) { CheckReads(Make(1000)); }

TEST(BlockContent, IsReadByRangesWhenLarge) { CheckReads(Make(size_t{9} << 20)); }

}  // namespace
}  // namespace firth
