// SPDX-License-Identifier: Apache-2.0
#include "cli/help.h"

#include <gtest/gtest.h>

namespace firth::cli {
namespace {

TEST(Wrap, BreaksAtBlanksAndLeavesLongWordsAlone) {
  EXPECT_EQ(Wrap("", 5), "");
  EXPECT_EQ(Wrap("one two", 7), "one two");
  EXPECT_EQ(Wrap("one two", 6), "one\ntwo");
  EXPECT_EQ(Wrap("a longest b c", 4), "a\nlongest\nb c");
}

}  // namespace
}  // namespace firth::cli
