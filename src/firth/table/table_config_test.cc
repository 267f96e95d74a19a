// SPDX-License-Identifier: Apache-2.0
#include "firth/table/table_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firth/common/checksum.h"
#include "firth/testing/memory_storage.h"

namespace firth {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kModel = "org.apache.hudi.common.model.";

Properties With(Properties more) {
  more.insert({{"hoodie.table.name", "t"}, {"hoodie.table.version", "9"}});
  return more;
}

Status Refusal(Properties more) { return TableConfig::FromProperties(With(more)).status(); }

TEST(TableConfigTest, DefaultsOfVersionNine) {
  const Result<TableConfig> config = TableConfig::FromProperties(With({}));
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->type, TableType::kCopyOnWrite);
  EXPECT_EQ(config->timeline.layout, TimelineLayout::kV2);
  EXPECT_EQ(config->timeline.active_dir, ".hoodie/timeline");
  EXPECT_EQ(config->timeline.history_dir, ".hoodie/timeline/history");
  EXPECT_FALSE(config->timeline_is_utc);
  EXPECT_TRUE(config->has_meta_fields);
  EXPECT_FALSE(config->hive_style);
  EXPECT_FALSE(config->url_encode);
  EXPECT_FALSE(config->drops_partition_columns);
  EXPECT_FALSE(config->cdc_enabled);
  EXPECT_EQ(config->key_generator, KeyGenerator::kNonPartitioned);
  EXPECT_THAT(config->metadata_partitions, IsEmpty());
}

TEST(TableConfigTest, VersionSixKeepsItsTimelineInTheMetaFolder) {
  const Result<TableConfig> config = TableConfig::FromProperties(
      {{"hoodie.table.name", "t"},
       {"hoodie.table.version", "6"},
       {"hoodie.timeline.layout.version", "1"},
       {"hoodie.timeline.path", "timeline"},  // Hudi 1.2 writes it here as well
       {"hoodie.archivelog.folder", "history"}});
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->timeline.layout, TimelineLayout::kV1);
  EXPECT_EQ(config->timeline.active_dir, ".hoodie");
  EXPECT_EQ(config->timeline.history_dir, ".hoodie/history");
}

TEST(TableConfigTest, ReadsKeysAndFlags) {
  const Result<TableConfig> config = TableConfig::FromProperties(
      With({{"hoodie.table.type", "MERGE_ON_READ"},
            {"hoodie.table.recordkey.fields", "a, b"},
            {"hoodie.table.partition.fields", "y:SIMPLE,t:TIMESTAMP"},
            {"hoodie.table.keygenerator.type", "CUSTOM_AVRO"},
            {"hoodie.datasource.write.hive_style_partitioning", "True"},
            {"hoodie.populate.meta.fields", "false"},
            {"hoodie.table.timeline.timezone", "UTC"},
            {"hoodie.table.metadata.partitions", "column_stats,files"}}));
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->type, TableType::kMergeOnRead);
  EXPECT_THAT(config->record_key_fields, ElementsAre("a", "b"));
  EXPECT_THAT(config->partition_fields, ElementsAre("y", "t"));
  EXPECT_THAT(config->partition_is_timestamp, ElementsAre(false, true));
  EXPECT_EQ(config->key_generator, KeyGenerator::kCustom);
  EXPECT_TRUE(config->hive_style);
  EXPECT_FALSE(config->has_meta_fields);
  EXPECT_TRUE(config->timeline_is_utc);
  EXPECT_THAT(config->metadata_partitions, ElementsAre("column_stats", "files"));
}

