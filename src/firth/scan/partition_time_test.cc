// SPDX-License-Identifier: Apache-2.0
// Partition paths that Hudi's TimestampBasedKeyGenerator made of the values named here.
#include "firth/scan/partition_time.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "firth/common/arrow_init.h"

namespace firth {
namespace {

using Ranges = std::optional<std::pair<int64_t, int64_t>>;

TableConfig Config(std::string type, std::string format, std::string zone, std::string unit = {}) {
  TableConfig config;
  config.properties = {{"hoodie.keygen.timebased.timestamp.type", std::move(type)},
                       {"hoodie.keygen.timebased.output.dateformat", std::move(format)},
                       {"hoodie.keygen.timebased.timezone", std::move(zone)},
                       {"hoodie.keygen.timebased.timestamp.scalar.time.unit", std::move(unit)}};
  return config;
}

Ranges ValuesIn(const TableConfig& config, std::string_view text) {
  EXPECT_TRUE(InitializeArrow().ok());
  const auto range = PartitionTimes(config).ValuesIn(text);
  return range ? Ranges({range->first, range->end}) : std::nullopt;
}

constexpr int64_t kDay = 86'400'000;

TEST(PartitionTimes, APathIsThePeriodOfItsSmallestField) {
  const auto utc = [](const char* format) { return Config("EPOCHMILLISECONDS", format, "UTC"); };
  constexpr int64_t k20240101 = 1'704'067'200'000;
  EXPECT_EQ(ValuesIn(utc("yyyy"), "2024"), Ranges({k20240101, k20240101 + 366 * kDay}));
  EXPECT_EQ(ValuesIn(utc("yyyy/MM"), "2024/12"),
            Ranges({k20240101 + 335 * kDay, k20240101 + 366 * kDay}));
  EXPECT_EQ(ValuesIn(utc("yyyy/MM/dd"), "2024/01/01"), Ranges({k20240101, k20240101 + kDay}));
  EXPECT_EQ(ValuesIn(utc("yyyyMMddHH"), "2024010101"),
            Ranges({k20240101 + 3'600'000, k20240101 + 7'200'000}));
  EXPECT_EQ(ValuesIn(utc("dd-MM-yyyy"), "02-01-2024"),
            Ranges({k20240101 + kDay, k20240101 + 2 * kDay}));
  EXPECT_EQ(ValuesIn(utc("yyyy-MM-dd'T'HH:mm"), "2024-01-01T00:01"),
            Ranges({k20240101 + 60'000, k20240101 + 120'000}));
  EXPECT_EQ(ValuesIn(utc("yyyy-MM-dd HH:mm:ss.SSS"), "2024-01-01 00:00:00.007"),
            Ranges({k20240101 + 7, k20240101 + 8}));
}

// 1710054000 is 2024-03-10 03:00 in New York, an hour after 01:59: clocks jumped.
TEST(PartitionTimes, PeriodsAreThoseOfTheZone) {
  const TableConfig hours = Config("UNIX_TIMESTAMP", "yyyyMMddHH", "America/New_York");
  EXPECT_EQ(ValuesIn(hours, "2024031003"), Ranges({1'710'054'000, 1'710'057'600}));
  // 01 is the last hour of winter; the sixty minutes after it were never shown.
  const Ranges before = ValuesIn(hours, "2024031001");
  ASSERT_TRUE(before);
  EXPECT_EQ(before->first, 1'710'050'400);
  EXPECT_GE(before->second, 1'710'054'000);
  // The night in autumn when 01 was shown twice.
  const Ranges twice = ValuesIn(hours, "2024110301");
  ASSERT_TRUE(twice);
  EXPECT_EQ(twice->first, 1'730'610'000);
  EXPECT_GE(twice->second, 1'730'617'200);

  const TableConfig days = Config("SCALAR", "yyyy-MM-dd", "GMT+8:00", "DAYS");
  EXPECT_EQ(ValuesIn(days, "2022-01-08"), Ranges({19'000, 19'001}));
  // Without any zone a value may lie most of a day before or after.
  const Ranges unknown = ValuesIn(Config("UNIX_TIMESTAMP", "yyyy-MM-dd", ""), "2024-01-01");
  EXPECT_EQ(unknown, Ranges({1'704'067'200 - 64'800, 1'704'153'600 + 64'800}));
}

TEST(PartitionTimes, FinerUnitsAreCutToMilliseconds) {
  const TableConfig micros = Config("EPOCHMICROSECONDS", "yyyy-MM-dd", "UTC");
  EXPECT_EQ(ValuesIn(micros, "1970-01-02"), Ranges({86'400'000'000, 172'800'000'000}));
  // -86400000999 µs is -86400000 ms: the day before, by Java's rounding.
  EXPECT_EQ(ValuesIn(micros, "1969-12-31"), Ranges({-86'400'000'999, 0}));
}

TEST(PartitionTimes, WhatCannotBeReadBackSaysNothing) {
  const auto none = [](const TableConfig& config, std::string_view text) {
    return !ValuesIn(config, text).has_value();
  };
  const TableConfig days = Config("EPOCHMILLISECONDS", "yyyy-MM-dd", "UTC");
  for (const char* text :
       {"", "2024", "2024-01", "2024-01-01-", "x024-01-01", "2024-13-01", "2024-00-01", "2024-1-1",
        "default", "__HIVE_DEFAULT_PARTITION__", "99999999999999999999-01-01"}) {
    EXPECT_TRUE(none(days, text)) << text;
  }
  // Null is filed under the value 1.
  EXPECT_TRUE(none(days, "1970-01-01"));
  for (const char* format : {"", "yyyy-mm-dd", "yyyy-MMM-dd", "yy-MM-dd", "EEE yyyy", "MM/dd",
                             "yyyy-dd", "yyyy-MM-dd hh", "yyyy''MM", "yyyy'MM", "yyyyyyyy"}) {
    EXPECT_TRUE(none(Config("EPOCHMILLISECONDS", format, "UTC"), "2024-01-01")) << format;
  }
  EXPECT_TRUE(none(Config("DATE_STRING", "yyyy-MM-dd", "UTC"), "2024-01-01"));
  EXPECT_TRUE(none(Config("SCALAR", "yyyy-MM-dd", "UTC", "FORTNIGHTS"), "2024-01-01"));
  EXPECT_TRUE(none(Config("EPOCHMILLISECONDS", "yyyy-MM-dd", "Mars/Olympus"), "2024-01-01"));
  TableConfig two = days;
  two.properties["hoodie.keygen.timebased.output.timezone"] = "Asia/Tokyo";
  EXPECT_TRUE(none(two, "2024-01-01"));
}

}  // namespace
}  // namespace firth
