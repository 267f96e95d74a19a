// SPDX-License-Identifier: Apache-2.0
#include "firth/io/storage_writer.h"

#include <arrow/buffer.h>
#include <arrow/filesystem/mockfs.h>
#include <arrow/io/interfaces.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

namespace firth {
namespace {

namespace stdfs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class StorageWriterTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = stdfs::temp_directory_path() / ("firth_storage_writer_" + std::to_string(getpid()));
    stdfs::create_directories(root_);
    storage_ = *Storage::Open(root_.string(), {});
    writer_ = *StorageWriter::Open(*storage_);
  }
  void TearDown() override { stdfs::remove_all(root_); }

  std::string Read(std::string_view path) const { return (*storage_->ReadFile(path))->ToString(); }
  std::vector<std::string> Names(std::string_view dir = "") const {
    std::vector<std::string> names;
    const FolderContent content = *storage_->ListFolder(dir);
    for (const FileInfo& file : content.files) names.emplace_back(file.name());
    return names;
  }

  stdfs::path root_;
  std::shared_ptr<Storage> storage_;
  std::shared_ptr<const StorageWriter> writer_;
};

TEST_F(StorageWriterTest, CreatesFoldersAndFileAndLeavesNothingElse) {
  ASSERT_TRUE(writer_->Create("a/b/é 1", "text").ok());
  EXPECT_EQ(Read("a/b/é 1"), "text");
  EXPECT_THAT(Names("a/b"), ElementsAre("é 1"));
}

TEST_F(StorageWriterTest, CreateNeverTouchesAFileThatIsThere) {
  ASSERT_TRUE(writer_->Create("f", "first").ok());
  const Status second = writer_->Create("f", "second");
  EXPECT_EQ(GetErrorCode(second), ErrorCode::kAlreadyExists);
  EXPECT_THAT(second.message(), HasSubstr("/f"));
  EXPECT_EQ(Read("f"), "first");
  EXPECT_THAT(Names(), ElementsAre("f"));
}

TEST_F(StorageWriterTest, OneOfManyCreatorsWinsAndItsContentIsWhole) {
  constexpr int kRounds = 50, kThreads = 8;
  for (int round = 0; round < kRounds; ++round) {
    const std::string name = "race" + std::to_string(round);
    std::atomic<int> winners{0}, winner{-1};
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        const Status status =
            writer_->Create(name, std::string(10'000, static_cast<char>('a' + i)));
        if (status.ok()) {
          ++winners;
          winner = i;
        } else {
          EXPECT_EQ(GetErrorCode(status), ErrorCode::kAlreadyExists);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(winners, 1);
    EXPECT_EQ(Read(name), std::string(10'000, static_cast<char>('a' + winner)));
  }
  EXPECT_EQ(Names().size(), kRounds);
}

TEST_F(StorageWriterTest, ReplaceMakesOrReplaces) {
  ASSERT_TRUE(writer_->Replace("f", "one").ok());
  EXPECT_EQ(Read("f"), "one");
  ASSERT_TRUE(writer_->Replace("f", "two").ok());
  EXPECT_EQ(Read("f"), "two");
  EXPECT_THAT(Names(), ElementsAre("f"));
}

TEST_F(StorageWriterTest, AStreamIsAFileOnceClosedAndNoneWithout) {
  {
    const auto stream = *writer_->CreateStream("d/closed");
    ASSERT_TRUE(stream->Write("ab", 2).ok());
    ASSERT_TRUE(stream->Write("cd", 2).ok());
    EXPECT_EQ(*stream->Tell(), 4);
    ASSERT_TRUE(stream->Close().ok());
  }
  {
    const auto stream = *writer_->CreateStream("d/dropped");
    ASSERT_TRUE(stream->Write("ab", 2).ok());
  }
  EXPECT_EQ(Read("d/closed"), "abcd");
  EXPECT_THAT(Names("d"), ElementsAre("closed"));
  EXPECT_EQ(GetErrorCode(writer_->CreateStream("d/closed").status()), ErrorCode::kAlreadyExists);
}

TEST_F(StorageWriterTest, DeletesFilesAndFolders) {
  ASSERT_TRUE(writer_->Create("d/e/f", "1").ok());
  EXPECT_TRUE(*writer_->Delete("d/e/f"));
  EXPECT_FALSE(*writer_->Delete("d/e/f"));
  EXPECT_FALSE(*writer_->Delete("no/such/file"));
  EXPECT_FALSE(writer_->Delete("d").ok());  // a folder is no file
  ASSERT_TRUE(writer_->Create("d/e/g", "1").ok());
  ASSERT_TRUE(writer_->DeleteFolder("d").ok());
  ASSERT_TRUE(writer_->DeleteFolder("d").ok());
  EXPECT_FALSE(stdfs::exists(root_ / "d"));
}

TEST_F(StorageWriterTest, SaysWhatIsInTheWay) {
  ASSERT_TRUE(writer_->Create("f", "1").ok());
  const Status below = writer_->Create("f/g", "1");
  EXPECT_EQ(GetErrorCode(below), ErrorCode::kIo);
  EXPECT_THAT(below.message(), HasSubstr("/f"));
}

TEST_F(StorageWriterTest, ObjectStoresAreRefusedWithARemedy) {
  const auto memory = std::make_shared<arrow::fs::internal::MockFileSystem>(arrow::fs::kNoTime);
  const Storage remote(memory, "bucket/t");
  const Status status = StorageWriter::Open(remote).status();
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kUnsupported);
  EXPECT_FALSE(GetRemedy(status).empty());
}

}  // namespace
}  // namespace firth
