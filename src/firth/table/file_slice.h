// SPDX-License-Identifier: Apache-2.0
// File groups' contents at one moment: the values that planning hands to reading.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace firth {

/// `<fileId>_<writeToken>_<T>.parquet`
struct BaseFile {
  std::string path;  // relative to the table
  std::string file_id;
  std::string write_token;
  std::string instant;  // requested time in the name
  int64_t size = -1;    // bytes; -1 unknown

  bool operator==(const BaseFile&) const = default;
};

/// `.<fileId>_<T>.log.<version>_<writeToken>[.cdc]`
struct LogFile {
  std::string path;  // relative to the table
  std::string file_id;
  std::string instant;  // v8+: of the delta commit; v6: of the slice's base file
  int32_t version = 1;
  std::string write_token;  // may be empty
  bool cdc = false;
  int64_t size = -1;  // bytes; -1 unknown

  bool operator==(const LogFile&) const = default;
};

/// A base file and the logs to merge over it, in Hudi's order. CDC logs are never in `logs`.
struct FileSlice {
  std::string partition;  // "" when the table is not partitioned
  std::string file_id;
  std::string base_instant;
  std::optional<BaseFile> base;
  std::vector<LogFile> logs;

  bool operator==(const FileSlice&) const = default;
};

}  // namespace firth
