// SPDX-License-Identifier: Apache-2.0
// Hudi's bloom filters over record keys: those of base files' footers, of HFiles' meta blocks and
// of the metadata table. docs/format/metadata-table.md, section 6.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "firth/common/status.h"

namespace firth {

class ByteReader;

/// Immutable; safe from any thread.
class BloomFilter {
 public:
  /// @param type  SIMPLE or DYNAMIC_V0
  /// @param text  Base64 of the serialised filter, as Hudi stores it everywhere
  /// Errors: kUnsupported for another type, kCorrupt. Memory: at most the length of the text.
  static Result<BloomFilter> Parse(std::string_view type, std::string_view text);

  /// False: no record has that key. True: one may have.
  bool MightContain(std::string_view key) const;

 private:
  struct Row {
    int32_t hashes = 0;
    int32_t bits = 0;
    size_t offset = 0;  // of its first byte in bytes_
  };

  Status ReadRow(ByteReader& in);

  std::string bytes_;
  std::vector<Row> rows_;
};

}  // namespace firth
