#include "terminal/help.hpp"

#include <fmt/format.h>

#include <sstream>

#include "core/text.hpp"
#include "terminal/table.hpp"

namespace ccp::cli {
namespace {

/// "-h, --help", "--size NAME"
std::string option_label(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  const std::string value = option.get_type_name();
  return join(names, ", ") + (value.empty() ? "" : " " + value);
}

/// "CONFIG..." where several may be given, "[NAME]" where none need be.
std::string positional_label(const CLI::Option& option) {
  const std::string name = option.get_name(true) + (option.get_expected_max() > 1 ? "..." : "");
  return option.get_required() ? name : "[" + name + "]";
}

std::string usage(const CLI::App& app, const std::string& name) {
  std::string line = name;
  if (!app.get_subcommands({}).empty()) return line + " COMMAND [ARGUMENT...] [OPTION...]";
  for (const CLI::Option* option : app.get_options())
    if (option->get_positional()) line += " " + positional_label(*option);
  for (const CLI::Option* option : app.get_options())
    if (option->get_required() && !option->get_positional()) line += " " + option_label(*option);
  return line + " [OPTION...]";
}

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

Table two_columns() { return Table({{""}, {"", false, Fit::wrap}}); }

}  // namespace

std::string HelpPage::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode) const {
  const std::string full_name = app->get_parent() != nullptr ? app->get_parent()->get_name() + " " + app->get_name() : name;
  Table commands = two_columns(), arguments = two_columns(), options = two_columns();
  for (const CLI::App* command : app->get_subcommands({})) commands.row({command->get_name(), command->get_description()});
  for (const CLI::Option* option : app->get_options()) {
    if (option->get_positional())
      arguments.row({positional_label(*option), option->get_description()});
    else
      options.row({option_label(*option), option->get_description()});
  }
  std::string page;
  for (const std::string& line : wrap(fmt::format("{}: {}", full_name, app->get_description()), stdout_width()))
    page += line + "\n";
  page += fmt::format("\n{} {}\n", Style::out().bold("Usage:"), usage(*app, full_name));
  return page + section("Commands", commands) + section("Arguments", arguments) + section("Options", options) +
         footer(app->get_footer());
}

}  // namespace ccp::cli
