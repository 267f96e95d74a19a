// SPDX-License-Identifier: Apache-2.0
// How --help looks.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <string>

namespace firth::cli {

/// Options with the name of their value, and descriptions in lines that fit a terminal.
class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter();
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_option_desc(const CLI::Option* option) const override;
};

/// `text` broken at blanks into lines of at most `width` bytes; longer words stand alone.
std::string Wrap(const std::string& text, size_t width);

}  // namespace firth::cli
