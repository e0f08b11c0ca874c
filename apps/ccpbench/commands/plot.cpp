#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "commands/command.hpp"
#include "commands/script.hpp"

namespace ccp::cli {
namespace {

constexpr const char* plot_footer =
    "Examples\n"
    "  $ ccpbench plot results/test1a\n"
    "  $ ccpbench plot results/test1a --kind convergence --only '*ADMM*' --width single --legend labels\n"
    "  $ ccpbench plot results/fclib --kind profile --by iterations --at 1e-4 --at 1e-8 --out figures --format pdf\n"
    "  $ ccpbench plot before/test1a after/test1a --out figures\n"
    "  $ ccpbench plot before/test1a after/test1a --overlay --only '*ADMM*'\n"
    "\n"
    "Kinds, all of them by default where a result has what they show: convergence (residual against iterations and time, "
    "and the\n"
    "'plots' of the config), sweep (the 'plots' of the kinds sweep and ensemble), map (numbers over two swept values), "
    "sequence\n"
    "(scenes that move, step by step), mean (the 'plots' of the kinds mean and scaling: means over problems), table (those "
    "of the\n"
    "kind table, as CSV, Markdown and LaTeX), profile (performance and data profiles of each model, from `ccpbench "
    "profile`).\n"
    "Python 3 with matplotlib draws them.\n"
    "Exit codes: 0 drawn, 2 bad input.\n";

/// Options of the script by name, which it checks.
struct PlotArguments {
  std::vector<std::string> folders;
  std::map<std::string, std::vector<std::string>> lists;
  std::map<std::string, std::string> texts;
  std::map<std::string, bool> flags;
};

int draw_plots(const PlotArguments& options) {
  std::vector<std::string> arguments;
  for (const auto& [name, values] : options.lists)
    for (const std::string& value : values) arguments.push_back(name + "=" + value);
  for (const auto& [name, value] : options.texts)
    if (!value.empty()) arguments.push_back(name + "=" + value);
  for (const auto& [name, set] : options.flags)
    if (set) arguments.push_back(name);
  std::error_code unreadable;
  if (const auto self = std::filesystem::read_symlink("/proc/self/exe", unreadable); !unreadable)
    arguments.push_back("--program=" + self.string());  // for the profiles
  arguments.emplace_back("--");
  arguments.insert(arguments.end(), options.folders.begin(), options.folders.end());
  return run_script("plot.py", arguments);
}

}  // namespace

void add_plot(CommandLine& program) {
  Subcommand& command = program.subcommand("plot", "figures of results, as PNG, SVG and PDF", plot_footer);
  PlotArguments& options = command.options<PlotArguments>(draw_plots);
  command.operands("RESULTS", &options.folders, "folders of results; NAME=FOLDER names one in an overlay", Need::required);
  const auto list = [&](const char* name, const char* value, const char* meaning) {
    command.repeated(name, &options.lists[name], value, meaning);
  };
  const auto text = [&](const char* name, const char* value, const char* meaning) {
    command.text(name, &options.texts[name], value, meaning);
  };
  const auto flag = [&](const char* name, const char* meaning) { command.flag(name, &options.flags[name], meaning); };
  list("--kind", "KIND", "convergence, sweep, map, sequence, mean, table or profile, any number of times (default: all)");
  list("--only", "GLOB", "only the solvers whose label matches, any number of times");
  text("--problem", "GLOB", "only curves of the problems whose name matches");
  text("--x", "COLUMN", "curves over iteration, or over elapsed_s, the solver time, alone (default: both)");
  text("--by", "NAME", "what profiles count: time (default), iterations, products, back_solves, factorizations");
  list("--at", "VALUE",
       "accuracy of profiles, any number of times (default: 1e-4, 1e-8 and 1e-12, as far as runs were asked)");
  text("--profiles", "WHICH", "performance, data or both (default: both; below 127 mm performance alone)");
  text("--top", "N", "how many solvers of a profile have colours (default 10; 0: all)");
  text("--width", "WIDTH", "single (89 mm), double (180 mm, default) or a number of mm");
  text("--legend", "WHAT", "full (default), outcomes (no times) or labels");
  text("--legend-at", "PLACE",
       "auto (default: beside a single panel where it fits, otherwise below), below, inside (a panel) or off");
  flag("--overlay", "curves of all RESULTS, and of swept values of a problem, in one figure");
  flag("--no-notes", "no notes below the figures");
  flag("--title", "the title above each figure");
  flag("--raw", "every point of curves that oscillate, instead of their mean and band");
  flag("--all", "figures of more than 24 problems or maps, too");
  text("--format", "LIST",
       "figures as some of png,svg,pdf, tables as some of csv,markdown,latex: what is named (default: all)");
  text("--dpi", "NUMBER", "resolution of the PNG files (default 300)");
  text("--out", "DIR", "where the figures go, of several results into a folder for each (default: RESULTS/plots)");
  flag("--quiet", "no line on stderr for each figure that is written");
}

}  // namespace ccp::cli
