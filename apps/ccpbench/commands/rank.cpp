#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "bench/run/runner.hpp"
#include "commands/command.hpp"
#include "core/error.hpp"
#include "io/file.hpp"
#include "problem/model.hpp"
#include "terminal/arguments.hpp"
#include "terminal/progress.hpp"
#include "terminal/records.hpp"
#include "terminal/terminal.hpp"
#include "views/budget_table.hpp"
#include "views/study.hpp"

namespace ccp::cli {
namespace {

constexpr const char* rank_footer =
    "Examples\n"
    "  $ ccpbench rank dumps/*.hdf5 --budget 1ms\n"
    "  $ ccpbench rank dumps --accuracy 1e-8\n"
    "  $ ccpbench rank dumps --budget 5ms --solver nsgs --solver nsgs:local=exact --solver admm:rho=1\n"
    "\n"
    "Which method to take: runs proximal_newton, nsgs, apgd, admm with spectral steps, ipm_cone and canal, or those of\n"
    "--solver, on all problems, each three times, and ranks them by the share of problems that they solve within the "
    "budget,\n"
    "then by the median of their times. The results stay in OUT/NAME, for report, plot and profile; running the command\n"
    "again does what is missing. Problems that no method takes, without contacts, or that cannot be read are left out, and "
    "named.\n"
    "A method that takes a hundred budgets is not timed again.\n"
    "Exit codes: 0 done, 2 bad input, 130 interrupted.\n";

const std::vector<std::string> portfolio = {"proximal_newton",           "nsgs",     "apgd",
                                            "admm:step_policy=spectral", "ipm_cone", "canal"};
constexpr double most_seconds = 60.0;

struct RankArguments {
  Study study{"rank", {}, {}, {}, "", {}, {}};
  double accuracy = 1e-6;
  std::string model, budget, wall, out = "results";
  RunOptions run;
  bool quiet = false;
  FormatOption format;
};

/// Runs the study. Nothing when it was interrupted.
std::optional<ResultTable> run_study(const RankArguments& options, const StudyConfig& study) {
  RunOptions run = options.run;
  run.out = options.out;
  const RunReport report = run_in_terminal(study.config, study.plan, run, options.quiet);
  if (report.interrupted) return std::nullopt;
  return ResultTable(report.folder, catalog());
}

/// The best first: by the share of the problems that some solver takes, then by the median time.
void put_in_order(BudgetTable& table) {
  for (WithinBudget& solver : table.solvers) solver.runs = table.problems;  // what a solver does not take it does not solve
  std::stable_sort(table.solvers.begin(), table.solvers.end(), [](const WithinBudget& a, const WithinBudget& b) {
    return a.solved != b.solved ? a.solved > b.solved : a.solve_s.median < b.solve_s.median;
  });
}

/// "solves 47 of 50 to 1e-06 within 1ms (94 %, 95 % interval 86 to 100 %), median time 0.4 ms"
std::string share_text(const WithinBudget& solver, const std::string& goal) {
  const ShareInterval interval = share_interval(solver.solved, solver.runs);
  const double share = 100.0 * static_cast<double>(solver.solved) / static_cast<double>(solver.runs);
  return fmt::format("solves {} of {} {} ({:.0f} %{}), median time {}", solver.solved, solver.runs, goal, share,
                     std::isnan(interval.low)
                         ? ""
                         : fmt::format(", 95 % interval {:.0f} to {:.0f} %", 100.0 * interval.low, 100.0 * interval.high),
                     std::isfinite(solver.solve_s.median) ? duration(solver.solve_s.median) : "–");
}

void print_advice(const std::vector<WithinBudget>& solvers, const std::string& model, const std::string& goal) {
  const WithinBudget& best = solvers.front();
  if (best.solved == 0) {
    print_line(fmt::format("none: no method solves a problem {}, model {}", goal, model));
  } else {
    print_line(
        fmt::format("take {}, model {}: {}", Style::out().bold(printable(best.label)), model, share_text(best, goal)));
    if (solvers.size() > 1)
      print_line(fmt::format("second is {}: {}", printable(solvers[1].label), share_text(solvers[1], goal)));
  }
}

/// Of a scene that moves the problem is that of its first step, which a person may not expect.
void note_motion(const std::vector<std::string>& problems) {
  for (const std::string& source : problems) {
    if (!source.starts_with("scene:")) continue;
    const std::string name = source.substr(6, source.find(':', 6) - 6);
    if (catalog().scenes.make(name)->motion(0))
      report_note(
          fmt::format("{} moves, and its first step is ranked; all steps: ccpbench generate {} --steps 0:99 --form "
                      "global --out {}-steps, then ccpbench rank {}-steps",
                      source, name, name, name));
  }
}

int rank_solvers(RankArguments options) {
  const double budget = options.budget.empty() ? most_seconds : parse_time(options.budget, "--budget");
  if (options.study.solvers.empty()) options.study.solvers = portfolio;
  if (!options.model.empty()) options.study.models = {options.model};
  // The clock decides, not a count. Ten budgets tell how far a method is from it.
  options.study.stop = {Measure::relative_residual, options.accuracy, false, 1000000000,
                        std::clamp(10.0 * budget, 0.1, std::max(budget, most_seconds))};
  // Set-up, which cannot be interrupted, and judging take their time as well.
  options.study.wall_s = options.wall.empty()
                             ? std::clamp(1000.0 * budget, 10.0, std::max(10.0 * budget, 10.0 * most_seconds))
                             : parse_time(options.wall, "--wall");
  options.run.hopeless_s = 100.0 * budget;
  const std::filesystem::path folder = std::filesystem::path(options.out) / options.study.name;
  const StudyConfig study = make_study(options.study, options.study.name + ".json");
  check_output_folder(folder);
  note_motion(options.study.problems);
  const auto results = run_study(options, study);
  if (!results) {
    report_error("interrupted; run it again to do the missing cells");
    return exit_interrupted;
  }
  BudgetTable table = within_budget({*results}, {budget, std::nullopt, std::nullopt});
  put_in_order(table);
  if (!options.format.text()) {
    Records records = budget_records();
    add_budget(records, table.solvers, options.accuracy);
    print_records(options.format.format(), records);
  } else {
    print_advice(table.solvers, std::string(model_name(study.plan.cells.front().model)),
                 fmt::format("to {:g}{}", options.accuracy, options.budget.empty() ? "" : " within " + options.budget));
    print_line("results: " + folder.string());
  }
  note_budget(table);
  return exit_done;
}

}  // namespace

void add_rank(CommandLine& program) {
  Subcommand& command = program.subcommand("rank", "say which method to take for given problems", rank_footer);
  RankArguments& options = command.options<RankArguments>(rank_solvers);
  options.run.repeat = 3;
  command.operands("FILE", &options.study.problems,
                   "FCLib dumps, folders or patterns of dumps, scene:NAME, or scene:NAME:PARAMETER=VALUE,...",
                   Need::required);
  command.text("--budget", &options.budget, "TIME", "time for a problem, such as 1ms, set-up included (default: 60 s)");
  command.real("--accuracy", &options.accuracy, {0.0, 1.0, true, true}, "X",
               "relative residual at which a problem is solved");
  command.text(
      "--wall", &options.wall, "TIME",
      "longest that a run may take with reading and judging, then it is stopped (default: 1000 budgets, from 10 s to "
      "600 s)");
  command.choice("--model", &options.model, model_names(), "ccp or ncp; ccp where all methods solve it, else ncp");
  command.repeated("--solver", &options.study.solvers, "SOLVER", "instead of the portfolio, any number of times");
  command.text("--perturb", &options.study.perturb, "KEY=VALUE,...", "rank on neighbours of the problems, as in new");
  command.text("--out", &options.out, "DIR", "where the results go, into a folder NAME (default results)");
  command.text("--name", &options.study.name, "NAME", "of the folder of results (default rank)");
  command.integer("--repeat", &options.run.repeat, Range::closed(1, 10000), "N", "time each cell N times");
  command.flag("--quiet", &options.quiet, "no progress");
  add_format(command, &options.format);
}

}  // namespace ccp::cli
