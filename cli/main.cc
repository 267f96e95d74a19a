// SPDX-License-Identifier: Apache-2.0
// firth VERB TABLE [...]. Exit codes: 0 done, 1 failed, 2 bad usage, 3 not found, 4 conflict,
// 5 corrupt table.
#include <arrow/util/config.h>
#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <memory>

#include "cli/command.h"
#include "cli/errors.h"
#include "cli/help.h"

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
std::string UsageMessage(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  const std::vector<std::string> rest = command->remaining();
  std::vector<const CLI::App*> verbs = command->get_subcommands(nullptr);
  std::erase_if(verbs, [](const CLI::App* verb) { return verb->get_name().empty(); });  // groups
  if (!rest.empty() && rest.front().starts_with("-")) {
    return fmt::format("unknown option \"{}\"", rest.front());
  }
  if (!verbs.empty()) {
    std::string message =
        rest.empty() ? "a verb is missing" : fmt::format("unknown verb \"{}\"", rest.front());
    for (const CLI::App* verb : verbs) {
      message += (verb == verbs.front() ? "; verbs are " : ", ") + verb->get_name();
    }
    return message;
  }
  return rest.empty() ? error.what() : fmt::format("unexpected argument \"{}\"", rest.front());
}

// One line where CLI11 would print several.
int ReportUsage(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) return app.exit(error);
  const arrow::Status status =
      UsageError(UsageMessage(app, error), "see " + NamedCommand(app) + " --help");
  std::cerr << ErrorLine(status) << std::endl;
  return kBadUsage;
}

// The title above them in --help.
void GroupVerbs(CLI::App* command) {
  for (CLI::App* verb : command->get_subcommands(nullptr)) {
    if (!verb->get_name().empty()) verb->group("Verbs");
    GroupVerbs(verb);
  }
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
  app.formatter(std::make_shared<HelpFormatter>());

  std::vector<Verb> verbs;
  for (const auto& add :
       {AddInspectVerbs, AddStatsVerb, AddReadVerb, AddSearchVerbs, AddIndexVerbs, AddCreateVerb}) {
    std::ranges::move(add(app), std::back_inserter(verbs));
  }
  GroupVerbs(&app);
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
