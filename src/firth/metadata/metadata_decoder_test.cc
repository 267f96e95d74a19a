// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>

#include "firth/common/bytes.h"
#include "firth/format/avro/avro_codec.h"
#include "firth/metadata/metadata_record.h"

namespace firth {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

// The schema of version 9, shortened to what matters here, with a field of the future.
constexpr std::string_view kSchema = R"({"type":"record","name":"HoodieMetadataRecord","fields":[
  {"name":"_hoodie_commit_time","type":["null","string"],"default":null},
  {"name":"key","type":"string"},{"name":"type","type":"int"},
  {"name":"filesystemMetadata","type":["null",{"type":"map","values":{"type":"record",
    "name":"HoodieMetadataFileInfo","fields":[{"name":"size","type":"long"},
      {"name":"isDeleted","type":"boolean"}]}}]},
  {"name":"ColumnStatsMetadata","type":["null",{"type":"record","name":"HoodieMetadataColumnStats",
    "fields":[{"name":"fileName","type":["null","string"]},
      {"name":"minValue","type":["null",
        {"type":"record","name":"IntWrapper","fields":[{"name":"value","type":"int"}]},
        {"type":"record","name":"DoubleWrapper","fields":[{"name":"value","type":"double"}]},
        {"type":"record","name":"FutureWrapper","fields":[{"name":"value","type":"long"}]}]},
      {"name":"maxValue","type":["null","IntWrapper","DoubleWrapper","FutureWrapper"]},
      {"name":"valueCount","type":["null","long"]},
      {"name":"isDeleted","type":"boolean"}]}]},
  {"name":"recordIndexMetadata","type":["null",{"type":"record","name":"HoodieRecordIndexInfo",
    "fields":[{"name":"partitionName","type":["null","string"]},
      {"name":"fileIdHighBits","type":["null","long"]},
      {"name":"fileIdLowBits","type":["null","long"]},
      {"name":"fileIndex","type":["null","int"]},{"name":"fileId","type":["null","string"]},
      {"name":"instantTime","type":["null","long"]},{"name":"fileIdEncoding","type":"int"}]}]},
  {"name":"FutureMetadata","type":["null",{"type":"array","items":"string"}],"default":null}]})";

std::string Encode(const Json& record) {
  ByteWriter out;
  const Status status = EncodeAvroJson(**ParseAvroSchema(kSchema), record, &out);
  EXPECT_TRUE(status.ok()) << status;
  return out.Finish();
}

MetadataRecord Decode(const Json& record) {
  const auto decoder = MetadataDecoder::Make(kSchema);
  EXPECT_TRUE(decoder.ok()) << decoder.status();
  const auto decoded = (*decoder)->Decode("k", Encode(record));
  EXPECT_TRUE(decoded.ok()) << decoded.status();
  return *decoded;
}

TEST(MetadataDecoder, FilesKeepSizesAndTombstones) {
  const MetadataRecord record = Decode(
      {{"key", ""},
       {"type", 2},
       {"filesystemMetadata",
        {{"a", {{"size", 7}, {"isDeleted", false}}}, {"b", {{"size", 0}, {"isDeleted", true}}}}},
       {"FutureMetadata", {"x", "y"}}});
  EXPECT_EQ(record.key, "k");
  EXPECT_TRUE(record.is(MetadataRecordType::kFiles));
  EXPECT_FALSE(record.is_deleted());
  EXPECT_EQ(std::get<FilesPayload>(record.payload).files,
            (std::vector<ListedFile>{{"a", 7, false}, {"b", 0, true}}));
}

TEST(MetadataDecoder, BoundsAreTypedByTheNameOfTheirWrapper) {
  const MetadataRecord record = Decode({{"key", ""},
                                        {"type", 3},
                                        {"ColumnStatsMetadata",
                                         {{"fileName", "f"},
                                          {"minValue", {{"value", 5}}},
                                          {"maxValue", nullptr},
                                          {"valueCount", 9},
                                          {"isDeleted", false}}}});
  const auto& stats = std::get<ColumnStatsPayload>(record.payload);
  EXPECT_EQ(stats.file_name, "f");
  EXPECT_EQ(stats.min.kind, StatsValue::Kind::kInt);
  EXPECT_EQ(std::get<int64_t>(stats.min.value), 5);
  EXPECT_TRUE(stats.max.is_null());
  EXPECT_EQ(stats.value_count, 9);
  EXPECT_EQ(stats.null_count, -1) << "the schema lacks it";
  EXPECT_EQ(stats.value_type, StatsValueType::kByWrapper);
}

