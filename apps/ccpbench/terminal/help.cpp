#include "terminal/help.hpp"

#include <fmt/format.h>

#include <sstream>

namespace ccp::cli {
namespace {

std::string section(const std::string& title, const Table& table) {
  if (table.empty()) return "";
  return "\n" + Style::out().bold(title) + "\n" + table.text(Style::out(), stdout_width());
}

std::string footer(const std::string& text) {
  std::string page;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("  $ ", 0) == 0)
      page += "  " + Style::out().paint(Tone::accent, line.substr(4));
    else if (!line.empty() && line[0] != ' ')
      page += Style::out().bold(line);
    else
      page += line;
    page += "\n";
  }
  return page.empty() ? "" : "\n" + page;
}

}  // namespace

Table help_table() { return Table({{""}, {"", false, Fit::wrap}}); }

std::string help_text(const HelpPage& page) {
  std::string text;
  for (const std::string& line : wrap(page.title, stdout_width())) text += line + "\n";
  text += fmt::format("\n{} {}\n", Style::out().bold("Usage:"), page.usage);
  return text + section("Commands", page.commands) + section("Arguments", page.arguments) +
         section("Options", page.options) + footer(page.footer);
}

}  // namespace ccp::cli
