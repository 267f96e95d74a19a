// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "firth/io/s3_file_system.h"

namespace firth {
namespace {

using testing::HasSubstr;
using testing::Not;

class S3SettingsTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name :
         {"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_REGION", "AWS_DEFAULT_REGION"}) {
      unsetenv(name);
    }
  }
};

TEST_F(S3SettingsTest, OptionsWinOverTheEnvironment) {
  setenv("AWS_ENDPOINT_URL", "http://env:1/", 1);
  setenv("AWS_DEFAULT_REGION", "eu-west-1", 1);
  S3Settings settings = *ParseS3Settings({});
  EXPECT_EQ(settings.endpoint, "env:1");
  EXPECT_EQ(settings.scheme, "http");
  EXPECT_EQ(settings.region, "eu-west-1");
  settings = *ParseS3Settings({{"endpoint_override", "https://opt:2"}, {"region", "x"}});
  EXPECT_EQ(settings.endpoint, "opt:2");
  EXPECT_EQ(settings.scheme, "https");
  EXPECT_EQ(settings.region, "x");
}

TEST_F(S3SettingsTest, ErrorsNameTheOptionAndNeverItsValue) {
  const StorageOptions bad[] = {{{"secret_acess_key", "hush"}},
                                {{"access_key_id", "hush"}},
                                {{"anonymous", "hush"}},
                                {{"scheme", "hush"}},
                                {{"request_timeout", "hush"}}};
  for (const StorageOptions& options : bad) {
    const Status status = ParseS3Settings(options).status();
    EXPECT_EQ(GetErrorCode(status), ErrorCode::kInvalidArgument);
    EXPECT_THAT(status.message(), HasSubstr("storage option"));
    EXPECT_THAT(status.message(), Not(HasSubstr("hush")));
  }
}

}  // namespace
}  // namespace firth
