// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"

#include <fmt/format.h>

#include <CLI/Option.hpp>
#include <CLI/Validators.hpp>
#include <charconv>
#include <limits>

#include "cli/errors.h"
#include "cli/numbers.h"

namespace firth::cli {

void TableArguments::AddTo(CLI::App* command) {
  command
      ->add_option("TABLE", uri,
                   "folder of the table: a local path, file:///path or s3://bucket/path")
      ->required();
  command->add_flag("--json", json, "print JSON");
  command
      ->add_option("--storage-option", storage_options,
                   "KEY=VALUE for object stores (repeatable): region, endpoint_override, "
                   "access_key_id, ...; AWS_* variables fill what is missing")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

arrow::Result<OpenOptions> TableArguments::Options() const {
  OpenOptions options;
  for (const std::string& option : storage_options) {
    const size_t equals = option.find('=');
    if (equals == std::string::npos || equals == 0) {
      // Not quoted back: it may be a secret.
      return UsageError("a --storage-option has no KEY=",
                        "write --storage-option region=eu-west-1");
    }
    options.storage_options[option.substr(0, equals)] = option.substr(equals + 1);
  }
  return options;
}

arrow::Result<Table> TableArguments::Open() const {
  ARROW_ASSIGN_OR_RAISE(const OpenOptions options, Options());
  return Table::Open(uri, options);
}

void AsOf::AddTo(CLI::App* command) {
  command
      ->add_option("--as-of", time,
                   "the table as it was then: an instant (20260131120000000), a timestamp "
                   "(2026-01-31 12:00:00[Z]) or a date")
      ->type_name("TIME");
}

arrow::Result<Snapshot> AsOf::Pin(const Table& table) const {
  if (time && time->empty()) {
    return UsageError("--as-of is empty", "leave it out for the latest snapshot");
  }
  return time ? table.Pin(*time) : table.Pin();
}

void Resources::AddTo(CLI::App* command) {
  command
      ->add_option("--threads", threads,
                   "threads that read, as far as the memory budget allows; 0 is one per core")
      ->type_name("N")
      ->check(CLI::Range(0, 1024).description(""));
  command
      ->add_option("--memory-budget", memory,
                   "memory for log records and queued rows, e.g. 512MiB; more spills to disk")
      ->type_name("BYTES");
}

arrow::Result<int64_t> Resources::MemoryBudget(int64_t fallback) const {
  if (memory.empty()) return fallback;
  return ParseBytes(memory);
}

void OutputArguments::AddTo(CLI::App* command) {
  command
      ->add_option("--format", format,
                   "table, jsonl, csv, arrow (an IPC file in FILE, an IPC stream on standard "
                   "output) or parquet; default: by the name of FILE, else table on a terminal and "
                   "jsonl elsewhere")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"table", "jsonl", "csv", "arrow", "parquet"}));
  command->add_option("-o,--output", file, "write to FILE, which appears when it is complete")
      ->type_name("FILE");
}

arrow::Result<OutputOptions> OutputArguments::Options(bool json) const {
  OutputOptions options;
  options.file = file;
  constexpr std::pair<std::string_view, Format> kFormats[] = {{"table", Format::kTable},
                                                              {"jsonl", Format::kJsonl},
                                                              {"csv", Format::kCsv},
                                                              {"arrow", Format::kArrow},
                                                              {"parquet", Format::kParquet}};
  for (const auto& [name, value] : kFormats) {
    if (format == name) options.format = value;
  }
  if (json && options.format && *options.format != Format::kJsonl) {
    return UsageError(fmt::format("--json and --format {} exclude each other", format),
                      "leave one out");
  }
  if (json) options.format = Format::kJsonl;
  return options;
}

void AddColumns(CLI::App* command, std::vector<std::string>* columns) {
  command->add_option("--columns", *columns, "columns to print, separated by commas")
      ->type_name("A,B")
      ->delimiter(',');
}

void AddExplain(CLI::App* command, bool* explain, const std::string& description) {
  command->add_flag("--explain", *explain, description)
      ->excludes(command->get_option("--format"))
      ->excludes(command->get_option("--output"));
}

CLI::Option* AddCount(CLI::App* command, const std::string& name, int64_t* count,
                      const std::string& description) {
  const CLI::Validator check(
      [](const std::string& text) -> std::string {
        int64_t value = 0;
        const char* end = text.data() + text.size();
        const auto parsed = std::from_chars(text.data(), end, value);
        const bool fits = parsed.ec == std::errc() && parsed.ptr == end && value >= 0;
        if (fits) return "";
        return fmt::format("{} is no number of rows: 0 to {}", text,
                           std::numeric_limits<int64_t>::max());
      },
      "");
  return command->add_option(name, *count, description)->type_name("N")->check(check);
}

}  // namespace firth::cli
