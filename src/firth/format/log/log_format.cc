// SPDX-License-Identifier: Apache-2.0
#include "firth/format/log/log_format.h"

namespace firth {

std::string_view LogBlockTypeName(LogBlockType type) {
  switch (type) {
    case LogBlockType::kCommand:
      return "command";
    case LogBlockType::kDelete:
      return "delete";
    case LogBlockType::kCorrupt:
      return "corrupt";
    case LogBlockType::kAvroData:
      return "avro data";
    case LogBlockType::kHfileData:
      return "hfile data";
    case LogBlockType::kParquetData:
      return "parquet data";
    case LogBlockType::kCdc:
      return "cdc";
  }
  return "unknown";
}

std::string_view LogBlock::Get(LogHeaderKey key) const {
  const auto found = header.find(key);
  return found == header.end() ? std::string_view() : std::string_view(found->second);
}

bool OrderingValue::IsDefault() const {
  if (kind == Kind::kNull) return true;
  const auto* number = std::get_if<int64_t>(&value);
  return kind == Kind::kInt && number != nullptr && *number == 0;
}

}  // namespace firth
