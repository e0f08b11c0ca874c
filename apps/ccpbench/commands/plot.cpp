#include <filesystem>
#include <utility>

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

struct PlotArguments {
  std::vector<std::string> folders, kinds, only, at;
  std::string problem, x, by, profiles, top, width, legend, legend_at, format, dpi, out;
  bool title = false, raw = false, all = false, quiet = false, no_notes = false, overlay = false;
};

int draw_plots(const PlotArguments& options) {
  std::vector<std::string> arguments;
  for (const std::string& kind : options.kinds) arguments.push_back("--kind=" + kind);
  for (const std::string& pattern : options.only) arguments.push_back("--only=" + pattern);
  for (const std::string& accuracy : options.at) arguments.push_back("--at=" + accuracy);
  const std::pair<const char*, const std::string*> texts[] = {{"--problem=", &options.problem},
                                                              {"--by=", &options.by},
                                                              {"--width=", &options.width},
                                                              {"--x=", &options.x},
                                                              {"--top=", &options.top},
                                                              {"--profiles=", &options.profiles},
                                                              {"--legend=", &options.legend},
                                                              {"--format=", &options.format},
                                                              {"--legend-at=", &options.legend_at},
                                                              {"--dpi=", &options.dpi},
                                                              {"--out=", &options.out}};
  for (const auto& [name, value] : texts)
    if (!value->empty()) arguments.push_back(name + *value);
  const std::pair<const char*, bool> flags[] = {{"--title", options.title},       {"--raw", options.raw},
                                                {"--all", options.all},           {"--quiet", options.quiet},
                                                {"--no-notes", options.no_notes}, {"--overlay", options.overlay}};
  for (const auto& [name, set] : flags)
    if (set) arguments.emplace_back(name);
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
  command.repeated("--kind", &options.kinds, "KIND",
                   "convergence, sweep, map, sequence, mean, table or profile, any number of times (default: all)");
  command.repeated("--only", &options.only, "GLOB", "only the solvers whose label matches, any number of times");
  command.text("--problem", &options.problem, "GLOB", "only curves of the problems whose name matches");
  command.text("--x", &options.x, "COLUMN",
               "curves over iteration, or over elapsed_s, the solver time, alone (default: both)");
  command.text("--by", &options.by, "NAME",
               "what profiles count: time (default), iterations, products, back_solves, factorizations");
  command.repeated("--at", &options.at, "VALUE",
                   "accuracy of profiles, any number of times (default: 1e-4, 1e-8 and 1e-12, as far as runs were asked)");
  command.text("--profiles", &options.profiles, "WHICH",
               "performance, data or both (default: both; below 127 mm performance alone)");
  command.text("--top", &options.top, "N", "how many solvers of a profile have colours (default 10; 0: all)");
  command.text("--width", &options.width, "WIDTH", "single (89 mm), double (180 mm, default) or a number of mm");
  command.text("--legend", &options.legend, "WHAT", "full (default), outcomes (no times) or labels");
  command.text("--legend-at", &options.legend_at, "PLACE",
               "auto (default: beside a single panel where it fits, otherwise below), below, inside (a panel) or off");
  command.flag("--overlay", &options.overlay, "curves of all RESULTS, and of swept values of a problem, in one figure");
  command.flag("--no-notes", &options.no_notes, "no notes below the figures");
  command.flag("--title", &options.title, "the title above each figure");
  command.flag("--raw", &options.raw, "every point of curves that oscillate, instead of their mean and band");
  command.flag("--all", &options.all, "figures of more than 24 problems or maps, too");
  command.text("--format", &options.format, "LIST",
               "figures as some of png,svg,pdf, tables as some of csv,markdown,latex: what is named (default: all)");
  command.text("--dpi", &options.dpi, "NUMBER", "resolution of the PNG files (default 300)");
  command.text("--out", &options.out, "DIR",
               "where the figures go, of several results into a folder for each (default: RESULTS/plots)");
  command.flag("--quiet", &options.quiet, "no line on stderr for each figure that is written");
}

}  // namespace ccp::cli
