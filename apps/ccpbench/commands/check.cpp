#include <fmt/format.h>

#include <cstdlib>
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
    "\n"
    "Exit codes: 0 all valid, 2 one is not (a line for each mistake on stderr).\n";

struct CheckArguments {
  std::vector<std::string> configs;
  ConfigOverrides overrides;
  std::string fclib_dir;
  FormatOption format;

  bool folder_known() const { return !fclib_dir.empty() || std::getenv("CCPBENCH_FCLIB_DIR") != nullptr; }
};

/// Throws InputError when the config is wrong.
void check_config(const std::string& file, const CheckArguments& options) {
  const Config config = read_config(config_file(file), catalog(), options.overrides);
  const std::string size = config.needs_fclib_folder() && !options.folder_known()
                               ? "its cells depend on FCLib files; count them with --fclib DIR"
                               : plan_size(make_plan(config, {options.fclib_dir, 1}));
  const std::string sweep = config.variants.size() > 1 ? fmt::format("; sweep of {}", config.variants.size()) : "";
  print_line(fmt::format("{}: {}, {}{}", printable(file), Style::out().paint(Tone::good, "valid"), size, sweep));
}

/// Counts of the cells of a config; null where they depend on files whose folder is not known.
Json counts_json(const std::string& file, const CheckArguments& options) {
  const Config config = read_config(config_file(file), catalog(), options.overrides);
  Json counts = {{"name", config.name}, {"sweep", config.variants.size()}};
  if (config.needs_fclib_folder() && !options.folder_known()) return counts;
  const Plan plan = make_plan(config, {options.fclib_dir, 1});
  std::set<std::string> problems, solvers;
  std::set<Model> models;
  for (const Cell& cell : plan.cells) {
    problems.insert(cell.problem);
    solvers.insert(cell.label);
    models.insert(cell.model);
  }
  counts["cells"] = plan.cells.size();
  counts["problems"] = problems.size();
  counts["models"] = models.size();
  counts["solver_settings"] = solvers.size();
  return counts;
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
  int code = exit_done;
  for (const std::string& file : options.configs) {
    Json counts = Json::object();
    std::string error;
    try {
      counts = counts_json(file, options);
    } catch (const InputError& wrong) {
      error = join(lines_of_error(wrong), "; ");
      code = exit_bad_input;
    }
    const auto count = [&counts](const char* key) { return counts.value(key, Json()); };
    table.row({file, Json(error.empty()), count("name"), count("cells"), count("problems"), count("models"),
               count("solver_settings"), count("sweep"), error.empty() ? Datum(Json(), "") : Datum(error)});
  }
  print_records(options.format.format(), table);
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
