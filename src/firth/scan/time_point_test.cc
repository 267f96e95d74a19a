// SPDX-License-Identifier: Apache-2.0
#include "firth/scan/time_point.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace firth {
namespace {

TEST(ParseTimePoint, InstantsAreTakenAsWritten) {
  EXPECT_EQ(*ParseTimePoint("20260131120000123", false), "20260131120000123");
  EXPECT_EQ(*ParseTimePoint("20260131120000", false), "20260131120000999");
}

TEST(ParseTimePoint, TimestampsWithoutZoneKeepTheirDigits) {
  EXPECT_EQ(*ParseTimePoint("2026-01-31", false), "20260131000000000");
  EXPECT_EQ(*ParseTimePoint("2026-01-31 12:34:56", false), "20260131123456000");
  EXPECT_EQ(*ParseTimePoint("2026-01-31T12:34:56.5", true), "20260131123456500");
  EXPECT_EQ(*ParseTimePoint("2026-01-31 12:34:56.123456", true), "20260131123456123");
}

TEST(ParseTimePoint, ZonesAreConvertedToTheTablesZone) {
  EXPECT_EQ(*ParseTimePoint("2026-01-31T23:30:00+01:00", true), "20260131223000000");
  EXPECT_EQ(*ParseTimePoint("2026-01-31T23:30:00.250Z", true), "20260131233000250");
  EXPECT_EQ(*ParseTimePoint("2026-12-31 23:30:00-0130", true), "20270101010000000");
  setenv("TZ", "Asia/Tokyo", 1);
  tzset();
  EXPECT_EQ(*ParseTimePoint("2026-01-31T23:30:00Z", false), "20260201083000000");
  unsetenv("TZ");
  tzset();
}

TEST(ParseTimePoint, NonsenseIsInvalidAndNamesTheForms) {
  for (const char* text : {"", "yesterday", "2026", "2026-13-01", "2026-02-30",
                           "2026-01-31 25:00:00", "2026-01-31 12:00", "2026-01-31 12:00:00.",
                           "2026-01-31 12:00:00+99:00", "2026-01-31x", "202601311200001234"}) {
    const auto result = ParseTimePoint(text, false);
    ASSERT_FALSE(result.ok()) << text;
    EXPECT_EQ(GetErrorCode(result.status()), ErrorCode::kInvalidArgument);
    EXPECT_NE(result.status().message().find("2026-01-31 12:00:00"), std::string::npos);
  }
}

}  // namespace
}  // namespace firth
