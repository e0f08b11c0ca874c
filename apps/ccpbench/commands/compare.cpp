#include <fmt/format.h>

#include <filesystem>

#include "bench/analysis/baseline.hpp"
#include "commands/command.hpp"
#include "terminal/arguments.hpp"
#include "terminal/table.hpp"
#include "terminal/terminal.hpp"
#include "views/summary.hpp"

namespace ccp::cli {
namespace {

constexpr const char* compare_footer =
    "Examples\n"
    "  $ ccpbench run configs/test1a.json --size small --out out\n"
    "  $ ccpbench compare out/test1a --baseline results/baselines\n"
    "  $ ccpbench compare out/test1a --baseline results/baselines --update\n"
    "\n"
    "Statuses, iterations, counters, final objectives and curves are compared, each within the tolerance that stands in\n"
    "baseline.json; times are not.\n"
    "Exit codes: 0 the same, 1 different (the table says what moved), 2 could not compare.\n";

struct CompareArguments {
  std::string results, baseline, fclib_dir;
  bool update = false;
};

int compare(const CompareArguments& options) {
  const ResultTable results(options.results, catalog(), options.fclib_dir);
  if (!results.note().empty()) report_note(results.note());
  const std::string& name = results.config().name;
  if (options.update) {
    std::filesystem::path folder = options.baseline;
    if (!std::filesystem::is_regular_file(folder / "baseline.json") && folder.filename() != name) folder /= name;
    for (const std::string& change : results.config().changes) report_note("a baseline of changed results: " + change);
    write_baseline(results, folder);
    print_line("baseline: " + folder.string());
    return exit_done;
  }
  print_changes(results.config());
  const auto changes = compare_with_baseline(results, find_baseline(options.baseline, name));
  if (changes.empty()) {
    print_line(fmt::format("{}: {} as in the baseline", name, counted(results.rows().size(), "cell")));
    return exit_done;
  }
  Table table({{"cell", false, Fit::shorten_left}, {"what"}, {"baseline", true}, {"now", true}, {"allowed"}});
  for (const BaselineChange& change : changes)
    table.row({printable(change.cell), change.what, change.before, Entry(change.now, Tone::bad), change.allowed});
  print_line(fmt::format("{}: {}", Style::out().bold(name),
                         counted(changes.size(), "difference from the baseline", "differences from the baseline")));
  print(table.text(Style::out(), stdout_width()));
  return exit_different;
}

}  // namespace

void add_compare(CommandLine& program) {
  Subcommand& command = program.subcommand("compare", "compare the convergence of a run with a stored one", compare_footer);
  CompareArguments& options = command.options<CompareArguments>(compare);
  command.operand("RESULTS", &options.results, "folder of the results of one config", Need::required);
  command.text("--baseline", &options.baseline, "DIR", "folder of the baseline, or of the baselines of all configs",
               Need::required);
  command.text("--fclib", &options.fclib_dir, "DIR",
               "folder of the FCLib files (default: CCPBENCH_FCLIB_DIR); needed where results were copied together");
  command.flag("--update", &options.update, "make these results the baseline");
}

}  // namespace ccp::cli
