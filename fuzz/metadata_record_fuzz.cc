// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <variant>

#include "firth/metadata/metadata_merge.h"
#include "firth/metadata/metadata_record.h"

namespace firth {
namespace {

// Either half may be hostile: a schema, a newline, a record. Without a schema, one that has every
// field is used.
constexpr std::string_view kSchema =
    R"({"type":"record","name":"r","fields":[{"name":"key","type":"string"},)"
    R"({"name":"type","type":"int"},{"name":"filesystemMetadata","type":["null",{"type":"map",)"
    R"("values":{"type":"record","name":"f","fields":[{"name":"size","type":"long"},)"
    R"({"name":"isDeleted","type":"boolean"}]}}]},{"name":"ColumnStatsMetadata","type":["null",)"
    R"({"type":"record","name":"c","fields":[{"name":"fileName","type":["null","string"]},)"
    R"({"name":"minValue","type":["null",{"type":"record","name":"LongWrapper","fields":)"
    R"([{"name":"value","type":"long"}]},{"type":"record","name":"StringWrapper","fields":)"
    R"([{"name":"value","type":"string"}]}]},{"name":"nullCount","type":["null","long"]},)"
    R"({"name":"isDeleted","type":"boolean"}]}]},{"name":"recordIndexMetadata","type":["null",)"
    R"({"type":"record","name":"i","fields":[{"name":"partitionName","type":["null","string"]},)"
    R"({"name":"fileIdHighBits","type":["null","long"]},{"name":"fileIdEncoding","type":"int"}]}]},)"
    R"({"name":"extra","type":{"type":"array","items":"null"}}]})";

void Require(bool condition) {
  if (!condition) std::abort();
}

// Merging a record into itself keeps its key and never gives more files than there were.
void CheckMerge(const MetadataRecord& record) {
  MetadataRecord merged = record;
  if (!MergeMetadataRecord(record, &merged).ok()) return;
  Require(merged.key == record.key);
  const auto* before = std::get_if<FilesPayload>(&record.payload);
  const auto* after = std::get_if<FilesPayload>(&merged.payload);
  Require(before == nullptr || after->files.size() == before->files.size());
  DropDeletedFiles(&merged);
}

}  // namespace
}  // namespace firth

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const size_t newline = bytes.find('\n');
  const bool has_schema = bytes.starts_with('{') && newline != std::string_view::npos;
  const auto decoder =
      firth::MetadataDecoder::Make(has_schema ? bytes.substr(0, newline) : firth::kSchema);
  if (!decoder.ok()) return 0;
  const auto record = (*decoder)->Decode("k", has_schema ? bytes.substr(newline + 1) : bytes);
  if (record.ok()) firth::CheckMerge(*record);
  return 0;
}
