// SPDX-License-Identifier: Apache-2.0
// Snapshots of tables that change meanwhile: the same rows, or an error, and never fewer rows.
#include <arrow/array/array_nested.h>
#include <arrow/json/from_string.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "firth/common/status.h"
#include "firth/scan.h"
#include "firth/table.h"
#include "firth/testing/table_builder.h"

namespace firth {
namespace {

using ::testing::HasSubstr;

std::shared_ptr<arrow::RecordBatch> Batch(std::string_view json) {
  const auto type =
      arrow::struct_({arrow::field("id", arrow::utf8()), arrow::field("part", arrow::utf8()),
                      arrow::field("value", arrow::int64())});
  const auto array = arrow::json::ArrayFromJSONString(type, json).ValueOrDie();
  return arrow::RecordBatch::FromStructArray(array).ValueOrDie();
}

// Two rows, each in a partition and a base file of its own.
class SnapshotTest : public ::testing::Test {
 protected:
  void SetUp() override {
    dir_ = std::filesystem::temp_directory_path() / fmt::format("firth_snapshot_{}", getpid());
    std::filesystem::remove_all(dir_);
    builder_ = std::make_unique<testing::TableBuilder>(
        path(),
        testing::TableSpec{
            .merge_on_read = false, .schema = Batch("[]")->schema(), .partition_field = "part"});
    builder_->Insert(*Batch(R"([{"id": "a", "part": "p", "value": 1},
                                {"id": "b", "part": "q", "value": 2}])"));
    ASSERT_TRUE(builder_->status().ok()) << builder_->status();
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }

  std::string path() const { return (dir_ / "t").string(); }
  Table Open() const { return Table::Open(path()).ValueOrDie(); }
  std::string BaseFileOf(const Snapshot& snapshot, const std::string& partition) const {
    const auto files = snapshot.Files().ValueOrDie();
    for (const FileSliceEntry& file : files) {
      if (file.partition == partition) return *file.base_file;
    }
    return {};
  }
  // A new version of row a, after which a cleaner takes the old file.
  void UpdateAndClean() {
    const std::string old = BaseFileOf(Open().Pin().ValueOrDie(), "p");
    builder_->Upsert(*Batch(R"([{"id": "a", "part": "p", "value": 10}])"));
    ASSERT_TRUE(builder_->status().ok()) << builder_->status();
    ASSERT_TRUE(std::filesystem::remove(dir_ / "t" / old));
    std::ofstream(dir_ / "t/.hoodie/timeline/29990101000000000_29990101000000001.clean")
        << fmt::format(R"({{"partitionMetadata":{{"p":{{"successDeleteFiles":["{}"]}}}}}})",
                       std::filesystem::path(old).filename().string());
  }

  static Result<int64_t> CountRows(const Snapshot& snapshot, const ScanOptions& options = {}) {
    ARROW_ASSIGN_OR_RAISE(const auto reader, snapshot.Read(options));
    ARROW_ASSIGN_OR_RAISE(const auto table, reader->ToTable());
    return table->num_rows();
  }

  std::filesystem::path dir_;
  std::unique_ptr<testing::TableBuilder> builder_;
};

TEST_F(SnapshotTest, CommitsMeanwhileChangeNothing) {
  const Snapshot snapshot = Open().Pin().ValueOrDie();
  const std::string file = BaseFileOf(snapshot, "p");
  builder_->Upsert(*Batch(R"([{"id": "a", "part": "p", "value": 10},
                              {"id": "c", "part": "r", "value": 3}])"));
  EXPECT_EQ(CountRows(snapshot).ValueOrDie(), 2);
  EXPECT_EQ(BaseFileOf(snapshot, "p"), file);
}

TEST_F(SnapshotTest, FilesThatACleanerTookAreMissed) {
  const Snapshot snapshot = Open().Pin().ValueOrDie();
  UpdateAndClean();
  const Status status = CountRows(snapshot).status();
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kNotFound) << status;
  EXPECT_THAT(status.ToString(), HasSubstr("29990101000000000"));
  EXPECT_THAT(status.ToString(), HasSubstr("pin a new snapshot"));
  // The other partition is whole.
  EXPECT_EQ(CountRows(snapshot, {.where = "part = 'q'"}).ValueOrDie(), 1);
  EXPECT_EQ(CountRows(Open().Pin().ValueOrDie()).ValueOrDie(), 2);
}

TEST_F(SnapshotTest, FilesThatWereListedAreMissedWhenTheyAreRead) {
  const Snapshot snapshot = Open().Pin().ValueOrDie();
  ASSERT_EQ(CountRows(snapshot).ValueOrDie(), 2);
  UpdateAndClean();
  EXPECT_EQ(GetErrorCode(CountRows(snapshot).status()), ErrorCode::kNotFound);
}

TEST_F(SnapshotTest, PlansOfTheLatestAreMadeAgain) {
  Table table = Open();
  UpdateAndClean();
  EXPECT_FALSE(table.Pin()->Plan({}).ok());
  const auto plan = table.PlanLatest({});
  ASSERT_TRUE(plan.ok()) << plan.status();
  const auto rows = plan->ReadAll().ValueOrDie()->ToTable().ValueOrDie();
  EXPECT_EQ(rows->num_rows(), 2);
}

TEST_F(SnapshotTest, WritesThatWereRolledBackAreMissed) {
  const Snapshot snapshot = Open().Pin().ValueOrDie();
  for (const auto& entry : std::filesystem::directory_iterator(dir_ / "t/.hoodie/timeline")) {
    if (entry.path().extension() == ".commit") std::filesystem::remove(entry.path());
  }
  const Status status = CountRows(snapshot).status();
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kNotFound) << status;
  EXPECT_THAT(status.message(), HasSubstr("rolled back"));
}

TEST_F(SnapshotTest, FileThatACommitNamesIsMissed) {
  const std::string file = BaseFileOf(Open().Pin().ValueOrDie(), "p");
  ASSERT_TRUE(std::filesystem::remove(dir_ / "t" / file));
  const Snapshot snapshot = Open().Pin().ValueOrDie();
  const Status status = CountRows(snapshot).status();
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kCorrupt) << status;
  EXPECT_THAT(status.message(), HasSubstr(std::filesystem::path(file).filename().string()));
  EXPECT_EQ(CountRows(snapshot, {.where = "part = 'q'"}).ValueOrDie(), 1);
}

TEST_F(SnapshotTest, TimelineThatIsGoneIsMissed) {
  std::filesystem::remove_all(dir_ / "t/.hoodie/timeline");
  const Status status = CountRows(Open().Pin().ValueOrDie()).status();
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kCorrupt) << status;
}

}  // namespace
}  // namespace firth
