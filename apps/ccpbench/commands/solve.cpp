#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <sstream>

#include "bench/config/config_tables.hpp"
#include "bench/results/trace_csv.hpp"
#include "commands/command.hpp"
#include "core/error.hpp"
#include "core/stopwatch.hpp"
#include "distributed/launch.hpp"
#include "distributed/ranks_solver.hpp"
#include "io/fclib_writer.hpp"
#include "io/file.hpp"
#include "peers/external/external_name.hpp"
#include "peers/peer_solver.hpp"
#include "problem/model.hpp"
#include "process/interrupt_guard.hpp"
#include "terminal/arguments.hpp"
#include "terminal/records.hpp"
#include "terminal/terminal.hpp"
#include "views/problem_source.hpp"
#include "views/ranking.hpp"
#include "views/solve_report.hpp"
#include "views/user_solvers.hpp"

namespace ccp::cli {
namespace {

constexpr const char* solve_footer =
    "Examples\n"
    "  $ ccpbench solve dump.hdf5\n"
    "  $ ccpbench solve dump.hdf5 --solver nsgs --set local=exact\n"
    "  $ ccpbench solve dump.hdf5 --solver admm --model ccp --tolerance 1e-10 --trace trace.csv\n"
    "  $ ccpbench solve scene:odd_mass_stack --solver admm --set preconditioner=diagonal\n"
    "  $ ccpbench solve dump.hdf5 --solver nsgs --solver python:./mine.py\n"
    "  $ ccpbench solve scene:random_contacts:contacts=120000 --solver apgd --ranks 4\n"
    "  $ ccpbench solve scene:odd_mass_stack:spheres=5,heavy_index=3,lift_factor=2 --solver jacobi\n"
    "  $ ccpbench solve dump.hdf5 --solver nsgs --solver proximal_newton --solver admm:rho=0.5,preconditioner=diagonal\n"
    "\n"
    "Several solvers are run one after the other, each on the problem read anew, with one model, and ranked: the solved "
    "ones\n"
    "by their time (set-up and iterations), then the others by the residual they came to. A run that takes less than a "
    "tenth\n"
    "of a second is done twice, and the second one counts. For reliable times use ccpbench run with --repeat.\n"
    "Exit codes: 0 solved (by all), 2 bad input, 3 not solved, 130 interrupted.\n";

struct SolveArguments {
  std::string source, model, measure = "relative_residual", trace, solution;
  std::vector<std::string> solvers, settings;
  StopRule stop;
  int seed = 0, threads = 1, ranks = 0;
  std::string hosts;
  FormatOption format;
};

/// Watches a run for the person at the terminal: one self-rewriting line, and the trace file.
class SolveObserver final : public TraceSink {
 public:
  /// who: put before each line; may be empty.
  SolveObserver(Measure stop_measure, TraceCsv* trace, std::string who)
      : stop_measure_(stop_measure), trace_(trace), who_(std::move(who)) {
    since_shown_.start();
  }
  ~SolveObserver() override { clear(); }

  void begin(const std::vector<Measure>& measures, const std::vector<NativeColumn>& native) override {
    if (trace_ != nullptr) trace_->begin(measures, native);
  }

  void row(const TraceRow& row) override {
    if (trace_ != nullptr) trace_->row(row);
    iteration_ = row.iteration;
    value_ = row.measures[measure_index(stop_measure_)];
    if (!stderr_is_terminal() || since_shown_.seconds() < 0.1) return;
    since_shown_ = Stopwatch();
    since_shown_.start();
    shown_ = true;
    print_error_stream("\r\x1b[K  {}",
                       Style::err().dim(shorten(where() + ", " + duration(row.elapsed_s), stderr_width() - 3)));
    std::fflush(stderr);
  }

  std::string where() const {
    return fmt::format("{}iteration {}, {} {}", who_, iteration_, measure_info(stop_measure_).name, short_number(value_));
  }
  void clear() {
    if (shown_) std::fputs("\r\x1b[K", stderr);
    shown_ = false;
  }

