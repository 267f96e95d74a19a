// SPDX-License-Identifier: Apache-2.0
#include "firth/search/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <string>

namespace firth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A file of format 1.0 as NumPy lays it out.
std::string Npy(std::string header, std::string_view data) {
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  return bytes.append(header).append(data);
}

template <typename T>
std::string Bytes(std::initializer_list<T> values) {
  std::string bytes;
  for (const T v : values) bytes.append(reinterpret_cast<const char*>(&v), sizeof(v));
  return bytes;
}

TEST(ParseNpy, MatrixOfFloat32) {
  const auto queries = ParseNpy(Npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }",
                                    Bytes<float>({1, 2, 3, -4, 0.5f, 0.1f})),
                                "q.npy");
  ASSERT_TRUE(queries.ok()) << queries.status();
  EXPECT_EQ(queries->dim, 3);
  EXPECT_EQ(queries->count(), 2);
  EXPECT_THAT(queries->values, ElementsAre(1, 2, 3, -4, 0.5, double{0.1f}));
}

TEST(ParseNpy, OneVectorOfFloat64KeepsAllBits) {
  const auto queries = ParseNpy(
      Npy("{'descr': '<f8', 'fortran_order': True, 'shape': (2,), }", Bytes<double>({0.1, -2})),
      "q.npy");
  ASSERT_TRUE(queries.ok()) << queries.status();
  EXPECT_EQ(queries->count(), 1);
  EXPECT_THAT(queries->values, ElementsAre(0.1, -2));
}

TEST(ParseNpy, Float16) {
  // 1, -2, the smallest subnormal, the largest finite value (IEEE 754 binary16).
  const auto queries = ParseNpy(Npy("{'descr': '<f2', 'fortran_order': False, 'shape': (1, 4), }",
                                    Bytes<uint16_t>({0x3c00, 0xc000, 0x0001, 0x7bff})),
                                "q.npy");
  ASSERT_TRUE(queries.ok()) << queries.status();
  EXPECT_THAT(queries->values, ElementsAre(1, -2, 0x1p-24, 65504));
}

TEST(ParseNpy, BigEndian) {
  const auto queries = ParseNpy(Npy("{'descr': '>f4', 'fortran_order': False, 'shape': (1,)}",
                                    std::string_view("\x3f\x80\x00\x00", 4)),
                                "q.npy");
  ASSERT_TRUE(queries.ok()) << queries.status();
  EXPECT_THAT(queries->values, ElementsAre(1));
}

TEST(ParseNpy, RefusesWhatIsNotQueriesAndSaysWhatIsAllowed) {
  const struct {
    const char* header;
    const char* message;
  } cases[] = {
      {"{'descr': '<i4', 'fortran_order': False, 'shape': (2, 2), }", "allowed are float16"},
      {"{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2), }", "Fortran order"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1, 2), }", "3 axes"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (), }", "0 axes"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (0, 4), }", "empty"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.header);
    const auto queries = ParseNpy(Npy(c.header, Bytes<float>({1, 2, 3, 4})), "q.npy");
    ASSERT_FALSE(queries.ok());
    EXPECT_EQ(GetErrorCode(queries.status()), ErrorCode::kInvalidArgument);
    EXPECT_THAT(queries.status().message(), HasSubstr(c.message));
    EXPECT_THAT(queries.status().message(), HasSubstr("q.npy"));
  }
  EXPECT_EQ(GetErrorCode(ParseNpy("PAR1", "q").status()), ErrorCode::kInvalidArgument);
}

TEST(ParseNpy, DamagedFileIsCorrupt) {
  for (const char* header : {
           "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }",  // more than there is
           "{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 2), }",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (-2, 2), }",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999, 2), }",
           "{'descr': '<f4', 'fortran_order': False}",
           "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (4,)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (4,)} x",
           "{'descr': '<f4",
           "",
       }) {
    SCOPED_TRACE(header);
    const auto queries = ParseNpy(Npy(header, Bytes<float>({1, 2, 3, 4})), "q.npy");
    ASSERT_FALSE(queries.ok());
    EXPECT_EQ(GetErrorCode(queries.status()), ErrorCode::kCorrupt);
  }
}

TEST(ParseNpy, TruncatedAnywhereIsAnError) {
  const std::string whole = Npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }",
                                Bytes<float>({1, 2, 3, 4}));
  ASSERT_TRUE(ParseNpy(whole, "q").ok());
  for (size_t n = 0; n < whole.size(); ++n) EXPECT_FALSE(ParseNpy(whole.substr(0, n), "q").ok());
}

TEST(ReadVectorQueries, MissingFileIsNotFound) {
  EXPECT_EQ(GetErrorCode(ReadVectorQueries("/no/such/file.npy").status()), ErrorCode::kNotFound);
}

}  // namespace
}  // namespace firth
