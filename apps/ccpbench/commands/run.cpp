#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <tuple>

#include "bench/run/runner.hpp"
#include "commands/command.hpp"
#include "core/error.hpp"
#include "core/stopwatch.hpp"
#include "distributed/launch.hpp"
#include "distributed/ranks_solver.hpp"
#include "io/file.hpp"
#include "process/interrupt_guard.hpp"
#include "terminal/arguments.hpp"
#include "terminal/progress.hpp"
#include "terminal/records.hpp"
#include "terminal/terminal.hpp"
#include "views/config_files.hpp"
#include "views/summary.hpp"
#include "views/user_solvers.hpp"

namespace ccp::cli {
namespace {

constexpr const char* run_footer =
    "Examples\n"
    "  $ ccpbench run configs/test1a.json\n"
    "  $ ccpbench run test1a\n"
    "  $ ccpbench run configs/*.json --size small --jobs 2\n"
    "  $ ccpbench run configs/fclib.json --fclib ../fclib --only '*Kaplas*/ncp/*'\n"
    "  $ ccpbench run configs/test1a.json --set /stop/tolerance=1e-12 --out results-tight\n"
    "  $ ccpbench run configs/test1a.json --set '/solvers/*/threads=2' --out results-threads\n"
    "  $ ccpbench run configs/fclib.json --shard 2/8\n"
    "  $ ccpbench run configs/fclib.json --for 10m\n"
    "  $ ccpbench run configs/test1a.json --quiet --format latex > table.tex\n"
    "  $ ccpbench run configs/test1a.json --quiet --repeat 5 --format benchmark > benchmark.json\n"
    "\n"
    "A cell is one problem with one model and one solver setting. Finished cells are not run again; Ctrl-C keeps them.\n"
    "Progress goes to stderr, the summary to stdout with one line 'results: FOLDER' for each config.\n"
    "Exit codes: 0 done, 2 bad input, 3 some cells failed (the rest is written), 130 interrupted, or\n"
    "cells remain after the time of --for.\n";

struct RunArguments {
  std::vector<std::string> configs;
  std::string shard, time;
  RunOptions run;
  int ranks = -1;  ///< −1: as the config says
  std::string hosts;
  bool quiet = false, dry_run = false;
  FormatOption format;
};

struct Planned {
  Config config;
  Plan plan;
};

/// All configs are read and planned before anything runs, so that a mistake in the last one costs nothing.
std::vector<Planned> plan_all(const RunArguments& options) {
  std::vector<Planned> all;
  for (const std::string& given : options.configs) {
    const std::string file = config_file(given);
    const auto read = [&] {
      return read_and_plan(file, catalog(), options.run.overrides, {options.run.fclib_dir, options.run.threads});
    };
    auto [config, plan] = read();
    if (!options.dry_run && start_user_solvers(config)) std::tie(config, plan) = read();  // with the settings they declare
    for (const Planned& other : all)
      if (other.config.name == config.name && other.config.file != file)
        throw InputError(file, "/name",
                         fmt::format("'{}' is the name of {} too, expected another: results go to a folder of that name",
                                     config.name, other.config.file));
    all.push_back({std::move(config), std::move(plan)});
  }
  return all;
}

/// The command that this process was started with, for a shell.
std::string own_command() {
  std::ifstream stream("/proc/self/cmdline", std::ios::binary);
  std::string command;
  for (std::string word; std::getline(stream, word, '\0');) {
    constexpr const char* plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789%+,-./:=@_";
    if (word.empty() || word.find_first_not_of(plain) != std::string::npos) {
      for (std::size_t place = 0; (place = word.find('\'', place)) != std::string::npos; place += 4)
        word.replace(place, 1, "'\\''");
      word = "'" + word + "'";
    }
    command += (command.empty() ? "" : " ") + word;
  }
  return command;
}

/// Throws InputError for a pattern of --only that names no cell of any config.
void check_patterns(const std::vector<Planned>& all, const std::vector<std::string>& only) {
  for (const std::string& pattern : only)
    if (std::none_of(all.begin(), all.end(), [&](const Planned& planned) {
          const auto& cells = planned.plan.cells;
          return std::any_of(cells.begin(), cells.end(), [&](const Cell& cell) { return is_selected(cell, pattern); });
        }))
      throw InputError("", "--only",
                       fmt::format("'{}' matches no cell, such as '{}'", pattern, all.front().plan.cells.front().id()));
}

int run_all(RunArguments options) {
  const bool text = options.format.text();
  if (!text && options.dry_run) throw InputError("", "--format", "is about results, expected no --dry-run beside it");
  if (!options.shard.empty()) options.run.shard = parse_shard(options.shard);
  const double seconds = options.time.empty() ? 0.0 : parse_duration(options.time, "--for");
  Stopwatch watch;
  watch.start();
  const std::vector<Planned> all = plan_all(options);
  if (options.run.only.size() > 1) check_patterns(all, options.run.only);
  if (!options.dry_run)
    for (const Planned& planned : all) check_output_folder(std::filesystem::path(options.run.out) / planned.config.name);
  Records table = cell_table();
  Json benchmarks = Json::array();
  bool failed = false, interrupted = false;
  std::size_t remaining = 0, configs = all.size();
  const InterruptGuard guard;
  for (const Planned& planned : all) {
    if (options.dry_run) {
      print_plan(planned.config, planned.plan, options.run);
      continue;
    }
    if (seconds > 0.0) options.run.for_s = (seconds - watch.seconds()) / static_cast<double>(configs--);
    const RunReport report = run_in_terminal(planned.config, planned.plan, options.run, options.quiet);
    if (options.quiet || !text) {
      if (report.missing > 0)
        report_note(printable(fmt::format("{}: {} missing; {} fetches the files", planned.config.name,
                                          counted(report.missing, "cell"), planned.config.fetch)));
      for (const FailedCell& cell : report.failures)
        report_error(printable(fmt::format("{}: {}: {}", cell.id, status_name(cell.status),
                                           cell.reason.empty() ? status_meaning(cell.status) : cell.reason)));
    } else {
      std::fputs("\n", stderr);
      print_summary(planned.config, planned.plan, options.run, report);
    }
    if (text) {
      print_line("results: " + report.folder);
    } else {
      report_note("results: " + report.folder);
      add_cells(table, planned.config, planned.plan, options.run);
      add_benchmarks(benchmarks, planned.config, planned.plan, options.run);
    }
    std::fflush(stdout);
    interrupted = report.interrupted;
    if (interrupted) break;
    failed = failed || !report.failures.empty();
    remaining += report.remaining;
  }
  if (options.format.format() == Format::benchmark)
    print_line(dump_json(benchmarks, 1));
  else if (!text)
    print_records(options.format.format(), table);
  if (interrupted) {
    report_error("interrupted; run it again to do the missing cells");
    return exit_interrupted;
  }
  if (remaining > 0) {
    report_note(fmt::format("stopped after {}: {} not done; go on with: {}", options.time,
                            remaining == 1 ? "1 cell is" : fmt::format("{} cells are", remaining),
                            printable(own_command())));
    return exit_interrupted;
  }
  return failed ? exit_some_failed : exit_done;
}

/// With a word on what to do when the disk is full.
int run(RunArguments options) {
  if (!options.hosts.empty()) set_rank_hosts(options.hosts);
  if (options.ranks >= 0) options.run.overrides.set.push_back(fmt::format("/ranks={}", options.ranks));
  try {
    return run_all(options);
  } catch (const WriteError& error) {
    if (!error.disk_full()) throw;
    report_error(error);
    report_note("finished cells are kept; make room and give the same command again");
    return exit_bad_input;
  }
}

}  // namespace

void add_run(CommandLine& program) {
  Subcommand& command = program.subcommand("run", "run the cells of configs and write their results", run_footer);
  RunArguments& options = command.options<RunArguments>(run);
  RunOptions& run_options = options.run;
  command.operands("CONFIG", &options.configs, "config files (JSON), or names of configs (`ccpbench list configs`)",
                   Need::required);
  command.choice("--size", &run_options.overrides.size, {"small", "paper"}, "apply the values a config gives for this size");
  command.text("--out", &run_options.out, "DIR", "where results go, into a folder per config (default results)");
  command.repeated("--only", &run_options.only, "GLOB",
                   "only cells whose problem/model/label matches this shell pattern, any number of times");
  command.repeated("--set", &run_options.overrides.set, "POINTER=VALUE",
                   "change the config at a JSON pointer, any number of times; an index * is every entry of a list");
  command.integer("--jobs", &run_options.jobs, Range::closed(1, 1024), "N", "cells at once");
  command.integer("--threads", &run_options.threads, Range::closed(1, 1024), "N", "threads a solver may use");
  command.integer("--ranks", &options.ranks, Range::closed(0, most_ranks), "P",
                  "solve on P processes each, by MPI, unless a solver says its own number: as --set /ranks=P");
  command.text("--hosts", &options.hosts, "HOSTS", hosts_help);
  command.integer("--repeat", &run_options.repeat, Range::closed(1, 10000), "N",
                  "time each cell N times, in rounds over all cells; results give medians");
  command.integer(
      "--passes", &run_options.passes, Range::closed(1, 2), "P",
      "2: times come from runs that judge nothing (default with --repeat and for kernels), 1: from the traced run");
  command.flag("--fresh", &run_options.fresh, "also run finished cells");
  command.text("--shard", &options.shard, "K/N", "only the K-th of N parts of the cells, for several machines");
  command.text("--fclib", &run_options.fclib_dir, "DIR", "folder of the FCLib files (default: CCPBENCH_FCLIB_DIR)");
  command.text("--for", &options.time, "TIME",
               "stop after this time, such as 90s, 10m or 1h30m; cells run in an order that spreads over the plan");
  command.flag("--quiet", &options.quiet,
               "only the 'results:' lines, errors, and the failed cells with their reasons at the end");
  command.flag("--dry-run", &options.dry_run,
               "list the cells, the longest they can take, and what stored results took; run nothing");
  add_format_of_runs(command, &options.format);
}

}  // namespace ccp::cli
