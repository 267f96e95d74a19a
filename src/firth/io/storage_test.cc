// SPDX-License-Identifier: Apache-2.0
#include "firth/io/storage.h"

#include <arrow/filesystem/filesystem.h>
#include <arrow/filesystem/localfs.h>
#include <arrow/io/interfaces.h>
#include <arrow/io/memory.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "firth/io/remote.h"

namespace firth {
namespace {

namespace stdfs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class StorageTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = stdfs::temp_directory_path() / ("firth_storage_" + std::to_string(getpid()));
    stdfs::create_directories(root_ / "a" / "b");
    Write("x", "12345");
    Write("a/y z", "");
    Write("a/b/é", "1");
    storage_ = *Storage::Open(root_.string() + "/", {});
  }
  void TearDown() override { stdfs::remove_all(root_); }
  void Write(const std::string& path, std::string_view text) {
    std::ofstream(root_ / path, std::ios::binary) << text;
  }
  static std::vector<std::string> Paths(const std::vector<FileInfo>& files) {
    std::vector<std::string> paths;
    for (const FileInfo& file : files) paths.push_back(file.path + ":" + std::to_string(file.size));
    return paths;
  }

  stdfs::path root_;
  std::shared_ptr<Storage> storage_;
};

TEST_F(StorageTest, ListingsAreRelativeSortedAndEmptyWhenMissing) {
  EXPECT_THAT(Paths(*storage_->List("")), ElementsAre("x:5"));
  EXPECT_THAT(storage_->ListFolder("")->folders, ElementsAre("a"));
  EXPECT_THAT(storage_->ListFolder("a")->folders, ElementsAre("a/b"));
  EXPECT_THAT(Paths(storage_->ListFolder("a")->files), ElementsAre("a/y z:0"));
  EXPECT_THAT(Paths(*storage_->ListRecursive("a")), ElementsAre("a/b/é:1", "a/y z:0"));
  EXPECT_THAT(*storage_->List("nowhere"), ElementsAre());
}

TEST_F(StorageTest, ReadFileGivesTheBytesAndCountsThem) {
  EXPECT_EQ((*storage_->ReadFile("x"))->ToString(), "12345");
  EXPECT_EQ((*storage_->ReadFile("a/y z"))->size(), 0);
  EXPECT_EQ(storage_->counters().bytes_read, 5);
}

TEST_F(StorageTest, AFolderOfItSharesTheCountersAndNamesWholePaths) {
  const std::shared_ptr<const Storage> folder = storage_->Sub("a")->Sub("b");
  EXPECT_THAT(Paths(*folder->List("")), ElementsAre("\u00e9:1"));
  EXPECT_EQ((*folder->ReadFile("\u00e9"))->ToString(), "1");
  EXPECT_EQ(storage_->counters().bytes_read, 1);
  EXPECT_EQ(folder->DisplayPath("z"), "a/b/z");
  EXPECT_EQ(folder->FullPath("z"), storage_->FullPath("a/b/z"));
}

TEST_F(StorageTest, ErrorsNameTheFile) {
  const Status missing = storage_->ReadFile("a/none").status();
  EXPECT_EQ(GetErrorCode(missing), ErrorCode::kNotFound);
  EXPECT_THAT(missing.message(), HasSubstr("a/none"));
  const Status large = storage_->ReadFile("x", 4).status();
  EXPECT_EQ(GetErrorCode(large), ErrorCode::kResourceExhausted);
}

TEST(StorageOpen, AddressesThatCannotBeOpenedAreRefused) {
  EXPECT_EQ(GetErrorCode(Storage::Open("", {}).status()), ErrorCode::kInvalidArgument);
  EXPECT_EQ(GetErrorCode(Storage::Open("hdfs://n/t", {}).status()), ErrorCode::kUnsupported);
  const Status secret = Storage::Open("s3://key:hush@bucket/t", {}).status();
  EXPECT_EQ(GetErrorCode(secret), ErrorCode::kInvalidArgument);
  EXPECT_THAT(secret.message(), Not(HasSubstr("hush")));
}

TEST_F(StorageTest, FileAddressesNameTheSameFilesAsPaths) {
  for (const std::string prefix : {"file://", "file:", "FILE://localhost"}) {
    const auto storage = Storage::Open(prefix + root_.string() + "/a", {});
    ASSERT_TRUE(storage.ok()) << storage.status();
    EXPECT_THAT(Paths(*(*storage)->List("")), ElementsAre("y z:0")) << prefix;
    EXPECT_TRUE((*storage)->is_local());
    EXPECT_EQ((*storage)->display_root(), root_.string() + "/a");
  }
  stdfs::create_directories(root_ / "sp ace");
  Write("sp ace/f", "1");
  const auto decoded = *Storage::Open("file://" + root_.string() + "/sp%20ace", {});
  EXPECT_THAT(Paths(*decoded->List("")), ElementsAre("f:1"));
  EXPECT_THAT(Paths(*(*Storage::Open(root_.string() + "/sp%20ace", {}))->List("")), ElementsAre());
}

