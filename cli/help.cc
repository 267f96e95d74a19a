// SPDX-License-Identifier: Apache-2.0
#include "cli/help.h"

#include <fmt/format.h>

#include <sstream>

namespace firth::cli {
namespace {

constexpr size_t kLineWidth = 100;

}  // namespace

HelpFormatter::HelpFormatter() { label("SUBCOMMAND", "VERB"); }

std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
  if (option->get_positional() || option->get_type_size() == 0) return "";
  const std::string type = option->get_type_name();
  return " " + type.substr(0, type.find(":{"));  // without the words that a check allows
}

std::string HelpFormatter::make_option_desc(const CLI::Option* option) const {
  std::string text = option->get_description();
  if (!option->get_default_str().empty()) {
    text += fmt::format(" (default {})", option->get_default_str());
  }
  if (option->get_required() && !option->get_positional()) text += " (required)";
  return Wrap(text, kLineWidth - get_column_width());
}

std::string Wrap(const std::string& text, size_t width) {
  std::string wrapped;
  size_t line = 0;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!wrapped.empty()) {
      const bool fits = line + 1 + word.size() <= width;
      wrapped += fits ? ' ' : '\n';
      line = fits ? line + 1 : 0;
    }
    wrapped += word;
    line += word.size();
  }
  return wrapped;
}

}  // namespace firth::cli
