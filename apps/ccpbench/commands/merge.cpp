#include <fmt/format.h>

#include "bench/results/merge.hpp"
#include "commands/command.hpp"
#include "io/file.hpp"
#include "terminal/arguments.hpp"
#include "terminal/terminal.hpp"

namespace ccp::cli {
namespace {

constexpr const char* merge_footer =
    "Examples\n"
    "  $ ccpbench merge node1/fclib node2/fclib --out results/fclib\n"
    "  $ ccpbench merge shards/*/fclib --out results/fclib\n"
    "\n"
    "The folders are of one config, size, version of the solvers and number of threads. Cells that\n"
    "OUT already has are kept. Where some of the config are missing a note says so, which is no\n"
    "error: shards may still run. `ccpbench run CONFIG --out DIR` runs them.\n"
    "Exit codes: 0 merged, 2 bad input, 3 damaged cells were left out.\n";

struct MergeArguments {
  std::vector<std::string> folders;
  std::string out, fclib_dir;
};

int merge(const MergeArguments& options) {
  check_output_folder(options.out);
  const Merge merged = merge_results(options.folders, options.out, catalog(), options.fclib_dir);
  for (const std::string& damage : merged.left_out) report_note("left out: " + printable(damage));
  print_line(
      fmt::format("{} copied, {} there already, {} missing", counted(merged.copied, "cell"), merged.there, merged.missing));
  if (merged.missing > 0)
    report_note(
        fmt::format("{} of the config {} no result yet; merge the other folders too, or run the config into this one",
                    counted(merged.missing, "cell"), merged.missing == 1 ? "has" : "have"));
  print_line("results: " + options.out);
  return merged.left_out.empty() ? exit_done : exit_some_failed;
}

}  // namespace

void add_merge(CommandLine& program) {
  Subcommand& command = program.subcommand("merge", "put the results of shards and machines into one folder", merge_footer);
  MergeArguments& options = command.options<MergeArguments>(merge);
  command.operands("RESULTS", &options.folders, "folders of results of one config", Need::required);
  command.text("--out", &options.out, "DIR", "the folder of the results of that config", Need::required);
  command.text("--fclib", &options.fclib_dir, "DIR", "folder of the FCLib files (default: CCPBENCH_FCLIB_DIR)");
}

}  // namespace ccp::cli
