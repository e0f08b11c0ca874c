#pragma once

#include <string>
#include <vector>

#include "terminal/command_line.hpp"

namespace ccp::cli {

/// The manual page ccpbench(1) as troff with the macros "man", from the texts of the help pages (CommandLine::texts()).
std::string manual_page(const std::vector<CommandText>& texts, const std::string& version);

}  // namespace ccp::cli
