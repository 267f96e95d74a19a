// SPDX-License-Identifier: Apache-2.0
#include <arrow/buffer.h>
#include <arrow/io/memory.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "firth/format/hfile/hfile_reader.h"

namespace firth {
namespace {

void Require(bool condition) {
  if (!condition) std::abort();
}

// Entries that a scan yields are in order, and lookups find no other keys than those asked for.
void CheckFile(const HFileReader& reader) {
  constexpr size_t kKeys = 16;
  std::vector<std::string> keys;
  std::string previous;
  auto scanner = reader.Scan();
  while (scanner.ok()) {
    const auto more = scanner->Next();
    if (!more.ok() || !*more) break;
    Require(scanner->key() >= previous);
    previous = scanner->key();
    if (keys.size() < kKeys) keys.push_back(previous);
  }
  const std::vector<std::string_view> views(keys.begin(), keys.end());
  // Without checksums a changed index may lead elsewhere, but never to other keys.
  const auto check = [&](size_t query, std::string_view key, std::string_view) {
    Require(key.starts_with(views[query]));
    return Status::OK();
  };
  (void)reader.Lookup(views, check);
  (void)reader.LookupPrefixes(views, check);
  for (const std::string_view key : views) {
    auto range = reader.Scan(HFileRange::From(key));
    if (range.ok()) (void)range->Next();
  }
  (void)reader.ReadMetaBlock("bloomFilter");
}

}  // namespace
}  // namespace firth

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto bytes = std::make_shared<arrow::Buffer>(data, static_cast<int64_t>(size));
  firth::HFileReadOptions options;
  options.tail_bytes = 0;
  const auto reader = firth::HFileReader::Open(
      std::make_shared<arrow::io::BufferReader>(std::move(bytes)), std::move(options));
  if (reader.ok()) firth::CheckFile(**reader);
  return 0;
}
