// SPDX-License-Identifier: Apache-2.0
#include "firth/common/checksum.h"

#include <gtest/gtest.h>

#include <string>

namespace firth {
namespace {

// Check values of the catalogue of CRC algorithms, and RFC 3720 B.4 for 32 zero bytes.
TEST(Checksum, GivesThePublishedValues) {
  EXPECT_EQ(Crc32("123456789"), 0xCBF43926U);
  EXPECT_EQ(Crc32c("123456789"), 0xE3069283U);
  EXPECT_EQ(Crc32c(std::string(32, '\0')), 0x8A9136AAU);
  EXPECT_EQ(Crc32c(""), 0U);
}

}  // namespace
}  // namespace firth