TEST(TableConfigTest, KnowsGeneratorsByTypeClassAndFields) {
  const auto generator = [](Properties more) {
    const Result<TableConfig> config = TableConfig::FromProperties(With(more));
    EXPECT_TRUE(config.ok()) << config.status();
    return config->key_generator;
  };
  EXPECT_EQ(generator({{"hoodie.table.keygenerator.type", "COMPLEX"}}), KeyGenerator::kComplex);
  EXPECT_EQ(generator({{"hoodie.table.keygenerator.type", "USER_PROVIDED"},
                       {"hoodie.table.keygenerator.class", "com.example.Mine"}}),
            KeyGenerator::kOther);
  EXPECT_EQ(generator({{"hoodie.table.keygenerator.class",
                        "org.apache.hudi.keygen.TimestampBasedAvroKeyGenerator"},
                       {"hoodie.table.partition.fields", "p"}}),
            KeyGenerator::kTimestamp);
  EXPECT_EQ(generator({{"hoodie.table.keygenerator.class",
                        "org.apache.hudi.keygen.NonpartitionedKeyGenerator"}}),
            KeyGenerator::kNonPartitioned);
  EXPECT_EQ(generator({{"hoodie.table.partition.fields", "p"}}), KeyGenerator::kSimple);
  EXPECT_EQ(generator({{"hoodie.table.partition.fields", "p,q"}}), KeyGenerator::kComplex);
  EXPECT_EQ(
      generator({{"hoodie.table.partition.fields", "p"}, {"hoodie.table.recordkey.fields", "a,b"}}),
      KeyGenerator::kComplex);
}

TEST(TableConfigTest, MetadataTablesHaveHfiles) {
  const Properties metadata = {
      {"hoodie.table.base.file.format", "HFILE"},
      {"hoodie.compaction.payload.class", "org.apache.hudi.metadata.HoodieMetadataPayload"},
      {"hoodie.table.keygenerator.type", "HOODIE_TABLE_METADATA"},
      {"hoodie.record.merge.mode", "CUSTOM"}};
  const Result<TableConfig> config = TableConfig::FromProperties(With(metadata));
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_TRUE(config->is_metadata_table);
  EXPECT_EQ(config->key_generator, KeyGenerator::kMetadata);
}

TEST(TableConfigTest, RefusesByNameWithARemedy) {
  const std::pair<Properties, const char*> cases[] = {
      {{{"hoodie.table.version", "5"}}, "table version is 5"},
      {{{"hoodie.table.version", "7"}}, "table version is 7"},
      {{{"hoodie.table.version", "10"}}, "table version is 10"},
      {{{"hoodie.table.version", ""}}, "hoodie.table.version is missing"},
      {{{"hoodie.table.format", "iceberg"}}, "hoodie.table.format is \"iceberg\""},
      {{{"hoodie.bootstrap.base.path", "/data/old"}}, "bootstrapped from /data/old"},
      {{{"hoodie.table.base.file.format", "ORC"}}, "base files are ORC"},
      {{{"hoodie.table.base.file.format", "HFILE"}}, "base files are HFILE"},
      {{{"hoodie.table.multiple.base.file.formats.enable", "true"}}, "of several formats"},
  };
  for (const auto& [properties, message] : cases) {
    const Status status = Refusal(properties);
    ASSERT_FALSE(status.ok()) << message;
    EXPECT_EQ(GetErrorCode(status), ErrorCode::kUnsupported) << status;
    EXPECT_THAT(status.message(), HasSubstr(message));
    EXPECT_NE(GetRemedy(status), "") << status;
  }
}

TEST(TableConfigTest, WrongValuesAreCorrupt) {
  for (const Properties& properties : std::vector<Properties>{
           {{"hoodie.table.name", ""}},
           {{"hoodie.table.version", "x"}},
           {{"hoodie.table.type", "COPY"}},
           {{"hoodie.timeline.layout.version", "1"}},
           {{"hoodie.populate.meta.fields", "maybe"}},
           {{"hoodie.record.merge.mode", "LATEST"}},
       }) {
    EXPECT_EQ(GetErrorCode(Refusal(properties)), ErrorCode::kCorrupt);
  }
}

// Text of hoodie.properties with the checksum of its names, or with a wrong one.
std::string Text(const std::string& name, bool valid) {
  return fmt::format("hoodie.table.name={}\nhoodie.table.version=9\nhoodie.table.checksum={}\n",
                     name, Crc32(fmt::format(".{}", valid ? name : "other")));
}

