// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "firth/timeline/commit_metadata.h"
#include "firth/timeline/history.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)firth::ParseLsmManifest(bytes);
  const auto metadata = firth::DecodeCommitMetadata(bytes);
  if (!metadata.ok()) return 0;
  // What was read can be written, and says the same when it is read again.
  const auto written = firth::EncodeCommitMetadata(*metadata, firth::Action::kReplaceCommit);
  if (!written.ok()) return 0;  // text that is not UTF-8
  const auto again = firth::DecodeCommitMetadata(*written);
  if (!again.ok() || again->extra != metadata->extra ||
      again->replaced_file_ids != metadata->replaced_file_ids ||
      again->write_stats.size() != metadata->write_stats.size()) {
    std::abort();
  }
  return 0;
}