// A file of ten bytes that gives at most `max_bytes` of them a read.
class ShortFile : public arrow::io::RandomAccessFile {
 public:
  explicit ShortFile(int64_t max_bytes) : max_bytes_(max_bytes) {}
  Status Close() override { return Status::OK(); }
  bool closed() const override { return false; }
  Result<int64_t> Tell() const override { return 0; }
  Status Seek(int64_t) override { return Status::OK(); }
  Result<int64_t> GetSize() override { return 10; }
  Result<int64_t> Read(int64_t count, void* out) override { return ReadAt(0, count, out); }
  Result<std::shared_ptr<arrow::Buffer>> Read(int64_t count) override { return ReadAt(0, count); }
  Result<int64_t> ReadAt(int64_t position, int64_t count, void* out) override {
    const int64_t size = std::min({count, max_bytes_, 10 - position});
    std::memcpy(out, "0123456789" + position, static_cast<size_t>(size));
    return size;
  }
  Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t position, int64_t count) override {
    std::string bytes(static_cast<size_t>(count), '\0');
    ARROW_ASSIGN_OR_RAISE(const int64_t size, ReadAt(position, count, bytes.data()));
    return arrow::Buffer::FromString(bytes.substr(0, static_cast<size_t>(size)));
  }

 private:
  int64_t max_bytes_;
};

class ShortFileSystem : public arrow::fs::LocalFileSystem {
 public:
  explicit ShortFileSystem(int64_t max_bytes) : max_bytes_(max_bytes) {}
  using LocalFileSystem::OpenInputFile;
  Result<std::shared_ptr<arrow::io::RandomAccessFile>> OpenInputFile(
      const arrow::fs::FileInfo&) override {
    return std::make_shared<ShortFile>(max_bytes_);
  }

 private:
  int64_t max_bytes_;
};

// Clients of object stores throw.
class ThrowingFileSystem : public arrow::fs::LocalFileSystem {
 public:
  using LocalFileSystem::GetFileInfo;
  using LocalFileSystem::OpenInputFile;
  Result<arrow::fs::FileInfo> GetFileInfo(const std::string&) override { throw NoToken(); }
  Result<arrow::fs::FileInfoVector> GetFileInfo(const arrow::fs::FileSelector&) override {
    throw NoToken();
  }
  Result<std::shared_ptr<arrow::io::RandomAccessFile>> OpenInputFile(
      const arrow::fs::FileInfo&) override {
    throw NoToken();
  }

 private:
  static std::runtime_error NoToken() {
    return std::runtime_error("no token.\nSee the  manual.\n");
  }
};

TEST(StorageFile, ExceptionsOfClientsAreErrorsOnOneLine) {
  const Storage storage(std::make_shared<ThrowingFileSystem>(), "/t");
  for (const Status& status : {storage.ReadFile("f").status(), storage.List("f").status(),
                               storage.ListRecursive("f").status(), storage.Exists("f").status()}) {
    EXPECT_EQ(GetErrorCode(status), ErrorCode::kIo);
    EXPECT_EQ(status.message(), "f: no token. See the manual");
  }
}

TEST(StorageError, SaysWhatToCheck) {
  const auto remedy = [](const char* message, const char* scheme) {
    return GetRemedy(StorageError(Status::IOError(message), "x", scheme));
  };
  EXPECT_THAT(remedy("AWS Error NETWORK_CONNECTION: curlCode: 7", "s3"),
              HasSubstr("endpoint_override"));
  EXPECT_THAT(remedy("AWS Error ACCESS_DENIED during HeadObject", "s3a"),
              HasSubstr("AWS_ACCESS_KEY_ID"));
  EXPECT_EQ(remedy("AWS Error SLOW_DOWN", "s3"), "");
  EXPECT_THAT(remedy("no token", "abfss"), HasSubstr("AZURE_CLIENT_ID"));
  EXPECT_THAT(remedy("no token", "gs"), HasSubstr("GOOGLE_APPLICATION_CREDENTIALS"));
  EXPECT_EQ(remedy("disk on fire", "file"), "");
}

TEST(StorageError, ShowsNoTokensAndNothingTwice) {
  const auto message = [](const char* text, const char* scheme) {
    return StorageError(Status::IOError(text), "x", scheme).message();
  };
  EXPECT_EQ(
      message("no answer from 'https://a/t?sig=hush&x=1', nor 'https://b/t?sig=hush'", "abfs"),
      "x: no answer from 'https://a/t', nor 'https://b/t'");
  EXPECT_EQ(message("UNAVAILABLE: no token error_info={reason=, domain=}", "gs"),
            "x: UNAVAILABLE: no token");
  EXPECT_EQ(message(std::string(5000, 'a').c_str(), "s3").size(), 1003U);
}

TEST(StorageFile, BodiesCutShortAreReadOnAndNeverReturnedInPart) {
  const Storage slow(std::make_shared<ShortFileSystem>(3), "/t");
  EXPECT_EQ((*slow.ReadFile("f"))->ToString(), "0123456789");
  const auto file = *slow.OpenFile("f");
  char out[8];
  EXPECT_EQ(*file->ReadAt(4, 8, out), 6);  // the file ends there
  EXPECT_EQ(std::string_view(out, 6), "456789");

  const Storage dry(std::make_shared<ShortFileSystem>(0), "/t");
  const Status status = dry.ReadFile("f").status();
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kIo);
  EXPECT_THAT(status.message(), HasSubstr("f: storage gave 0 of 10 bytes"));
}

}  // namespace
}  // namespace firth
