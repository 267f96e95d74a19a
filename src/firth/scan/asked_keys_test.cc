// SPDX-License-Identifier: Apache-2.0
#include "firth/scan/asked_keys.h"

#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "firth/common/arrow_init.h"
#include "firth/scan/predicate.h"

namespace firth {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;

const auto kAny = std::nullopt;

class AskedKeysTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(InitializeArrow().ok());
    config_.record_key_fields = {"id"};
    config_.properties["hoodie.table.keygenerator.type"] = "SIMPLE";
  }

  std::optional<std::set<std::string>> Of(const std::string& where) {
    const auto schema =
        arrow::schema({arrow::field("_hoodie_record_key", arrow::utf8()), arrow::field("id", type_),
                       arrow::field("qty", arrow::int32())});
    const auto filter = ParsePredicate(where, *schema);
    EXPECT_TRUE(filter.ok()) << filter.status();
    return AskedKeys(config_, *filter->Bind(*schema), 4);
  }

  TableConfig config_;
  std::shared_ptr<arrow::DataType> type_ = arrow::int32();
};

TEST_F(AskedKeysTest, AreThoseOfEveryWayToBeTrue) {
  EXPECT_THAT(Of("id = 7"), Optional(ElementsAre("7", "id:7")));
  EXPECT_THAT(Of("-7 = id AND qty > 3"), Optional(ElementsAre("-7", "id:-7")));
  EXPECT_THAT(Of("id IN (7, 8, NULL)"), Optional(ElementsAre("7", "8", "id:7", "id:8")));
  EXPECT_THAT(Of("id = 7 OR (qty = 1 AND id = 8)"),
              Optional(ElementsAre("7", "8", "id:7", "id:8")));
  EXPECT_THAT(Of("_hoodie_record_key IN ('a:b', '')"), Optional(ElementsAre("", "a:b")));
  EXPECT_THAT(Of("id = NULL"), kAny);  // a constant by then
}

TEST_F(AskedKeysTest, ValuesOfAnyColumnAreFound) {
  const auto schema =
      arrow::schema({arrow::field("s", arrow::utf8()), arrow::field("f", arrow::float64())});
  const auto values = [&](const std::string& column, const std::string& where) {
    return AskedValues(column, *ParsePredicate(where, *schema)->Bind(*schema), 4);
  };
  EXPECT_THAT(values("s", "s = 'a$b' AND f > 1"), Optional(ElementsAre("a$b")));
  EXPECT_THAT(values("s", "s IN ('x', '', NULL) OR s = 'y'"), Optional(ElementsAre("", "x", "y")));
  EXPECT_EQ(values("s", "s = 'a' OR f = 1"), kAny);
  EXPECT_EQ(values("f", "f = 1"), kAny) << "texts of floats are Java's";
}

TEST_F(AskedKeysTest, AreAnyWhereOthersMayMatch) {
  for (const char* where :
       {"", "qty = 7", "id = 7 OR qty = 7", "id > 7", "NOT (id = 7)", "id <> 7", "id IS NULL",
        "id NOT IN (7)", "id = qty", "id IN (1, 2, 3, 4, 5)", "id IN (1, 2, 3) OR id IN (4, 5)",
        "id = 7 OR _hoodie_record_key = '7'"}) {
    EXPECT_EQ(Of(where), kAny) << where;
  }
}

TEST_F(AskedKeysTest, StringsAreKeysAsTheyAre) {
  type_ = arrow::utf8();
  EXPECT_THAT(Of("id = 'A,b:c'"), Optional(ElementsAre("A,b:c", "id:A,b:c")));
  EXPECT_THAT(Of("id = ''"), Optional(ElementsAre("", "id:__empty__")));
}

TEST_F(AskedKeysTest, AreAnyWhereItIsNotKnownHowKeysAreMade) {
  type_ = arrow::date32();  // epoch days or a date: releases differ
  EXPECT_EQ(Of("id = '2026-01-01'"), kAny);
  type_ = arrow::int32();
  config_.record_key_fields = {"id", "qty"};
  EXPECT_EQ(Of("id = 7"), kAny);
  config_.record_key_fields = {"id"};
  config_.key_generator = KeyGenerator::kOther;
  EXPECT_EQ(Of("id = 7"), kAny);
  EXPECT_THAT(Of("_hoodie_record_key = '7'"), Optional(ElementsAre("7")));
  config_.key_generator = KeyGenerator::kSimple;
  config_.properties.clear();
  EXPECT_EQ(Of("id = 7"), kAny);
  config_.properties["hoodie.table.keygenerator.class"] =
      "org.apache.hudi.keygen.SimpleKeyGenerator";
  EXPECT_THAT(Of("id = 7"), Optional(ElementsAre("7", "id:7")));
  config_.merge.mode = MergeMode::kCustom;
  config_.merge.payload = PayloadKind::kNone;
  EXPECT_EQ(Of("id = 7"), kAny);
  config_.has_meta_fields = false;
  EXPECT_EQ(Of("_hoodie_record_key = '7'"), kAny);
}

}  // namespace
}  // namespace firth
