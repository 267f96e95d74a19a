// SPDX-License-Identifier: Apache-2.0
// firth show, timeline, files, schema.
#include <arrow/type.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/Option.hpp>
#include <algorithm>
#include <memory>
#include <sstream>

#include "cli/command.h"
#include "cli/errors.h"
#include "cli/json_output.h"
#include "cli/numbers.h"
#include "cli/schema_history.h"
#include "cli/text_table.h"
#include "cli/type_names.h"

namespace firth::cli {
namespace {

constexpr size_t kShownCommits = 10;

struct InspectArguments {
  TableArguments table;
  AsOf as_of;
  bool archived = false;
  bool history = false;
};

// --- show ----------------------------------------------------------------------------------------

struct Size {
  int64_t slices = 0, base_files = 0, base_bytes = 0, log_files = 0, log_bytes = 0;
};

Size SizeOf(const std::vector<FileSliceEntry>& files) {
  Size size;
  for (const FileSliceEntry& slice : files) {
    ++size.slices;
    size.base_files += slice.base_file ? 1 : 0;
    size.base_bytes += slice.base_bytes;
    size.log_files += static_cast<int64_t>(slice.log_files.size());
    size.log_bytes += slice.log_bytes;
  }
  return size;
}

// The last completed and all pending actions, newest first.
std::vector<TimelineEntry> LastActions(std::vector<TimelineEntry> timeline) {
  std::ranges::reverse(timeline);
  if (timeline.size() > kShownCommits) timeline.resize(kShownCommits);
  return timeline;
}

Json ToJson(const TimelineEntry& entry) {
  return {{"requested", entry.requested},
          {"completed", entry.completed.empty() ? Json() : Json(entry.completed)},
          {"action", entry.action},
          {"state", entry.state},
          {"archived", entry.archived}};
}

Json ToJson(const arrow::Schema& schema) {
  Json columns = Json::array();
  for (const auto& field : schema.fields()) {
    columns.push_back({{"name", field->name()},
                       {"type", SparkTypeName(*field->type())},
                       {"nullable", field->nullable()}});
  }
  return columns;
}

std::string FormatSchema(const arrow::Schema& schema) {
  TextTable table({{"column"}, {"type"}, {"null"}});
  for (const auto& field : schema.fields()) {
    table.AddRow({field->name(), SparkTypeName(*field->type()), field->nullable() ? "yes" : "no"});
  }
  return table.Format();
}

std::string FormatTimeline(const std::vector<TimelineEntry>& timeline, bool with_archived) {
  std::vector<TextTable::Column> columns = {{"requested"}, {"completed"}, {"action"}, {"state"}};
  if (with_archived) columns.push_back({"archived"});
  TextTable table(std::move(columns));
  for (const TimelineEntry& entry : timeline) {
    std::vector<std::string> cells = {entry.requested, entry.completed, entry.action, entry.state};
    if (with_archived) cells.push_back(entry.archived ? "yes" : "no");
    table.AddRow(std::move(cells));
  }
  return table.Format();
}

std::string MetadataPartitions(const TableInfo& info) {
  const auto found = info.properties.find("hoodie.table.metadata.partitions");
  return found == info.properties.end() ? "" : found->second;
}

// The names in a list that commas separate.
std::vector<std::string> NamesOf(const std::string& list) {
  std::vector<std::string> names;
  std::istringstream rest(list);
  for (std::string name; std::getline(rest, name, ',');) names.push_back(name);
  return names;
}

std::string OrNone(std::string text) { return text.empty() ? "none" : text; }

std::string FormatFacts(const TableInfo& info, const Snapshot& snapshot, const Size& size) {
  const auto names = [](const std::vector<std::string>& fields) {
    return OrNone(fmt::format("{}", fmt::join(fields, ", ")));
  };
  const std::string files =
      fmt::format("{} slices: {} base files ({}), {} log files ({})", FormatCount(size.slices),
                  FormatCount(size.base_files), FormatBytes(size.base_bytes),
                  FormatCount(size.log_files), FormatBytes(size.log_bytes));
  const std::pair<const char*, std::string> facts[] = {
      {"table", info.name},
      {"location", info.location},
      {"version", std::to_string(info.version)},
      {"type", info.type},
      {"key", names(info.record_key_fields)},
      {"partitioned by", names(info.partition_fields)},
      {"ordered by", names(info.ordering_fields)},
      {"merge mode", info.merge_mode},
      {"meta columns", info.has_meta_fields ? "yes" : "no"},
      {"metadata table", OrNone(MetadataPartitions(info))},
      {"snapshot", OrNone(snapshot.instant())},
      {"files", files},
  };
  std::string text;
  for (const auto& [name, value] : facts) {
    text += fmt::format("{:<16}{}\n", name, Printable(value));
  }
  return text;
}

arrow::Status RunShow(const InspectArguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(const Table table, arguments.table.Open());
  ARROW_ASSIGN_OR_RAISE(const Snapshot snapshot, table.Pin());
  ARROW_ASSIGN_OR_RAISE(const std::vector<FileSliceEntry> files, snapshot.Files());
  ARROW_ASSIGN_OR_RAISE(std::vector<TimelineEntry> timeline, table.Timeline());
  const std::vector<TimelineEntry> last = LastActions(std::move(timeline));
  const TableInfo info = table.info();
  const Size size = SizeOf(files);
  if (!arguments.table.json) {
    return Print(FormatFacts(info, snapshot, size) + "\n" + FormatSchema(*snapshot.schema()) +
                 "\n" + FormatTimeline(last, false));
  }
  Json actions = Json::array();
  for (const TimelineEntry& entry : last) actions.push_back(ToJson(entry));
  return PrintJson({
      {"name", info.name},
      {"location", info.location},
      {"version", info.version},
      {"type", info.type},
      {"record_key_fields", info.record_key_fields},
      {"partition_fields", info.partition_fields},
      {"ordering_fields", info.ordering_fields},
      {"merge_mode", info.merge_mode},
      {"has_meta_fields", info.has_meta_fields},
      {"metadata_partitions", NamesOf(MetadataPartitions(info))},
      {"snapshot", snapshot.instant().empty() ? Json() : Json(snapshot.instant())},
      {"slices", size.slices},
      {"base_files", size.base_files},
      {"base_bytes", size.base_bytes},
      {"log_files", size.log_files},
      {"log_bytes", size.log_bytes},
      {"schema", ToJson(*snapshot.schema())},
      {"last_actions", std::move(actions)},
      {"properties", info.properties},
  });
}

// --- timeline ------------------------------------------------------------------------------------

arrow::Status RunTimeline(const InspectArguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(const Table table, arguments.table.Open());
  ARROW_ASSIGN_OR_RAISE(const std::vector<TimelineEntry> timeline,
                        table.Timeline(arguments.archived));
  if (!arguments.table.json) return Print(FormatTimeline(timeline, arguments.archived));
  Json entries = Json::array();
  for (const TimelineEntry& entry : timeline) entries.push_back(ToJson(entry));
  return PrintJson(entries);
}

// --- files ---------------------------------------------------------------------------------------

std::string FormatFiles(const std::vector<FileSliceEntry>& files) {
  TextTable table({{"partition"},
                   {"file id"},
                   {"base instant"},
                   {"base bytes", true},
                   {"logs", true},
                   {"log bytes", true}});
  for (const FileSliceEntry& slice : files) {
    table.AddRow({slice.partition, slice.file_id, slice.base_instant,
                  slice.base_file ? FormatCount(slice.base_bytes) : "-",
                  FormatCount(static_cast<int64_t>(slice.log_files.size())),
                  FormatCount(slice.log_bytes)});
  }
  return table.Format();
}

arrow::Status RunFiles(const InspectArguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(const Table table, arguments.table.Open());
  ARROW_ASSIGN_OR_RAISE(const Snapshot snapshot, arguments.as_of.Pin(table));
  ARROW_ASSIGN_OR_RAISE(const std::vector<FileSliceEntry> files, snapshot.Files());
  if (!arguments.table.json) return Print(FormatFiles(files));
  Json slices = Json::array();
  for (const FileSliceEntry& slice : files) {
    slices.push_back({{"partition", slice.partition},
                      {"file_id", slice.file_id},
                      {"base_instant", slice.base_instant},
                      {"base_file", slice.base_file ? Json(*slice.base_file) : Json()},
                      {"base_bytes", slice.base_bytes},
                      {"log_files", slice.log_files},
                      {"log_bytes", slice.log_bytes}});
  }
  return PrintJson(slices);
}

// --- schema --------------------------------------------------------------------------------------

arrow::Status PrintHistory(const SchemaHistory& history, bool json) {
  if (json) {
    Json versions = Json::array();
    for (const SchemaVersion& version : history.versions) {
      versions.push_back({{"instant", version.instant},
                          {"changes", version.changes},
                          {"columns", ToJson(*version.schema)}});
    }
    return PrintJson({{"versions", std::move(versions)}, {"unreadable", history.unreadable}});
  }
  std::string text;
  for (const SchemaVersion& version : history.versions) {
    text += version.instant + "\n";
    for (const std::string& change : version.changes) text += "  " + Printable(change) + "\n";
  }
  if (history.unreadable > 0) {
    text += fmt::format("{} older commits can no longer be read\n", history.unreadable);
  }
  return Print(text);
}

arrow::Status RunSchema(const InspectArguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(const Table table, arguments.table.Open());
  if (arguments.history) {
    ARROW_ASSIGN_OR_RAISE(const SchemaHistory history, ReadSchemaHistory(table));
    return PrintHistory(history, arguments.table.json);
  }
  ARROW_ASSIGN_OR_RAISE(const Snapshot snapshot, arguments.as_of.Pin(table));
  if (arguments.table.json) return PrintJson(ToJson(*snapshot.schema()));
  return Print(FormatSchema(*snapshot.schema()));
}

}  // namespace

std::vector<Verb> AddInspectVerbs(CLI::App& app) {
  std::vector<Verb> verbs;
  const auto add = [&](const char* name, const char* description, auto run) {
    auto arguments = std::make_shared<InspectArguments>();
    CLI::App* command = app.add_subcommand(name, description);
    arguments->table.AddTo(command);
    verbs.push_back({command, [arguments, run] { return run(*arguments); }});
    return arguments;
  };
  add("show", "what the table is: version, type, key, schema, size, last commits", RunShow);
  auto timeline = add("timeline", "the actions on the table, oldest first", RunTimeline);
  verbs.back().command->add_flag("--archived", timeline->archived, "those of the history too");
  auto files = add("files", "the file slices that a snapshot reads", RunFiles);
  files->as_of.AddTo(verbs.back().command);
  auto schema = add("schema", "the columns and their Spark types", RunSchema);
  CLI::Option* history = verbs.back().command->add_flag(
      "--history", schema->history, "how the columns changed from commit to commit");
  schema->as_of.AddTo(verbs.back().command);
  verbs.back().command->get_option("--as-of")->excludes(history);
  return verbs;
}

}  // namespace firth::cli
