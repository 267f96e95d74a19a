// SPDX-License-Identifier: Apache-2.0
#include "cli/text_table.h"

#include <gtest/gtest.h>

#include "cli/errors.h"
#include "cli/numbers.h"
#include "firth/error.h"

namespace firth::cli {
namespace {

TEST(DisplayWidth, CountsTerminalColumns) {
  EXPECT_EQ(DisplayWidth("abc"), 3u);
  EXPECT_EQ(DisplayWidth("grün"), 4u);
  EXPECT_EQ(DisplayWidth("日本"), 4u);
  EXPECT_EQ(DisplayWidth("e\u0301"), 1u);  // e and a combining acute accent
  EXPECT_EQ(DisplayWidth("\xff"), 1u);
}

TEST(FitWidth, EndsWithAnEllipsisBetweenCharacters) {
  EXPECT_EQ(FitWidth("abcdef", 6), "abcdef");
  EXPECT_EQ(FitWidth("abcdef", 4), "abc…");
  EXPECT_EQ(FitWidth("日本語", 4), "日…");
}

TEST(TextTable, AlignsColumnsAndKeepsWidthsOverPieces) {
  TextTable table({{"name"}, {"n", true}});
  table.AddRow({"ann", "1"});
  table.AddRow({"日本語", "123"});
  EXPECT_EQ(table.Format(),
            "name      n\n"
            "------  ---\n"
            "ann       1\n"
            "日本語  123\n");
  table.AddRow({"too long a name", "4"});
  EXPECT_EQ(table.Format(), "too l…    4\n");
}

TEST(TextTable, ShortensTheWidestColumnToFitALine) {
  TextTable table({{"a"}, {"b"}}, 20);
  table.AddRow({"12345", "a text that is longer"});
  EXPECT_EQ(table.Format(),
            "a      b\n"
            "-----  -------------\n"
            "12345  a text that …\n");
}

TEST(TextTable, EscapesControlCharacters) {
  TextTable table({{"a"}});
  table.AddRow({"x\n\x1b[31m"});
  EXPECT_EQ(table.Format(), "a\n-----------\nx\\n\\x1b[31m\n");
  EXPECT_EQ(Printable("\u009b31m\u00a0é\x7f"), "\\x9b31m\u00a0é\\x7f");
  EXPECT_EQ(Printable("\xfb\xe2\x82 😀\xc3"), "\\xfb\\xe2\\x82 😀\\xc3");
}

TEST(FormatBytes, PicksAUnit) {
  EXPECT_EQ(FormatBytes(0), "0 B");
  EXPECT_EQ(FormatBytes(999), "999 B");
  EXPECT_EQ(FormatBytes(1500), "1.5 kB");
  EXPECT_EQ(FormatBytes(999'960), "1.0 MB");
  EXPECT_EQ(FormatBytes(12'345'678'901), "12.3 GB");
}

TEST(FormatCount, GroupsDigits) {
  EXPECT_EQ(FormatCount(0), "0");
  EXPECT_EQ(FormatCount(999), "999");
  EXPECT_EQ(FormatCount(1000), "1,000");
  EXPECT_EQ(FormatCount(-1234567), "-1,234,567");
}

TEST(ParseBytes, KnowsDecimalAndBinaryUnits) {
  EXPECT_EQ(*ParseBytes("4096"), 4096);
  EXPECT_EQ(*ParseBytes("64k"), 64'000);
  EXPECT_EQ(*ParseBytes("2GB"), 2'000'000'000);
  EXPECT_EQ(*ParseBytes("512MiB"), 536'870'912);
  EXPECT_EQ(*ParseBytes("1Ti"), 1'099'511'627'776);
}

TEST(ParseBytes, RefusesTheRest) {
  for (const char* text :
       {"", "x", "-1", "1.5GB", "5ib", "5XB", "9999999999999999999", "10000000000GB"}) {
    EXPECT_EQ(ExitCodeOf(ParseBytes(text).status()), kBadUsage) << text;
  }
}

TEST(ErrorLine, IsOneLineWithTheRemedy) {
  EXPECT_EQ(ErrorLine(UsageError("no such\nthing", "try another")),
            "firth: no such\\nthing; try another");
  EXPECT_EQ(ErrorLine(arrow::Status::IOError("disk")), "firth: disk");
}

TEST(ExitCodeOf, FollowsTheCodeOfTheError) {
  const auto code = [](ErrorCode error) {
    return ExitCodeOf(
        arrow::Status(arrow::StatusCode::UnknownError, "x", std::make_shared<ErrorDetail>(error)));
  };
  EXPECT_EQ(ExitCodeOf(arrow::Status::OK()), 0);
  EXPECT_EQ(ExitCodeOf(OutputClosed()), 0);
  EXPECT_EQ(code(ErrorCode::kUnsupported), 1);
  EXPECT_EQ(code(ErrorCode::kInvalidArgument), 2);
  EXPECT_EQ(code(ErrorCode::kNotFound), 3);
  EXPECT_EQ(code(ErrorCode::kConflict), 4);
  EXPECT_EQ(code(ErrorCode::kCorrupt), 5);
}

}  // namespace
}  // namespace firth::cli
