// SPDX-License-Identifier: Apache-2.0
#include "firth/common/java_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace firth {
namespace {

// Values of the Java documentation: plain from 1e-3 below 1e7, otherwise one digit and an exponent.
TEST(JavaText, IsWhatJavaPrints) {
  EXPECT_EQ(JavaText(0.0), "0.0");
  EXPECT_EQ(JavaText(-0.0), "-0.0");
  EXPECT_EQ(JavaText(100.0), "100.0");
  EXPECT_EQ(JavaText(0.001), "0.001");
  EXPECT_EQ(JavaText(9999999.0), "9999999.0");
  EXPECT_EQ(JavaText(1e7), "1.0E7");
  EXPECT_EQ(JavaText(-1.25e-4), "-1.25E-4");
  EXPECT_EQ(JavaText(std::numeric_limits<double>::max()), "1.7976931348623157E308");
  EXPECT_EQ(JavaText(std::numeric_limits<double>::denorm_min()), "4.9E-324");
  EXPECT_EQ(JavaText(1.1f), "1.1");
  EXPECT_EQ(JavaText(std::numeric_limits<float>::denorm_min()), "1.4E-45");
  EXPECT_EQ(JavaText(-1e10f), "-1.0E10");
  EXPECT_EQ(JavaText(16777216.0f), "1.6777216E7");
  EXPECT_EQ(JavaText(std::nan("")), "NaN");
  EXPECT_EQ(JavaText(-std::numeric_limits<float>::infinity()), "-Infinity");
}

TEST(WidenAsJavaText, TakesTheTextAtItsWord) {
  EXPECT_EQ(WidenAsJavaText(1.1F), 1.1);
  EXPECT_EQ(WidenAsJavaText(std::numeric_limits<float>::denorm_min()), 1.4e-45);
  EXPECT_EQ(WidenAsJavaText(16777216.0F), 16777216.0);
  EXPECT_TRUE(std::isnan(WidenAsJavaText(std::nanf(""))));
  EXPECT_TRUE(std::signbit(WidenAsJavaText(-0.0F)));
}

}  // namespace
}  // namespace firth
