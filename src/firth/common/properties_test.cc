// SPDX-License-Identifier: Apache-2.0
#include "firth/common/properties.h"

#include <gtest/gtest.h>

namespace firth {
namespace {

TEST(ParseProperties, CommentsBlanksAndSeparators) {
  const Properties p = *ParseProperties("#c\n!d\n\n  a = 1\nb:2\nc 3\nd\ne=x\\\n   y\nf=\\:\\=\n");
  EXPECT_EQ(p,
            (Properties{{"a", "1"}, {"b", "2"}, {"c", "3"}, {"d", ""}, {"e", "xy"}, {"f", ":="}}));
}

TEST(ParseProperties, EscapesAndLatin1BecomeUtf8) {
  const Properties p = *ParseProperties("a=\\u00e9\\t\nb=\xE9\nc=\\uD83D\\uDE00\nk\\ 1=v");
  EXPECT_EQ(p, (Properties{{"a", "é\t"}, {"b", "é"}, {"c", "😀"}, {"k 1", "v"}}));
}

TEST(ParseProperties, MalformedEscapeIsCorruptAndNamesTheLine) {
  const auto result = ParseProperties("a=1\nb=\\u12");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(GetErrorCode(result.status()), ErrorCode::kCorrupt);
  EXPECT_NE(result.status().message().find("line 2"), std::string::npos);
}

TEST(ParseProperties, TruncatedAnywhereNeverCrashes) {
  const std::string text = "a\\u00e9=b\\\r\n  c\nd:\\uD83D\\uDE00\\";
  for (size_t n = 0; n <= text.size(); ++n) {
    const auto parsed = ParseProperties(text.substr(0, n));
    if (parsed.ok()) {
      EXPECT_LE(parsed->size(), 3u);
    }
  }
}

TEST(FormatProperties, RoundTrips) {
  const Properties p{{"a b", " x"}, {"é", "😀\n"}, {"k", "a=b:c#d!e\\"}, {"empty", ""}};
  EXPECT_EQ(*ParseProperties(FormatProperties(p)), p);
}

}  // namespace
}  // namespace firth