constexpr const char* kMain = ".hoodie/hoodie.properties";
constexpr const char* kBackup = ".hoodie/hoodie.properties.backup";

TEST(TableConfigLoad, TakesTheBackupWhileTheFileIsReplaced) {
  const std::vector<std::map<std::string, std::string>> states = {
      {{kMain, Text("t", true)}},
      {{kMain, Text("t", true)}, {kBackup, Text("old", true)}},
      {{kBackup, Text("t", true)}},
      {{kMain, Text("half", false)}, {kBackup, Text("t", true)}},
  };
  for (const auto& files : states) {
    const Result<TableConfig> config = TableConfig::Load(*testing::MemoryStorage(files));
    ASSERT_TRUE(config.ok()) << config.status();
    EXPECT_EQ(config->name, "t");
  }
}

TEST(TableConfigLoad, SaysWhenThereIsNoTable) {
  const Status status = TableConfig::Load(*testing::MemoryStorage({{"a.parquet", ""}})).status();
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kNotFound);
  EXPECT_THAT(status.message(), HasSubstr("is not a Hudi table"));
}

TEST(TableConfigLoad, AWrongChecksumWithoutBackupIsCorrupt) {
  const Status status =
      TableConfig::Load(*testing::MemoryStorage({{kMain, Text("t", false)}})).status();
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kCorrupt);
  EXPECT_THAT(status.message(), HasSubstr("hoodie.table.checksum"));
}

MergeSpec Derive(Properties properties, int version) {
  const Result<MergeSpec> spec = DeriveMergeSpec(properties, version);
  EXPECT_TRUE(spec.ok()) << spec.status();
  return *spec;
}

TEST(DeriveMergeSpecTest, OrderingFieldsAloneMeanEventTime) {
  for (const int version : {6, 8, 9}) {
    const MergeSpec spec = Derive({{"hoodie.table.precombine.field", "ts"}}, version);
    EXPECT_EQ(spec.mode, MergeMode::kEventTime);
    EXPECT_THAT(spec.ordering_fields, ElementsAre("ts"));
    EXPECT_EQ(Derive({}, version).mode, MergeMode::kCommitTime);
  }
}

TEST(DeriveMergeSpecTest, NewerNamesWin) {
  EXPECT_THAT(
      Derive({{"hoodie.table.precombine.field", "a"}, {"hoodie.table.ordering.fields", "b,c"}}, 9)
          .ordering_fields,
      ElementsAre("b", "c"));
}

TEST(DeriveMergeSpecTest, VersionSixGoesByThePayloadClass) {
  const auto derive = [](std::string payload) {
    return Derive(
        {{"hoodie.table.precombine.field", "ts"},
         {"hoodie.compaction.payload.class", std::string(kModel) + payload},
         // Hudi 0.15 writes the event time strategy next to any payload.
         {"hoodie.compaction.record.merger.strategy", "eeb8d96f-b1e4-49fd-bbf8-28ac514178e5"}},
        6);
  };
  const MergeSpec latest = derive("OverwriteWithLatestAvroPayload");
  EXPECT_EQ(latest.mode, MergeMode::kCommitTime);
  EXPECT_THAT(latest.ordering_fields, IsEmpty());
  EXPECT_EQ(derive("DefaultHoodieRecordPayload").mode, MergeMode::kEventTime);
  EXPECT_EQ(derive("EventTimeAvroPayload").mode, MergeMode::kEventTime);
  const MergeSpec partial = derive("PartialUpdateAvroPayload");
  EXPECT_EQ(partial.mode, MergeMode::kCustom);
  EXPECT_EQ(partial.payload, PayloadKind::kPartialUpdate);
  EXPECT_THAT(partial.ordering_fields, ElementsAre("ts"));
  const MergeSpec dms = derive("AWSDmsAvroPayload");
  EXPECT_EQ(dms.payload, PayloadKind::kAwsDms);
  EXPECT_EQ(dms.delete_field, "Op");
  EXPECT_EQ(dms.delete_marker, "D");
  const MergeSpec postgres = derive("debezium.PostgresDebeziumAvroPayload");
  EXPECT_EQ(postgres.payload, PayloadKind::kPostgresDebezium);
  EXPECT_EQ(postgres.unavailable_value, "__debezium_unavailable_value");
}

