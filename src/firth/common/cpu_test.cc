// SPDX-License-Identifier: Apache-2.0
#include "firth/common/cpu.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace firth {
namespace {

TEST(SupportedSimdLevels, StartsWithScalarAndIsOrdered) {
  const auto levels = SupportedSimdLevels();
  ASSERT_FALSE(levels.empty());
  EXPECT_EQ(levels.front(), SimdLevel::kScalar);
  EXPECT_TRUE(std::ranges::is_sorted(levels));
}

TEST(MaxSimdLevel, IsSupported) {
  EXPECT_NE(std::ranges::find(SupportedSimdLevels(), MaxSimdLevel()), SupportedSimdLevels().end());
}

TEST(ParseSimdLevel, NamesRoundTripAndOthersAreRefused) {
  for (const SimdLevel level : {SimdLevel::kScalar, SimdLevel::kNeon, SimdLevel::kAvx2,
                                SimdLevel::kAvx512, SimdLevel::kAvx512Vnni}) {
    EXPECT_EQ(ParseSimdLevel(SimdLevelName(level)), level);
  }
  EXPECT_EQ(ParseSimdLevel("sse9"), std::nullopt);
  EXPECT_EQ(ParseSimdLevel(""), std::nullopt);
}

}  // namespace
}  // namespace firth