TEST(MetadataDecoder, AnUnknownWrapperIsABoundWithoutValue) {
  ByteWriter out;  // null, "", type 3, null, stats{null, FutureWrapper 1, null, null, false}, ...
  for (const int64_t number : {0, 0, 3, 0, 1, 0, 3, 1, 0, 0}) out.PutZigZag(number);
  out.PutU8(0);
  out.PutZigZag(0);
  out.PutZigZag(0);
  const auto record = (*MetadataDecoder::Make(kSchema))->Decode("k", out.Finish());
  ASSERT_TRUE(record.ok()) << record.status();
  EXPECT_EQ(std::get<ColumnStatsPayload>(record->payload).min.kind, StatsValue::Kind::kOther);
}

// High and low bits as Java's UUID has them: 21 of table v9_mor_mdt_full.
TEST(MetadataDecoder, FileIdsComeFromBitsOrText) {
  Json location = {{"partitionName", "p0"},
                   {"fileIdHighBits", -1744199463622000599},
                   {"fileIdLowBits", -8032189944041744316},
                   {"fileIndex", 0},
                   {"fileId", ""},
                   {"instantTime", 1795986805586},
                   {"fileIdEncoding", 0}};
  const Json record = {{"key", ""}, {"type", 5}, {"recordIndexMetadata", location}};
  EXPECT_EQ(std::get<RecordLocation>(Decode(record).payload),
            (RecordLocation{"p0", "e7cb5bd4-3962-4029-9087-edcd60ed5844-0", 1795986805586, -1}));
  location["fileIndex"] = -1;
  EXPECT_EQ(std::get<RecordLocation>(
                Decode({{"key", ""}, {"type", 5}, {"recordIndexMetadata", location}}).payload)
                .file_id,
            "e7cb5bd4-3962-4029-9087-edcd60ed5844");
  location["fileIdEncoding"] = 1;
  location["fileId"] = "own-name-7";
  EXPECT_EQ(std::get<RecordLocation>(
                Decode({{"key", ""}, {"type", 5}, {"recordIndexMetadata", location}}).payload)
                .file_id,
            "own-name-7");
}

TEST(MetadataDecoder, ARecordWithoutItsPayloadIsDeleted) {
  EXPECT_TRUE(Decode({{"key", ""}, {"type", 5}}).is_deleted());
}

TEST(MetadataDecoder, EveryTruncationIsCorruptAndNamesTheKey) {
  const std::string bytes =
      Encode({{"key", ""},
              {"type", 2},
              {"filesystemMetadata", {{"name", {{"size", 300}, {"isDeleted", false}}}}}});
  const auto decoder = MetadataDecoder::Make(kSchema);
  for (size_t size = 0; size < bytes.size(); ++size) {
    const auto record = (*decoder)->Decode("some key", bytes.substr(0, size));
    ASSERT_FALSE(record.ok()) << size;
    EXPECT_EQ(GetErrorCode(record.status()), ErrorCode::kCorrupt);
    EXPECT_THAT(record.status().message(), HasSubstr("some key"));
  }
  EXPECT_FALSE((*decoder)->Decode("k", bytes + "x").ok());
}

TEST(MetadataDecoder, ForeignSchemasAreCorrupt) {
  EXPECT_EQ(GetErrorCode(MetadataDecoder::Make(R"("string")").status()), ErrorCode::kCorrupt);
  const auto wrong = MetadataDecoder::Make(
      R"({"type":"record","name":"r","fields":[{"name":"type","type":"string"}]})");
  ASSERT_FALSE(wrong.ok());
  EXPECT_THAT(wrong.status().message(), HasSubstr("type as string; must be int"));
}

TEST(MetadataDecoder, LargeListingsAreDecodedInOnePass) {
  ByteWriter out;
  for (const int64_t number : {0, 0, 2, 1}) out.PutZigZag(number);
  constexpr int64_t kFiles = 100'000;
  out.PutZigZag(kFiles);
  for (int64_t i = 0; i < kFiles; ++i) {
    out.PutLengthPrefixed(fmt::format("{:036}-0_1-2-3_20261129211400404.parquet", i));
    out.PutZigZag(1 << 20);
    out.PutU8(0);
  }
  for (int i = 0; i < 4; ++i) out.PutZigZag(0);
  const std::string bytes = out.Finish();
  const auto decoder = MetadataDecoder::Make(kSchema);
  const auto begin = std::chrono::steady_clock::now();
  const auto record = (*decoder)->Decode("k", bytes);
  const auto took = std::chrono::steady_clock::now() - begin;
  ASSERT_TRUE(record.ok()) << record.status();
  EXPECT_EQ(std::get<FilesPayload>(record->payload).files.size(), size_t{kFiles});
  RecordProperty("microseconds", std::to_string(took / std::chrono::microseconds(1)));
}

}  // namespace
}  // namespace firth
