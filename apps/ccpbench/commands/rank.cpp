#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "bench/analysis/budget.hpp"
#include "bench/run/runner.hpp"
#include "commands/command.hpp"
#include "core/error.hpp"
#include "io/file.hpp"
#include "problem/model.hpp"
#include "terminal/arguments.hpp"
#include "terminal/progress.hpp"
#include "terminal/records.hpp"
#include "terminal/table.hpp"
#include "terminal/terminal.hpp"
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
    "again does what is missing.\n"
    "Exit codes: 0 done, 2 bad input, 130 interrupted.\n";

const std::vector<std::string> portfolio = {"proximal_newton",           "nsgs",     "apgd",
                                            "admm:step_policy=spectral", "ipm_cone", "canal"};
constexpr double most_seconds = 60.0;

struct RankArguments {
  Study study{"rank", {}, {}, {}, "", {}};
  double accuracy = 1e-6;
  std::string model, budget, out = "results";
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

/// The best first: by the share of all problems, then by the median time.
std::vector<WithinBudget> ranked(const ResultTable& results, double budget_s, std::size_t problems) {
  std::vector<WithinBudget> solvers = within_budget({results}, budget_s, std::nullopt);
  for (WithinBudget& solver : solvers) solver.runs = problems;  // one that a solver does not take is not solved by it
  std::stable_sort(solvers.begin(), solvers.end(), [](const WithinBudget& a, const WithinBudget& b) {
    return a.solved != b.solved ? a.solved > b.solved : a.median_s < b.median_s;
  });
  return solvers;
}

/// "solves 47 of 50 to 1e-06 within 1ms (94 %, 95 % interval 86 to 100 %), median time 0.4 ms"
std::string share_text(const WithinBudget& solver, const std::string& goal) {
  const ShareInterval interval = share_interval(solver.solved, solver.runs);
  const double share = 100.0 * static_cast<double>(solver.solved) / static_cast<double>(solver.runs);
  return fmt::format("solves {} of {} {} ({:.0f} %{}), median time {}", solver.solved, solver.runs, goal, share,
                     std::isnan(interval.low)
                         ? ""
                         : fmt::format(", 95 % interval {:.0f} to {:.0f} %", 100.0 * interval.low, 100.0 * interval.high),
                     std::isfinite(solver.median_s) ? duration(solver.median_s) : "–");
}

void print_advice(const std::vector<WithinBudget>& solvers, const std::string& goal) {
  const WithinBudget& best = solvers.front();
  if (best.solved == 0) {
    print_line(fmt::format("none: no method solves a problem {}", goal));
  } else {
    print_line(fmt::format("take {}: {}", Style::out().bold(printable(best.label)), share_text(best, goal)));
    if (solvers.size() > 1)
      print_line(fmt::format("second is {}: {}", printable(solvers[1].label), share_text(solvers[1], goal)));
  }
}

Records rank_records(const std::vector<WithinBudget>& solvers) {
  Records table({{"solver", "solver"},
                 {"solved", "solved", true},
                 {"problems", "problems", true},
                 {"low", "95 %, from", true},
                 {"high", "to", true},
                 {"median_s", "median time", true},
                 {"p95_s", "95 % take", true},
                 {"worst_s", "longest", true}});
  for (const WithinBudget& solver : solvers) {
    const ShareInterval interval = share_interval(solver.solved, solver.runs);
    table.row({solver.label, Json(solver.solved), Json(solver.runs), number(interval.low), number(interval.high),
               seconds(solver.median_s), seconds(solver.p95_s), seconds(solver.worst_s)});
  }
  return table;
}

int rank_solvers(RankArguments options) {
  const double budget = options.budget.empty() ? most_seconds : parse_time(options.budget, "--budget");
  if (options.study.solvers.empty()) options.study.solvers = portfolio;
  if (!options.model.empty()) options.study.models = {options.model};
  // The clock decides, not a count. Ten budgets tell how far a method is from it.
  options.study.stop = {Measure::relative_residual, options.accuracy, false, 1000000000,
                        std::clamp(10.0 * budget, 0.1, most_seconds)};
  const std::filesystem::path folder = std::filesystem::path(options.out) / options.study.name;
  const StudyConfig study = make_study(options.study, options.study.name + ".json");
  check_output_folder(folder);
  const auto results = run_study(options, study);
  if (!results) {
    report_error("interrupted; run it again to do the missing cells");
    return exit_interrupted;
  }
  std::set<std::string> problems;
  for (const Cell& cell : study.plan.cells) problems.insert(cell.problem);
  const std::vector<WithinBudget> solvers = ranked(*results, budget, problems.size());
  if (!options.format.text()) {
    print_records(options.format.format(), rank_records(solvers));
    return exit_done;
  }
  print_advice(solvers,
               fmt::format("to {:g}{}", options.accuracy, options.budget.empty() ? "" : " within " + options.budget));
  print_line("results: " + folder.string());
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
  command.real("--accuracy", &options.accuracy, Range::positive(), "X", "relative residual at which a problem is solved");
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
