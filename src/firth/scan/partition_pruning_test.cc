// SPDX-License-Identifier: Apache-2.0
// Which paths a predicate leaves, worked out by hand.
#include "firth/scan/partition_pruning.h"

#include <arrow/type.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "firth/common/arrow_init.h"
#include "firth/scan/predicate.h"

namespace firth {
namespace {

std::shared_ptr<arrow::Schema> Schema() {
  return arrow::schema({arrow::field("id", arrow::int64()), arrow::field("city", arrow::utf8()),
                        arrow::field("year", arrow::int32()), arrow::field("day", arrow::date32()),
                        arrow::field("price", arrow::decimal128(10, 2))});
}

TableConfig PartitionedBy(std::vector<std::string> fields) {
  TableConfig config;
  config.partition_fields = std::move(fields);
  return config;
}

PartitionPruner Pruner(const TableConfig& config, std::string_view where) {
  EXPECT_TRUE(InitializeArrow().ok());
  return PartitionPruner(
      config, Schema(), ParsePredicate(where, *Schema()).ValueOrDie().Bind(*Schema()).ValueOrDie());
}

// Those of `paths` that the predicate can match.
std::vector<std::string> Kept(const TableConfig& config, std::string_view where,
                              const std::vector<std::string>& paths) {
  const PartitionPruner pruner = Pruner(config, where);
  std::vector<std::string> kept;
  for (const std::string& path : paths) {
    if (pruner.MayMatch(path)) kept.push_back(path);
  }
  return kept;
}

using Paths = std::vector<std::string>;

TEST(PartitionPruner, KeepsPartitionsWhoseValueCanMatch) {
  const TableConfig by_city = PartitionedBy({"city"}), by_year = PartitionedBy({"year"});
  EXPECT_EQ(Kept(by_city, "city = 'oslo'", {"oslo", "rome"}), Paths{"oslo"});
  EXPECT_EQ(Kept(by_city, "city IN ('rome', 'oslo') AND id > 3", {"oslo", "paris", "rome"}),
            (Paths{"oslo", "rome"}));
  EXPECT_EQ(Kept(by_city, "NOT city = 'oslo'", {"oslo", "rome"}), Paths{"rome"});
  EXPECT_EQ(Kept(by_year, "year >= 2025 AND year < 2027", {"2024", "2025", "2026", "2027"}),
            (Paths{"2025", "2026"}));
  EXPECT_EQ(Kept(PartitionedBy({"day"}), "day > '2026-01-01'", {"2026-01-01", "2026-01-02"}),
            Paths{"2026-01-02"});
}

TEST(PartitionPruner, TakesFunctionsOfAPartitionField) {
  EXPECT_EQ(Kept(PartitionedBy({"city"}), "upper(city) = 'OSLO' AND id > 3", {"oslo", "rome"}),
            Paths{"oslo"});
  EXPECT_EQ(Kept(PartitionedBy({"day"}), "date_format(day, 'yyyy-MM') = '2026-02'",
                 {"2026-01-31", "2026-02-01"}),
            Paths{"2026-02-01"});
  EXPECT_EQ(Kept(PartitionedBy({"day"}), "substring(city, 1, 1) = 'o'", {"2026-01-31"}),
            Paths{"2026-01-31"});
}

// "part=q" is a value of a table that is not in hive style, and may be one where nothing is said.
TEST(PartitionPruner, SegmentsNameTheirFieldInHiveStyleOnly) {
  TableConfig by_city = PartitionedBy({"city"});
  const Paths paths = {"city=oslo", "oslo", "rome"};
  EXPECT_EQ(Kept(by_city, "city = 'oslo'", paths), (Paths{"city=oslo", "oslo"}));
  EXPECT_EQ(Kept(by_city, "city = 'city=oslo'", paths), Paths{"city=oslo"});
  by_city.properties["hoodie.datasource.write.hive_style_partitioning"] = "false";
  EXPECT_EQ(Kept(by_city, "city = 'oslo'", paths), Paths{"oslo"});
  EXPECT_EQ(Kept(by_city, "city = 'city=oslo'", paths), Paths{"city=oslo"});
  by_city.hive_style = true;
  EXPECT_EQ(Kept(by_city, "city = 'oslo'", {"city=oslo", "city=rome"}), Paths{"city=oslo"});
}

TEST(PartitionPruner, OtherColumnsDecideNothing) {
  const TableConfig config = PartitionedBy({"city"});
  const Paths all = {"oslo", "rome"};
  EXPECT_EQ(Kept(config, "", all), all);
  EXPECT_EQ(Kept(config, "id = 1", all), all);
  EXPECT_EQ(Kept(config, "city = 'oslo' OR id = 1", all), all);
  EXPECT_EQ(Kept(TableConfig(), "city = 'oslo'", {""}), Paths{""});
}

TEST(PartitionPruner, ReadsHiveStyleAndEscapedPathsOfSeveralFields) {
  TableConfig config = PartitionedBy({"city", "year"});
  config.hive_style = true;
  config.url_encode = true;
  const Paths all = {"city=a%2Fb/year=2025", "city=a%2Fb/year=2026", "city=c/year=2026"};
  EXPECT_EQ(Kept(config, "city = 'a/b'", all), (Paths{all[0], all[1]}));
  EXPECT_EQ(Kept(config, "year = 2026", all), (Paths{all[1], all[2]}));
  EXPECT_EQ(Kept(config, "city = 'a/b' AND year = 2026", all), Paths{all[1]});
}

TEST(PartitionPruner, PathsThatDoNotReadBackAreKept) {
  const auto keeps = [](const TableConfig& config, std::string_view where, const char* path) {
    return Pruner(config, where).MayMatch(path);
  };
  const TableConfig by_city = PartitionedBy({"city"});
  // Null and the empty string share these.
  EXPECT_TRUE(keeps(by_city, "city = 'oslo'", "__HIVE_DEFAULT_PARTITION__"));
  EXPECT_TRUE(keeps(by_city, "city IS NULL", "default"));
  EXPECT_TRUE(keeps(PartitionedBy({"year"}), "year = 2026", "twenty"));
  EXPECT_TRUE(keeps(PartitionedBy({"city", "year"}), "year = 2026", "oslo"));
  EXPECT_TRUE(keeps(PartitionedBy({"price"}), "price = 1.5", "2.50"));

  TableConfig formatted = PartitionedBy({"year"});
  formatted.key_generator = KeyGenerator::kTimestamp;
  EXPECT_TRUE(keeps(formatted, "year = 2026", "2025"));
  formatted = PartitionedBy({"year", "city"});
  formatted.partition_is_timestamp = {true, false};
  EXPECT_TRUE(keeps(formatted, "year = 2026", "2025/oslo"));
  EXPECT_FALSE(keeps(formatted, "city = 'rome'", "2025/oslo"));
  TableConfig slashes = PartitionedBy({"day"});
  slashes.slash_separated_dates = true;
  EXPECT_TRUE(keeps(slashes, "day = '2026-01-02'", "2026/01/01"));
}

// The values of v9_mor_keygen_timestamp: 1700000000000 is 2023-11-14 22:13:20 UTC.
TEST(PartitionPruner, FormattedTimesArePeriods) {
  TableConfig config = PartitionedBy({"id"});
  config.key_generator = KeyGenerator::kTimestamp;
  config.partition_is_timestamp = {true};
  config.properties = {{"hoodie.keygen.timebased.timestamp.type", "EPOCHMILLISECONDS"},
                       {"hoodie.keygen.timebased.output.dateformat", "yyyy/MM/dd"},
                       {"hoodie.keygen.timebased.timezone", "UTC"}};
  const Paths all = {"2023/11/13", "2023/11/14", "2023/11/15", "1970/01/01", "default"};
  EXPECT_EQ(Kept(config, "id = 1700000000000", all), (Paths{all[1], all[3], all[4]}));
  EXPECT_EQ(Kept(config, "id >= 1700006400000", all), (Paths{all[2], all[3], all[4]}));
  EXPECT_EQ(Kept(config, "id < 1699920000000", all), (Paths{all[0], all[3], all[4]}));
  EXPECT_EQ(Kept(config, "id IS NULL", all), (Paths{all[3], all[4]}));
  EXPECT_EQ(Kept(config, "NOT id = 1700000000000", all), all);
  // A part of a path is no period.
  EXPECT_TRUE(Pruner(config, "id = 1700000000000").MayMatchFolder("2022"));
  config.hive_style = true;
  EXPECT_EQ(Kept(config, "id = 1700000000000", {"id=2023/11/13", "id=2023/11/14"}),
            Paths{"id=2023/11/14"});
}

TEST(PartitionPruner, FoldersDecideOnlyWhereTheyAreWholePartitions) {
  TableConfig by_city = PartitionedBy({"city"});
  // "oslo/north" may be a city, so "oslo" alone says nothing about what lies below it.
  EXPECT_TRUE(Pruner(by_city, "city = 'oslo/north'").MayMatchFolder("oslo"));
  EXPECT_TRUE(Pruner(by_city, "city = 'rome'").MayMatchFolder("oslo"));
  by_city.url_encode = true;
  EXPECT_FALSE(Pruner(by_city, "city = 'rome'").MayMatchFolder("oslo"));
  EXPECT_TRUE(Pruner(by_city, "city = 'rome'").MayMatchFolder("rome"));
  const TableConfig by_year = PartitionedBy({"year"});
  EXPECT_FALSE(Pruner(by_year, "year = 2026").MayMatchFolder("2025"));
  const TableConfig by_both = PartitionedBy({"year", "city"});
  EXPECT_TRUE(Pruner(by_both, "year = 2026").MayMatchFolder("2025"));
}

}  // namespace
}  // namespace firth
