// SPDX-License-Identifier: Apache-2.0
#include "firth/read/partition_values.h"

#include <arrow/scalar.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include <string>

#include "firth/common/arrow_init.h"

namespace firth {
namespace {

class PartitionConstantsTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(InitializeArrow().ok()); }

  std::string Value(std::string_view partition, const std::string& column) const {
    const auto constants = PartitionConstants(config_, *schema_, partition);
    if (!constants.ok()) return std::string(ErrorCodeName(GetErrorCode(constants.status())));
    const auto found = constants->find(column);
    return found == constants->end() ? "absent" : found->second->ToString();
  }

  TableConfig config_;
  std::shared_ptr<arrow::Schema> schema_ =
      arrow::schema({arrow::field("d", arrow::date32()), arrow::field("n", arrow::int32()),
                     arrow::field("s", arrow::utf8())});
};

TEST_F(PartitionConstantsTest, AreTypedByTheSchema) {
  config_.partition_fields = {"s", "n"};
  EXPECT_EQ(Value("a/5", "s"), "a");
  EXPECT_EQ(Value("a/5", "n"), "5");
  EXPECT_EQ(Value("s=a/n=5", "n"), "5");
  EXPECT_EQ(Value("a/__HIVE_DEFAULT_PARTITION__", "n"), "null");
}

TEST_F(PartitionConstantsTest, NameTheirFieldInHiveStyleOnly) {
  config_.partition_fields = {"s"};
  EXPECT_EQ(Value("s=a", "s"), "a");  // a table that doesn't say
  config_.properties["hoodie.datasource.write.hive_style_partitioning"] = "false";
  EXPECT_EQ(Value("s=a", "s"), "s=a");
  config_.hive_style = true;
  EXPECT_EQ(Value("s=a", "s"), "a");
}

TEST_F(PartitionConstantsTest, AreDecodedWhenTheTableEncodes) {
  config_.partition_fields = {"s"};
  EXPECT_EQ(Value("a%2Fb", "s"), "a%2Fb");
  config_.url_encode = true;
  EXPECT_EQ(Value("a%2Fb", "s"), "a/b");
  EXPECT_EQ(Value("100%", "s"), "100%");
}

TEST_F(PartitionConstantsTest, SlashSeparatedDatesAreOneValue) {
  config_.partition_fields = {"d"};
  config_.slash_separated_dates = true;
  EXPECT_EQ(Value("2024/01/31", "d"), "2024-01-31");
}

TEST_F(PartitionConstantsTest, PathsThatContradictTheFieldsAreCorrupt) {
  config_.partition_fields = {"s", "n"};
  EXPECT_EQ(Value("a", "s"), "corrupt");
  EXPECT_EQ(Value("a/b", "s"), "corrupt");
}

TEST_F(PartitionConstantsTest, TableWithoutPartitionsHasNone) {
  EXPECT_EQ(Value("", "s"), "absent");
}

}  // namespace
}  // namespace firth
