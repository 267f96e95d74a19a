// SPDX-License-Identifier: Apache-2.0
#include "firth/timeline/commit_metadata.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "firth/format/avro/avro_codec.h"

namespace firth {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kAvroMagic{"Obj\x01", 4};

// Members of one JSON object. A member that is absent or null leaves its target alone; one of
// another type is an error that names the object and the member.
class ObjectReader {
 public:
  static Result<ObjectReader> Make(const Json& object, std::string_view what) {
    if (!object.is_object()) {
      return CorruptError("{} is of type {}; must be an object", what, object.type_name());
    }
    return ObjectReader(object, what);
  }

  // nullptr when absent or null.
  const Json* Find(const char* name) const {
    const auto found = object_.find(name);
    return found == object_.end() || found->is_null() ? nullptr : &*found;
  }

  Status Read(const char* name, std::string* out) const {
    const Json* value = Find(name);
    if (value == nullptr) return Status::OK();
    if (!value->is_string()) return WrongType(name, *value, "a string");
    *out = value->get_ref<const std::string&>();
    return Status::OK();
  }
  Status Read(const char* name, int64_t* out) const {
    const Json* value = Find(name);
    if (value == nullptr) return Status::OK();
    if (!value->is_number_integer()) return WrongType(name, *value, "an integer");
    *out = value->get<int64_t>();
    return Status::OK();
  }
  Status Read(const char* name, bool* out) const {
    const Json* value = Find(name);
    if (value == nullptr) return Status::OK();
    if (!value->is_boolean()) return WrongType(name, *value, "a boolean");
    *out = value->get<bool>();
    return Status::OK();
  }
  Status Read(const char* name, std::vector<std::string>* out) const {
    const Json* value = Find(name);
    if (value == nullptr) return Status::OK();
    if (!value->is_array()) return WrongType(name, *value, "an array");
    out->reserve(value->size());
    for (const Json& item : *value) {
      if (!item.is_string()) return WrongType(name, item, "an array of strings");
      out->push_back(item.get_ref<const std::string&>());
    }
    return Status::OK();
  }
  Status Read(const char* name, std::map<std::string, int64_t>* out) const {
    return ReadMap(name, [&](const char* key, const ObjectReader& map) {
      return map.Read(key, &(*out)[key]);
    });
  }
  // Values of extraMetadata may be null: the key then keeps an empty text.
  Status Read(const char* name, std::map<std::string, std::string>* out) const {
    return ReadMap(name, [&](const char* key, const ObjectReader& map) {
      return map.Read(key, &(*out)[key]);
    });
  }
  Status Read(const char* name, std::map<std::string, std::vector<std::string>>* out) const {
    return ReadMap(name, [&](const char* key, const ObjectReader& map) {
      return map.Read(key, &(*out)[key]);
    });
  }

  // Calls read(key, object) for every entry of an object member.
  template <typename Function>
  Status ReadMap(const char* name, Function&& read) const {
    const Json* value = Find(name);
    if (value == nullptr) return Status::OK();
    ARROW_ASSIGN_OR_RAISE(const ObjectReader map, Make(*value, name));
    for (const auto& entry : value->items()) {
      ARROW_RETURN_NOT_OK(read(entry.key().c_str(), map));
    }
    return Status::OK();
  }

 private:
  ObjectReader(const Json& object, std::string_view what) : object_(object), what_(what) {}

  Status WrongType(const char* name, const Json& value, std::string_view wanted) const {
    return CorruptError("{}: field {} is of type {}; must be {}", what_, name, value.type_name(),
                        wanted);
  }

  const Json& object_;
  std::string_view what_;
};

Result<WriteStat> WriteStatFromJson(const Json& json) {
  ARROW_ASSIGN_OR_RAISE(const ObjectReader in, ObjectReader::Make(json, "write stat"));
  WriteStat stat;
  ARROW_RETURN_NOT_OK(in.Read("fileId", &stat.file_id));
  ARROW_RETURN_NOT_OK(in.Read("path", &stat.path));
  ARROW_RETURN_NOT_OK(in.Read("prevCommit", &stat.prev_commit));
  ARROW_RETURN_NOT_OK(in.Read("numWrites", &stat.num_writes));
  ARROW_RETURN_NOT_OK(in.Read("numInserts", &stat.num_inserts));
  ARROW_RETURN_NOT_OK(in.Read("numUpdateWrites", &stat.num_update_writes));
  ARROW_RETURN_NOT_OK(in.Read("numDeletes", &stat.num_deletes));
  ARROW_RETURN_NOT_OK(in.Read("fileSizeInBytes", &stat.file_size));
  ARROW_RETURN_NOT_OK(in.Read("prevBaseFile", &stat.prev_base_file));
  ARROW_RETURN_NOT_OK(in.Read("baseFile", &stat.base_file));
  ARROW_RETURN_NOT_OK(in.Read("logFiles", &stat.log_files));
  ARROW_RETURN_NOT_OK(in.Read("cdcStats", &stat.cdc_stats));
  return stat;
}

Result<Json> ParseJsonText(std::string_view text) {
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) {
    return CorruptError("instant file of {} bytes is neither an Avro container nor JSON",
                        text.size());
  }
  return json;
}

}  // namespace

std::string_view CommitMetadata::schema() const {
  const auto found = extra.find("schema");
  return found == extra.end() ? std::string_view() : found->second;
}

Result<CommitMetadata> CommitMetadataFromJson(const Json& json) {
  ARROW_ASSIGN_OR_RAISE(const ObjectReader in, ObjectReader::Make(json, "commit metadata"));
  CommitMetadata metadata;
  ARROW_RETURN_NOT_OK(in.Read("compacted", &metadata.compacted));
  ARROW_RETURN_NOT_OK(in.Read("extraMetadata", &metadata.extra));
  ARROW_RETURN_NOT_OK(in.Read("operationType", &metadata.operation));
  ARROW_RETURN_NOT_OK(in.Read("partitionToReplaceFileIds", &metadata.replaced_file_ids));
  const auto read_partition = [&](const char* partition, const ObjectReader& partitions) -> Status {
    std::vector<WriteStat>& stats = metadata.write_stats[partition];
    const Json* list = partitions.Find(partition);
    if (list == nullptr) return Status::OK();
    if (!list->is_array()) {
      return CorruptError("write stats of partition \"{}\" are of type {}; must be an array",
                          partition, list->type_name());
    }
    stats.reserve(list->size());
    for (const Json& item : *list) {
      ARROW_ASSIGN_OR_RAISE(WriteStat stat, WriteStatFromJson(item));
      stats.push_back(std::move(stat));
    }
    return Status::OK();
  };
  ARROW_RETURN_NOT_OK(in.ReadMap("partitionToWriteStats", read_partition));
  return metadata;
}

Result<Json> DecodeInstantContent(std::string_view bytes) {
  if (bytes.empty()) return Json();
  if (!bytes.starts_with(kAvroMagic)) return ParseJsonText(bytes);
  ARROW_ASSIGN_OR_RAISE(AvroContainer container, ReadAvroContainer(bytes));
  if (container.records.size() != 1) {
    return CorruptError("instant file holds {} records; must be 1", container.records.size());
  }
  return std::move(container.records.front());
}

Result<CommitMetadata> DecodeCommitMetadata(std::string_view bytes) {
  ARROW_ASSIGN_OR_RAISE(const Json json, DecodeInstantContent(bytes));
  if (json.is_null()) return CommitMetadata();
  return CommitMetadataFromJson(json);
}

}  // namespace firth
