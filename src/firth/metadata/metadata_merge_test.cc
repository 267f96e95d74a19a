// SPDX-License-Identifier: Apache-2.0
#include "firth/metadata/metadata_merge.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace firth {
namespace {

using Kind = StatsValue::Kind;

MetadataRecord Files(std::vector<ListedFile> files) {
  return {.key = "p", .type = 2, .payload = FilesPayload{std::move(files)}};
}

MetadataRecord Stats(ColumnStatsPayload stats) {
  return {.key = "c", .type = 3, .payload = std::move(stats)};
}

MetadataRecord Merged(MetadataRecord older, MetadataRecord newer) {
  const Status status = MergeMetadataRecord(std::move(newer), &older);
  EXPECT_TRUE(status.ok()) << status;
  return older;
}

StatsValue Int(int64_t value) { return {Kind::kInt, value}; }

TEST(MergeFiles, IsTheUnionAndTheLongerLength) {
  MetadataRecord record =
      Merged(Files({{"b", 5}, {"a", 9}}), Files({{"c", 1}, {"b", 7}, {"a", 2}}));
  DropDeletedFiles(&record);
  EXPECT_EQ(std::get<FilesPayload>(record.payload).files,
            (std::vector<ListedFile>{{"a", 9}, {"b", 7}, {"c", 1}}));
}

TEST(MergeFiles, DeletedFilesGoAndMayComeBack) {
  MetadataRecord record = Merged(Files({{"a", 9}, {"b", 5}}), Files({{"a", 0, true}}));
  record = Merged(std::move(record), Files({{"never there", 0, true}}));
  MetadataRecord back = Merged(record, Files({{"a", 3}}));
  DropDeletedFiles(&record);
  EXPECT_EQ(std::get<FilesPayload>(record.payload).files, (std::vector<ListedFile>{{"b", 5}}));
  DropDeletedFiles(&back);
  EXPECT_EQ(std::get<FilesPayload>(back.payload).files,
            (std::vector<ListedFile>{{"a", 3}, {"b", 5}}));
}

TEST(MergeFiles, OfANameTwiceInOneRecordTheLastCounts) {
  MetadataRecord record = Merged(Files({}), Files({{"a", 1}, {"b", 2}, {"a", 3}}));
  DropDeletedFiles(&record);
  EXPECT_EQ(std::get<FilesPayload>(record.payload).files,
            (std::vector<ListedFile>{{"a", 3}, {"b", 2}}));
}

TEST(MergeStats, WidensBoundsAndAddsCounts) {
  const MetadataRecord record =
      Merged(Stats({.min = Int(3), .max = Int(9), .value_count = 5, .null_count = 1}),
             Stats({.min = Int(4), .max = Int(11), .value_count = 7, .null_count = 0}));
  EXPECT_EQ(
      std::get<ColumnStatsPayload>(record.payload),
      (ColumnStatsPayload{.min = Int(3), .max = Int(11), .value_count = 12, .null_count = 1}));
}

TEST(MergeStats, TightOrDeletedOnesReplace) {
  const ColumnStatsPayload wide{.min = Int(1), .max = Int(9)};
  const ColumnStatsPayload tight{.min = Int(4), .max = Int(5), .tight_bound = true};
  const ColumnStatsPayload gone{.deleted = true};
  EXPECT_EQ(std::get<ColumnStatsPayload>(Merged(Stats(wide), Stats(tight)).payload), tight);
  EXPECT_TRUE(Merged(Stats(wide), Stats(gone)).is_deleted());
  EXPECT_EQ(std::get<ColumnStatsPayload>(Merged(Stats(gone), Stats(wide)).payload), wide);
}

TEST(MergeStats, BoundsOfTwoKindsSayNothing) {
  const MetadataRecord record = Merged(Stats({.min = Int(3), .max = Int(3)}),
                                       Stats({.min = {Kind::kLong, int64_t{1}}, .max = {}}));
  const auto& stats = std::get<ColumnStatsPayload>(record.payload);
  EXPECT_EQ(stats.min.kind, Kind::kOther);
  EXPECT_EQ(stats.max, Int(3)) << "a null bound is of no rows";
}

TEST(MergeStats, UnknownCountsStayUnknown) {
  const MetadataRecord record = Merged(Stats({.value_count = 5}), Stats({.null_count = 7}));
  const auto& stats = std::get<ColumnStatsPayload>(record.payload);
  EXPECT_EQ(stats.value_count, -1);
  EXPECT_EQ(stats.null_count, -1);
}

TEST(MergeMetadataRecord, NewerLocationsAndDeletionsWin) {
  const MetadataRecord old_place{"k", 5, RecordLocation{.partition = "a", .file_id = "f"}};
  const MetadataRecord new_place{"k", 5, RecordLocation{.partition = "b", .file_id = "g"}};
  const MetadataRecord gone{.key = "k"};
  EXPECT_EQ(Merged(old_place, new_place), new_place);
  EXPECT_TRUE(Merged(old_place, gone).is_deleted());
  EXPECT_EQ(Merged(gone, new_place), new_place);
}

TEST(MergeMetadataRecord, TypesMustAgreeAndBeKnown) {
  MetadataRecord files = Files({});
  EXPECT_EQ(GetErrorCode(MergeMetadataRecord(Stats({}), &files)), ErrorCode::kCorrupt);
}

TEST(CompareStats, OrdersByKind) {
  const auto decimal = [](std::string bytes) { return StatsValue{Kind::kDecimal, bytes}; };
  const auto number = [](double value) { return StatsValue{Kind::kDouble, value}; };
  EXPECT_EQ(CompareStats(Int(-1), Int(2)), -1);
  EXPECT_EQ(CompareStats({Kind::kString, "\xC3\xA4"}, {Kind::kString, "z"}), 1);
  EXPECT_EQ(CompareStats(decimal("\xFF"), decimal(std::string("\0\x80", 2))), -1);
  EXPECT_EQ(CompareStats(decimal("\xFF\xFE"), decimal("\xFE")), 0);
  EXPECT_EQ(CompareStats(decimal("\x01"), decimal(std::string("\x01\0", 2))), -1);
  EXPECT_EQ(CompareStats(number(std::nan("")), number(std::numeric_limits<double>::infinity())), 1);
  EXPECT_EQ(CompareStats({Kind::kBoolean, false}, {Kind::kBoolean, true}), -1);
  EXPECT_EQ(CompareStats(Int(1), number(1)), std::nullopt);
  EXPECT_EQ(CompareStats({}, {}), std::nullopt);
}

}  // namespace
}  // namespace firth