TEST(DeriveMergeSpecTest, VersionEightGoesByModeThenStrategy) {
  EXPECT_EQ(Derive({{"hoodie.record.merge.mode", "COMMIT_TIME_ORDERING"},
                    {"hoodie.table.precombine.field", "ts"}},
                   8)
                .mode,
            MergeMode::kCommitTime);
  EXPECT_EQ(Derive({{"hoodie.record.merge.strategy.id", "ce9acb64-bde0-424c-9b91-f6ebba25356d"},
                    {"hoodie.compaction.payload.class",
                     std::string(kModel) + "DefaultHoodieRecordPayload"}},
                   8)
                .mode,
            MergeMode::kCommitTime);
  const MergeSpec custom =
      Derive({{"hoodie.record.merge.mode", "CUSTOM"},
              {"hoodie.record.merge.strategy.id", "00000000-0000-0000-0000-000000000000"},
              {"hoodie.compaction.payload.class",
               std::string(kModel) + "OverwriteNonDefaultsWithLatestAvroPayload"}},
             8);
  EXPECT_EQ(custom.payload, PayloadKind::kOverwriteNonDefaults);
  EXPECT_EQ(custom.custom_class, "");
}

TEST(DeriveMergeSpecTest, UnknownClassesAreNamed) {
  EXPECT_EQ(Derive({{"hoodie.record.merge.mode", "CUSTOM"},
                    {"hoodie.compaction.payload.class", "com.example.MyPayload"}},
                   9)
                .custom_class,
            "com.example.MyPayload");
  EXPECT_EQ(Derive({{"hoodie.record.merge.mode", "CUSTOM"},
                    {"hoodie.record.merge.strategy.id", "1897ef5f-18bc-4557-939c-9d6a8afd1519"}},
                   9)
                .custom_class,
            "merge strategy 1897ef5f-18bc-4557-939c-9d6a8afd1519");
  EXPECT_EQ(
      Derive({{"hoodie.compaction.payload.class", "com.example.DefaultHoodieRecordPayload"}}, 6)
          .mode,
      MergeMode::kCustom);
}

TEST(DeriveMergeSpecTest, VersionNineReadsMergeProperties) {
  const Properties properties = {
      {"hoodie.record.merge.mode", "EVENT_TIME_ORDERING"},
      {"hoodie.table.ordering.fields", "_event_lsn"},
      {"hoodie.table.legacy.payload.class",
       "org.apache.hudi.common.model.debezium.PostgresDebeziumAvroPayload"},
      {"hoodie.table.partial.update.mode", "FILL_UNAVAILABLE"},
      {"hoodie.record.merge.property.hoodie.payload.delete.field", "_change_operation_type"},
      {"hoodie.record.merge.property.hoodie.payload.delete.marker", "d"},
      {"hoodie.record.merge.property.hoodie.write.partial.update.unavailable.value", "gone"}};
  const MergeSpec spec = Derive(properties, 9);
  EXPECT_EQ(spec.mode, MergeMode::kEventTime);
  EXPECT_EQ(spec.payload, PayloadKind::kNone);
  EXPECT_EQ(spec.partial_update, PartialUpdateMode::kFillUnavailable);
  EXPECT_EQ(spec.delete_field, "_change_operation_type");
  EXPECT_EQ(spec.delete_marker, "d");
  EXPECT_EQ(spec.unavailable_value, "gone");
  // Older versions ignore them.
  EXPECT_EQ(Derive(properties, 8).partial_update, PartialUpdateMode::kNone);
}

TEST(DeriveMergeSpecTest, AnUnknownPartialUpdateModeIsUnsupported) {
  EXPECT_EQ(GetErrorCode(
                DeriveMergeSpec({{"hoodie.table.partial.update.mode", "KEEP_VALUES"}}, 9).status()),
            ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace firth
