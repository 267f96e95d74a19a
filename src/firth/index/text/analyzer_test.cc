// SPDX-License-Identifier: Apache-2.0
#include "firth/index/text/analyzer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unicode/utf8.h>

#include <random>

#include "firth/index/text/unicode_table.h"
#include "firth/testing/reference_analyzer.h"

namespace firth {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::vector<std::string> Terms(std::string_view text, const AnalyzerOptions& options = {}) {
  std::vector<std::string> terms;
  const std::vector<Token> tokens = *(*Analyzer::Make(options))->Analyze(text);
  for (const Token& token : tokens) terms.push_back(token.term);
  return terms;
}

// Vector of the analyzer contract: all defaults, Unicode 15.0.0.
TEST(AnalyzerOptions, DefaultsHaveTheFingerprintOfTheContract) {
  const AnalyzerOptions options;
  EXPECT_EQ(options.CanonicalJson(),
            R"({"analyzer_version":1,"ascii_folding":false,"base_tokenizer":"simple",)"
            R"("case":"lower","invalid_utf8":"reject","language":"und","max_token_length":255,)"
            R"("normalization":"nfc","resources":{},"stem":"none","stop_words":"none",)"
            R"("unicode":"15.0.0"})");
  EXPECT_EQ(ToHex(options.Fingerprint()),
            "46b9dfa4defbdef39fc3ab2a374e1f9b43338fef32645129239c38393d8b55e7");
  EXPECT_EQ(Analyzer::Default()->fingerprint(), options.Fingerprint());
}

TEST(TextIndexOptions, OnlyWhatChangesTokensIsInTheFingerprint) {
  const auto storage = TextIndexOptions::Parse(
      {{"index_nulls", "true"}, {"with_position", "false"}, {"posting_block_size", "256"}});
  ASSERT_TRUE(storage.ok()) << storage.status();
  EXPECT_TRUE(storage->index_nulls);
  EXPECT_FALSE(storage->with_position);
  EXPECT_EQ(storage->posting_block_size, 256);
  EXPECT_EQ(storage->analyzer, AnalyzerOptions{});

  const auto tokens = TextIndexOptions::Parse({{"lower_case", "false"},
                                               {"normalization", "none"},
                                               {"max_token_length", "40"},
                                               {"invalid_utf8", "replace"},
                                               {"language", "pt-BR"}});
  ASSERT_TRUE(tokens.ok()) << tokens.status();
  EXPECT_NE(tokens->analyzer.Fingerprint(), AnalyzerOptions{}.Fingerprint());
}

TEST(TextIndexOptions, RefusesByStableName) {
  const auto name = [](std::string option, std::string text) {
    const std::string message =
        TextIndexOptions::Parse({{std::move(option), std::move(text)}}).status().message();
    return message.substr(0, message.find(':'));
  };
  EXPECT_EQ(name("tokeniser", "simple"), "FTS_UNKNOWN_OPTION");
  EXPECT_EQ(name("base_tokenizer", "complex"), "FTS_BAD_OPTION_VALUE");
  EXPECT_EQ(name("max_token_length", "0"), "FTS_BAD_OPTION_VALUE");
  EXPECT_EQ(name("max_token_length", "32767"), "FTS_BAD_OPTION_VALUE");
  EXPECT_EQ(name("max_token_length", "12x"), "FTS_BAD_OPTION_VALUE");
  EXPECT_EQ(name("posting_block_size", "64"), "FTS_BAD_OPTION_VALUE");
  EXPECT_EQ(name("language", "en_US"), "FTS_BAD_OPTION_VALUE");
  EXPECT_EQ(name("language", "en-"), "FTS_BAD_OPTION_VALUE");
  EXPECT_EQ(name("min_gram", "2"), "FTS_BAD_OPTION_VALUE");
  EXPECT_EQ(name("base_tokenizer", "uax29"), "FTS_UNSUPPORTED_ANALYZER");
  EXPECT_EQ(name("case_fold", "true"), "FTS_UNSUPPORTED_ANALYZER");
  EXPECT_EQ(name("stem", "english"), "FTS_UNSUPPORTED_ANALYZER");
}

TEST(Analyzer, CutsAtEverythingThatIsNoLetterNumberOrMark) {
  EXPECT_THAT(Terms("Don't panic: foo_bar-baz, v2.0!"),
              ElementsAre("don", "t", "panic", "foo", "bar", "baz", "v2", "0"));
  EXPECT_THAT(Terms(""), IsEmpty());
  EXPECT_THAT(Terms(" \t--'_"), IsEmpty());
  EXPECT_THAT(Terms("Ünïcode—ΣΑΣ x² Ⅷ"), ElementsAre("ünïcode", "σασ", "x²", "ⅷ"));
}

TEST(Analyzer, ComposesAndKeepsDecomposedLettersWhole) {
  EXPECT_THAT(Terms("cafe\u0301s"), ElementsAre("caf\u00e9s"));
  // A mark continues a word and never starts one.
  EXPECT_THAT(Terms("\u0301abc"), ElementsAre("abc"));
  AnalyzerOptions raw;
  raw.normalization = Normalization::kNone;
  EXPECT_THAT(Terms("cafe\u0301s", raw), ElementsAre("cafe\u0301s"));
}

TEST(Analyzer, LowerCaseIsFullAndFreeOfContext) {
  EXPECT_THAT(Terms("İSTANBUL ΟΔΟΣ STRASSE ẞ"),
              ElementsAre("i\u0307stanbul", "οδοσ", "strasse", "ß"));
  AnalyzerOptions keep;
  keep.case_mapping = CaseMapping::kNone;
  EXPECT_THAT(Terms("Straße ÉCLAIR", keep), ElementsAre("Straße", "ÉCLAIR"));
}

TEST(Analyzer, DroppedTokenLeavesAGap) {
  AnalyzerOptions options;
  options.max_token_length = 4;
  const auto tokens = *(*Analyzer::Make(options))->Analyze("one three four äöüx äöü");
  EXPECT_THAT(tokens, ElementsAre(Token{"one", 0}, Token{"four", 2}));
  const std::string longest(255, 'a');
  EXPECT_THAT(Terms(longest + " " + longest + "b c"), ElementsAre(longest, "c"));
}

TEST(Analyzer, InvalidUtf8IsAnErrorThatNamesTheByteOrASeparator) {
  const auto rejected = Analyzer::Default()->Analyze("good \xff bad");
  ASSERT_FALSE(rejected.ok());
  EXPECT_EQ(GetErrorCode(rejected.status()), ErrorCode::kCorrupt);
  EXPECT_THAT(rejected.status().message(),
              StartsWith("FTS_INVALID_UTF8_VALUE: text is not well-formed UTF-8 at byte 5"));
  EXPECT_FALSE(Analyzer::Default()->Analyze("ends inside \xe2\x82").ok());
  AnalyzerOptions options;
  options.invalid_utf8 = InvalidUtf8::kReplace;
  EXPECT_THAT(Terms("a\xff"
                    "b \xed\xa0\x80"
                    "c\xe2\x82",
                    options),
              ElementsAre("a", "b", "c"));
}

TEST(UnicodeTable, EqualsIcuForEveryCodePoint) {
  const UnicodeTable& table = UnicodeTable::Get();
  for (UChar32 c = 0; c <= 0x10FFFF; ++c) {
    const uint8_t flags = table.Flags(c);
    ASSERT_EQ((flags & UnicodeTable::kWordStart) != 0, testing::StartsWord(c)) << c;
    ASSERT_EQ((flags & UnicodeTable::kWordPart) != 0, testing::ContinuesWord(c)) << c;
    if (U_IS_SURROGATE(c)) continue;
    std::string lower, expected;
    table.AppendLower(c, &lower);
    icu::UnicodeString(c).toLower(icu::Locale::getRoot()).toUTF8String(expected);
    ASSERT_EQ(lower, expected) << c;
  }
}

/// Texts that mix what the fast path must tell apart: ASCII runs across block borders, letters of
/// one to four bytes, marks, separators of all widths, and (when asked) broken bytes.
std::string RandomText(std::mt19937& random, bool broken) {
  const auto below = [&](uint32_t n) {
    return std::uniform_int_distribution<uint32_t>(0, n - 1)(random);
  };
  std::string text;
  const uint32_t pieces = below(40);
  for (uint32_t i = 0; i < pieces; ++i) {
    const uint32_t kind = below(broken ? 10 : 9);
    if (kind < 4) {
      const uint32_t length = below(8) == 0 ? below(300) : below(12);
      for (uint32_t j = 0; j < length; ++j) text += "abcXYZ019"[below(9)];
    } else if (kind < 6) {
      text += " -_.'\n\0@[`{/:"[below(13)];
    } else if (kind < 9) {
      constexpr std::pair<uint32_t, uint32_t> kRanges[] = {
          {0x80, 0x250},      {0x300, 0x370},    {0x370, 0x530},   {0x900, 0xA00},
          {0x1100, 0x1200},   {0x1E00, 0x2200},  {0xAC00, 0xAD00}, {0xF900, 0x10000},
          {0x1D400, 0x1D800}, {0x20000, 0x20100}};
      const auto [low, high] = kRanges[below(std::size(kRanges))];
      icu::UnicodeString(static_cast<UChar32>(low + below(high - low))).toUTF8String(text);
    } else {
      text += static_cast<char>(0x80 + below(128));
    }
  }
  return text;
}

TEST(Analyzer, FastPathEqualsTheReferenceOnRandomTexts) {
  std::mt19937 random(20261130);
  std::vector<AnalyzerOptions> variants(4);
  variants[1].case_mapping = CaseMapping::kNone;
  variants[2].normalization = Normalization::kNone;
  variants[2].invalid_utf8 = InvalidUtf8::kReplace;
  variants[3].max_token_length = 6;
  variants[3].invalid_utf8 = InvalidUtf8::kReplace;
  for (int round = 0; round < 8'000; ++round) {
    const AnalyzerOptions& options = variants[static_cast<size_t>(round) % variants.size()];
    const std::string text = RandomText(random, round % 3 == 0);
    const auto expected = testing::ReferenceAnalyze(text, options);
    const auto actual = (*Analyzer::Make(options))->Analyze(text);
    ASSERT_EQ(actual.ok(), expected.has_value()) << ::testing::PrintToString(text);
    if (expected) {
      ASSERT_EQ(*actual, *expected) << ::testing::PrintToString(text);
    }
  }
}

}  // namespace
}  // namespace firth
