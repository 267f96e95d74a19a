// SPDX-License-Identifier: Apache-2.0
// The verbs of the command, and what they share.
#pragma once

#include <arrow/result.h>
#include <arrow/status.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/output.h"
#include "firth/table.h"

namespace firth::cli {

/// A verb and what it does once its arguments are parsed.
struct Verb {
  CLI::App* command;
  std::function<arrow::Status()> run;
};

std::vector<Verb> AddCreateVerb(CLI::App& app);
std::vector<Verb> AddInspectVerbs(CLI::App& app);  // show, timeline, files, schema
std::vector<Verb> AddStatsVerb(CLI::App& app);
std::vector<Verb> AddReadVerb(CLI::App& app);
std::vector<Verb> AddSearchVerbs(CLI::App& app);  // search text, search vector
std::vector<Verb> AddIndexVerbs(CLI::App& app);   // index list, index show, index lookup

/// TABLE, --json and --storage-option, which every verb takes.
struct TableArguments {
  std::string uri;
  std::vector<std::string> storage_options;  // KEY=VALUE
  bool json = false;

  void AddTo(CLI::App* command);
  arrow::Result<OpenOptions> Options() const;
  arrow::Result<Table> Open() const;
};

/// --as-of; without it the latest snapshot.
struct AsOf {
  std::optional<std::string> time;

  void AddTo(CLI::App* command);
  arrow::Result<Snapshot> Pin(const Table& table) const;
};

/// --threads and --memory-budget.
struct Resources {
  int threads = 0;
  std::string memory;  // 256MiB, 2GB, bytes

  void AddTo(CLI::App* command);
  /// The budget in bytes, or `fallback` when none was given.
  arrow::Result<int64_t> MemoryBudget(int64_t fallback) const;
};

/// --format and -o.
struct OutputArguments {
  std::string format;
  std::string file;

  void AddTo(CLI::App* command);
  arrow::Result<OutputOptions> Options(bool json) const;
};

/// --columns, as `firth read` and the searches take it.
void AddColumns(CLI::App* command, std::vector<std::string>* columns);

/// --explain, which prints something else than rows. After OutputArguments::AddTo.
void AddExplain(CLI::App* command, bool* explain, const std::string& description);

/// A number of rows: whole, from 0 to what 64 bits hold.
CLI::Option* AddCount(CLI::App* command, const std::string& name, int64_t* count,
                      const std::string& description);

}  // namespace firth::cli
