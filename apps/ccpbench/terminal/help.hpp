#pragma once

#include <string>

#include "terminal/table.hpp"

namespace ccp::cli {

/// The help page of the program or of one subcommand.
struct HelpPage {
  std::string title;                   ///< "ccpbench run: what it does"
  std::string usage;                   ///< "ccpbench run CONFIG... [OPTION...]"
  Table commands, arguments, options;  ///< name and meaning
  /// Its lines are shown as they are, except that one without indentation is a heading and one that begins with "  $ " is a
  /// command to type.
  std::string footer;
};

/// Two columns, the second one wrapped.
Table help_table();

/// The page, fitted to the terminal.
std::string help_text(const HelpPage& page);

}  // namespace ccp::cli
