#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace ccp::cli {

/// The help page of the program or of one subcommand, fitted to the terminal. A footer's lines are shown as they are, except
/// that one without indentation is a heading and one that begins with "  $ " is a command to type.
class HelpPage final : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
};

}  // namespace ccp::cli
