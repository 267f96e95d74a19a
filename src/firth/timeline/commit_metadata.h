// SPDX-License-Identifier: Apache-2.0
// What a completed write did. The type knows no encoding; JSON (version 6) and Avro (8 and 9) are
// decoded by the functions below through the same field names.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "firth/common/status.h"
#include "firth/timeline/instant.h"

namespace firth {

struct WriteStat {
  std::string file_id;
  std::string path;         // relative to the table, with the partition
  std::string prev_commit;  // "null" for a new file group
  int64_t num_writes = 0, num_inserts = 0, num_update_writes = 0, num_deletes = 0;
  int64_t file_size = -1;
  std::string prev_base_file;  // rewritten base files, version 8 on: name of the file before
  // Log appends only. Version 6 lists the whole slice, later ones the appended file and no base.
  std::string base_file;                     // name of the slice's base file
  std::vector<std::string> log_files;        // names
  std::map<std::string, int64_t> cdc_stats;  // relative path to bytes
};

struct CommitMetadata {
  std::map<std::string, std::vector<WriteStat>> write_stats;  // by partition path
  bool compacted = false;
  std::map<std::string, std::string> extra;  // "schema": Avro schema without meta fields
  std::string operation;                     // "UPSERT", ...; unknown names are kept
  std::map<std::string, std::vector<std::string>> replaced_file_ids;  // by partition path

  /// extra["schema"], or "".
  std::string_view schema() const;
};

/// From the JSON form (version 6), or from a decoded Avro record. Unknown fields are ignored, null
/// ones keep their default. Errors: kCorrupt when a known field has another type, naming it.
Result<CommitMetadata> CommitMetadataFromJson(const nlohmann::json& json);

/// Bytes of a completed instant file: an Avro container, JSON text, or empty (a default value).
Result<CommitMetadata> DecodeCommitMetadata(std::string_view bytes);

/// Any instant file's content as JSON for inspection: Avro container or JSON; null when empty.
Result<nlohmann::json> DecodeInstantContent(std::string_view bytes);

/// Avro bytes of a completed commit, delta commit or replace commit, as Hudi 1.x writes them
/// (HoodieReplaceCommitMetadata for kReplaceCommit). Counters that `WriteStat` lacks are zero.
/// Errors: kInvalidArgument for another action.
Result<std::string> EncodeCommitMetadata(const CommitMetadata& metadata, Action action);

}  // namespace firth
