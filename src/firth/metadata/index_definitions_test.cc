// SPDX-License-Identifier: Apache-2.0
#include "firth/metadata/index_definitions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firth/testing/memory_storage.h"

namespace firth {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kText = R"({"indexDefinitions": {
  "secondary_index_n": {"indexName": "secondary_index_n", "indexType": "secondary_index",
    "indexFunction": "identity", "sourceFields": ["name"], "indexOptions": {}, "version": "V2",
    "addedLater": 1},
  "expr_index_e": {"indexType": "column_stats", "indexFunction": "from_unixtime",
    "sourceFields": ["ts"], "indexOptions": {"format": "yyyy"}}}})";

TEST(IndexDefinitions, AreParsedAndUnknownMembersIgnored) {
  const auto parsed = ParseIndexDefinitions(kText);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  ASSERT_EQ(parsed->size(), 2u);
  const IndexDefinition& secondary = parsed->at("secondary_index_n");
  EXPECT_EQ(secondary.type, "secondary_index");
  EXPECT_THAT(secondary.source_fields, ElementsAre("name"));
  EXPECT_EQ(secondary.version, 2);
  const IndexDefinition& expression = parsed->at("expr_index_e");
  EXPECT_EQ(expression.version, 1) << "Hudi 1.0 writes none";
  EXPECT_EQ(expression.options.at("format"), "yyyy");
}

TEST(IndexDefinitions, TheSecondaryIndexOfAColumnIsOneThatIsReady) {
  const IndexDefinitions definitions = *ParseIndexDefinitions(kText);
  EXPECT_EQ(FindSecondaryIndex(definitions, "name", {"files", "secondary_index_n"}),
            "secondary_index_n");
  EXPECT_EQ(FindSecondaryIndex(definitions, "name", {"files"}), std::nullopt);
  EXPECT_EQ(FindSecondaryIndex(definitions, "ts", {"expr_index_e"}), std::nullopt);
}

TEST(IndexDefinitions, AnUnknownVersionIsUnsupported) {
  const auto parsed = ParseIndexDefinitions(R"({"indexDefinitions": {"i": {"version": "V7"}}})");
  ASSERT_FALSE(parsed.ok());
  EXPECT_EQ(GetErrorCode(parsed.status()), ErrorCode::kUnsupported);
  EXPECT_THAT(parsed.status().message(), HasSubstr("\"V7\""));
}

TEST(IndexDefinitions, OtherJsonIsCorrupt) {
  for (const char* text :
       {"", "[]", "{\"indexDefinitions\": 3}", "{\"indexDefinitions\": {\"a\": 1}}",
        "{\"indexDefinitions\": {\"a\": {\"sourceFields\": [1]}}}",
        "{\"indexDefinitions\": {\"a\": {\"indexOptions\": []}}}"}) {
    EXPECT_EQ(GetErrorCode(ParseIndexDefinitions(text).status()), ErrorCode::kCorrupt) << text;
  }
}

TEST(IndexDefinitions, AreReadFromWhereThePropertyPoints) {
  TableConfig config;
  const auto storage = testing::MemoryStorage({{".hoodie/defs.json", std::string(kText)}});
  EXPECT_EQ(LoadIndexDefinitions(*storage, config)->size(), 0u);
  config.properties.emplace("hoodie.table.index.defs.path", ".hoodie/defs.json");
  EXPECT_EQ(LoadIndexDefinitions(*storage, config)->size(), 2u);
  config.properties["hoodie.table.index.defs.path"] = "../elsewhere.json";
  EXPECT_EQ(GetErrorCode(LoadIndexDefinitions(*storage, config).status()), ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace firth
