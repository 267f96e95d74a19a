// SPDX-License-Identifier: Apache-2.0
#include "firth/table/merge_spec.h"

#include <array>
#include <utility>

namespace firth {
namespace {

constexpr std::string_view kEventTimeStrategy = "eeb8d96f-b1e4-49fd-bbf8-28ac514178e5";
constexpr std::string_view kCommitTimeStrategy = "ce9acb64-bde0-424c-9b91-f6ebba25356d";
constexpr std::string_view kMergePropertyPrefix = "hoodie.record.merge.property.";
constexpr std::string_view kDebeziumUnavailable = "__debezium_unavailable_value";

struct Payload {
  std::string_view class_name;  // without its package
  PayloadKind kind;
  // What the class hard-codes about deletes.
  std::string_view delete_field, delete_marker;
};

constexpr std::array<Payload, 8> kPayloads = {{
    {"OverwriteWithLatestAvroPayload", PayloadKind::kOverwriteWithLatest, "", ""},
    {"DefaultHoodieRecordPayload", PayloadKind::kDefault, "", ""},
    {"EventTimeAvroPayload", PayloadKind::kEventTime, "", ""},
    {"PartialUpdateAvroPayload", PayloadKind::kPartialUpdate, "", ""},
    {"OverwriteNonDefaultsWithLatestAvroPayload", PayloadKind::kOverwriteNonDefaults, "", ""},
    {"PostgresDebeziumAvroPayload", PayloadKind::kPostgresDebezium, "_change_operation_type", "d"},
    {"MySqlDebeziumAvroPayload", PayloadKind::kMySqlDebezium, "_change_operation_type", "d"},
    {"AWSDmsAvroPayload", PayloadKind::kAwsDms, "Op", "D"},
}};

std::string_view Get(const Properties& properties, std::string_view key) {
  const auto found = properties.find(key);
  return found == properties.end() ? std::string_view() : std::string_view(found->second);
}

// The value of the first of the keys that is set: newer names first.
std::string_view GetFirst(const Properties& properties, std::string_view key,
                          std::string_view older_key) {
  const std::string_view value = Get(properties, key);
  return value.empty() ? Get(properties, older_key) : value;
}

const Payload* FindPayload(std::string_view class_name) {
  if (!class_name.starts_with("org.apache.hudi.common.model.")) return nullptr;
  const std::string_view simple_name = class_name.substr(class_name.rfind('.') + 1);
  for (const Payload& payload : kPayloads) {
    if (payload.class_name == simple_name) return &payload;
  }
  return nullptr;
}

MergeMode ModeOfPayload(const Payload* payload) {
  if (payload == nullptr) return MergeMode::kCustom;
  switch (payload->kind) {
    case PayloadKind::kDefault:
    case PayloadKind::kEventTime:
      return MergeMode::kEventTime;
    case PayloadKind::kOverwriteWithLatest:
      return MergeMode::kCommitTime;
    default:
      return MergeMode::kCustom;
  }
}

MergeMode ModeOfStrategy(std::string_view strategy) {
  if (strategy == kEventTimeStrategy) return MergeMode::kEventTime;
  if (strategy == kCommitTimeStrategy) return MergeMode::kCommitTime;
  return MergeMode::kCustom;
}

Result<MergeMode> DeriveMode(const Properties& properties, int table_version,
                             const MergeSpec& spec) {
  const std::string_view mode = Get(properties, "hoodie.record.merge.mode");
  if (mode == "COMMIT_TIME_ORDERING") return MergeMode::kCommitTime;
  if (mode == "EVENT_TIME_ORDERING") return MergeMode::kEventTime;
  if (mode == "CUSTOM") return MergeMode::kCustom;
  if (!mode.empty()) {
    return CorruptError(
        "hoodie.record.merge.mode is \"{}\"; must be COMMIT_TIME_ORDERING, EVENT_TIME_ORDERING or "
        "CUSTOM",
        mode);
  }
  const std::string_view payload_class = Get(properties, "hoodie.compaction.payload.class");
  const std::string_view strategy = GetFirst(properties, "hoodie.record.merge.strategy.id",
                                             "hoodie.compaction.record.merger.strategy");
  if (payload_class.empty() && strategy.empty()) {
    return spec.ordering_fields.empty() ? MergeMode::kCommitTime : MergeMode::kEventTime;
  }
  const bool by_strategy = payload_class.empty() || (table_version >= 8 && !strategy.empty());
  return by_strategy ? ModeOfStrategy(strategy) : ModeOfPayload(FindPayload(payload_class));
}

std::string MergeProperty(const Properties& properties, std::string_view key) {
  return std::string(Get(properties, fmt::format("{}{}", kMergePropertyPrefix, key)));
}

// What version 9 stores in place of the retired payload classes.
Status ApplyMergeProperties(const Properties& properties, MergeSpec* spec) {
  spec->delete_field = MergeProperty(properties, "hoodie.payload.delete.field");
  spec->delete_marker = MergeProperty(properties, "hoodie.payload.delete.marker");
  if (spec->delete_field.empty() || spec->delete_marker.empty()) {
    spec->delete_field.clear();
    spec->delete_marker.clear();
  }
  const std::string_view mode = Get(properties, "hoodie.table.partial.update.mode");
  if (mode.empty() || mode == "NONE") return Status::OK();
  if (mode == "IGNORE_DEFAULTS") {
    spec->partial_update = PartialUpdateMode::kIgnoreDefaults;
    return Status::OK();
  }
  if (mode != "FILL_UNAVAILABLE") {
    return UnsupportedError(
        "hoodie.table.partial.update.mode is \"{}\"; must be NONE, IGNORE_DEFAULTS or "
        "FILL_UNAVAILABLE",
        mode);
  }
  spec->partial_update = PartialUpdateMode::kFillUnavailable;
  spec->unavailable_value =
      MergeProperty(properties, "hoodie.write.partial.update.unavailable.value");
  if (spec->unavailable_value.empty()) spec->unavailable_value = kDebeziumUnavailable;
  return Status::OK();
}

// The rules of a payload class, or the name of what firth can't run.
void ApplyCustomPayload(const Properties& properties, MergeSpec* spec) {
  const std::string_view payload_class = Get(properties, "hoodie.compaction.payload.class");
  const Payload* payload = FindPayload(payload_class);
  if (payload == nullptr) {
    const std::string_view strategy = Get(properties, "hoodie.record.merge.strategy.id");
    spec->custom_class = payload_class;
    if (payload_class.empty() && !strategy.empty()) {
      spec->custom_class = fmt::format("merge strategy {}", strategy);
    }
    return;
  }
  spec->payload = payload->kind;
  spec->delete_field = payload->delete_field;
  spec->delete_marker = payload->delete_marker;
  if (payload->kind == PayloadKind::kPostgresDebezium) {
    spec->unavailable_value = kDebeziumUnavailable;
  }
}

}  // namespace

std::vector<std::string> SplitList(std::string_view list) {
  std::vector<std::string> items;
  while (!list.empty()) {
    const size_t comma = list.find(',');
    std::string_view item = list.substr(0, comma);
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
    while (item.starts_with(' ')) item.remove_prefix(1);
    while (item.ends_with(' ')) item.remove_suffix(1);
    if (!item.empty()) items.emplace_back(item);
  }
  return items;
}

Result<MergeSpec> DeriveMergeSpec(const Properties& properties, int table_version) {
  MergeSpec spec;
  spec.ordering_fields = SplitList(
      GetFirst(properties, "hoodie.table.ordering.fields", "hoodie.table.precombine.field"));
  ARROW_ASSIGN_OR_RAISE(spec.mode, DeriveMode(properties, table_version, spec));
  if (spec.mode == MergeMode::kCommitTime) spec.ordering_fields.clear();
  if (table_version >= 9) ARROW_RETURN_NOT_OK(ApplyMergeProperties(properties, &spec));
  if (spec.mode == MergeMode::kCustom) ApplyCustomPayload(properties, &spec);
  return spec;
}

}  // namespace firth
