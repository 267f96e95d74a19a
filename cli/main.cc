// SPDX-License-Identifier: Apache-2.0
// firth VERB TABLE [...]. Exit codes: 0 done, 1 failed, 2 bad usage, 3 not found, 4 conflict,
// 5 corrupt table.
#include <arrow/util/config.h>
#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <iostream>
#include <iterator>

#include "cli/command.h"
#include "cli/errors.h"

namespace firth::cli {
namespace {

constexpr const char* kDescription =
    "firth reads and searches Apache Hudi tables: no JVM, no server, no copy of the data.";
constexpr const char* kFooter =
    "Exit codes: 0 done, 1 failed, 2 bad usage, 3 not found, 4 conflict, 5 corrupt table.\n"
    "firth VERB --help tells more about a verb.";

// The innermost verb that was named, for `see firth search text --help`.
std::string NamedCommand(const CLI::App& app) {
  std::string name = app.get_name();
  for (const CLI::App* command : app.get_subcommands()) name += " " + NamedCommand(*command);
  return name;
}

// CLI11 only says that a verb is missing when it does not know the one that was given, and calls an
// unknown option an argument that was not expected.
std::string UnknownArgument(const CLI::App& app) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  const std::vector<std::string> rest = command->remaining();
  if (rest.empty()) return "";
  if (rest.front().starts_with("-")) return fmt::format("unknown option \"{}\"", rest.front());
  std::vector<const CLI::App*> verbs = command->get_subcommands(nullptr);
  std::erase_if(verbs, [](const CLI::App* verb) { return verb->get_name().empty(); });  // groups
  if (verbs.empty()) return "";
  std::string message = fmt::format("unknown verb \"{}\"; verbs are", rest.front());
  for (const CLI::App* verb : verbs) {
    message += (verb == verbs.front() ? " " : ", ") + verb->get_name();
  }
  return message;
}

// One line where CLI11 would print several.
int ReportUsage(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) return app.exit(error);
  const std::string unknown = UnknownArgument(app);
  const arrow::Status status =
      UsageError(unknown.empty() ? error.what() : unknown, "see " + NamedCommand(app) + " --help");
  std::cerr << ErrorLine(status) << std::endl;
  return kBadUsage;
}

int Finish(const arrow::Status& status) {
  if (!status.ok() && !IsOutputClosed(status)) std::cerr << ErrorLine(status) << std::endl;
  return ExitCodeOf(status);
}

int Run(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a write to a closed pipe is an error, handled like others
  CLI::App app(kDescription, "firth");
  app.footer(kFooter);
  app.set_version_flag("--version",
                       fmt::format("firth {} (Arrow {})", FIRTH_VERSION, ARROW_VERSION_STRING));
  app.require_subcommand(1);
  app.get_formatter()->label("SUBCOMMAND", "VERB");

  std::vector<Verb> verbs;
  for (const auto& add :
       {AddInspectVerbs, AddStatsVerb, AddReadVerb, AddSearchVerbs, AddIndexVerbs}) {
    std::ranges::move(add(app), std::back_inserter(verbs));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return ReportUsage(app, error);
  }
  for (const Verb& verb : verbs) {
    if (verb.command->parsed()) return Finish(verb.run());
  }
  return kBadUsage;
}

}  // namespace
}  // namespace firth::cli

int main(int argc, char** argv) { return firth::cli::Run(argc, argv); }
