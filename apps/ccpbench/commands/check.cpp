#include <fmt/format.h>

#include <cstdlib>
#include <optional>
#include <set>

#include "commands/command.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "terminal/arguments.hpp"
#include "terminal/records.hpp"
#include "terminal/terminal.hpp"
#include "views/config_files.hpp"
#include "views/summary.hpp"

namespace ccp::cli {
namespace {

constexpr const char* check_footer =
    "Examples\n"
    "  $ ccpbench check configs/*.json\n"
    "  $ ccpbench check configs/test1a.json --size small --set /stop/tolerance=1e-6\n"
    "  $ ccpbench check configs/*.json --format csv\n"
    "  $ ccpbench check configs/*.json --json\n"
    "\n"
    "With --json a config has a list of its mistakes, each with file, place, what was found and expected, and the message.\n"
    "Exit codes: 0 all valid, 2 one is not (a line for each mistake on stderr).\n";

struct CheckArguments {
  std::vector<std::string> configs;
  ConfigOverrides overrides;
  std::string fclib_dir;
  FormatOption format;

  bool folder_known() const { return !fclib_dir.empty() || std::getenv("CCPBENCH_FCLIB_DIR") != nullptr; }
};

struct Checked {
  Config config;
  std::optional<Plan> plan;  ///< nothing where the cells depend on FCLib files whose folder is not known
};

/// Throws InputErrors with all that is wrong with the config and its files.
Checked checked_config(const std::string& file, const CheckArguments& options) {
  const PlanOptions folder = {options.fclib_dir, 1};
  Mistakes mistakes;
  Checked checked{read_config(config_file(file), catalog(), options.overrides, mistakes), std::nullopt};
  const bool whole = mistakes.none() && (!checked.config.needs_fclib_folder() || options.folder_known());
  if (!whole) look_for_files(checked.config, folder, mistakes);
  mistakes.raise();
  if (whole) checked.plan = make_plan(checked.config, folder);
  return checked;
}

void check_config(const std::string& file, const CheckArguments& options) {
  const auto [config, plan] = checked_config(file, options);
  const std::string size = plan ? plan_size(*plan) : "its cells depend on FCLib files; count them with --fclib DIR";
  const std::string sweep = config.variants.size() > 1 ? fmt::format("; sweep of {}", config.variants.size()) : "";
  print_line(fmt::format("{}: {}, {}{}", printable(file), Style::out().paint(Tone::good, "valid"), size, sweep));
}

/// Counts of the cells of a config; null where they depend on files whose folder is not known.
Json counts_json(const std::string& file, const CheckArguments& options) {
  const auto [config, plan] = checked_config(file, options);
  Json counts = {{"name", config.name}, {"sweep", config.variants.size()}};
  if (!plan) return counts;
  std::set<std::string> problems, solvers;
  std::set<Model> models;
  for (const Cell& cell : plan->cells) {
    problems.insert(cell.problem);
    solvers.insert(cell.label);
    models.insert(cell.model);
  }
  counts["cells"] = plan->cells.size();
  counts["problems"] = problems.size();
  counts["models"] = models.size();
  counts["solver_settings"] = solvers.size();
  return counts;
}

Json mistakes_json(const InputError& error) {
  Json list = Json::array();
  for (const InputError& mistake : mistakes_of_error(error)) {
    const std::string expected = mistake.expected();
    list.push_back({{"file", mistake.file()},
                    {"place", mistake.place()},
                    {"found", mistake.found()},
                    {"expected", expected.empty() ? Json() : Json(expected)},
                    {"message", mistake.message()}});
  }
  return list;
}

/// A row for each config, with what is wrong with it.
int check_records(const CheckArguments& options) {
  Records table({{"file", "file"},
                 {"valid", "valid"},
                 {"name", "name"},
                 {"cells", "cells", true},
                 {"problems", "problems", true},
                 {"models", "models", true},
                 {"solver_settings", "solver settings", true},
                 {"sweep", "sweep", true},
                 {"error", "error"}});
  Json document = Json::array();
  int code = exit_done;
  for (const std::string& file : options.configs) {
    Json counts = Json::object(), mistakes = Json::array();
    std::string error;
    try {
      counts = counts_json(file, options);
    } catch (const InputError& wrong) {
      error = join(lines_of_error(wrong), "; ");
      mistakes = mistakes_json(wrong);
      code = exit_bad_input;
    }
    const auto count = [&counts](const char* key) { return counts.value(key, Json()); };
    table.row({file, Json(error.empty()), count("name"), count("cells"), count("problems"), count("models"),
               count("solver_settings"), count("sweep"), error.empty() ? Datum(Json(), "") : Datum(error)});
    Json& entry = document.emplace_back(Json{{"file", file}, {"valid", error.empty()}});
    for (const char* key : {"name", "cells", "problems", "models", "solver_settings", "sweep"}) entry[key] = count(key);
    entry["mistakes"] = std::move(mistakes);
  }
  print_records(options.format.format(), table, document);
  return code;
}

int check(const CheckArguments& options) {
  if (!options.format.text()) return check_records(options);
  return for_each_file(options.configs, [&](const std::string& file) { check_config(file, options); });
}

}  // namespace

void add_check(CommandLine& program) {
  Subcommand& command =
      program.subcommand("check", "validate configs without running them, and count their cells", check_footer);
  CheckArguments& options = command.options<CheckArguments>(check);
  command.operands("CONFIG", &options.configs, "config files (JSON), or names of configs", Need::required);
  command.choice("--size", &options.overrides.size, {"small", "paper"}, "apply the values a config gives for this size");
  command.repeated("--set", &options.overrides.set, "POINTER=VALUE",
                   "change the config at a JSON pointer, any number of times; an index * is every entry of a list");
  command.text("--fclib", &options.fclib_dir, "DIR", "folder of the FCLib files (default: CCPBENCH_FCLIB_DIR)");
  add_format(command, &options.format);
}

}  // namespace ccp::cli
