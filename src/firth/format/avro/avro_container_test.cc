// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "firth/format/avro/avro_codec.h"

namespace firth {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr std::string_view kSync = "0123456789abcdef";

std::string Hex(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) text += fmt::format("{:02x}", static_cast<uint8_t>(c));
  return text;
}

std::string FromHex(std::string_view hex) {
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

std::string Encode(std::string_view schema, const json& value) {
  ByteWriter out;
  const Status status = EncodeAvroJson(**ParseAvroSchema(schema), value, &out);
  return status.ok() ? Hex(out.bytes()) : status.ToString();
}

// Encodings worked out by hand from the Avro specification.
TEST(AvroJson, EncodesAsTheSpecificationSays) {
  EXPECT_EQ(Encode(R"("int")", -64), "7f");
  EXPECT_EQ(Encode(R"("long")", 64), "8001");
  EXPECT_EQ(Encode(R"("boolean")", true), "01");
  EXPECT_EQ(Encode(R"("float")", 1.5), "0000c03f");
  EXPECT_EQ(Encode(R"("double")", -2.0), "00000000000000c0");
  EXPECT_EQ(Encode(R"("string")", "foo"), "06666f6f");
  EXPECT_EQ(Encode(R"({"type":"array","items":"long"})", {3, 27}), "04063600");
  EXPECT_EQ(Encode(R"({"type":"map","values":"int"})", json{{"a", 1}}), "0202610200");
  EXPECT_EQ(Encode(R"(["null","string"])", "a"), "020261");
  EXPECT_EQ(Encode(R"(["string","null"])", nullptr), "02");
  EXPECT_EQ(Encode(R"({"type":"enum","name":"e","symbols":["A","B","C","D"]})", "D"), "06");
  EXPECT_EQ(Encode(R"({"type":"record","name":"test","fields":[{"name":"a","type":"long"},)"
                   R"({"name":"b","type":"string"}]})",
                   json{{"a", 27}, {"b", "foo"}}),
            "3606666f6f");
}

TEST(AvroJson, MissingFieldsTakeTheirDefault) {
  constexpr std::string_view kSchema =
      R"({"type":"record","name":"r","fields":[{"name":"v","type":["int","null"],"default":1},)"
      R"({"name":"n","type":["null","int"]}]})";
  EXPECT_EQ(Encode(kSchema, json::object()), "000200");
  EXPECT_EQ(Encode(kSchema, json{{"v", nullptr}, {"n", 2}}), "020204");
}

TEST(AvroJson, ValuesThatDoNotFitNameTheField) {
  constexpr std::string_view kSchema =
      R"({"type":"record","name":"r","fields":[{"name":"v","type":"int"}]})";
  EXPECT_THAT(Encode(kSchema, json{{"v", int64_t{1} << 40}}), HasSubstr("v: 1099511627776"));
  EXPECT_THAT(Encode(kSchema, json{{"v", "x"}}), HasSubstr("v: a JSON string"));
  EXPECT_THAT(Encode(kSchema, json{{"w", 1}}), HasSubstr("no field \"w\""));
  EXPECT_THAT(Encode(kSchema, json::object()), HasSubstr("v: the value is missing"));
}

TEST(AvroJson, ArrayBlocksWithASizeAreRead) {
  // Two blocks: -2 items of 2 bytes, then 1 item, then the end.
  const std::string bytes = FromHex("03040204020600");
  ByteReader in(bytes);
  EXPECT_EQ(*DecodeAvroJson(**ParseAvroSchema(R"({"type":"array","items":"int"})"), in),
            json({1, 2, 3}));
  EXPECT_TRUE(in.AtEnd());
}

TEST(AvroJson, ItemsOfNoBytesAreBounded) {
  ByteWriter bytes;
  bytes.PutZigZag(int64_t{1} << 60);
  ByteReader in(bytes.bytes());
  const Status status =
      DecodeAvroJson(**ParseAvroSchema(R"({"type":"array","items":"null"})"), in).status();
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kCorrupt);
}

constexpr std::string_view kPairSchema =
    R"({"type":"record","name":"pair","fields":[{"name":"a","type":"long"},)"
    R"({"name":"b","type":"string"}]})";

TEST(AvroContainer, IsWrittenAsHudiWritesTimelineFiles) {
  const AvroSchemaPtr schema = *ParseAvroSchema(R"("long")");
  EXPECT_EQ(Hex(*WriteAvroContainer(*schema, R"("long")", {json(1)}, kSync)),
            "4f626a01"
            "02"
            "16" +
                Hex("avro.schema") + "0c" + Hex("\"long\"") + "00" + Hex(kSync) +
                "02"
                "02"
                "02" +
                Hex(kSync));
}

TEST(AvroContainer, ReadsWhatItWrote) {
  const AvroSchemaPtr schema = *ParseAvroSchema(kPairSchema);
  const std::vector<json> records = {{{"a", 1}, {"b", "x"}}, {{"a", -5}, {"b", ""}}};
  const std::string bytes = *WriteAvroContainer(*schema, kPairSchema, records, kSync);
  const AvroContainer read = *ReadAvroContainer(bytes);
  EXPECT_EQ(read.records, records);
  EXPECT_EQ(FormatAvroSchema(*read.schema), kPairSchema);
}

TEST(AvroContainer, EveryTruncationIsAnError) {
  const AvroSchemaPtr schema = *ParseAvroSchema(kPairSchema);
  const std::string bytes =
      *WriteAvroContainer(*schema, kPairSchema, {{{"a", 300}, {"b", "text"}}}, kSync);
  const size_t header = bytes.size() - 16 - 2 - 7;  // a file of no blocks is whole
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(ReadAvroContainer(bytes.substr(0, size)).ok(), size == header) << size;
  }
}

// Forty records that Python's zlib and the snappy and zstd libraries compressed.
TEST(AvroContainer, ReadsEveryCodec) {
  for (const char* codec : {"deflate", "snappy", "zstandard"}) {
    std::ifstream in(std::string(FIRTH_SOURCE_DIR "/fuzz/corpus/avro_container/") + codec,
                     std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(in)), {});
    const Result<AvroContainer> read = ReadAvroContainer(bytes);
    ASSERT_TRUE(read.ok()) << codec << ": " << read.status().ToString();
    ASSERT_EQ(read->records.size(), 40u);
    for (int i = 0; i < 40; ++i) {
      EXPECT_EQ(read->records[static_cast<size_t>(i)], (json{{"a", i - 20}, {"b", "abc"}}));
    }
    // A byte of the compressed records changed: an error or, with luck, other records.
    bytes[bytes.size() - 20] ^= 0x10;
    (void)ReadAvroContainer(bytes);
    bytes[bytes.size() - 1] ^= 1;
    EXPECT_THAT(ReadAvroContainer(bytes).status().message(), HasSubstr("sync marker"));
  }
}

TEST(AvroContainer, UnknownCodecIsUnsupported) {
  std::string bytes =
      "Obj\x01\x04\x16"
      "avro.schema"
      "\x0c"
      "\"long\""
      "\x14"
      "avro.codec"
      "\x04"
      "xz";
  bytes += std::string("\0", 1) + std::string(kSync) + "\x02\x02\x02" + std::string(kSync);
  const Status status = ReadAvroContainer(bytes).status();
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kUnsupported);
  EXPECT_THAT(status.message(), HasSubstr("codec \"xz\""));
}

}  // namespace
}  // namespace firth