 private:
  Measure stop_measure_;
  TraceCsv* trace_;
  std::string who_;
  Stopwatch since_shown_;
  bool shown_ = false;
  int iteration_ = 0;
  double value_ = 0.0;
};

Model chosen_model(const SolveArguments& options, const Solver& solver) {
  return options.model.empty() ? solver.info().models.front() : *model_from_name(options.model);
}

/// The columns of a trace beside the stop measure.
const std::vector<Measure> trace_measures = {Measure::velocity_residual, Measure::relative_residual, Measure::natural_map,
                                             Measure::objective, Measure::penetration_velocity};

void save_solution(const SolveArguments& options, const NamedProblem& named, const Solver& solver, Model model,
                   const StopRule& stop, const Result& result) {
  FclibInfo info = named.info;
  info.certificate.clear();  // was that of the solution this one replaces
  info.math_info =
      fmt::format("solution: {} by {}, model {}, {} {}", status_name(result.status), solver.info().name, model_name(model),
                  measure_info(stop.measure).name, short_number(result.measures[measure_index(stop.measure)]));
  FclibImpulses impulses;
  impulses.solution = named.problem.own_impulse(result.impulse);
  write_fclib(options.solution, named.problem, named.problem.given_global() ? FclibForm::global : FclibForm::local, info,
              impulses);
}

/// Solves under observation. Nothing when interrupted; the trace is kept only when complete.
std::optional<Result> observed_solve(const SolveArguments& options, const NamedProblem& named, const Solver& solver,
                                     Model model) {
  const InterruptGuard guard;  // before the first file, so that none is left behind
  std::optional<OutputFile> trace_file;
  std::optional<TraceCsv> trace;
  if (!options.trace.empty()) try {
      trace.emplace(options.trace, trace_file.emplace(options.trace).open());
    } catch (const WriteError&) {
      if (!guard.interrupted()) throw;
      report_error(fmt::format("interrupted; nobody read {}", options.trace));
      return std::nullopt;
    }
  Judge judge(named.problem, model);
  RunMonitor monitor(judge, options.stop, options.threads);
  SolveObserver observer(options.stop.measure, trace ? &*trace : nullptr,
                         options.solvers.size() > 1 ? solver.info().name + ", " : "");
  monitor.set_trace(&observer, trace ? trace_measures : std::vector<Measure>());
  monitor.interrupt_when([&guard] { return guard.interrupted(); });
  Result result = solver.solve(named.problem, model, {}, monitor);
  observer.clear();
  if (result.status == Status::interrupted) {
    report_error(fmt::format("interrupted at {}; {}", observer.where(),
                             trace_file && trace_file->passes_through() ? "the trace ends there" : "nothing was written"));
    return std::nullopt;
  }
  if (trace) {
    trace->close();
    trace_file->commit();
  }
  return result;
}

/// "admm", "admm:rho=0.5,preconditioner=diagonal", and the settings of --set on top.
std::unique_ptr<Solver> named_solver(const std::string& text, const SolveArguments& options) {
  const auto [name, given] = split_settings(text);
  auto solver = solver_named(name);
  if (!given.empty()) {
    std::istringstream list(given);
    std::vector<std::string> settings;
    for (std::string setting; std::getline(list, setting, ',');) settings.push_back(setting);
    set_fields(solver->settings(), settings, "--solver " + text);
  }
  const bool several = options.solvers.size() > 1;
  set_fields(solver->settings(), options.settings, several ? fmt::format("--set, of {}", solver->info().name) : "--set");
  if (options.ranks == 0) return solver;
  return on_ranks(std::move(solver), options.ranks, load_origin(options.source, static_cast<std::uint64_t>(options.seed)));
}

NamedProblem read_problem(const SolveArguments& options) {
  return load_problem(options.source, static_cast<std::uint64_t>(options.seed));
}

/// One solver, and all there is to say of its run.
int solve_one(const SolveArguments& options, const Solver& solver) {
  const NamedProblem named = read_problem(options);
  const Model model = chosen_model(options, solver);
  print_solve_heading(named, solver, model, options.stop, options.threads);
  std::fflush(stdout);
  if (const auto reason = solver.supports(named.problem, model)) {
    print_solve_unsupported(*reason);
    return exit_some_failed;
  }
  const auto result = observed_solve(options, named, solver, model);
  if (!result) return exit_interrupted;
  print_solve_result(named.problem, options.stop, *result);
  if (!options.trace.empty() || !options.solution.empty()) print_line("");
  if (!options.trace.empty()) print_line("trace: " + printable(options.trace));
  if (!options.solution.empty()) {
    save_solution(options, named, solver, model, options.stop, *result);
    print_line("solution: " + printable(options.solution));
  }
  return result->status == Status::solved ? exit_done : exit_some_failed;
}

constexpr double short_run = 0.1;  // s; what a process does for the first time may then take longer than the method

/// One of several solvers on the problem read anew: the first one to ask for N, or for a factor of H, would pay for all.
/// A trace that goes to a device or a pipe is written once. Nothing when interrupted.
std::optional<RankedRun> ranked_run(const SolveArguments& options, const Solver& solver, Model model) {
  RankedRun run{solver.info().name, changed_values(solver.settings(), solver.settings().values()), {}};
  const bool once = as_peer(solver) != nullptr || (!options.trace.empty() && OutputFile(options.trace).passes_through());
  for (int pass = 0; pass < 2; ++pass) {
    const NamedProblem named = read_problem(options);
    if (const auto reason = solver.supports(named.problem, model)) {
      run.result.status = Status::unsupported;
      run.result.reason = *reason;
      break;
    }
    auto result = observed_solve(options, named, solver, model);
    if (!result) return std::nullopt;
    run.result = std::move(*result);
    const bool last = once || pass == 1 || run.result.setup_s + run.result.solve_s > short_run;
    if (last && !options.solution.empty()) save_solution(options, named, solver, model, options.stop, run.result);
    if (last) break;
  }
  return run;
}

int solve_ranked(const SolveArguments& options, const std::vector<std::unique_ptr<Solver>>& solvers) {
  const Model model = chosen_model(options, *solvers.front());
  const NamedProblem named = read_problem(options);
  if (options.format.text()) print_problem(named);
  std::fflush(stdout);
  std::vector<RankedRun> runs;
  bool solved = true;
  for (const auto& solver : solvers) {
    auto run = ranked_run(options, *solver, model);
    if (!run) return exit_interrupted;
    solved = solved && run->result.status == Status::solved;
    runs.push_back(std::move(*run));
  }
  rank(runs, options.stop);
  if (options.format.text())
    print_ranking(runs, model, options.stop);
  else
    print_ranking_records(runs, named, model, options.stop, options.format.format());
  return solved ? exit_done : exit_some_failed;
}

/// Better said now than after the work.
void check_outputs(const SolveArguments& options) {
  for (const std::string* file : {&options.trace, &options.solution})
    if (!file->empty()) check_output(*file);
  if (options.trace.empty()) return;
  const InterruptHold hold;
  const OutputFile trace(options.trace);
  if (trace.is_same(options.source))
    throw InputError(options.trace, "", "is the problem, which --trace would write over, expected another file");
  if (!options.solution.empty() && trace.is_same(options.solution))
    throw InputError(options.trace, "", "is the file of --trace and of --save-solution, expected two files");
}

int solve(SolveArguments options) {
  if (!options.hosts.empty()) set_rank_hosts(options.hosts);
  options.stop.measure = *measure_from_name(options.measure);
  std::vector<std::unique_ptr<Solver>> solvers;
  if (options.solvers.empty()) options.solvers = {default_solver};
  for (const std::string& text : options.solvers) solvers.push_back(named_solver(text, options));
  for (const auto& [name, file] : {std::pair("--trace", &options.trace), std::pair("--save-solution", &options.solution)})
    if (solvers.size() > 1 && !file->empty()) throw InputError("", name, "is of one solver, expected one --solver");
  check_outputs(options);
  if (solvers.size() == 1 && options.format.text()) return solve_one(options, *solvers.front());
  return solve_ranked(options, solvers);
}

}  // namespace

void add_solve(CommandLine& program) {
  Subcommand& command =
      program.subcommand("solve", "solve one problem and show the result, or rank several solvers", solve_footer);
  SolveArguments& options = command.options<SolveArguments>(solve);
  command.operand("FILE", &options.source,
                  "an FCLib dump (HDF5, or .dat of Siconos), or scene:NAME, or scene:NAME:PARAMETER=VALUE,...",
                  Need::required);
  command.repeated("--solver", &options.solvers, "SOLVER",
                   "the method (see ccpbench list solvers), or NAME:SETTING=VALUE,...; several are ranked (default "
                   "proximal_newton). Your own: python:FILE:FUNCTION, command:PROGRAM");
  command.repeated("--set", &options.settings, "NAME=VALUE", "a setting of the solver, any number of times");
  command.choice("--model", &options.model, model_names(),
                 "convex (ccp) or Signorini–Coulomb (ncp); that of the (first) solver unless given");
  command.choice("--measure", &options.measure, stoppable_measures(), "what the tolerance is for");
  command.real("--tolerance", &options.stop.tolerance, Range::non_negative(), "X", "solved at or below it");
  command.integer("--max-iterations", &options.stop.max_iterations, Range::non_negative(), "N", "iteration limit");
  command.seconds("--time-limit", &options.stop.time_limit_s, "limit of solver clock, such as 1ms; s without a unit");
  command.flag("--native-stop", &options.stop.native, "stop when the solver's own criterion holds, as in its paper");
  command.integer("--threads", &options.threads, Range::closed(1, 1024), "N", "threads the solver may use");
  command.integer("--ranks", &options.ranks, Range::closed(0, most_ranks), "P",
                  "solve on P processes, by MPI, with the same iterates for every P; 0: in this one, without MPI");
  command.text("--hosts", &options.hosts, "HOSTS", hosts_help);
  command.integer("--seed", &options.seed, Range::non_negative(), "N", "seed of a scene");
  command.text("--trace", &options.trace, "FILE", "write one row per iteration to this CSV file");
  command.text("--save-solution", &options.solution, "FILE", "write the problem with the solution found as FCLib HDF5");
  add_format(command, &options.format);
}

}  // namespace ccp::cli
