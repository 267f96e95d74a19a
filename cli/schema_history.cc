// SPDX-License-Identifier: Apache-2.0
#include "cli/schema_history.h"

#include <arrow/type.h>
#include <fmt/format.h>

#include <algorithm>

#include "cli/type_names.h"

namespace firth::cli {
namespace {

// Order of the columns that both schemas have.
std::vector<std::string> CommonNames(const arrow::Schema& schema, const arrow::Schema& other) {
  std::vector<std::string> names;
  for (const auto& field : schema.fields()) {
    if (other.GetFieldByName(field->name()) != nullptr) names.push_back(field->name());
  }
  return names;
}

bool IsWrite(const TimelineEntry& entry) {
  return entry.state == "completed" && (entry.action == "commit" || entry.action == "deltacommit" ||
                                        entry.action == "replacecommit");
}

}  // namespace

std::vector<std::string> DescribeChanges(const arrow::Schema& before, const arrow::Schema& after) {
  std::vector<std::string> changes;
  for (const auto& field : after.fields()) {
    const auto old = before.GetFieldByName(field->name());
    const std::string type = SparkTypeName(*field->type());
    if (old == nullptr) {
      changes.push_back(fmt::format("added column {} {}", field->name(), type));
    } else if (!old->type()->Equals(*field->type())) {
      changes.push_back(fmt::format("changed column {} from {} to {}", field->name(),
                                    SparkTypeName(*old->type()), type));
    } else if (old->nullable() != field->nullable()) {
      changes.push_back(fmt::format("column {} {}", field->name(),
                                    field->nullable() ? "may be null" : "may no longer be null"));
    }
  }
  for (const auto& field : before.fields()) {
    if (after.GetFieldByName(field->name()) != nullptr) continue;
    changes.push_back(fmt::format("dropped column {}", field->name()));
  }
  if (CommonNames(before, after) != CommonNames(after, before)) {
    changes.emplace_back("reordered columns");
  }
  return changes;
}

arrow::Result<SchemaHistory> ReadSchemaHistory(const Table& table) {
  SchemaHistory history;
  ARROW_ASSIGN_OR_RAISE(const std::vector<TimelineEntry> timeline, table.Timeline(true));
  std::shared_ptr<arrow::Schema> previous = arrow::schema({});
  for (const TimelineEntry& entry : timeline) {
    if (!IsWrite(entry)) continue;
    const arrow::Result<Snapshot> snapshot = table.Pin(entry.requested);
    if (!snapshot.ok()) {
      if (GetErrorCode(snapshot.status()) != ErrorCode::kNotFound) return snapshot.status();
      ++history.unreadable;
      continue;
    }
    std::shared_ptr<arrow::Schema> schema = snapshot->schema();
    std::vector<std::string> changes = DescribeChanges(*previous, *schema);
    if (changes.empty()) continue;
    history.versions.push_back({entry.requested, schema, std::move(changes)});
    previous = std::move(schema);
  }
  return history;
}

}  // namespace firth::cli
