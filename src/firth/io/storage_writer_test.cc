// SPDX-License-Identifier: Apache-2.0
#include "firth/io/storage_writer.h"

#include <arrow/buffer.h>
#include <arrow/filesystem/mockfs.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
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

// Processes of several machines and containers may have one number.
TEST_F(StorageWriterTest, OneOfManyProcessesWinsAndItsContentIsWhole) {
  constexpr int kRounds = 30, kProcesses = 4;
  for (int round = 0; round < kRounds; ++round) {
    const std::string name = "race" + std::to_string(round);
    std::vector<pid_t> children;
    for (int i = 0; i < kProcesses; ++i) {
      const pid_t child = ::fork();
      if (child == 0) {
        const Status status =
            writer_->Create(name, std::string(100'000, static_cast<char>('a' + i)));
        ::_exit(status.ok() ? 0 : GetErrorCode(status) == ErrorCode::kAlreadyExists ? 1 : 2);
      }
      children.push_back(child);
    }
    int winners = 0, winner = -1;
    for (int i = 0; i < kProcesses; ++i) {
      int status = 0;
      ::waitpid(children[static_cast<size_t>(i)], &status, 0);
      ASSERT_TRUE(WIFEXITED(status));
      EXPECT_LT(WEXITSTATUS(status), 2);
      if (WEXITSTATUS(status) == 0) ++winners, winner = i;
    }
    EXPECT_EQ(winners, 1);
    EXPECT_EQ(Read(name), std::string(100'000, static_cast<char>('a' + winner)));
  }
  EXPECT_EQ(Names().size(), kRounds);
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
