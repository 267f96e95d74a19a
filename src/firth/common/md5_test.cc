// SPDX-License-Identifier: Apache-2.0
#include "firth/common/md5.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace firth {
namespace {

std::string Hex(std::string_view bytes) {
  std::string hex;
  for (const uint8_t byte : Md5(bytes)) hex += fmt::format("{:02x}", byte);
  return hex;
}

// The test suite of RFC 1321, A.5.
TEST(Md5, AgreesWithTheStandard) {
  EXPECT_EQ(Hex(""), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(Hex("a"), "0cc175b9c0f1b6a831c399e269772661");
  EXPECT_EQ(Hex("abc"), "900150983cd24fb0d6963f7d28e17f72");
  EXPECT_EQ(Hex("message digest"), "f96b697d7cb7938d525a2f31aaf161d0");
  EXPECT_EQ(Hex("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"),
            "d174ab98d277d9f5a5611c2c9f419d9f");
  EXPECT_EQ(Hex("1234567890123456789012345678901234567890123456789012345678901234567890"
                "1234567890"),
            "57edf4a22be3c955ac49da2e2107b67a");
}

}  // namespace
}  // namespace firth
