// SPDX-License-Identifier: Apache-2.0
// firth index list, firth index show, firth index lookup.
#include "firth/index.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/Option.hpp>
#include <CLI/Validators.hpp>
#include <memory>

#include "cli/command.h"
#include "cli/errors.h"
#include "cli/index_json.h"
#include "cli/numbers.h"
#include "cli/text_table.h"

namespace firth::cli {
namespace {

struct IndexArguments {
  TableArguments table;
  AsOf as_of;
  std::string name;  // show

  // lookup
  std::vector<std::string> keys;
  std::optional<std::string> partition;
  std::string column;
  std::vector<std::string> values;
  bool null = false;

  arrow::Result<Snapshot> Pin() const {
    ARROW_ASSIGN_OR_RAISE(const Table opened, table.Open());
    return as_of.Pin(opened);
  }
};

Json ToJson(const IndexInfo& index) {
  return {{"name", index.name},
          {"type", index.type},
          {"columns", index.columns},
          {"function", index.function.empty() ? Json() : Json(index.function)},
          {"partitioned", index.partitioned},
          {"state", IndexStateName(index.state)},
          {"reason", index.reason.empty() ? Json() : Json(index.reason)},
          {"file_groups", index.file_groups},
          {"bytes", index.bytes}};
}

std::string CostLine(const LookupCost& cost) {
  return fmt::format("file groups: {}, blocks: {}, read: {} in {} requests\n",
                     FormatCount(cost.file_groups), FormatCount(cost.blocks),
                     FormatBytes(cost.bytes), FormatCount(cost.requests));
}

// --- list, show ----------------------------------------------------------------------------------

arrow::Status RunList(const IndexArguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(const Snapshot snapshot, arguments.Pin());
  ARROW_ASSIGN_OR_RAISE(const std::vector<IndexInfo> indexes, ListIndexes(snapshot));
  if (arguments.table.json) {
    Json list = Json::array();
    for (const IndexInfo& index : indexes) list.push_back(ToJson(index));
    return PrintJson(list);
  }
  TextTable table({{"name"}, {"type"}, {"state"}, {"file groups", true}, {"size", true}});
  for (const IndexInfo& index : indexes) {
    table.AddRow({index.name, index.type, std::string(IndexStateName(index.state)),
                  FormatCount(index.file_groups), FormatBytes(index.bytes)});
  }
  return Print(table.Format());
}

arrow::Status RunShow(const IndexArguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(const Snapshot snapshot, arguments.Pin());
  ARROW_ASSIGN_OR_RAISE(const IndexInfo index, FindIndex(snapshot, arguments.name));
  if (arguments.table.json) return PrintJson(ToJson(index));
  std::vector<std::pair<const char*, std::string>> facts = {
      {"name", index.name},
      {"type", index.type},
      {"columns", index.columns.empty() ? "-" : fmt::format("{}", fmt::join(index.columns, ", "))},
  };
  if (!index.function.empty()) facts.emplace_back("function", index.function);
  if (index.type == "record_index")
    facts.emplace_back("partitioned", index.partitioned ? "yes" : "no");
  std::string state(IndexStateName(index.state));
  if (!index.reason.empty()) state += ": " + index.reason;
  facts.emplace_back("state", std::move(state));
  facts.emplace_back("file groups", FormatCount(index.file_groups));
  facts.emplace_back("size", FormatBytes(index.bytes));
  std::string text;
  for (const auto& [name, value] : facts) text += fmt::format("{:<13}{}\n", name, Printable(value));
  return Print(text);
}

// --- lookup --------------------------------------------------------------------------------------

arrow::Status PrintKeys(const KeyLookup& found, bool json) {
  if (json) {
    Json locations = Json::array();
    for (const KeyLocation& location : found.locations) {
      locations.push_back(
          {{"key", location.key},
           {"partition", location.partition},
           {"file_id", location.file_id},
           {"instant", location.instant.empty() ? Json() : Json(location.instant)}});
    }
    return PrintJson({{"locations", std::move(locations)}, {"cost", CostJson(found.cost)}});
  }
  if (found.locations.empty()) return arrow::Status::OK();
  TextTable table({{"key"}, {"partition"}, {"file id"}, {"inserted"}});
  for (const KeyLocation& location : found.locations) {
    table.AddRow({location.key, location.partition, location.file_id, location.instant});
  }
  return Print(table.Format() + "\n" + CostLine(found.cost));
}

arrow::Status LookUpKeys(const IndexArguments& arguments, const Snapshot& snapshot) {
  KeyLookupOptions options;
  options.partition = arguments.partition;
  ARROW_ASSIGN_OR_RAISE(const KeyLookup found, LookupKeys(snapshot, arguments.keys, options));
  ARROW_RETURN_NOT_OK(PrintKeys(found, arguments.table.json));
  if (!found.locations.empty()) return arrow::Status::OK();
  return NotFoundError(arguments.keys.size() == 1
                           ? fmt::format("no row has the key \"{}\"", arguments.keys[0])
                           : "no row has one of the keys");
}

arrow::Status PrintValues(const ValueLookup& found, bool json) {
  if (json) {
    Json matches = Json::array();
    for (const ValueMatch& match : found.matches) {
      matches.push_back({{"value", match.value ? Json(*match.value) : Json()}, {"key", match.key}});
    }
    return PrintJson(
        {{"index", found.index}, {"matches", std::move(matches)}, {"cost", CostJson(found.cost)}});
  }
  if (found.matches.empty()) return arrow::Status::OK();
  TextTable table({{"value"}, {"key"}});
  for (const ValueMatch& match : found.matches) {
    table.AddRow({match.value.value_or("NULL"), match.key});
  }
  return Print(table.Format() + "\n" + CostLine(found.cost));
}

arrow::Status LookUpValues(const IndexArguments& arguments, const Snapshot& snapshot) {
  std::vector<std::optional<std::string>> values(arguments.values.begin(), arguments.values.end());
  if (arguments.null) values.emplace_back(std::nullopt);
  ARROW_ASSIGN_OR_RAISE(const ValueLookup found, LookupValues(snapshot, arguments.column, values));
  ARROW_RETURN_NOT_OK(PrintValues(found, arguments.table.json));
  if (!found.matches.empty()) return arrow::Status::OK();
  return NotFoundError(fmt::format("no row has such a value in column \"{}\"", arguments.column));
}

arrow::Status RunLookup(const IndexArguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(const Snapshot snapshot, arguments.Pin());
  return arguments.keys.empty() ? LookUpValues(arguments, snapshot)
                                : LookUpKeys(arguments, snapshot);
}

// An option that takes one value and may be repeated.
CLI::Option* AddRepeated(CLI::App* command, const char* name, std::vector<std::string>* values,
                         const char* description, const char* type) {
  return command->add_option(name, *values, description)
      ->type_name(type)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

Verb AddLookup(CLI::App* index) {
  CLI::App* lookup = index->add_subcommand("lookup", "where keys live, or which keys have a value");
  lookup->footer(
      "Asks the record index (--key) or a secondary index (--column, --value, --null), never the "
      "data.\n"
      "Exits with 3 when nothing is found.\n\n"
      "Examples:\n"
      "  firth index lookup ./orders --key 17 --key 18\n"
      "  firth index lookup ./orders --key id:17,region:eu --partition 2026/01\n"
      "  firth index lookup ./orders --column customer --value 'Ada Lovelace'");
  auto arguments = std::make_shared<IndexArguments>();
  arguments->table.AddTo(lookup);
  CLI::Option* key = AddRepeated(lookup, "--key", &arguments->keys,
                                 "a record key, as in _hoodie_record_key (repeatable)", "KEY");
  lookup
      ->add_option("--partition", arguments->partition,
                   "only rows of this partition; a partitioned record index needs it")
      ->type_name("PATH")
      ->needs(key);
  CLI::Option* column =
      lookup->add_option("--column", arguments->column, "column with a secondary index")
          ->type_name("NAME")
          ->excludes(key);
  AddRepeated(lookup, "--value", &arguments->values, "a value of the column (repeatable)", "VALUE")
      ->needs(column);
  lookup->add_flag("--null", arguments->null, "rows without a value in the column, too")
      ->needs(column);
  arguments->as_of.AddTo(lookup);
  return {lookup, [arguments]() -> arrow::Status {
            const bool by_value =
                !arguments->column.empty() && (!arguments->values.empty() || arguments->null);
            if (arguments->keys.empty() && !by_value) {
              return UsageError("index lookup needs --key, or --column and --value or --null",
                                "see firth index lookup --help");
            }
            return RunLookup(*arguments);
          }};
}

}  // namespace

std::vector<Verb> AddIndexVerbs(CLI::App& app) {
  CLI::App* index = app.add_subcommand("index", "the indexes of a table, and what they say");
  index->require_subcommand(1);
  std::vector<Verb> verbs;
  const auto add = [&](const char* name, const char* description, auto run) {
    auto arguments = std::make_shared<IndexArguments>();
    CLI::App* command = index->add_subcommand(name, description);
    arguments->table.AddTo(command);
    verbs.push_back({command, [arguments, run] { return run(*arguments); }});
    return arguments;
  };
  auto list = add("list", "all indexes, and whether they can be used", RunList);
  list->as_of.AddTo(verbs.back().command);
  auto show = add("show", "one index: type, columns, state, size", RunShow);
  verbs.back().command->add_option("NAME", show->name, "name of the index")->required();
  show->as_of.AddTo(verbs.back().command);
  verbs.push_back(AddLookup(index));
  return verbs;
}

}  // namespace firth::cli
