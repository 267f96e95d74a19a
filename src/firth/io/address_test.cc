// SPDX-License-Identifier: Apache-2.0
#include "firth/io/address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace firth {
namespace {

using testing::HasSubstr;

struct Case {
  const char* text;
  const char* scheme;
  const char* location;
};

TEST(ParseAddress, TakesUrisApartAndLeavesPathsAlone) {
  const Case cases[] = {
      {"/data/t", "file", "/data/t"},
      {"relative/t", "file", "relative/t"},
      {"/a%20b", "file", "/a%20b"},
      {"a:b/t", "file", "a:b/t"},
      {"file:t", "file", "file:t"},
      {"./s3://b/t", "file", "./s3://b/t"},
      {"file:///data/a%20b/%C3%A9%25", "file", "/data/a b/\xC3\xA9%"},
      {"file:/data/t", "file", "/data/t"},
      {"file://localhost/data/t", "file", "/data/t"},
      {"FILE://LocalHost/data/t", "file", "/data/t"},
      {"file:///data/a b", "file", "/data/a b"},
      {"S3://Bucket/a%20b?c", "s3", "Bucket/a%20b?c"},
      {"s3a://b/t", "s3a", "b/t"},
      {"ABFSS://c@acc.dfs.core.windows.net/t", "abfss", "c@acc.dfs.core.windows.net/t"},
  };
  for (const Case& c : cases) {
    const Result<Address> address = ParseAddress(c.text);
    ASSERT_TRUE(address.ok()) << address.status();
    EXPECT_EQ(address->scheme, c.scheme) << c.text;
    EXPECT_EQ(address->location, c.location) << c.text;
  }
}

TEST(ParseAddress, RefusesWhatNamesNoFileHere) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "empty"},
      {"file://otherhost/t", "\"otherhost\" is not this machine"},
      {"file://", "no path"},
      {"file:///a%2", "\"%2\""},
      {"file:///a%zz", "\"%zz\""},
      {"file:///a%-1", "\"%-1\""},
      {"file:///a%00b", "\"%00\""},
      {"file:///a?b", "no query"},
      {"file:/a#b", "no fragment"},
  };
  for (const auto& [text, message] : cases) {
    const Status status = ParseAddress(text).status();
    ASSERT_FALSE(status.ok()) << text;
    EXPECT_EQ(GetErrorCode(status), ErrorCode::kInvalidArgument) << text;
    EXPECT_THAT(status.message(), HasSubstr(message));
  }
}

}  // namespace
}  // namespace firth
